// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/timeline/memory_timeline.h"

namespace graphloom {

// What timelines are put together from, wherever their steps and lives come from.

/// "Conv conv1", "Relu #12".
QString timelineNodeText(const Graph &graph, NodeId id);
/// As it is drawn, or else as itself.
Item timelineItemOf(const Graph &graph, TensorId id);
/// Known by the names that engine/autodiff gives to what it adds.
MemoryTimeline::Class timelineClassOf(const Graph &graph, TensorId id, bool training);
/// Finds out what of the steps' bytes is of no tensor.
void addExtras(MemoryTimeline &timeline);

/// As a pass says of a plan's memory. Null when stopped.
TimelinePointer plannedTimeline(const Snapshot &snapshot, const MemoryPlan &plan,
                                std::stop_token stop);

} // namespace graphloom
