// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <bit>
#include <queue>

namespace graphloom {

namespace {

// Distinct seeds keep the kinds of hash terms apart.
constexpr std::uint64_t useSeed = 0x51, readSeed = 0x52, inputSeed = 0x53, captureSeed = 0x54;

/// Calls visit(tensor, slot) for every tensor that the node reads.
template <class Visit> void forEachRead(const Node &node, Visit visit)
{
    std::uint32_t slot = 0;
    for (const auto *list : {&node.inputs, &node.captures})
        for (const TensorId id : *list) {
            if (id.valid())
                visit(id, slot);
            ++slot;
        }
}

std::uint64_t useHash(std::uint64_t reader, std::uint32_t slot)
{
    return combine(reader + useSeed, slot);
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
                  nullptr, nullptr, {}};
    tensor.constant = std::make_shared<const TensorData>(std::move(data));
    return tensor;
}

bool Graph::isInput(TensorId id) const
{
    return std::find(m_inputs.begin(), m_inputs.end(), id) != m_inputs.end();
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
    std::uint64_t result = combine(m_upstream, m_readers);
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

TensorId GraphEditor::addTensor(Tensor tensor)
{
    const TensorId id{m_graph.tensorBound()};
    Graph::TensorEntry entry;
    entry.tensor = std::make_shared<const Tensor>(std::move(tensor));
    m_graph.m_tensors.push_back(std::move(entry));
    m_graph.m_producer.push_back({});
    m_graph.m_tensorHash.push_back(0);
    m_graph.m_tensorHash[id.index] = sourceHash(id);
    return id;
}

void GraphEditor::setTensor(TensorId id, Tensor tensor)
{
    m_graph.m_tensors.mutate(id.index).tensor = std::make_shared<const Tensor>(std::move(tensor));
    rehashSource(id);
}

void GraphEditor::rehashSource(TensorId id)
{
    if (m_graph.producer(id).valid())
        return;
    const std::uint64_t hash = sourceHash(id);
    if (std::exchange(m_graph.m_tensorHash[id.index], hash) != hash)
        touchReaders(id);
}

void GraphEditor::removeTensor(TensorId id)
{
    const auto &entry = m_graph.m_tensors[id.index];
    if (!entry.uses.empty() || m_graph.producer(id).valid()) {
        m_defect = "tensor \"" + entry.tensor->name + "\" is removed but still in use";
        return;
    }
    for (auto *list : {&m_graph.m_inputs, &m_graph.m_outputs, &m_graph.m_captured})
        std::erase(*list, id);
    m_graph.m_tensors.mutate(id.index) = {};
}

Graph::NodeEntry GraphEditor::entryOf(Node node)
{
    Graph::NodeEntry entry;
    entry.staticHash = staticHashOf(node);
    entry.readCount = std::uint32_t(node.inputs.size() + node.captures.size());
    if (entry.readCount <= Graph::NodeEntry::inlineReads)
        std::copy(node.captures.begin(), node.captures.end(),
                  std::copy(node.inputs.begin(), node.inputs.end(), entry.reads.begin()));
    if (node.outputs.size() == 1)
        entry.onlyOutput = node.outputs.front();
    entry.node = std::make_shared<const Node>(std::move(node));
    return entry;
}

NodeId GraphEditor::addNode(Node node)
{
    const NodeId id{m_graph.nodeBound()};
    m_graph.m_nodes.push_back(entryOf(std::move(node)));
    m_graph.m_nodeHash.push_back(0);
    m_graph.m_useSum.push_back(0);
    m_graph.m_readTerm.push_back(0);
    m_graph.m_position.push_back(std::uint32_t(m_graph.m_order.size()));
    m_graph.m_order.push_back(id);
    link(id);
    return id;
}

void GraphEditor::replaceNode(NodeId id, Node node)
{
    unlink(id);
    m_graph.m_nodes.mutate(id.index) = entryOf(std::move(node));
    link(id);
}

void GraphEditor::removeNode(NodeId id)
{
    unlink(id);
    m_graph.m_nodes.mutate(id.index) = {};
    m_removed = true;
}

void GraphEditor::replaceUses(TensorId from, TensorId to)
{
    if (from == to)
        return;
    const std::vector<Use> uses = m_graph.m_tensors[from.index].uses;
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
        isOutput[id.index] = true;
    const auto unread = [&](TensorId id) {
        return !id.valid() || (m_graph.uses(id).empty() && !isOutput[id.index]);
    };
    const auto unusedNode = [&](NodeId id) {
        return m_graph.contains(id) && std::ranges::all_of(m_graph.node(id).outputs, unread);
    };
    std::vector<NodeId> pending;
    for (const NodeId id : m_graph.m_order)
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
        if (m_graph.contains(id) && unread(id) && !m_graph.producer(id).valid() &&
            !m_graph.isExternal(id))
            removeTensor(id);
    }
    return removed;
}

void GraphEditor::setExternal(std::vector<TensorId> &list, std::vector<TensorId> wanted)
{
    const auto mark = [&](bool external) {
        for (const TensorId id : list) {
            if (id.index >= m_graph.tensorBound()) {
                m_defect = "a graph input refers to a tensor that does not exist";
                continue;
            }
            m_graph.m_tensors.mutate(id.index).external = external;
        }
    };
    mark(false);
    const auto before = std::exchange(list, std::move(wanted));
    mark(true);
    for (const auto &changed : {before, list})
        for (const TensorId id : changed)
            if (m_graph.contains(id))
                rehashSource(id);
}

void GraphEditor::setInputs(std::vector<TensorId> inputs)
{
    setExternal(m_graph.m_inputs, std::move(inputs));
}

void GraphEditor::setCaptured(std::vector<TensorId> captured)
{
    setExternal(m_graph.m_captured, std::move(captured));
}

void GraphEditor::setOrder(std::vector<NodeId> order)
{
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    auto present = m_graph.m_order;
    std::erase_if(present, [&](NodeId id) { return !m_graph.contains(id); });
    std::sort(present.begin(), present.end());
    if (sorted != present) {
        m_defect = "an execution order must hold every node once";
        return;
    }
    m_graph.m_order = std::move(order);
    for (std::uint32_t i = 0; i < m_graph.m_order.size(); ++i)
        m_graph.m_position[m_graph.m_order[i].index] = i;
    m_removed = false;
    m_touched = m_graph.m_order;
}

void GraphEditor::link(NodeId id)
{
    const Node &node = m_graph.node(id);
    const auto known = [&](TensorId tensor) {
        if (m_graph.contains(tensor))
            return true;
        m_defect = label(node) + " refers to a tensor that does not exist";
        return false;
    };
    forEachRead(node, [&](TensorId input, std::uint32_t slot) {
        if (!known(input))
            return;
        auto &uses = m_graph.m_tensors.mutate(input.index).uses;
        const Use use{id, slot};
        uses.insert(std::lower_bound(uses.begin(), uses.end(), use), use);
    });
    for (std::uint32_t i = 0; i < node.outputs.size(); ++i) {
        const TensorId output = node.outputs[i];
        if (!output.valid() || !known(output))
            continue;
        auto &entry = m_graph.m_tensors.mutate(output.index);
        const NodeId other = m_graph.producer(output);
        if (other.valid() || entry.external || entry.tensor->constant) {
            m_defect = "tensor \"" + entry.tensor->name + "\" is written twice, by " +
                       (other.valid() ? label(m_graph.node(other)) + " and " : std::string()) +
                       label(node);
            continue;
        }
        m_graph.m_producer[output.index] = id;
        entry.outputIndex = i;
        touchReaders(output);
    }
    m_touched.push_back(id);
}

void GraphEditor::unlink(NodeId id)
{
    const Node &node = m_graph.node(id);
    const std::uint64_t hash = m_graph.m_nodeHash[id.index];
    forEachRead(node, [&](TensorId input, std::uint32_t slot) {
        if (!m_graph.contains(input))
            return;
        auto &uses = m_graph.m_tensors.mutate(input.index).uses;
        const auto at = std::lower_bound(uses.begin(), uses.end(), Use{id, slot});
        if (at != uses.end() && *at == Use{id, slot})
            uses.erase(at);
        if (const NodeId before = m_graph.producer(input); before.valid() && hash != 0)
            addUse(before, std::uint64_t{0} - useHash(hash, slot));
    });
    for (const TensorId output : node.outputs) {
        if (!output.valid() || !m_graph.contains(output) || m_graph.producer(output) != id)
            continue;
        forgetReaders(output);
        m_graph.m_producer[output.index] = {};
        m_graph.m_tensorHash[output.index] = sourceHash(output);
    }
    if (hash != 0)
        m_graph.m_upstream -= scramble(hash);
    m_graph.m_readers -= std::exchange(m_graph.m_readTerm[id.index], 0);
    m_graph.m_nodeHash[id.index] = 0;
    m_graph.m_useSum[id.index] = 0;
}

/// A tensor lost its producer: its readers must be hashed anew, and count as not hashed, since
/// their share in the sum of a new producer is not there yet.
void GraphEditor::forgetReaders(TensorId id)
{
    for (const Use &use : m_graph.uses(id)) {
        const std::uint64_t hash = std::exchange(m_graph.m_nodeHash[use.node.index], 0);
        m_touched.push_back(use.node);
        if (hash == 0)
            continue;
        m_graph.m_upstream -= scramble(hash);
        forEachRead(m_graph.node(use.node), [&](TensorId input, std::uint32_t slot) {
            if (const NodeId before = m_graph.producer(input); before.valid())
                addUse(before, std::uint64_t{0} - useHash(hash, slot));
        });
    }
}

void GraphEditor::addUse(NodeId producer, std::uint64_t share)
{
    m_graph.m_useSum[producer.index] += share;
    m_rereads.push_back(producer);
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
    if (!m_graph.isExternal(id))
        return 0;
    std::uint64_t hash = scramble(std::uint64_t(tensor.type) + 1);
    const auto inList = [&](const std::vector<TensorId> &list, std::uint64_t seed) {
        const auto at = std::find(list.begin(), list.end(), id);
        if (at != list.end())
            hash = combine(hash + seed, std::uint64_t(at - list.begin()));
    };
    inList(m_graph.m_inputs, inputSeed);
    inList(m_graph.m_captured, captureSeed);
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
    auto &order = m_graph.m_order;
    std::rotate(order.begin() + target, order.begin() + here, order.begin() + here + 1);
    for (std::uint32_t i = target; i <= here; ++i)
        m_graph.m_position[order[i].index] = i;
}

Result<void> GraphEditor::check() const
{
    if (!m_defect.empty())
        return fail(Error::Kind::Model, m_defect);
    for (const NodeId id : m_touched) {
        const Node &node = m_graph.node(id);
        std::string missing;
        forEachRead(node, [&](TensorId input, std::uint32_t) {
            const auto &entry = m_graph.m_tensors[input.index];
            if (!m_graph.producer(input).valid() && !entry.external && !entry.tensor->constant)
                missing = entry.tensor->name;
        });
        if (!missing.empty())
            return fail(Error::Kind::Model,
                        "reads tensor \"" + missing +
                            "\", which no node writes and which is no input of the graph",
                        label(node));
    }
    for (const TensorId id : m_graph.m_outputs) {
        if (!m_graph.contains(id))
            return fail(Error::Kind::Model, "a graph output refers to a tensor that does not exist");
        const auto &entry = m_graph.m_tensors[id.index];
        if (!m_graph.producer(id).valid() && !entry.external && !entry.tensor->constant)
            return fail(Error::Kind::Model, "graph output \"" + entry.tensor->name +
                                                "\" is written by no node");
    }
    return {};
}

/// Kahn's algorithm; of the nodes that are ready the one that stood first goes first, so that
/// the order changes as little as possible.
Result<void> GraphEditor::sort()
{
    const auto &order = m_graph.m_order;
    std::vector<std::uint32_t> waiting(m_graph.nodeBound(), 0);
    const auto later = [&](NodeId a, NodeId b) { return m_graph.position(a) > m_graph.position(b); };
    std::priority_queue<NodeId, std::vector<NodeId>, decltype(later)> ready(later);
    for (const NodeId id : order) {
        waiting[id.index] = std::uint32_t(m_graph.predecessors(id).size());
        if (waiting[id.index] == 0)
            ready.push(id);
    }
    std::vector<NodeId> sorted;
    sorted.reserve(order.size());
    while (!ready.empty()) {
        const NodeId id = ready.top();
        ready.pop();
        sorted.push_back(id);
        for (const NodeId next : m_graph.successors(id))
            if (--waiting[next.index] == 0)
                ready.push(next);
    }
    if (sorted.size() != order.size()) {
        const auto stuck = std::ranges::find_if(order, [&](NodeId id) { return waiting[id.index] > 0; });
        return fail(Error::Kind::Model, "the graph has a cycle", label(m_graph.node(*stuck)));
    }
    m_graph.m_order = std::move(sorted);
    for (std::uint32_t i = 0; i < m_graph.m_order.size(); ++i)
        m_graph.m_position[m_graph.m_order[i].index] = i;
    return {};
}

/// One pass over the nodes from the first touched one on, in topological order: a node is
/// hashed anew when it was touched or reads a tensor whose hash has changed.
void GraphEditor::rehash()
{
    Graph &graph = m_graph;
    std::vector<char> touched(graph.m_order.size(), 0), reread(graph.nodeBound(), 0);
    std::vector<char> changed(graph.tensorBound(), 0);
    std::size_t first = graph.m_order.size();
    for (const NodeId id : m_touched) {
        touched[graph.position(id)] = 1;
        first = std::min<std::size_t>(first, graph.position(id));
    }
    std::vector<TensorId> many; // the reads of a node with more than fit into its entry
    for (std::size_t position = first; position < graph.m_order.size(); ++position) {
        const NodeId id = graph.m_order[position];
        const auto &entry = graph.m_nodes[id.index];
        std::span<const TensorId> reads(entry.reads.data(), entry.readCount);
        if (entry.readCount > Graph::NodeEntry::inlineReads) {
            many = entry.node->inputs;
            many.insert(many.end(), entry.node->captures.begin(), entry.node->captures.end());
            reads = many;
        }
        const auto hasChanged = [&](TensorId input) { return input.valid() && changed[input.index]; };
        if (!touched[position] && std::ranges::none_of(reads, hasChanged))
            continue;
        std::uint64_t now = entry.staticHash;
        for (const TensorId input : reads)
            now = combine(now, input.valid() ? graph.hash(input) : 1);
        now += now == 0; // 0 stands for "not hashed yet"
        const std::uint64_t before = std::exchange(graph.m_nodeHash[id.index], now);
        if (before == now)
            continue;
        graph.m_upstream += scramble(now) - (before != 0 ? scramble(before) : 0);
        reread[id.index] = 1;
        for (std::uint32_t slot = 0; slot < reads.size(); ++slot) {
            if (!reads[slot].valid())
                continue;
            const NodeId producer = graph.producer(reads[slot]);
            if (!producer.valid())
                continue;
            graph.m_useSum[producer.index] +=
                useHash(now, slot) - (before != 0 ? useHash(before, slot) : 0);
            reread[producer.index] = 1;
        }
        const auto write = [&](TensorId output, std::uint32_t i) {
            if (!output.valid())
                return;
            graph.m_tensorHash[output.index] = combine(now, i + 1);
            changed[output.index] = 1;
        };
        if (entry.onlyOutput.valid())
            write(entry.onlyOutput, 0);
        else
            for (std::uint32_t i = 0; i < entry.node->outputs.size(); ++i)
                write(entry.node->outputs[i], i);
    }
    for (const NodeId id : m_rereads)
        reread[id.index] = 1;
    for (std::uint32_t i = 0; i < graph.nodeBound(); ++i) {
        if (!reread[i] || graph.m_nodeHash[i] == 0)
            continue;
        const std::uint64_t term = combine(graph.m_nodeHash[i] + readSeed, graph.m_useSum[i]);
        graph.m_readers += term - std::exchange(graph.m_readTerm[i], term);
    }
}

Result<Graph> GraphEditor::finish() &&
{
    std::erase_if(m_touched, [&](NodeId id) { return !m_graph.contains(id); });
    if (auto valid = check(); !valid)
        return tl::unexpected(valid.error());
    if (m_removed) {
        std::erase_if(m_graph.m_order, [&](NodeId id) { return !m_graph.contains(id); });
        for (std::uint32_t i = 0; i < m_graph.m_order.size(); ++i)
            m_graph.m_position[m_graph.m_order[i].index] = i;
    }
    bool ordered = true;
    for (const NodeId id : m_touched)
        if (!inOrder(id)) {
            moveBehindProducers(id); // enough for a new node that replaces an old one
            ordered = false;
        }
    if (!ordered && !std::ranges::all_of(m_touched, [&](NodeId id) { return inOrder(id); }))
        if (auto sorted = sort(); !sorted)
            return tl::unexpected(sorted.error());
    rehash();
    return std::move(m_graph);
}

} // namespace graphloom
