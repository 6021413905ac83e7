// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

#include <QStringList>

namespace graphloom {

// Snapshots of graphs nested in nodes. They share everything with the one of the model's own
// graph, whose facts have been computed for all: making one takes no time.

/// The snapshot of the model's own graph, from that of any graph in it. Null for null.
SnapshotPointer ownGraph(SnapshotPointer snapshot);

/// The graph one step inside; null when there is no such graph.
SnapshotPointer insideOf(const SnapshotPointer &around, const GraphStep &step);

/// The graph at a path from the model's own one, or the deepest on the way that is there.
SnapshotPointer graphAt(const SnapshotPointer &own, const GraphPath &path);

/// The graph of another state of the plan that `shown` was, or the deepest one around it of which
/// the way is still there: the same attributes of nodes of the same ids and operators.
SnapshotPointer sameGraphIn(const SnapshotPointer &own, const Snapshot &shown);

/// What a captured tensor stands for, in the graph around: the node that writes it, an input, or
/// what that graph captures itself. For a constant, which is not drawn, it is the node that holds
/// this graph.
Item sourceOf(const Snapshot &snapshot, TensorId captured);
/// The tensor itself, in the graph around.
TensorId capturedFrom(const Snapshot &snapshot, TensorId captured);

/// The way to a nested graph, a title for each step: "Loop_123 › body"; nodes without a name by
/// operator and position: "Loop #17 › body". Empty for the model's own graph.
QStringList titlesOf(const Snapshot &snapshot);
/// The titles in one: "Loop_123 › body › If_4 › then_branch".
QString titleOf(const Snapshot &snapshot);

} // namespace graphloom
