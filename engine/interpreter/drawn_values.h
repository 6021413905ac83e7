// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"

#include <string>
#include <vector>

namespace graphloom {

/// Which random numbers make a value one that cannot be compared: those of nodes without a seed
/// differ between two graphs run here, any differ from those that another program has drawn.
enum class Draws { WithoutSeed, All };

/// For each output of a graph, the node that draws random numbers on which its elements depend, as
/// Node::label() says; empty where there is none. What draws is the operator table's to say
/// (Operator::draws); shapes that are read off a drawn value count as dependent, too.
std::vector<std::string> outputsDrawn(const Graph &graph, const Opsets &opsets, Draws draws);

} // namespace graphloom
