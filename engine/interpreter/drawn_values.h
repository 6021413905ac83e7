// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <string>
#include <vector>

namespace graphloom {

/// Selects which random numbers make a value incomparable: those of nodes without a seed differ
/// between two graphs run here; any of them differ from those that another program has drawn.
enum class Draws { WithoutSeed, All };

/// Returns, by tensor id, a node that draws random numbers on which the tensor's elements depend;
/// invalid if there is none.
std::vector<NodeId> tensorsDrawn(const Graph &graph, const Opsets &opsets, Draws draws);
/// Returns, for each output of a graph, the label (Node::label()) of a node that draws random
/// numbers on which the output's elements depend; empty if there is none. The operator table says
/// which operators draw (Operator::draws). Shapes that are read off a drawn value count as
/// dependent, too.
std::vector<std::string> outputsDrawn(const Graph &graph, const Opsets &opsets, Draws draws);

} // namespace graphloom
