// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/graph_change.h"

#include "engine/rewrite/terms/builder.h"
#include "plugins/magis/rules/joined_values.h"

#include <algorithm>
#include <numeric>

namespace graphloom::magis {

namespace {

/// Limits the size of computed constants, as rewriting does.
constexpr std::uint64_t mostBytes = std::uint64_t{1} << 26;

Node nodeOf(std::string op, std::vector<TensorId> inputs, std::vector<Attribute> attributes = {})
{
    Node node;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.attributes = Attributes(std::move(attributes));
    return node;
}

int rankOf(const Graph &graph, TensorId tensor)
{
    return int(graph.tensor(tensor).shape->size());
}

} // namespace

GraphChange::GraphChange(Graph graph, const Opsets &opsets, std::span<const TensorId> variables)
    : m_editor(graph), m_opsets(opsets), m_variables(variables), m_names(graph)
{
}

void GraphChange::remove(std::span<const NodeId> nodes)
{
    m_anchor = double(graph().nodeCount());
    const std::vector<NodeId> more = originsOf(graph(), nodes);
    m_origins.insert(m_origins.end(), more.begin(), more.end());
    std::ranges::sort(m_origins);
    m_origins.erase(std::ranges::unique(m_origins).begin(), m_origins.end());
    for (const NodeId id : nodes) {
        const Node node = graph().node(id);
        const auto known = m_places.find(id);
        const double place = known != m_places.end() ? known->second : graph().position(id);
        if (place < m_anchor) {
            m_anchor = place;
            m_name = node.name;
        }
        m_loose.insert(m_loose.end(), node.inputs.begin(), node.inputs.end());
        m_loose.insert(m_loose.end(), node.outputs.begin(), node.outputs.end());
        m_editor.removeNode(id);
        m_removed.push_back(id);
    }
}

NodeId GraphChange::add(Node node)
{
    double place = m_anchor;
    for (const TensorId input : node.inputs) {
        const NodeId producer = input.valid() ? graph().producer(input) : NodeId();
        if (!producer.valid())
            continue;
        const auto known = m_places.find(producer);
        place = std::max(place, known != m_places.end() ? known->second
                                                        : double(graph().position(producer)));
    }
    node.origins = m_origins;
    const NodeId id = m_editor.addNode(std::move(node));
    m_places.emplace(id, place);
    m_added.push_back(id);
    return id;
}

TensorId GraphChange::equalCall(const Node &node) const
{
    const auto input = std::ranges::find_if(node.inputs, &TensorId::valid);
    if (input == node.inputs.end())
        return {};
    for (const Use &use : graph().uses(*input)) {
        const Node &other = graph().node(use.node);
        if (other.op == node.op && other.domain == node.domain && other.inputs == node.inputs &&
            other.outputs.size() == 1 && other.attributes.hash() == node.attributes.hash())
            return other.outputs[0];
    }
    return {};
}

std::optional<std::vector<TensorId>>
GraphChange::folded(const Call &call, const Description &description, const Node &node)
{
    for (const TensorId input : node.inputs)
        if (input.valid() && (!graph().tensor(input).constant ||
                              std::ranges::find(m_variables, input) != m_variables.end()))
            return std::nullopt;
    auto results = computed(call, description, mostBytes);
    if (!results)
        return std::nullopt;
    std::vector<TensorId> ids;
    for (TensorData &data : *results)
        ids.push_back(m_editor.addTensor(Tensor::of(m_names.take(m_name), std::move(data))));
    return ids;
}

std::vector<TensorId> GraphChange::calls(Node node, std::vector<TensorId> outputs,
                                         std::size_t count)
{
    const bool given = !outputs.empty();
    outputs.resize(count);
    if (m_error)
        return outputs;
    node.name = m_name;
    node.outputs = outputs;
    const Call call(node, operandsOf(graph(), node), m_opsets(node.domain));
    const auto description = describe(call);
    if (!description) {
        m_error = description.error();
        return outputs;
    }
    if (!given)
        if (auto constants = folded(call, *description, node))
            return *constants;
    for (std::size_t k = 0; k < count && !given; ++k) {
        Tensor tensor;
        tensor.name = m_names.take(m_name + ".merged");
        tensor.type = description->values[k].type;
        tensor.shape = description->values[k].shape;
        outputs[k] = m_editor.addTensor(std::move(tensor));
    }
    node.outputs = outputs;
    add(std::move(node));
    return outputs;
}

TensorId GraphChange::call(Node node, TensorId result)
{
    if (!result.valid())
        if (const TensorId equal = equalCall(node); equal.valid())
            return equal;
    return calls(std::move(node),
                 result.valid() ? std::vector{result} : std::vector<TensorId>{})[0];
}

TensorId GraphChange::constant(TensorData value)
{
    return m_editor.addTensor(Tensor::of(m_names.take(m_name + ".constant"), std::move(value)));
}

TensorId GraphChange::padded(TensorId value, int more)
{
    if (more == 0)
        return value;
    // An equal call may have another constant for its axes, so shapes are compared.
    for (const Use &use : graph().uses(value)) {
        const Node &node = graph().node(use.node);
        if (node.domain.empty() && node.op == "Unsqueeze" &&
            *graph().tensor(node.outputs[0]).shape ==
                magis::padded(*graph().tensor(value).shape, rankOf(graph(), value) + more))
            return node.outputs[0];
    }
    std::vector<std::int64_t> axes(std::size_t(more), 0);
    std::iota(axes.begin(), axes.end(), 0);
    return call(nodeOf("Unsqueeze", {value, integers(axes)}));
}

TensorId GraphChange::joined(std::span<const TensorId> parts, const Joint &joint)
{
    if (const TensorId whole = wholeOf(graph(), parts, joint); whole.valid())
        return whole;
    std::vector<TensorId> list(parts.begin(), parts.end());
    if (joint.isStack())
        for (TensorId &part : list)
            part = padded(part, joint.rank + 1 - rankOf(graph(), part));
    return call(nodeOf("Concat", std::move(list), {{"axis", std::int64_t(joint.dimOfWhole())}}));
}

void GraphChange::divide(TensorId whole, std::span<const TensorId> parts, const Joint &joint)
{
    if (m_error)
        return;
    std::vector<std::int64_t> extents;
    bool squeezes = false;
    for (const TensorId part : parts) {
        const Shape &shape = *graph().tensor(part).shape;
        extents.push_back(joint.isStack() ? 1 : shape[std::size_t(joint.dim)].value());
        squeezes = squeezes || (joint.isStack() && int(shape.size()) <= joint.rank);
    }
    Node node =
        nodeOf("Split", {whole, integers(extents)}, {{"axis", std::int64_t(joint.dimOfWhole())}});
    if (!squeezes) {
        calls(std::move(node), {parts.begin(), parts.end()}, parts.size());
        return;
    }
    const std::vector<TensorId> slices = calls(std::move(node), {}, parts.size());
    for (std::size_t k = 0; k < parts.size() && !m_error; ++k) {
        const int more = joint.rank + 1 - rankOf(graph(), parts[k]);
        std::vector<std::int64_t> axes(std::size_t(more), 0);
        std::iota(axes.begin(), axes.end(), 0);
        call(nodeOf("Squeeze", {slices[k], integers(axes)}), parts[k]);
    }
}

void GraphChange::replace(TensorId from, TensorId to)
{
    m_editor.replaceUses(from, to);
    m_loose.push_back(from);
}

/// Removes calls whose results lost their last reader, and values without references.
void GraphChange::removeUnread()
{
    while (!m_loose.empty()) {
        const TensorId id = m_loose.back();
        m_loose.pop_back();
        if (!id.valid() || !graph().contains(id) || !graph().uses(id).empty() ||
            graph().isOutput(id) || graph().isExternal(id))
            continue;
        const NodeId producer = graph().producer(id);
        if (!producer.valid()) {
            m_editor.removeTensor(id);
            continue;
        }
        const std::vector<TensorId> outputs = graph().node(producer).outputs;
        const bool unread = std::ranges::all_of(outputs, [&](TensorId output) {
            return !output.valid() || (graph().uses(output).empty() && !graph().isOutput(output));
        });
        if (unread)
            remove(std::vector{producer});
    }
}

Result<Graph> GraphChange::finish() &&
{
    if (m_error)
        return tl::unexpected(*m_error);
    removeUnread();
    std::erase_if(m_added, [&](NodeId id) { return !graph().contains(id); });
    std::vector<NodeId> order;
    for (const NodeId id : graph().order())
        if (graph().contains(id) && !m_places.contains(id))
            order.push_back(id);
    order.insert(order.end(), m_added.begin(), m_added.end());
    const auto place = [&](NodeId id) {
        const auto known = m_places.find(id);
        return known != m_places.end() ? known->second : double(graph().position(id));
    };
    std::ranges::stable_sort(order, {}, place);
    m_editor.setOrder(std::move(order));
    return std::move(m_editor).finish();
}

} // namespace graphloom::magis
