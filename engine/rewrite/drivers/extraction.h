// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/drivers/egraph.h"

#include <optional>
#include <vector>

namespace graphloom {

/// Holds a call for every class that gives it; invalid if none is needed or known.
using Selection = std::vector<NodeId>; // by class

/// Returns the cost of computing the wanted classes with a selection, shared calls counted once;
/// nothing if the selection is cyclic or a class has no call. `order`, if given, gets the calls,
/// inputs first.
std::optional<Cost> costOf(const EGraph &graph, const Selection &selection,
                           const std::vector<TensorId> &wanted,
                           std::vector<NodeId> *order = nullptr);

/// Returns the cheapest selection found for the wanted classes: starts from the cheapest tree of
/// each class, and from the given selection, then changes one class at a time as long as the total
/// gets cheaper. Never costs more than the given one.
Selection cheapestSelection(const EGraph &graph, Selection given,
                            const std::vector<TensorId> &wanted);

} // namespace graphloom
