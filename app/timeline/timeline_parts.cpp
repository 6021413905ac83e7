// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_parts.h"

#include "app/common/format.h"

#include <algorithm>

namespace graphloom {

QString timelineNodeText(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(id);
    return fromUtf8(node.op) + ' ' +
           (node.name.empty() ? QStringLiteral("#%1").arg(graph.position(id))
                              : fromUtf8(node.name));
}

Item timelineItemOf(const Graph &graph, TensorId id)
{
    return graph.isInput(id)      ? Item::input(id)
           : graph.isExternal(id) ? Item::captured(id)
                                  : Item::tensor(id);
}

MemoryTimeline::Class timelineClassOf(const Graph &graph, TensorId id, bool training)
{
    const std::string &name = graph.tensor(id).name;
    if (training && name.find(".updated") != std::string::npos)
        return MemoryTimeline::Class::Update;
    if (training && name.find(".gradient") != std::string::npos)
        return MemoryTimeline::Class::Gradient;
    return graph.isExternal(id) ? MemoryTimeline::Class::Input
           : graph.isOutput(id) ? MemoryTimeline::Class::Output
                                : MemoryTimeline::Class::Activation;
}

void addExtras(MemoryTimeline &timeline)
{
    std::vector<std::int64_t> change(timeline.steps.size() + 1);
    for (const MemoryTimeline::Tensor &tensor : timeline.tensors) {
        change[tensor.first] += tensor.bytes;
        change[tensor.last] -= tensor.takenOver;
        change[std::size_t(tensor.last) + 1] -= tensor.bytes - tensor.takenOver;
    }
    std::int64_t bytes = timeline.residentBytes;
    for (std::size_t s = 0; s < timeline.steps.size(); ++s) {
        bytes += change[s];
        timeline.steps[s].extra = std::max<std::int64_t>(0, timeline.steps[s].bytes - bytes);
    }
}

} // namespace graphloom
