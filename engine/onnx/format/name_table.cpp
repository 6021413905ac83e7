// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/format/name_table.h"

namespace graphloom {

std::string NameTable::take(std::string_view wished, std::string_view fallback)
{
    const std::string base(wished.empty() ? fallback : wished);
    std::string name = base;
    while (!m_taken.insert(name).second)
        name = base + "_" + std::to_string(++m_suffix);
    return name;
}

std::vector<std::string> nameTensors(const Graph &graph, NameTable &taken,
                                     const std::vector<std::string> &capturedNames)
{
    std::vector<std::string> names(graph.tensorBound());
    for (std::size_t i = 0; i < graph.captured().size(); ++i)
        names[graph.captured()[i].index] = capturedNames[i];
    const auto name = [&](TensorId id) {
        if (graph.contains(id) && names[id.index].empty())
            names[id.index] =
                taken.take(graph.tensor(id).name, "tensor_" + std::to_string(id.index));
    };
    for (const auto list : {graph.inputs(), graph.outputs()})
        for (const TensorId id : list)
            name(id);
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
        name(TensorId{i});
    return names;
}

std::vector<std::string> nameNodes(const Graph &graph, NameTable &taken)
{
    std::vector<std::string> names(graph.nodeBound());
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        names[id.index] = taken.take(node.name, node.op + "_" + std::to_string(id.index));
    }
    return names;
}

} // namespace graphloom
