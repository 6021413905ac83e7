// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

namespace graphloom::test {

/// A fusion plan made by hand: as many nodes that follow each other in the graph's order make a
/// block. Each block has a border with the next that it feeds, for the reason "made by a test",
/// and a decision about its first two nodes, "decided by a test"; the first is called "Head". No
/// block is locked. Statistics: 10 layers before, 4 of them compute-intensive, 2048 bytes; after
/// as many as there are blocks, 2 of them, 1024 bytes. For null null.
SnapshotPointer fused(const SnapshotPointer &before, std::size_t size = 3);
/// The same of a sample.
SnapshotPointer fusedSample(const std::string &name, std::size_t size = 3);
/// The same with some blocks locked.
SnapshotPointer locked(const SnapshotPointer &before, const std::vector<std::uint32_t> &blocks);

/// The plan of a small model after two steps of rewriting, made by hand: Relu(Relu(x)) + x lost a
/// Relu ("drop-relu", cleanup, 6 FLOPs), then the Add became a Sub ("add-to-sub", commutative, 0).
SnapshotPointer rewritten();

} // namespace graphloom::test
