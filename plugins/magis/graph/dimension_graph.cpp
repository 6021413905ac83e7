// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/graph/dimension_graph.h"

#include <algorithm>
#include <deque>

namespace graphloom::magis {

namespace {

class Spreading {
public:
    Spreading(const MemoryGraph &memory, bool halos) : m_memory(memory), m_graph(memory.graph())
    {
        m_result.splitOf.assign(m_graph.nodeBound(), -1);
        m_result.dimOf.assign(m_graph.tensorBound(), -1);
        m_result.halos = halos;
    }

    GraphDimension from(TensorId tensor, int dim)
    {
        m_result.seed = tensor;
        m_result.seedDim = dim;
        cut(tensor, dim);
        while (!m_pending.empty()) {
            const TensorId next = m_pending.front();
            m_pending.pop_front();
            if (const NodeId producer = m_graph.producer(next); producer.valid())
                visit(producer);
            for (const Use &use : m_graph.uses(next))
                visit(use.node);
        }
        for (const NodeId id : m_graph.order())
            if (m_result.has(id))
                m_result.nodes.push_back(id);
        return std::move(m_result);
    }

private:
    void cut(TensorId tensor, int dim)
    {
        int &known = m_result.dimOf[tensor.index];
        if (known >= 0)
            return;
        known = dim;
        m_pending.push_back(tensor);
    }

    static const SplitTensor &at(const std::vector<SplitTensor> &list, std::size_t i)
    {
        static const SplitTensor whole;
        return i < list.size() ? list[i] : whole;
    }

    /// Tells whether the split agrees with the existing cuts and shares at least one of them.
    bool agrees(const Node &node, const Split &split) const
    {
        if (split.hasHalo() && !m_result.halos)
            return false;
        bool shares = false;
        const auto compare = [&](const std::vector<TensorId> &tensors,
                                 const std::vector<SplitTensor> &cuts) {
            for (std::size_t i = 0; i < tensors.size(); ++i) {
                if (!tensors[i].valid())
                    continue;
                const int known = m_result.dimOf[tensors[i].index];
                const int wanted = at(cuts, i).dim;
                if (known >= 0 && wanted >= 0 && known != wanted)
                    return false;
                shares = shares || (known >= 0 && known == wanted);
            }
            return true;
        };
        return compare(node.inputs, split.inputs) && compare(node.outputs, split.outputs) && shares;
    }

    void visit(NodeId id)
    {
        if (m_result.has(id))
            return;
        const Node &node = m_graph.node(id);
        const auto &splits = m_memory.workOf(id).splits();
        for (int k = 0; k < int(splits.size()); ++k) {
            const Split &split = splits[std::size_t(k)];
            if (!m_memory.canBeCut(id, k) || !agrees(node, split))
                continue;
            m_result.splitOf[id.index] = k;
            for (std::size_t i = 0; i < node.inputs.size(); ++i)
                if (node.inputs[i].valid() && at(split.inputs, i).isCut())
                    cut(node.inputs[i], split.inputs[i].dim);
            for (std::size_t o = 0; o < node.outputs.size(); ++o)
                if (node.outputs[o].valid() && at(split.outputs, o).isCut())
                    cut(node.outputs[o], split.outputs[o].dim);
            return;
        }
    }

    const MemoryGraph &m_memory;
    const Graph &m_graph;
    GraphDimension m_result;
    std::deque<TensorId> m_pending;
};

} // namespace

GraphDimension dimensionThrough(const MemoryGraph &memory, TensorId tensor, int dim, bool halos)
{
    return Spreading(memory, halos).from(tensor, dim);
}

std::vector<GraphDimension> dimensionsThrough(const MemoryGraph &memory,
                                              std::span<const TensorId> tensors, bool halos)
{
    const Graph &graph = memory.graph();
    std::vector<TensorId> seeds(tensors.begin(), tensors.end());
    std::ranges::stable_sort(seeds, std::ranges::greater{}, [&](TensorId tensor) {
        return memory.buffers()[memory.bufferOf(tensor)].bytes;
    });
    std::vector<GraphDimension> found;
    for (const TensorId seed : seeds)
        for (int d = 0; d < int(graph.tensor(seed).shape->size()); ++d) {
            const bool known = std::ranges::any_of(found, [&](const GraphDimension &dimension) {
                return dimension.dimOf[seed.index] == d;
            });
            if (known)
                continue;
            GraphDimension dimension = dimensionThrough(memory, seed, d, halos);
            if (dimension.nodes.size() > 1)
                found.push_back(std::move(dimension));
        }
    return found;
}

} // namespace graphloom::magis
