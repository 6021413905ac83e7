// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <cassert>

namespace graphloom {

std::string Node::label() const
{
    return name.empty() ? qualifiedOp() + " node" : "node \"" + name + "\" (" + qualifiedOp() + ")";
}

Tensor Tensor::of(std::string name, TensorData data)
{
    Tensor tensor{std::move(name), data.type(), Shape(data.extents().begin(), data.extents().end()),
                  nullptr,         nullptr,     {}};
    tensor.constant = std::make_shared<const TensorData>(std::move(data));
    return tensor;
}

std::vector<NodeId> originsOf(const Graph &graph, std::span<const NodeId> nodes)
{
    std::vector<NodeId> origins;
    for (const NodeId id : nodes) {
        const std::vector<NodeId> &own = graph.node(id).origins;
        origins.insert(origins.end(), own.begin(), own.end());
    }
    std::sort(origins.begin(), origins.end());
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
    return origins;
}

bool Graph::isOutput(TensorId id) const
{
    return std::find(m_outputs.begin(), m_outputs.end(), id) != m_outputs.end();
}

std::vector<NodeId> Graph::successors(NodeId id) const
{
    std::vector<NodeId> result;
    for (const TensorId output : node(id).outputs)
        if (output.valid())
            for (const Use &use : uses(output))
                result.push_back(use.node);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::vector<NodeId> Graph::predecessors(NodeId id) const
{
    std::vector<NodeId> result;
    forEachRead(node(id), [&](TensorId input, std::uint32_t) {
        if (producer(input).valid())
            result.push_back(producer(input));
    });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::uint64_t Graph::hash() const
{
    std::uint64_t result = scramble(m_sum);
    for (const TensorId output : m_outputs)
        result = combine(result, hash(output));
    return result;
}

Result<Graph> Graph::with(NodeId id, Node replacement) const
{
    GraphEditor editor(*this);
    editor.replaceNode(id, std::move(replacement));
    return std::move(editor).finish();
}

void Graph::Uses::insert(Use use)
{
    if (m_count < m_few.size()) {
        const auto end = m_few.begin() + m_count;
        const auto at = std::lower_bound(m_few.begin(), end, use);
        std::move_backward(at, end, end + 1);
        *at = use;
    } else {
        if (m_count == m_few.size())
            m_many.assign(m_few.begin(), m_few.end());
        m_many.insert(std::lower_bound(m_many.begin(), m_many.end(), use), use);
    }
    ++m_count;
}

void Graph::Uses::erase(Use use)
{
    if (m_count <= m_few.size()) {
        const auto end = m_few.begin() + m_count;
        const auto at = std::lower_bound(m_few.begin(), end, use);
        assert(at != end && *at == use);
        std::move(at + 1, end, at);
    } else {
        const auto at = std::lower_bound(m_many.begin(), m_many.end(), use);
        assert(at != m_many.end() && *at == use);
        m_many.erase(at);
        if (m_many.size() == m_few.size()) {
            std::copy(m_many.begin(), m_many.end(), m_few.begin());
            m_many = {};
        }
    }
    --m_count;
}

} // namespace graphloom
