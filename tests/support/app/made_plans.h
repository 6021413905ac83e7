// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

namespace graphloom::test {

/// Returns a snapshot with a handmade fusion plan: each `size` consecutive nodes of the graph's
/// order are a block. Each block has a border with the next one that it feeds, for the reason "made
/// by a test", and a decision about its first two nodes, "decided by a test"; the first block is
/// called "Head". No block is locked. Statistics: before, 10 layers, 4 of them compute-intensive,
/// and 2048 bytes; after, as many layers as there are blocks, 2 of them compute-intensive, and 1024
/// bytes. Returns null for null.
SnapshotPointer fused(const SnapshotPointer &before, std::size_t size = 3);
/// Returns fused() of a sample.
SnapshotPointer fusedSample(const std::string &name, std::size_t size = 3);
/// Returns the snapshot with some blocks locked.
SnapshotPointer locked(const SnapshotPointer &before, const std::vector<std::uint32_t> &blocks);

/// Returns the plan of a small model after two handmade steps of rewriting: Relu(Relu(x)) + x lost
/// a Relu ("drop-relu", cleanup, 6 FLOPs), then the Add became a Sub ("add-to-sub", commutative,
/// 0).
SnapshotPointer rewritten();

} // namespace graphloom::test
