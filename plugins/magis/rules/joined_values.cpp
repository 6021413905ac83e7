// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/joined_values.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

bool isKnown(const Graph &graph, TensorId value)
{
    return value.valid() && graph.tensor(value).shape && isStatic(*graph.tensor(value).shape);
}

/// Describes the join along the dimension that the node's attribute "axis" names. Returns nothing
/// if there are fewer than two parts or a shape is not known.
std::optional<JoinedValues> plain(const Graph &graph, NodeId id, TensorId whole,
                                  const std::vector<TensorId> &parts)
{
    const Node &node = graph.node(id);
    if (parts.size() < 2 || !isKnown(graph, whole) ||
        !std::ranges::all_of(parts, [&](TensorId part) { return isKnown(graph, part); }))
        return std::nullopt;
    const auto rank = std::int64_t(graph.tensor(whole).shape->size());
    const std::int64_t axis = node.attributes.integer("axis", 0);
    return JoinedValues{whole, parts, Joint::along(int(axis < 0 ? axis + rank : axis)), {id}};
}

/// Tells whether `longer` has the shape of `value` with additional leading dimensions of extent 1.
bool isPadded(const Graph &graph, TensorId value, TensorId longer)
{
    const Shape &shape = *graph.tensor(value).shape, &other = *graph.tensor(longer).shape;
    return shape.size() < other.size() && padded(shape, int(other.size())) == other;
}

/// Turns the joint into a stack if every part is a value with additional leading dimensions of
/// extent 1. For a part, `inner` returns that value and the node between the two, or an invalid
/// value if there is none. The values then become the parts, and the nodes are added. Changes
/// nothing if the joint is not along dimension 0 or one of the parts does not fit.
template <class Inner> void takeAsStack(const Graph &graph, JoinedValues &values, Inner inner)
{
    if (values.joint.dim != 0)
        return;
    std::vector<TensorId> parts;
    std::vector<NodeId> nodes = values.nodes;
    for (const TensorId part : values.parts) {
        const auto [value, node] = inner(part);
        if (!isKnown(graph, value) || !isPadded(graph, value, part))
            return;
        parts.push_back(value);
        nodes.push_back(node);
    }
    values.joint = Joint::stack(int(graph.tensor(values.whole).shape->size()) - 1);
    values.parts = std::move(parts);
    values.nodes = std::move(nodes);
}

} // namespace

std::optional<JoinedValues> partsOf(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(id);
    if (!node.domain.empty() || node.op != "Split")
        return std::nullopt;
    auto values = plain(graph, id, node.inputs[0], node.outputs);
    if (values)
        takeAsStack(graph, *values, [&](TensorId part) -> std::pair<TensorId, NodeId> {
            const auto uses = graph.uses(part);
            if (uses.size() != 1 || graph.isOutput(part))
                return {};
            const Node &reader = graph.node(uses[0].node);
            const bool takesOff = reader.domain.empty() && reader.op == "Squeeze";
            return {takesOff ? reader.outputs[0] : TensorId(), uses[0].node};
        });
    return values;
}

std::optional<JoinedValues> joinedBy(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(id);
    if (!node.domain.empty() || node.op != "Concat")
        return std::nullopt;
    auto values = plain(graph, id, node.outputs[0], node.inputs);
    if (values)
        takeAsStack(graph, *values, [&](TensorId part) -> std::pair<TensorId, NodeId> {
            const NodeId producer = graph.producer(part);
            if (!producer.valid())
                return {};
            const Node &inner = graph.node(producer);
            const bool adds = inner.domain.empty() && inner.op == "Unsqueeze";
            return {adds ? inner.inputs[0] : TensorId(), producer};
        });
    return values;
}

namespace {

/// Visits the joins that read a value, directly or after an Unsqueeze.
template <class Visit> void forEachJoin(const Graph &graph, TensorId value, Visit visit)
{
    for (const Use &use : graph.uses(value)) {
        const Node &node = graph.node(use.node);
        if (auto joined = joinedBy(graph, use.node))
            visit(*joined);
        if (node.domain.empty() && node.op == "Unsqueeze")
            for (const Use &outer : graph.uses(node.outputs[0]))
                if (auto joined = joinedBy(graph, outer.node))
                    visit(*joined);
    }
}

/// Describes the values of the Split that the value is a part of, directly or, for a stack, through
/// a Squeeze. Returns nothing if there is none.
std::optional<JoinedValues> apartFrom(const Graph &graph, TensorId value, const Joint &joint)
{
    NodeId producer = graph.producer(value);
    if (producer.valid() && joint.isStack())
        if (const Node &node = graph.node(producer); node.domain.empty() && node.op == "Squeeze")
            producer = graph.producer(node.inputs[0]);
    return producer.valid() ? partsOf(graph, producer) : std::nullopt;
}

} // namespace

std::vector<TensorId> orderOf(const Graph &graph, std::span<const TensorId> values,
                              const Joint &joint)
{
    std::vector<TensorId> sorted(values.begin(), values.end()), order;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
        return {};
    const auto take = [&](const JoinedValues &joined) {
        std::vector<TensorId> parts = joined.parts;
        std::ranges::sort(parts);
        if (joined.joint == joint && parts == sorted)
            order = joined.parts;
    };
    if (const auto apart = apartFrom(graph, values[0], joint))
        take(*apart);
    if (order.empty())
        forEachJoin(graph, values[0], take);
    return order;
}

TensorId wholeOf(const Graph &graph, std::span<const TensorId> parts, const Joint &joint)
{
    const auto apart = apartFrom(graph, parts[0], joint);
    return apart && apart->joint == joint && std::ranges::equal(apart->parts, parts) ? apart->whole
                                                                                     : TensorId();
}

} // namespace graphloom::magis
