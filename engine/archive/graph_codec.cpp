// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/graph_codec.h"

#include "engine/archive/node_fields.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Holds the ids of one kind that differ between a base and another graph.
template <class Id> struct Changes {
    std::vector<Id> gone, changed; // removed from the base; added or changed in the other graph
    std::uint32_t bound = 0;       // of the other graph
};

template <class Id, class At>
Changes<Id> changesOf(const Graph &base, const Graph &graph, std::uint32_t baseBound,
                      std::uint32_t bound, At at)
{
    Changes<Id> changes;
    changes.bound = bound;
    for (std::uint32_t i = 0; i < bound; ++i) {
        const Id id{i};
        const bool before = i < baseBound && base.contains(id), now = graph.contains(id);
        if (before && !now)
            changes.gone.push_back(id);
        if (now && (!before || at(base, id) != at(graph, id)))
            changes.changed.push_back(id);
    }
    return changes;
}

/// Counts the ids of one kind that differ; returns nothing as soon as there are too many, or if a
/// removed id has come back, which no edit does. Starts at the last ids, where additions are.
template <class Id, class At>
std::optional<std::size_t> countOf(const Graph &base, const Graph &graph, std::uint32_t baseBound,
                                   std::uint32_t bound, std::size_t most, At at)
{
    std::size_t count = 0;
    if (baseBound > bound)
        return std::nullopt;
    for (std::uint32_t i = bound; i-- > 0;) {
        const Id id{i};
        const bool before = i < baseBound && base.contains(id), now = graph.contains(id);
        if (now && !before && i < baseBound)
            return std::nullopt;
        count += before != now || (now && at(base, id) != at(graph, id));
        if (count > most)
            return std::nullopt;
    }
    return count;
}

const Node *nodeAt(const Graph &graph, NodeId id)
{
    return &graph.node(id);
}

const Tensor *tensorAt(const Graph &graph, TensorId id)
{
    return &graph.tensor(id);
}

Changes<NodeId> nodeChanges(const Graph &base, const Graph &graph)
{
    return changesOf<NodeId>(base, graph, base.nodeBound(), graph.nodeBound(), nodeAt);
}

Changes<TensorId> tensorChanges(const Graph &base, const Graph &graph)
{
    return changesOf<TensorId>(base, graph, base.tensorBound(), graph.tensorBound(), tensorAt);
}

/// Returns the order as runs of consecutive ids, which are mostly long.
std::vector<std::pair<std::uint32_t, std::uint32_t>> runsOf(std::span<const NodeId> order)
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs; // first, count
    for (const NodeId id : order)
        if (!runs.empty() && runs.back().first + runs.back().second == id.index)
            ++runs.back().second;
        else
            runs.emplace_back(id.index, 1);
    return runs;
}

std::vector<TensorId> listOf(std::span<const TensorId> ids)
{
    return {ids.begin(), ids.end()};
}

/// Reads ids in ascending order, each with its node or tensor.
template <class Id, class T>
std::vector<std::pair<Id, T>> readEntries(FieldReader &archive, std::uint32_t bound)
{
    std::vector<std::pair<Id, T>> entries;
    archive(entries);
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].first.index >= bound || (i > 0 && entries[i].first <= entries[i - 1].first))
            archive.in().refuse("has a graph with ids out of order");
    return archive.in().failed() ? std::vector<std::pair<Id, T>>() : std::move(entries);
}

template <class Id> std::vector<Id> readGone(FieldReader &archive, const Graph &base)
{
    std::vector<Id> gone;
    archive(gone);
    for (std::size_t i = 0; i < gone.size(); ++i)
        if (!base.contains(gone[i]) || (i > 0 && gone[i] <= gone[i - 1])) {
            archive.in().refuse("removes a node or tensor that is not in the graph");
            return {};
        }
    return gone;
}

bool capturesFit(const Node &node)
{
    std::size_t captured = 0;
    for (const Attribute &attribute : node.attributes)
        for (const GraphPointer &nested : graphsOf(attribute.value))
            captured += nested->captured().size();
    return captured <= node.captures.size();
}

/// Holds what a graph's bytes say of its changes from the base.
struct StoredChanges {
    std::string name;
    std::uint32_t nodeBound = 0, tensorBound = 0;
    std::vector<TensorId> goneTensors;
    std::vector<std::pair<TensorId, Tensor>> tensors; // changed and added
    std::vector<NodeId> goneNodes;
    std::vector<std::pair<NodeId, Node>> nodes;
    std::vector<TensorId> inputs, outputs, captured;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs; // of the order
};

StoredChanges readChanges(FieldReader &archive, const Graph &base)
{
    StoredChanges changes;
    archive(changes.name, changes.nodeBound, changes.tensorBound);
    changes.goneTensors = readGone<TensorId>(archive, base);
    changes.tensors = readEntries<TensorId, Tensor>(archive, changes.tensorBound);
    changes.goneNodes = readGone<NodeId>(archive, base);
    changes.nodes = readEntries<NodeId, Node>(archive, changes.nodeBound);
    archive(changes.inputs, changes.outputs, changes.captured, changes.runs);
    return changes;
}

