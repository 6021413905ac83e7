// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/batch_size.h"

#include "engine/ops/describe/operator_table.h"
#include "engine/ops/upgrade/upgrade.h"

#include <algorithm>
#include <map>

namespace graphloom {

namespace {

class Rebinding {
public:
    Rebinding(const Graph &graph, std::int64_t before, std::int64_t after)
        : m_graph(graph), m_editor(graph), m_before(before), m_after(after),
          m_computed(graph.tensorBound(), false)
    {
    }

    Result<Graph> run()
    {
        for (const TensorId input : m_graph.inputs())
            m_computed[input.index] = true;
        for (const NodeId id : m_graph.order())
            follow(id);
        for (const NodeId id : m_graph.order())
            GL_TRY(change(id));
        changeShapes();
        return std::move(m_editor).finish();
    }

private:
    /// Returns the entry of the newest version: the properties asked for hold for all versions.
    static const Operator *entryOf(const Node &node)
    {
        return findOperator(node.domain, node.op, newestOpset);
    }

    /// Marks the outputs of a node that depends on the inputs' elements, not only on their extents.
    void follow(NodeId id)
    {
        const Node &node = m_graph.node(id);
        if (const Operator *entry = entryOf(node); entry && entry->tellsExtents)
            return;
        bool computed = false;
        forEachRead(node,
                    [&](TensorId read, std::uint32_t) { computed |= m_computed[read.index]; });
        for (const TensorId output : node.outputs)
            if (output.valid())
                m_computed[output.index] = computed;
    }

    Result<void> change(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const Operator *entry = entryOf(node);
        const Operator::Target shapedBy = entry ? entry->target : Operator::Target();
        if (shapedBy.input < 0 || std::size_t(shapedBy.input) >= node.inputs.size())
            return {};
        const Tensor &target = m_graph.tensor(node.inputs[std::size_t(shapedBy.input)]);
        if (!target.constant || target.type != DataType::Int64)
            return {};
        std::vector<std::int64_t> entries = target.constant->integers();
        if (!shapedBy.repeats && m_computed[node.inputs[0].index]) {
            if (!changeReshape(entries))
                return fail(
                    Error::Kind::Model,
                    "its target shape [" + listed(target.constant->integers()) +
                        "] does not contain the batch size " + std::to_string(m_before) +
                        " where it can be changed to " + std::to_string(m_after) +
                        "; export the model with a symbolic batch size or with the desired one",
                    node.label());
        } else if (shapedBy.repeats && isReadBesideInputs(node.outputs[0])) {
            if (entries.empty() || entries[0] != m_before || m_before == 1)
                return {};
            entries[0] = m_after;
        }
        if (entries != target.constant->integers())
            setTarget(id, node, std::size_t(shapedBy.input), std::move(entries));
        return {};
    }

    bool changeReshape(std::vector<std::int64_t> &entries) const
    {
        if (entries.empty())
            return true; // shape inference rejects it
        const auto first =
            m_before == 1 ? entries.begin()
                          : std::ranges::find_if(entries, [](std::int64_t e) { return e != 1; });
        if (first == entries.end())
            return false;
        if (*first == 0 || *first == -1)
            return true;
        if (*first % m_before != 0)
            return false;
        *first = *first / m_before * m_after;
        return true;
    }

    bool isReadBesideInputs(TensorId tensor) const
    {
        return !m_computed[tensor.index] &&
               std::ranges::any_of(m_graph.uses(tensor), [&](const Use &use) {
                   return std::ranges::any_of(m_graph.node(use.node).inputs, [&](TensorId beside) {
                       return beside.valid() && m_computed[beside.index];
                   });
               });
    }

    /// Gives the node a target of its own, because other nodes may read the old one.
    void setTarget(NodeId id, const Node &node, std::size_t input,
                   std::vector<std::int64_t> entries)
    {
        const Tensor &target = m_graph.tensor(node.inputs[input]);
        Node changed = node;
        changed.inputs[input] = m_editor.addTensor(Tensor::of(
            target.name + ".batch" + std::to_string(m_after) + "." + std::to_string(id.index),
            TensorData::fromInt64s(entries)));
        m_editor.replaceNode(id, std::move(changed));
    }

    void changeShapes()
    {
        for (std::uint32_t i = 0; i < m_graph.tensorBound(); ++i) {
            const TensorId id{i};
            if (!m_graph.contains(id) || m_graph.tensor(id).constant || !m_graph.tensor(id).shape)
                continue;
            Tensor tensor = m_graph.tensor(id);
            if (!m_graph.isInput(id))
                tensor.shape.reset();
            else if (!tensor.shape->empty())
                tensor.shape->front() = m_after;
            m_editor.setTensor(id, std::move(tensor));
        }
    }

    static std::string listed(const std::vector<std::int64_t> &entries)
    {
        std::string text;
        for (const std::int64_t entry : entries)
            text += (text.empty() ? "" : ",") + std::to_string(entry);
        return text;
    }

    const Graph &m_graph;
    GraphEditor m_editor;
    std::int64_t m_before, m_after;
    std::vector<bool> m_computed; // by tensor
};

} // namespace

Result<Graph> withBatchSize(const Graph &graph, std::int64_t size)
{
    std::map<std::int64_t, std::string> inputs; // by first extent
    for (const TensorId id : graph.inputs()) {
        const Tensor &input = graph.tensor(id);
        if (input.shape && !input.shape->empty() && input.shape->front().isConstant())
            inputs.emplace(input.shape->front().value(), input.name);
    }
    if (inputs.size() > 1)
        return fail(Error::Kind::Usage,
                    "inputs \"" + inputs.begin()->second + "\" and \"" + inputs.rbegin()->second +
                        "\" have different first extents, " +
                        std::to_string(inputs.begin()->first) + " and " +
                        std::to_string(inputs.rbegin()->first) +
                        ", so the batch size is ambiguous; set their shapes with --input",
                    "--batch-size " + std::to_string(size));
    if (inputs.empty() || inputs.begin()->first == size || inputs.begin()->first < 1)
        return graph;
    return Rebinding(graph, inputs.begin()->first, size).run();
}

} // namespace graphloom
