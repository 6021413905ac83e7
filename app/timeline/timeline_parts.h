// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/timeline/memory_timeline.h"

namespace graphloom {

// These functions help to make timelines, wherever their steps and lifetimes come from.

/// Returns the text of a node: "Conv conv1", "Relu #12".
QString timelineNodeText(const Graph &graph, NodeId id);
/// Returns the item of a tensor: the input or captured tensor that is drawn, or else the tensor.
Item timelineItemOf(const Graph &graph, TensorId id);
/// Returns the class of a tensor. Gradients and updates are recognized by the names that
/// engine/autodiff gives them.
MemoryTimeline::Class timelineClassOf(const Graph &graph, TensorId id, bool training);
/// Computes which part of the steps' bytes belongs to no tensor.
void addExtras(MemoryTimeline &timeline);

/// Makes the timeline from a MemoryPlan, as a pass has made it. Returns null when stopped.
TimelinePointer plannedTimeline(const Snapshot &snapshot, const MemoryPlan &plan,
                                std::stop_token stop);

} // namespace graphloom
