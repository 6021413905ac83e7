// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/graph_codec.h"

#include <algorithm>

namespace graphloom {

template <class Archive> void fields(Archive &archive, Attribute &attribute)
{
    archive(attribute.name, attribute.value);
}

template <class Archive> void fields(Archive &archive, RawAttribute &attribute)
{
    archive(attribute.bytes);
}

template <class Archive> void fields(Archive &archive, Node &node)
{
    std::vector<Attribute> attributes(node.attributes.begin(), node.attributes.end());
    archive(node.domain, node.op, node.name, node.inputs, node.outputs, attributes, node.captures,
            node.metadata, node.origins);
    if constexpr (std::is_same_v<Archive, FieldReader>)
        node.attributes = Attributes(std::move(attributes));
}

template <class Archive> void fields(Archive &archive, Tensor &tensor)
{
    std::optional<std::vector<Dim>> values;
    if (tensor.values)
        values = *tensor.values;
    archive(tensor.name, tensor.type, tensor.shape, values, tensor.otherType);
    bool constant = tensor.constant != nullptr;
    archive(constant);
    if constexpr (std::is_same_v<Archive, FieldReader>) {
        if (values)
            tensor.values = std::make_shared<const std::vector<Dim>>(*std::move(values));
        if (constant) {
            std::optional<TensorData> data;
            archive.links().read(archive.in(), data);
            if (data)
                tensor.constant = std::make_shared<const TensorData>(*std::move(data));
        }
    } else if (constant) {
        archive.links().write(archive.out(), *tensor.constant);
    }
}

namespace {

/// Ids of one kind that differ between two graphs.
template <class Id> struct Changes {
    std::vector<Id> gone, changed; // of the base; what is in the other one
    std::uint32_t bound = 0;       // of the other one
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

/// How many ids of one kind differ; none as soon as there are too many, or one has come back, which
/// no edit does. What a step has added has the last ids, so that they tell soonest.
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

/// Nodes in their order, mostly with numbers that follow one another.
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

/// Reads ids with what belongs to them, in ascending order.
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
            archive.in().refuse("removes something from a graph that is not there");
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
    std::string name;
    std::uint32_t nodeBound = 0, tensorBound = 0;
    archive(name, nodeBound, tensorBound);
    const auto goneTensors = readGone<TensorId>(archive, base);
    auto tensors = readEntries<TensorId, Tensor>(archive, tensorBound);
    const auto goneNodes = readGone<NodeId>(archive, base);
    auto nodes = readEntries<NodeId, Node>(archive, nodeBound);
    std::vector<TensorId> inputs, outputs, captured;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
    archive(inputs, outputs, captured, runs);
    // Holes of ids cost something, too: not more than a few for what is there.
    constexpr std::uint32_t mostHoles = 1u << 22;
    if (nodeBound < base.nodeBound() || tensorBound < base.tensorBound() ||
        nodeBound - base.nodeBound() > nodes.size() + mostHoles ||
        tensorBound - base.tensorBound() > tensors.size() + mostHoles)
        in.refuse("has a graph with fewer ids than it uses, or far more");
    for (const auto &[id, node] : nodes)
        if ((id.index < base.nodeBound() && !base.contains(id)) || !capturesFit(node))
            in.refuse("has a graph whose nodes do not fit together");
    for (const auto &[id, tensor] : tensors)
        if (id.index < base.tensorBound() && !base.contains(id))
            in.refuse("has a graph whose tensors do not fit together");
    if (in.failed())
        return {};

    // Nodes let go of their tensors first: what one wrote may be written by another one now.
    GraphEditor editor(base);
    editor.setName(std::move(name));
    for (const NodeId id : goneNodes)
        editor.removeNode(id);
    for (const auto &[id, node] : nodes)
        if (id.index < base.nodeBound())
            editor.replaceNode(id, Node{});
    // A hole is something that was added and removed.
    std::vector<NodeId> nodeHoles;
    std::vector<TensorId> tensorHoles;
    for (auto &[id, tensor] : tensors) {
        if (id.index < base.tensorBound()) {
            editor.setTensor(id, std::move(tensor));
            continue;
        }
        while (editor.graph().tensorBound() < id.index)
            tensorHoles.push_back(editor.addTensor({}));
        editor.addTensor(std::move(tensor));
    }
    while (editor.graph().tensorBound() < tensorBound)
        tensorHoles.push_back(editor.addTensor({}));
    for (auto &[id, node] : nodes) {
        if (id.index < base.nodeBound()) {
            editor.replaceNode(id, std::move(node));
            continue;
        }
        while (editor.graph().nodeBound() < id.index)
            nodeHoles.push_back(editor.addNode({}));
        editor.addNode(std::move(node));
    }
    while (editor.graph().nodeBound() < nodeBound)
        nodeHoles.push_back(editor.addNode({}));
    for (const NodeId id : nodeHoles)
        editor.removeNode(id);
    if (!std::ranges::equal(inputs, editor.graph().inputs()))
        editor.setInputs(std::move(inputs));
    if (!std::ranges::equal(captured, editor.graph().captured()))
        editor.setCaptured(std::move(captured));
    editor.setOutputs(std::move(outputs));
    tensorHoles.insert(tensorHoles.end(), goneTensors.begin(), goneTensors.end());
    for (const TensorId id : tensorHoles)
        editor.removeTensor(id);

    std::vector<NodeId> order;
    for (const auto &[first, count] : runs)
        for (std::uint32_t i = 0; i < count && order.size() <= nodeBound; ++i)
            order.push_back({first + i});
    editor.setOrder(std::move(order));
    auto graph = std::move(editor).finish();
    if (!graph) {
        in.refuse("has a graph that is none: " + graph.error().text());
        return {};
    }
    return *std::move(graph);
}

} // namespace graphloom
