// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns all tensors that the node reads, by slot.
std::vector<TensorId> readsOf(const Node &node)
{
    std::vector<TensorId> reads = node.inputs;
    reads.insert(reads.end(), node.captures.begin(), node.captures.end());
    return reads;
}

} // namespace

TensorId GraphEditor::addTensor(Tensor tensor)
{
    const TensorId id{m_graph.tensorBound()};
    Graph::Source source;
    source.constant = tensor.constant != nullptr;
    Graph::TensorEntry entry;
    entry.tensor = std::make_shared<const Tensor>(std::move(tensor));
    m_graph.m_tensors.push_back(std::move(entry));
    m_graph.m_sources.push_back(source);
    m_graph.m_sources.mutate(id.index).hash = sourceHash(id);
    return id;
}

void GraphEditor::setTensor(TensorId id, Tensor tensor)
{
    const bool constant = tensor.constant != nullptr;
    m_graph.m_tensors.mutate(id.index).tensor = std::make_shared<const Tensor>(std::move(tensor));
    if (constant != m_graph.m_sources[id.index].constant) {
        // References from before mutate() may point into a chunk that another graph has released.
        Graph::Source &source = m_graph.m_sources.mutate(id.index);
        source.constant = constant;
        if (source.producer.valid())
            m_touched.push_back(source.producer); // check() refuses it, unless it is removed
    }
    rehashSource(id);
}

void GraphEditor::removeTensor(TensorId id)
{
    if (!m_graph.uses(id).empty() || m_graph.producer(id).valid())
        return defect("tensor \"" + m_graph.tensor(id).name + "\" is removed but still in use");
    const auto without = [&](std::span<const TensorId> list) {
        std::vector<TensorId> rest(list.begin(), list.end());
        std::erase(rest, id);
        return rest;
    };
    // The later inputs move up, which changes their hashes.
    if (m_graph.m_sources[id.index].external == Graph::External::Input)
        setInputs(without(m_graph.m_inputs));
    if (m_graph.m_sources[id.index].external == Graph::External::Captured)
        setCaptured(without(m_graph.m_captured));
    std::erase(m_graph.m_outputs, id);
    m_graph.m_tensors.mutate(id.index) = {};
    m_graph.m_sources.mutate(id.index) = {};
}

void GraphEditor::defect(std::string what)
{
    if (m_defect.empty())
        m_defect = std::move(what);
}

bool GraphEditor::known(TensorId tensor, const Node &node)
{
    if (!m_graph.contains(tensor))
        defect(node.label() + " refers to a tensor that does not exist");
    return m_graph.contains(tensor);
}

NodeId GraphEditor::addNode(Node node)
{
    const NodeId id{m_graph.nodeBound()};
    if (node.origins.empty())
        node.origins.push_back(id);
    m_graph.m_nodes.push_back(entryOf(std::move(node)));
    m_graph.m_states.push_back({});
    order().position.push_back(std::uint32_t(order().nodes.size()));
    order().nodes.push_back(id);
    const Node &added = m_graph.node(id);
    forEachRead(added, [&](TensorId input, std::uint32_t slot) {
        if (known(input, added))
            connect(input, {id, slot});
    });
    for (std::uint32_t i = 0; i < added.outputs.size(); ++i)
        if (added.outputs[i].valid() && known(added.outputs[i], added))
            setProducer(added.outputs[i], id, i);
    m_touched.push_back(id);
    return id;
}

