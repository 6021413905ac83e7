// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/drivers/egraph.h"

#include <optional>
#include <vector>

namespace graphloom {

/// For every class a call that gives it; invalid where none is needed or known.
using Selection = std::vector<NodeId>; // by class

/// What computing the classes takes with a selection, shared calls counted once; none when it runs
/// in a circle or a class has no call. `order`, if given, gets the calls, inputs first.
std::optional<Cost> costOf(const EGraph &graph, const Selection &selection,
                           const std::vector<TensorId> &wanted,
                           std::vector<NodeId> *order = nullptr);

/// The cheapest selection that is found for the classes: begins with the cheapest tree of each
/// class, and with the given selection, then changes one class at a time as long as the whole gets
/// cheaper. Never dearer than the given one.
Selection cheapestSelection(const EGraph &graph, Selection given,
                            const std::vector<TensorId> &wanted);

} // namespace graphloom
