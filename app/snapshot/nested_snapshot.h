// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"

#include <QStringList>

namespace graphloom {

// These functions make snapshots of graphs nested in nodes. They share everything with the snapshot
// of the model's own graph, whose facts cover all nested graphs, so they take no time to make.

/// Returns the snapshot of the model's own graph, given that of any graph in it. Returns null for
/// null.
SnapshotPointer ownGraph(SnapshotPointer snapshot);

/// Returns the graph one step inside, or null when there is no such graph.
SnapshotPointer insideOf(const SnapshotPointer &around, const GraphStep &step);

/// Returns the graph at a path from the model's own graph, or the deepest one on that path that
/// exists.
SnapshotPointer graphAt(const SnapshotPointer &own, const GraphPath &path);

/// Returns the graph of another state of the plan that corresponds to `shown`, or the deepest graph
/// around it whose path still exists: the same attributes of nodes with the same ids and operators.
SnapshotPointer sameGraphIn(const SnapshotPointer &own, const Snapshot &shown);

/// Returns the item that a captured tensor stands for in the graph around: the node that writes it,
/// an input, or a tensor that that graph captures itself. For a constant, which is not drawn,
/// returns the node that holds this graph.
Item sourceOf(const Snapshot &snapshot, TensorId captured);
/// Returns the captured tensor itself, in the graph around.
TensorId capturedFrom(const Snapshot &snapshot, TensorId captured);

/// Returns the path to a nested graph, with a title for each step: "Loop_123 › body". Nodes without
/// a name are given by operator and position: "Loop #17 › body". Returns an empty list for the
/// model's own graph.
QStringList titlesOf(const Snapshot &snapshot);
/// Returns titlesOf() as one string: "Loop_123 › body › If_4 › then_branch".
QString titleOf(const Snapshot &snapshot);

} // namespace graphloom
