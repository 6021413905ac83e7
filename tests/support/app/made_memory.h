// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

namespace graphloom::test {

/// What a pass might say of the memory of a plan's first four nodes a, b, c and d, which take 2 ms
/// each: 100, 200, 300 and 150 bytes, then a once more, for 250 bytes. Before it they took 400
/// bytes at most. The tensor that a writes is swapped out and loaded again; what b writes takes
/// over 50 bytes of it. The front has three plans, of which the second was chosen; one baseline has
/// two points.
std::shared_ptr<const MemoryPlan> madeMemory(const Graph &graph);
/// A sample with it.
SnapshotPointer withMemory(const SnapshotPointer &before);

} // namespace graphloom::test
