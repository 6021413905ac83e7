// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "tests/support/random_graph.h"

#include <string>

namespace graphloom::test {

/// A random network of cells as NASNet has them: each reads the results of the two before it, makes
/// five blocks of them (two of separable or plain convolutions, poolings or nothing, added up), and
/// concatenates the blocks that nothing else reads. Every third cell halves the resolution.
Graph cellNetwork(Random &random, int cells);

/// Applies one substitution as TASO has them, at a random place: two convolutions that share their
/// input become one and a Split, or such a one becomes two; additions change their order; a Relu
/// goes through a Concat; a cheap call is made twice, one for a reader of its own, or two equal
/// ones become one. The name of the substitution; empty, and the graph as it was, when none fits.
std::string substitute(Graph &graph, Random &random);

} // namespace graphloom::test
