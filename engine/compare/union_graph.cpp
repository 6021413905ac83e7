// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/graph_comparison.h"

namespace graphloom {

namespace {

class Union {
public:
    explicit Union(const GraphComparison &comparison)
        : m_comparison(comparison), m_before(comparison.before), m_editor(comparison.now)
    {
        m_result.removed.resize(m_before.nodeBound());
        m_tensors.resize(m_before.tensorBound());
        m_places.resize(comparison.now.nodeBound(), 0);
        for (std::size_t i = 0; i < comparison.nodes.size(); ++i)
            if (const NodeId now = comparison.nodes[i].now; now.valid())
                m_places[now.index] = i;
    }

    Result<UnionGraph> run()
    {
        for (std::size_t i = 0; i < m_comparison.nodes.size(); ++i)
            if (m_comparison.nodes[i].kind == Difference::Removed)
                add(m_comparison.nodes[i].before, i);
        readRemoved();
        std::vector<NodeId> order;
        for (const NodeDifference &difference : m_comparison.nodes)
            order.push_back(difference.now.valid() ? difference.now
                                                   : m_result.removed[difference.before.index]);
        m_editor.setOrder(std::move(order));
        GL_TRY_RESULT(graph, std::move(m_editor).finish());
        m_result.graph = *std::move(graph);
        m_result.differences = std::move(m_places);
        return std::move(m_result);
    }

private:
    /// Returns the tensor of the union that a node at `place` may read for a tensor of the earlier
    /// graph, or none if its producer comes later.
    TensorId tensorAt(TensorId before, std::size_t place)
    {
        if (!before.valid())
            return {};
        if (m_tensors[before.index].valid())
            return m_tensors[before.index];
        const TensorId now = m_comparison.alignment.tensorInNow[before.index];
        if (now.valid()) {
            const NodeId producer = m_comparison.now.producer(now);
            return !producer.valid() || m_places[producer.index] < place ? now : TensorId();
        }
        if (const NodeId producer = m_before.producer(before); producer.valid())
            return {}; // its producer is aligned, but no longer has this output
        Tensor tensor = m_before.tensor(before);
        const bool isInput = !tensor.constant;
        const TensorId added = m_editor.addTensor(std::move(tensor));
        if (isInput) {
            std::vector<TensorId> inputs(m_editor.graph().inputs().begin(),
                                         m_editor.graph().inputs().end());
            inputs.push_back(added);
            m_editor.setInputs(std::move(inputs));
        }
        return m_tensors[before.index] = added;
    }

    void add(NodeId before, std::size_t place)
    {
        Node node = m_before.node(before);
        for (auto *list : {&node.inputs, &node.captures})
            for (TensorId &tensor : *list)
                tensor = tensorAt(tensor, place);
        for (TensorId &output : node.outputs) {
            if (!output.valid())
                continue;
            Tensor tensor = m_before.tensor(output);
            const TensorId original = output;
            output = m_editor.addTensor(std::move(tensor));
            m_tensors[original.index] = output;
        }
        const NodeId id = m_editor.addNode(std::move(node));
        m_result.removed[before.index] = id;
        m_places.resize(id.index + 1, 0);
        m_places[id.index] = place;
    }

    /// Lets the kept nodes capture the outputs of removed nodes that they used to read.
    void readRemoved()
    {
        for (const NodeDifference &difference : m_comparison.nodes) {
            if (!difference.before.valid() || !difference.now.valid())
                continue;
            std::vector<TensorId> gone;
            for (const TensorId tensor : m_before.node(difference.before).inputs) {
                const NodeId producer = tensor.valid() ? m_before.producer(tensor) : NodeId();
                if (!producer.valid() || !m_result.removed[producer.index].valid())
                    continue;
                const NodeId now = m_result.removed[producer.index];
                if (m_places[now.index] < m_places[difference.now.index])
                    gone.push_back(m_tensors[tensor.index]);
            }
            if (gone.empty())
                continue;
            Node node = m_editor.graph().node(difference.now);
            node.captures.insert(node.captures.end(), gone.begin(), gone.end());
            m_editor.replaceNode(difference.now, std::move(node));
        }
    }

    const GraphComparison &m_comparison;
    const Graph &m_before;
    GraphEditor m_editor;
    UnionGraph m_result;
    std::vector<TensorId> m_tensors;   // tensors of the union, by tensor id before
    std::vector<std::size_t> m_places; // by node id of the union
};

} // namespace

NodeId UnionGraph::of(const NodeDifference &difference) const
{
    return difference.now.valid() ? difference.now : removed[difference.before.index];
}

Result<UnionGraph> unionOf(const GraphComparison &comparison)
{
    return Union(comparison).run();
}

} // namespace graphloom
