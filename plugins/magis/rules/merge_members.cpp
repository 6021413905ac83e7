// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/merge_members.h"

#include "engine/ops/describe/stage.h"
#include "plugins/magis/rules/joint.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

/// Returns the hash of a node's attributes, without what a gradient node states about forward
/// inputs that it does not have.
std::uint64_t hashOfAttributes(const Node &node)
{
    const auto omitted = omittedInputs(node);
    return !omitted || omitted->empty() ? node.attributes.hash()
                                        : withOmittedInputs(node.attributes, {}).hash();
}

/// Describes one call. Returns nothing if an output is omitted, a shape is not known, or the call
/// is opaque.
std::optional<MergeMember> memberOf(const Graph &graph, NodeId id, std::int64_t opset)
{
    MergeMember member{&graph.node(id), {}, {}, {}};
    if (!std::ranges::all_of(member.node->outputs, &TensorId::valid))
        return std::nullopt;
    for (const TensorId input : member.node->inputs) {
        member.tensors.push_back(input.valid() ? graph.tensor(input) : Tensor{});
        const auto &shape = member.tensors.back().shape;
        if (input.valid() && (!shape || !isStatic(*shape)))
            return std::nullopt;
    }
    auto omitted = omittedInputs(*member.node);
    auto description = describeWith(*member.node, member.tensors, opset);
    if (!omitted || !description || description->isOpaque())
        return std::nullopt;
    member.omitted = *std::move(omitted);
    member.description = *std::move(description);
    return member;
}

} // namespace

Shape MergeMember::shape(std::size_t input) const
{
    const auto &known = tensors[input].shape;
    return known ? *known : Shape{};
}

int MergeMember::rank() const
{
    std::size_t rank = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        rank = std::max(rank, shape(i).size());
    for (const Value &value : description.values)
        rank = std::max(rank, value.shape ? value.shape->size() : 0);
    for (const OmittedInput &input : omitted)
        rank = std::max(rank, input.shape.size());
    return int(rank);
}

bool areAlike(const Graph &graph, NodeId a, NodeId b)
{
    const Node &x = graph.node(a), &y = graph.node(b);
    const auto samePlaces = [](const std::vector<TensorId> &p, const std::vector<TensorId> &q) {
        return std::ranges::equal(p, q, {}, &TensorId::valid, &TensorId::valid);
    };
    if (x.op != y.op || x.domain != y.domain || !x.captures.empty() || !y.captures.empty() ||
        !samePlaces(x.inputs, y.inputs) || !samePlaces(x.outputs, y.outputs) ||
        hashOfAttributes(x) != hashOfAttributes(y))
        return false;
    const auto p = omittedInputs(x), q = omittedInputs(y);
    return p && q && std::ranges::equal(*p, *q, [](const OmittedInput &s, const OmittedInput &t) {
               return s.input == t.input && s.type == t.type && s.shape.size() == t.shape.size();
           });
}

std::optional<std::vector<MergeMember>>
mergeMembers(const Graph &graph, const std::vector<NodeId> &calls, std::int64_t opset)
{
    std::vector<MergeMember> members;
    for (const NodeId id : calls) {
        auto member =
            areAlike(graph, calls.front(), id) ? memberOf(graph, id, opset) : std::nullopt;
        if (!member)
            return std::nullopt;
        members.push_back(*std::move(member));
        if (!std::ranges::equal(members.front().tensors, members.back().tensors, {}, &Tensor::type,
                                &Tensor::type))
            return std::nullopt;
    }
    return members;
}

std::vector<OmittedInputs> omittedToTry(const std::vector<MergeMember> &members, bool stacks)
{
    constexpr std::size_t most = 64;
    const MergeMember &first = members.front();
    std::vector<OmittedInputs> lists{{}};
    for (std::size_t k = 0; k < first.omitted.size(); ++k) {
        std::vector<Shape> shapes, options;
        for (const MergeMember &member : members)
            shapes.push_back(member.omitted[k].shape);
        if (std::ranges::count(shapes, shapes.front()) == std::ptrdiff_t(shapes.size()))
            options.push_back(shapes.front());
        const auto add = [&](const Joint &joint) {
            if (auto shape = joinedShape(shapes, joint))
                options.push_back(*std::move(shape));
        };
        if (stacks)
            add(Joint::stack(first.rank()));
        for (int d = 0; !stacks && d < int(shapes.front().size()); ++d)
            add(Joint::along(d));
        std::vector<OmittedInputs> longer;
        for (const OmittedInputs &list : lists)
            for (const Shape &shape : options) {
                longer.push_back(list);
                longer.back().push_back(first.omitted[k]);
                longer.back().back().shape = shape;
            }
        lists = std::move(longer);
        if (lists.size() > most)
            return {};
    }
    return lists;
}

Result<Description> describeWith(const Node &node, const std::vector<Tensor> &tensors,
                                 std::int64_t opset)
{
    std::vector<const Tensor *> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        inputs.push_back(node.inputs[i].valid() ? &tensors[i] : nullptr);
    return describe(Call(node, std::move(inputs), opset));
}

} // namespace graphloom::magis
