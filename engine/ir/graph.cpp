// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <cassert>
#include <queue>

namespace graphloom {

namespace {

// Distinct seeds keep the kinds of hash terms apart.
constexpr std::uint64_t readSeed = 0x52, inputSeed = 0x53, captureSeed = 0x54;
constexpr std::uint64_t omittedInput = 0x55;

constexpr std::uint64_t oddFactor(std::uint32_t slot)
{
    return scramble(slot + 0x9e3779b97f4a7c15ULL) | 1;
}

/// What the hash of a tensor is multiplied with, by the slot it is read in. Hashes are well
/// mixed, so a sum of them with unrelated odd factors is a good hash of the list, and one term
/// costs one multiplication.
std::uint64_t slotFactor(std::uint32_t slot)
{
    static constexpr std::array<std::uint64_t, 8> first = {oddFactor(0), oddFactor(1), oddFactor(2),
                                                           oddFactor(3), oddFactor(4), oddFactor(5),
                                                           oddFactor(6), oddFactor(7)};
    return slot < first.size() ? first[slot] : oddFactor(slot);
}

/// All that the node reads, by slot.
std::vector<TensorId> readsOf(const Node &node)
{
    std::vector<TensorId> reads = node.inputs;
    reads.insert(reads.end(), node.captures.begin(), node.captures.end());
    return reads;
}

/// What one use adds to its producer's sum; linear in the reader's hash, so that it follows a
/// change of that hash by adding the share of the difference.
std::uint64_t useShare(std::uint64_t reader, std::uint32_t slot)
{
    return reader * slotFactor(slot);
}

std::uint64_t staticHashOf(const Node &node)
{
    std::uint64_t hash = hashText(node.op, node.attributes.hash());
    if (!node.domain.empty())
        hash = hashText(node.domain, hash);
    return combine(hash, node.outputs.size());
}

std::string label(const Node &node)
{
    return "node \"" + node.name + "\" (" + node.qualifiedOp() + ")";
}

} // namespace

Tensor Tensor::of(std::string name, TensorData data)
{
    Tensor tensor{std::move(name), data.type(), Shape(data.extents().begin(), data.extents().end()),
                  nullptr,         nullptr,     {}};
    tensor.constant = std::make_shared<const TensorData>(std::move(data));
    return tensor;
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
    const Graph::Source &source = m_graph.m_sources[id.index];
    if (constant != source.constant) {
        m_graph.m_sources.mutate(id.index).constant = constant;
        if (source.producer.valid())
            m_touched.push_back(source.producer); // check() refuses it, unless it goes
    }
    rehashSource(id);
}

void GraphEditor::rehashSource(TensorId id)
{
    const Graph::Source &source = m_graph.m_sources[id.index];
    if (source.producer.valid())
        return;
    const std::uint64_t hash = sourceHash(id);
    if (source.hash == hash)
        return;
    m_graph.m_sources.mutate(id.index).hash = hash;
    touchReaders(id);
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
    // The inputs behind it move up, which their hashes tell.
    if (m_graph.m_sources[id.index].external == Graph::External::Input)
        setInputs(without(m_graph.m_inputs));
    if (m_graph.m_sources[id.index].external == Graph::External::Captured)
        setCaptured(without(m_graph.m_captured));
    std::erase(m_graph.m_outputs, id);
    m_graph.m_tensors.mutate(id.index) = {};
    m_graph.m_sources.mutate(id.index) = {};
}

Graph::NodeEntry GraphEditor::entryOf(Node node)
{
    Graph::NodeEntry entry;
    entry.staticHash = staticHashOf(node);
    entry.node = std::make_shared<const Node>(std::move(node));
    return entry;
}

/// Appends the node's links; gives the sum over everything else that it reads.
std::uint64_t GraphEditor::linksOf(const Node &node, std::vector<Graph::Link> &links) const
{
    std::uint64_t sum = 0;
    std::uint32_t slot = 0;
    for (const auto *list : {&node.inputs, &node.captures})
        for (const TensorId id : *list) {
            if (!id.valid()) {
                sum += omittedInput * slotFactor(slot);
            } else if (const Graph::Source &source = m_graph.m_sources[id.index];
                       source.producer.valid()) {
                links.push_back({source.producer, source.index, slotFactor(slot)});
            } else {
                sum += source.hash * slotFactor(slot);
            }
            ++slot;
        }
    return sum;
}

/// Brings the node's entry up to date with where the tensors that it reads come from.
void GraphEditor::relink(NodeId id)
{
    std::vector<Graph::Link> links;
    const Graph::NodeEntry &old = m_graph.m_nodes[id.index];
    const std::uint64_t sum = linksOf(*old.node, links);
    const bool fits = links.size() <= Graph::NodeEntry::inlineLinks;
    const std::uint32_t count = fits ? std::uint32_t(links.size()) : Graph::NodeEntry::manyLinks;
    if (old.sourceSum == sum && old.linkCount == count &&
        (!fits || std::equal(links.begin(), links.end(), old.links.begin())))
        return;
    Graph::NodeEntry &entry = m_graph.m_nodes.mutate(id.index);
    entry.sourceSum = sum;
    entry.linkCount = count;
    if (fits)
        std::copy(links.begin(), links.end(), entry.links.begin());
}

/// The order, to write to.
Graph::Order &GraphEditor::order()
{
    // Held here and by m_graph; more owners are copies that were made of graph().
    if (!m_order || m_order.use_count() > 2) {
        m_order = m_graph.m_order ? std::make_shared<Graph::Order>(*m_graph.m_order)
                                  : std::make_shared<Graph::Order>();
        m_graph.m_order = m_order;
    }
    return *m_order;
}

void GraphEditor::defect(std::string what)
{
    if (m_defect.empty())
        m_defect = std::move(what);
}

bool GraphEditor::known(TensorId tensor, const Node &node)
{
    if (!m_graph.contains(tensor))
        defect(label(node) + " refers to a tensor that does not exist");
    return m_graph.contains(tensor);
}

NodeId GraphEditor::addNode(Node node)
{
    const NodeId id{m_graph.nodeBound()};
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
    m_graph.m_nodes.mutate(id.index) = entryOf(std::move(node));
    const Node &after = m_graph.node(id);
    // Only what differs is linked anew, since every link touched copies a chunk.
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
    m_removed = true;
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
                   "\" is an input of the graph twice");
        source.external = kind;
        if (source.producer.valid())
            m_touched.push_back(source.producer); // check() refuses it, unless it goes
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

void GraphEditor::setOrder(std::vector<NodeId> wanted)
{
    auto sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    std::vector<NodeId> present(m_graph.order().begin(), m_graph.order().end());
    std::erase_if(present, [&](NodeId id) { return !m_graph.contains(id); });
    std::sort(present.begin(), present.end());
    if (sorted != present)
        return defect("an execution order must hold every node once");
    Graph::Order &order = this->order();
    order.nodes = std::move(wanted);
    for (std::uint32_t i = 0; i < order.nodes.size(); ++i)
        order.position[order.nodes[i].index] = i;
    m_removed = false;
    m_reordered = true;
}

void GraphEditor::addShare(NodeId producer, std::uint64_t share)
{
    if (!producer.valid() || share == 0)
        return;
    m_graph.m_states.mutate(producer.index).useSum += share;
    m_rereads.push_back(producer);
}

void GraphEditor::connect(TensorId tensor, Use use)
{
    m_graph.m_tensors.mutate(tensor.index).uses.insert(use);
    addShare(m_graph.producer(tensor), useShare(m_graph.m_states[use.node.index].hash, use.slot));
}

void GraphEditor::disconnect(TensorId tensor, Use use)
{
    m_graph.m_tensors.mutate(tensor.index).uses.erase(use);
    addShare(m_graph.producer(tensor),
             0 - useShare(m_graph.m_states[use.node.index].hash, use.slot));
}

void GraphEditor::setProducer(TensorId tensor, NodeId producer, std::uint32_t index)
{
    if (const NodeId other = m_graph.producer(tensor); other.valid())
        return defect("tensor \"" + m_graph.tensor(tensor).name + "\" is written twice, by " +
                      label(m_graph.node(other)) + " and " + label(m_graph.node(producer)));
    Graph::Source &source = m_graph.m_sources.mutate(tensor.index);
    source.producer = producer;
    source.index = index;
    for (const Use &use : m_graph.uses(tensor))
        addShare(producer, useShare(m_graph.m_states[use.node.index].hash, use.slot));
    touchReaders(tensor);
}

void GraphEditor::clearProducer(TensorId tensor, NodeId producer)
{
    // Not of a node that was refused as a second producer.
    if (!m_graph.contains(tensor) || m_graph.producer(tensor) != producer)
        return;
    for (const Use &use : m_graph.uses(tensor))
        addShare(producer, 0 - useShare(m_graph.m_states[use.node.index].hash, use.slot));
    Graph::Source &source = m_graph.m_sources.mutate(tensor.index);
    source.producer = {};
    source.index = 0;
    if (source.external != Graph::External::No) { // made an input before its producer went
        const auto &list =
            source.external == Graph::External::Input ? m_graph.m_inputs : m_graph.m_captured;
        source.index = std::uint32_t(std::ranges::find(list, tensor) - list.begin());
    }
    source.hash = sourceHash(tensor);
    touchReaders(tensor);
}

void GraphEditor::touchReaders(TensorId id)
{
    for (const Use &use : m_graph.uses(id))
        m_touched.push_back(use.node);
}

std::uint64_t GraphEditor::sourceHash(TensorId id) const
{
    const Tensor &tensor = m_graph.tensor(id);
    if (tensor.constant)
        return tensor.constant->hash();
    const Graph::Source &source = m_graph.m_sources[id.index];
    if (source.external == Graph::External::No)
        return 0;
    const auto seed = source.external == Graph::External::Input ? inputSeed : captureSeed;
    std::uint64_t hash = combine(scramble(std::uint64_t(tensor.type) + 1) + seed, source.index);
    if (tensor.shape)
        for (const Dim &dim : *tensor.shape)
            hash = combine(hash, dim.hash());
    return hash;
}

bool GraphEditor::inOrder(NodeId id) const
{
    const Node &node = m_graph.node(id);
    const std::uint32_t here = m_graph.position(id);
    bool ordered = true;
    forEachRead(node, [&](TensorId input, std::uint32_t) {
        const NodeId before = m_graph.producer(input);
        ordered = ordered && (!before.valid() || m_graph.position(before) < here);
    });
    for (const TensorId output : node.outputs)
        if (output.valid())
            for (const Use &use : m_graph.uses(output))
                ordered = ordered && m_graph.position(use.node) > here;
    return ordered;
}

void GraphEditor::moveBehindProducers(NodeId id)
{
    std::uint32_t target = 0;
    forEachRead(m_graph.node(id), [&](TensorId input, std::uint32_t) {
        if (const NodeId before = m_graph.producer(input); before.valid())
            target = std::max(target, m_graph.position(before) + 1);
    });
    const std::uint32_t here = m_graph.position(id);
    if (target >= here)
        return;
    auto &[nodes, position] = order();
    std::rotate(nodes.begin() + target, nodes.begin() + here, nodes.begin() + here + 1);
    for (std::uint32_t i = target; i <= here; ++i)
        position[nodes[i].index] = i;
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
                            "\", which no node writes and which is no input of the graph",
                        label(node));
        for (const TensorId output : node.outputs) {
            if (!output.valid())
                continue;
            const Graph::Source &source = m_graph.m_sources[output.index];
            if (source.constant || source.external != Graph::External::No)
                return fail(Error::Kind::Model,
                            "writes tensor \"" + m_graph.tensor(output).name + "\", which is " +
                                (source.constant ? "a constant" : "an input of the graph"),
                            label(node));
        }
    }
    for (const TensorId id : m_graph.m_outputs) {
        if (!m_graph.contains(id))
            return fail(Error::Kind::Model,
                        "a graph output refers to a tensor that does not exist");
        if (!hasValue(id))
            return fail(Error::Kind::Model,
                        "graph output \"" + m_graph.tensor(id).name + "\" is written by no node");
    }
    return {};
}

