// SPDX-License-Identifier: Apache-2.0
// Keeps a graph's hash up to date during edits.
#include "engine/base/hash.h"
#include "engine/ir/graph.h"

#include <algorithm>

namespace graphloom {

namespace {

// Distinct seeds keep the kinds of hash terms apart.
constexpr std::uint64_t readSeed = 0x52, inputSeed = 0x53, captureSeed = 0x54;
constexpr std::uint64_t omittedInput = 0x55;

constexpr std::uint64_t oddFactor(std::uint32_t slot)
{
    return scramble(slot + 0x9e3779b97f4a7c15ULL) | 1;
}

/// Returns the factor of a tensor's hash for the slot in which it is read. Hashes are well mixed,
/// so a sum of them with unrelated odd factors is a good hash of the list, and one term costs one
/// multiplication.
std::uint64_t slotFactor(std::uint32_t slot)
{
    static constexpr std::array<std::uint64_t, 8> first = {oddFactor(0), oddFactor(1), oddFactor(2),
                                                           oddFactor(3), oddFactor(4), oddFactor(5),
                                                           oddFactor(6), oddFactor(7)};
    return slot < first.size() ? first[slot] : oddFactor(slot);
}

/// Returns the share of one use in its producer's sum. It is linear in the reader's hash, so that a
/// change of that hash adds the share of the difference.
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

} // namespace

Graph::NodeEntry GraphEditor::entryOf(Node node)
{
    Graph::NodeEntry entry;
    entry.staticHash = staticHashOf(node);
    entry.node = std::make_shared<const Node>(std::move(node));
    return entry;
}

/// Appends the node's links; returns the sum over everything else that it reads.
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

/// Updates the node's entry to the current producers of the tensors that it reads.
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

void GraphEditor::touchReaders(TensorId id)
{
    for (const Use &use : m_graph.uses(id))
        m_touched.push_back(use.node);
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
                      m_graph.node(other).label() + " and " + m_graph.node(producer).label());
    Graph::Source &source = m_graph.m_sources.mutate(tensor.index);
    source.producer = producer;
    source.index = index;
    for (const Use &use : m_graph.uses(tensor))
        addShare(producer, useShare(m_graph.m_states[use.node.index].hash, use.slot));
    touchReaders(tensor);
}

void GraphEditor::clearProducer(TensorId tensor, NodeId producer)
{
    // The node may have been refused as a second producer.
    if (!m_graph.contains(tensor) || m_graph.producer(tensor) != producer)
        return;
    for (const Use &use : m_graph.uses(tensor))
        addShare(producer, 0 - useShare(m_graph.m_states[use.node.index].hash, use.slot));
    Graph::Source &source = m_graph.m_sources.mutate(tensor.index);
    source.producer = {};
    source.index = 0;
    if (source.external != Graph::External::No) { // became an input before its producer was removed
        const auto &list =
            source.external == Graph::External::Input ? m_graph.m_inputs : m_graph.m_captured;
        source.index = std::uint32_t(std::ranges::find(list, tensor) - list.begin());
    }
    source.hash = sourceHash(tensor);
    touchReaders(tensor);
}

/// Passes over the nodes from the first touched one on, in topological order, and rehashes a node
/// if it was touched or reads an output of a node whose hash has changed.
void GraphEditor::rehash()
{
    enum : std::uint16_t { touched = 1, changed = 2, reread = 4 };
    std::vector<std::uint16_t> flags(m_graph.nodeBound(),
                                     0); // not char, which may alias everything
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

} // namespace graphloom