void GraphEditor::replaceNode(NodeId id, Node node)
{
    const std::shared_ptr<const Node> before = m_graph.m_nodes[id.index].node;
    if (node.origins.empty())
        node.origins = before->origins;
    m_graph.m_nodes.mutate(id.index) = entryOf(std::move(node));
    const Node &after = m_graph.node(id);
    // Relink only the differences, since every changed link copies a chunk.
    const auto oldReads = readsOf(*before), newReads = readsOf(after);
    const auto at = [](const std::vector<TensorId> &list, std::size_t i) {
        return i < list.size() ? list[i] : TensorId{};
    };
    for (std::uint32_t slot = 0; slot < std::max(oldReads.size(), newReads.size()); ++slot) {
        const TensorId old = at(oldReads, slot), now = at(newReads, slot);
        if (old == now)
            continue;
        if (m_graph.contains(old))
            disconnect(old, {id, slot});
        if (now.valid() && known(now, after))
            connect(now, {id, slot});
    }
    for (std::uint32_t i = 0; i < before->outputs.size(); ++i)
        if (before->outputs[i] != at(after.outputs, i))
            clearProducer(before->outputs[i], id);
    for (std::uint32_t i = 0; i < after.outputs.size(); ++i)
        if (const TensorId output = after.outputs[i];
            output.valid() && output != at(before->outputs, i) && known(output, after))
            setProducer(output, id, i);
    m_touched.push_back(id);
}

void GraphEditor::removeNode(NodeId id)
{
    const std::shared_ptr<const Node> node = m_graph.m_nodes[id.index].node;
    forEachRead(*node, [&](TensorId input, std::uint32_t slot) {
        if (m_graph.contains(input))
            disconnect(input, {id, slot});
    });
    for (const TensorId output : node->outputs)
        clearProducer(output, id);
    m_graph.m_sum -= m_graph.m_states[id.index].term;
    m_graph.m_states.mutate(id.index) = {};
    m_graph.m_nodes.mutate(id.index) = {};
    m_removed.push_back(id);
}

GraphEditor::Inserted GraphEditor::insert(const Graph &part, std::span<const TensorId> inputs,
                                          std::span<const TensorId> captured,
                                          std::span<const NodeId> origins)
{
    Inserted inserted;
    if (inputs.size() != part.inputs().size() || captured.size() != part.captured().size()) {
        defect("a graph is inserted with a wrong number of inputs");
        return inserted;
    }
    std::vector<TensorId> here(part.tensorBound());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        here[part.inputs()[i].index] = inputs[i];
    for (std::size_t i = 0; i < captured.size(); ++i)
        here[part.captured()[i].index] = captured[i];
    const auto placed = [&](TensorId id) {
        if (id.valid() && !here[id.index].valid())
            here[id.index] = addTensor(part.tensor(id));
        return id.valid() ? here[id.index] : id;
    };
    for (const NodeId id : part.order()) {
        Node node = part.node(id);
        node.origins.assign(origins.begin(), origins.end());
        for (auto *list : {&node.inputs, &node.captures, &node.outputs})
            std::ranges::transform(*list, list->begin(), placed);
        inserted.nodes.push_back(addNode(std::move(node)));
    }
    std::ranges::transform(part.outputs(), std::back_inserter(inserted.outputs), placed);
    return inserted;
}

void GraphEditor::replaceUses(TensorId from, TensorId to)
{
    if (from == to)
        return;
    const auto listed = m_graph.uses(from);
    const std::vector<Use> uses(listed.begin(), listed.end());
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const NodeId reader = uses[i].node;
        if (i > 0 && uses[i - 1].node == reader)
            continue; // already rewritten, all its slots at once
        Node node = m_graph.node(reader);
        std::replace(node.inputs.begin(), node.inputs.end(), from, to);
        std::replace(node.captures.begin(), node.captures.end(), from, to);
        replaceNode(reader, std::move(node));
    }
    std::replace(m_graph.m_outputs.begin(), m_graph.m_outputs.end(), from, to);
}

