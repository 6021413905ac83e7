// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

namespace graphloom::test {

/// Returns a handmade memory plan for a plan's first four nodes a, b, c and d, which take 2 ms
/// each: 100, 200, 300 and 150 bytes, then a once more, for 250 bytes. Before the pass they took
/// 400 bytes at most. The tensor that a writes is swapped out and loaded again; the tensor that b
/// writes takes over 50 bytes of it. The front has three plans, of which the second was chosen; one
/// baseline has two points.
std::shared_ptr<const MemoryPlan> madeMemory(const Graph &graph);
/// Returns a snapshot with madeMemory().
SnapshotPointer withMemory(const SnapshotPointer &before);

} // namespace graphloom::test