/// Makes the order topological again, changing it as little as possible.
Result<void> GraphEditor::arrange()
{
    if (m_removed) {
        auto &[nodes, position] = order();
        std::erase_if(nodes, [&](NodeId id) { return !m_graph.contains(id); });
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            position[nodes[i].index] = i;
    }
    const std::vector<NodeId> &suspects = m_reordered ? order().nodes : m_touched;
    std::vector<NodeId> misplaced;
    std::ranges::copy_if(suspects, std::back_inserter(misplaced),
                         [&](NodeId id) { return !inOrder(id); });
    // Enough for a new node that replaces an old one; many are quicker sorted at once.
    constexpr std::size_t few = 8;
    if (misplaced.size() <= few) {
        std::ranges::for_each(misplaced, [&](NodeId id) { moveBehindProducers(id); });
        if (std::ranges::all_of(misplaced, [&](NodeId id) { return inOrder(id); }))
            return {};
    }
    return sort();
}

/// Kahn's algorithm; of the nodes that are ready the one that stood first goes first.
Result<void> GraphEditor::sort()
{
    auto &[nodes, position] = order();
    std::vector<std::uint32_t> waiting(m_graph.nodeBound(), 0);
    const auto later = [&](NodeId a, NodeId b) {
        return m_graph.position(a) > m_graph.position(b);
    };
    std::priority_queue<NodeId, std::vector<NodeId>, decltype(later)> ready(later);
    for (const NodeId id : nodes) {
        waiting[id.index] = std::uint32_t(m_graph.predecessors(id).size());
        if (waiting[id.index] == 0)
            ready.push(id);
    }
    std::vector<NodeId> sorted;
    sorted.reserve(nodes.size());
    while (!ready.empty()) {
        const NodeId id = ready.top();
        ready.pop();
        sorted.push_back(id);
        for (const NodeId next : m_graph.successors(id))
            if (--waiting[next.index] == 0)
                ready.push(next);
    }
    if (sorted.size() != nodes.size()) {
        // Every node that still waits has a predecessor that waits: following those ends on a
        // cycle, whereas the first one found may only lie behind it.
        const auto stuck = [&](NodeId id) { return waiting[id.index] > 0; };
        NodeId id = *std::ranges::find_if(nodes, stuck);
        std::vector<bool> seen(m_graph.nodeBound(), false);
        while (!seen[id.index]) {
            seen[id.index] = true;
            const auto before = m_graph.predecessors(id);
            id = *std::ranges::find_if(before, stuck);
        }
        return fail(Error::Kind::Model, "the graph has a cycle", label(m_graph.node(id)));
    }
    nodes = std::move(sorted);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        position[nodes[i].index] = i;
    return {};
}