std::size_t GraphEditor::removeUnused()
{
    std::vector<bool> isOutput(m_graph.tensorBound(), false);
    for (const TensorId id : m_graph.m_outputs)
        if (m_graph.contains(id)) // finish() refuses any other
            isOutput[id.index] = true;
    const auto unread = [&](TensorId id) {
        return !m_graph.contains(id) || (m_graph.uses(id).empty() && !isOutput[id.index]);
    };
    const auto unusedNode = [&](NodeId id) {
        return m_graph.contains(id) && std::ranges::all_of(m_graph.node(id).outputs, unread);
    };
    std::vector<NodeId> pending;
    for (const NodeId id : m_graph.order())
        if (unusedNode(id))
            pending.push_back(id);
    std::size_t removed = 0;
    while (!pending.empty()) {
        const NodeId id = pending.back();
        pending.pop_back();
        if (!m_graph.contains(id))
            continue;
        const auto producers = m_graph.predecessors(id);
        removeNode(id);
        ++removed;
        std::ranges::copy_if(producers, std::back_inserter(pending), unusedNode);
    }
    for (std::uint32_t i = 0; i < m_graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!m_graph.contains(id) || !unread(id) || m_graph.producer(id).valid() ||
            m_graph.isExternal(id))
            continue;
        m_graph.m_tensors.mutate(i) = {};
        m_graph.m_sources.mutate(i) = {};
    }
    return removed;
}

void GraphEditor::setExternal(std::vector<TensorId> &list, std::vector<TensorId> wanted,
                              Graph::External kind)
{
    const auto before = std::exchange(list, std::move(wanted));
    for (const TensorId id : before)
        if (m_graph.contains(id) && m_graph.m_sources[id.index].external == kind)
            m_graph.m_sources.mutate(id.index).external = Graph::External::No;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
        if (!m_graph.contains(list[i])) {
            defect("a graph input refers to a tensor that does not exist");
            continue;
        }
        Graph::Source &source = m_graph.m_sources.mutate(list[i].index);
        if (source.external != Graph::External::No)
            defect("tensor \"" + m_graph.tensor(list[i]).name +
                   "\" is a duplicate input of the graph");
        source.external = kind;
        if (source.producer.valid())
            m_touched.push_back(source.producer); // check() refuses it, unless it is removed
        else
            source.index = i;
    }
    for (const auto &changed : {before, list})
        for (const TensorId id : changed)
            if (m_graph.contains(id)) {
                touchReaders(id);
                rehashSource(id);
            }
}

void GraphEditor::setInputs(std::vector<TensorId> inputs)
{
    setExternal(m_graph.m_inputs, std::move(inputs), Graph::External::Input);
}

void GraphEditor::setCaptured(std::vector<TensorId> captured)
{
    setExternal(m_graph.m_captured, std::move(captured), Graph::External::Captured);
}

Result<void> GraphEditor::check() const
{
    if (!m_defect.empty())
        return fail(Error::Kind::Model, m_defect);
    const auto hasValue = [&](TensorId id) {
        const Graph::Source &source = m_graph.m_sources[id.index];
        return source.producer.valid() || source.constant || source.external != Graph::External::No;
    };
    for (const NodeId id : m_touched) {
        const Node &node = m_graph.node(id);
        TensorId missing;
        forEachRead(node, [&](TensorId input, std::uint32_t) {
            if (!hasValue(input))
                missing = input;
        });
        if (missing.valid())
            return fail(Error::Kind::Model,
                        "reads tensor \"" + m_graph.tensor(missing).name +
                            "\", which is neither written by a node nor an input of the graph",
                        node.label());
        for (const TensorId output : node.outputs) {
            if (!output.valid())
                continue;
            const Graph::Source &source = m_graph.m_sources[output.index];
            if (source.constant || source.external != Graph::External::No)
                return fail(Error::Kind::Model,
                            "writes tensor \"" + m_graph.tensor(output).name + "\", which is " +
                                (source.constant ? "a constant" : "an input of the graph"),
                            node.label());
        }
    }
    for (const TensorId id : m_graph.m_outputs) {
        if (!m_graph.contains(id))
            return fail(Error::Kind::Model,
                        "a graph output refers to a tensor that does not exist");
        if (!hasValue(id))
            return fail(Error::Kind::Model, "graph output \"" + m_graph.tensor(id).name +
                                                "\" is not written by any node");
    }
    return {};
}

Result<Graph> GraphEditor::finish() &&
{
    std::erase_if(m_touched, [&](NodeId id) { return !m_graph.contains(id); });
    std::ranges::sort(m_touched);
    m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
    GL_TRY(check());
    GL_TRY(arrange());
    rehash();
    return std::move(m_graph);
}

} // namespace graphloom
