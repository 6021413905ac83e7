// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <stop_token>
#include <vector>

namespace graphloom {

/// Returns, by id of the tensors that nodes of a plan's graph write, the tensor of the original
/// graph that has the same value if the plan is right; invalid if there is none. Origins of the
/// plan's nodes are nodes of the original. Outputs correspond by position. Whatever changes a graph
/// gives new names to new values, so a name that both graphs have stands for one value, as long as
/// type and shape agree. A tensor under a new name has a counterpart if its node is a copy of its
/// only origin: the same call, on inputs that are the same constants or counterparts of the
/// origin's. Returns fewer if stopped.
std::vector<TensorId> counterpartsOf(const Graph &original, const Graph &plan,
                                     const std::stop_token &stop = {});

} // namespace graphloom