/// One pass over the nodes from the first touched one on, in topological order: a node is
/// hashed anew when it was touched or reads an output of a node whose hash has changed.
void GraphEditor::rehash()
{
    enum : std::uint16_t { touched = 1, changed = 2, reread = 4 };
    std::vector<std::uint16_t> flags(m_graph.nodeBound(), 0); // no char: those alias everything
    const auto nodes = m_graph.order();
    std::size_t first = nodes.size();
    for (const NodeId id : m_touched) {
        relink(id);
        flags[id.index] = touched;
        first = std::min<std::size_t>(first, m_graph.position(id));
    }
    decltype(m_graph.m_states)::Writer states(m_graph.m_states);
    std::vector<Graph::Link> many;
    for (const NodeId id : nodes.subspan(first)) {
        const Graph::NodeEntry &entry = m_graph.m_nodes[id.index];
        std::span<const Graph::Link> links(entry.links.data(), entry.linkCount);
        if (entry.linkCount == Graph::NodeEntry::manyLinks) {
            many.clear();
            linksOf(*entry.node, many);
            links = many;
        }
        std::uint64_t sum = entry.sourceSum;
        unsigned stale = flags[id.index] & touched;
        for (const Graph::Link &link : links) {
            sum += Graph::outputHash(states[link.producer.index].hash, link.output) * link.factor;
            stale |= flags[link.producer.index] & changed;
        }
        std::uint64_t now = combine(entry.staticHash, sum);
        now += now == 0; // 0 stands for "not hashed yet"
        const std::uint64_t change = now - states[id.index].hash;
        if (!stale || change == 0)
            continue;
        states.mutate(id.index).hash = now;
        flags[id.index] |= changed | reread;
        for (const Graph::Link &link : links) {
            states.mutate(link.producer.index).useSum += change * link.factor; // as useShare()
            flags[link.producer.index] |= reread;
        }
    }
    for (const NodeId id : m_rereads)
        flags[id.index] |= reread;
    std::uint64_t sum = m_graph.m_sum;
    for (std::uint32_t i = 0; i < flags.size(); ++i) {
        if (!(flags[i] & reread) || states[i].hash == 0) // 0: removed since
            continue;
        Graph::NodeState &state = states.mutate(i);
        const std::uint64_t term = combine(state.hash + readSeed, state.useSum);
        sum += term - std::exchange(state.term, term);
    }
    m_graph.m_sum = sum;
}

Result<Graph> GraphEditor::finish() &&
{
    std::erase_if(m_touched, [&](NodeId id) { return !m_graph.contains(id); });
    std::ranges::sort(m_touched);
    m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
    if (auto valid = check(); !valid)
        return tl::unexpected(valid.error());
    if (auto arranged = arrange(); !arranged)
        return tl::unexpected(arranged.error());
    rehash();
    return std::move(m_graph);
}

} // namespace graphloom
