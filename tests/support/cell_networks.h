// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "tests/support/random_graph.h"

#include <string>

namespace graphloom::test {

/// Returns a random network of cells like those of NASNet: each cell reads the results of the two
/// before it, makes five blocks of them (two of separable or plain convolutions, poolings or
/// identities, added up), and concatenates the blocks that no other block reads. Every third cell
/// halves the resolution.
Graph cellNetwork(Random &random, int cells);

/// Applies one substitution of the kinds of TASO at a random place: two convolutions that share
/// their input become one and a Split, or the reverse; additions change their order; a Relu moves
/// through a Concat; a cheap call is duplicated for a reader of its own, or two equal calls become
/// one. Returns the name of the substitution, or an empty string, with the graph unchanged, if none
/// fits.
std::string substitute(Graph &graph, Random &random);

} // namespace graphloom::test
