// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/lanes/lanes.h"

#include <span>
#include <vector>

namespace graphloom {

/// Returns the items that a step stands for in the graph of a snapshot of the plan that was run:
/// the fusion block or node; for a step of the original, those that do its work now. Empty for a
/// copy of an input, and for a node that was folded or removed.
std::vector<Item> itemsOf(const Lanes &lanes, const Lanes::Run &run, std::uint32_t step,
                          const Snapshot &snapshot);

/// Tells for each step of a run whether it belongs to one of the items, which are of such a
/// snapshot.
std::vector<bool> stepsOf(const Lanes::Run &run, const Snapshot &snapshot,
                          std::span<const Item> items);

} // namespace graphloom