void checkChanges(ByteReader &in, const StoredChanges &changes, const Graph &base)
{
    // Unused ids take memory, too: a damaged file must not ask for an unlimited number of them.
    constexpr std::uint32_t mostHoles = 1u << 22;
    if (changes.nodeBound < base.nodeBound() || changes.tensorBound < base.tensorBound() ||
        changes.nodeBound - base.nodeBound() > changes.nodes.size() + mostHoles ||
        changes.tensorBound - base.tensorBound() > changes.tensors.size() + mostHoles)
        in.refuse("has a graph with too few or far too many ids");
    for (const auto &[id, node] : changes.nodes)
        if ((id.index < base.nodeBound() && !base.contains(id)) || !capturesFit(node))
            in.refuse("has a graph with inconsistent nodes");
    for (const auto &[id, tensor] : changes.tensors)
        if (id.index < base.tensorBound() && !base.contains(id))
            in.refuse("has a graph with inconsistent tensors");
}

/// Puts entries at their ids: calls replace(id, entry) below the bound of the base, and for each id
/// from there on add(entry), which returns it. Returns the unused ids, which were added empty.
template <class Id, class T, class Replace, class Add>
std::vector<Id> placeEntries(std::vector<std::pair<Id, T>> &entries, std::uint32_t baseBound,
                             std::uint32_t bound, Replace replace, Add add)
{
    std::vector<Id> holes;
    std::uint32_t next = baseBound;
    for (auto &[id, entry] : entries) {
        if (id.index < baseBound) {
            replace(id, std::move(entry));
            continue;
        }
        for (; next < id.index; ++next)
            holes.push_back(add(T{}));
        add(std::move(entry));
        ++next;
    }
    for (; next < bound; ++next)
        holes.push_back(add(T{}));
    return holes;
}

std::vector<NodeId> orderOf(const StoredChanges &changes)
{
    std::vector<NodeId> order;
    for (const auto &[first, count] : changes.runs)
        for (std::uint32_t i = 0; i < count && order.size() <= changes.nodeBound; ++i)
            order.push_back({first + i});
    return order;
}

Result<Graph> withChanges(const Graph &base, StoredChanges changes)
{
    // Outputs are detached first, as a tensor may have another producer now.
    GraphEditor editor(base);
    editor.setName(std::move(changes.name));
    for (const NodeId id : changes.goneNodes)
        editor.removeNode(id);
    for (const auto &[id, node] : changes.nodes)
        if (id.index < base.nodeBound())
            editor.replaceNode(id, Node{});
    // Unused ids are recreated by adding and removing something.
    const auto tensorHoles = placeEntries(
        changes.tensors, base.tensorBound(), changes.tensorBound,
        [&](TensorId id, Tensor tensor) { editor.setTensor(id, std::move(tensor)); },
        [&](Tensor tensor) { return editor.addTensor(std::move(tensor)); });
    const auto nodeHoles = placeEntries(
        changes.nodes, base.nodeBound(), changes.nodeBound,
        [&](NodeId id, Node node) { editor.replaceNode(id, std::move(node)); },
        [&](Node node) { return editor.addNode(std::move(node)); });
    for (const NodeId id : nodeHoles)
        editor.removeNode(id);
    if (!std::ranges::equal(changes.inputs, editor.graph().inputs()))
        editor.setInputs(std::move(changes.inputs));
    if (!std::ranges::equal(changes.captured, editor.graph().captured()))
        editor.setCaptured(std::move(changes.captured));
    editor.setOutputs(std::move(changes.outputs));
    for (const TensorId id : tensorHoles)
        editor.removeTensor(id);
    for (const TensorId id : changes.goneTensors)
        editor.removeTensor(id);
    editor.setOrder(orderOf(changes));
    return std::move(editor).finish();
}

} // namespace

std::optional<std::size_t> changesBetween(const Graph &base, const Graph &graph, std::size_t most)
{
    const auto nodes =
        countOf<NodeId>(base, graph, base.nodeBound(), graph.nodeBound(), most, nodeAt);
    if (!nodes)
        return std::nullopt;
    const auto tensors = countOf<TensorId>(base, graph, base.tensorBound(), graph.tensorBound(),
                                           most - *nodes, tensorAt);
    if (!tensors)
        return std::nullopt;
    const bool same = base.nodeBound() == graph.nodeBound() &&
                      base.tensorBound() == graph.tensorBound() && base.name() == graph.name() &&
                      std::ranges::equal(base.inputs(), graph.inputs()) &&
                      std::ranges::equal(base.outputs(), graph.outputs()) &&
                      std::ranges::equal(base.captured(), graph.captured()) &&
                      std::ranges::equal(base.order(), graph.order());
    const std::size_t count = *nodes + *tensors + (same ? 0 : 1);
    return count <= most ? std::optional(count) : std::nullopt;
}

void writeGraph(FieldWriter &archive, const Graph &graph, const Graph &base)
{
    const auto nodes = nodeChanges(base, graph);
    const auto tensors = tensorChanges(base, graph);
    archive(graph.name(), nodes.bound, tensors.bound, tensors.gone);
    archive.out().number(tensors.changed.size());
    for (const TensorId id : tensors.changed)
        archive(id, graph.tensor(id));
    archive(nodes.gone);
    archive.out().number(nodes.changed.size());
    for (const NodeId id : nodes.changed)
        archive(id, graph.node(id));
    archive(listOf(graph.inputs()), listOf(graph.outputs()), listOf(graph.captured()),
            runsOf(graph.order()));
}

Graph readGraph(FieldReader &archive, const Graph &base)
{
    ByteReader &in = archive.in();
    StoredChanges changes = readChanges(archive, base);
    checkChanges(in, changes, base);
    if (in.failed())
        return {};
    auto graph = withChanges(base, std::move(changes));
    if (!graph) {
        in.refuse("has an invalid graph: " + graph.error().text());
        return {};
    }
    return *std::move(graph);
}

} // namespace graphloom
