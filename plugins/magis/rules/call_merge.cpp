// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/call_merge.h"

#include "engine/ops/call_part.h"
#include "engine/ops/gradient.h"
#include "plugins/magis/rules/unit_dimensions.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

using Omitted = std::vector<OmittedInput>;

/// A graph's call with what it computes.
struct Member {
    const Node *node;
    std::vector<Tensor> tensors; // what is known of its inputs
    Omitted omitted;
    Description description;

    Shape shape(std::size_t input) const
    {
        const auto &known = tensors[input].shape;
        return known ? *known : Shape{};
    }
};

Result<Description> describeWith(const Node &node, const std::vector<Tensor> &tensors,
                                 std::int64_t opset)
{
    std::vector<const Tensor *> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        inputs.push_back(node.inputs[i].valid() ? &tensors[i] : nullptr);
    return describe(Call(node, std::move(inputs), opset));
}

int rankOf(const Member &member)
{
    std::size_t rank = 0;
    for (std::size_t i = 0; i < member.tensors.size(); ++i)
        rank = std::max(rank, member.shape(i).size());
    for (const Value &value : member.description.values)
        rank = std::max(rank, value.shape ? value.shape->size() : 0);
    for (const OmittedInput &input : member.omitted)
        rank = std::max(rank, input.shape.size());
    return int(rank);
}

const SplitTensor &cutOf(const std::vector<SplitTensor> &cuts, std::size_t index)
{
    static const SplitTensor whole;
    return index < cuts.size() ? cuts[index] : whole;
}

class Merger {
public:
    Merger(const Graph &graph, const Opsets &opsets, const std::vector<NodeId> &calls,
           Merging merging, Joining joining)
        : m_graph(graph), m_opset(opsets(graph.node(calls.front()).domain)), m_calls(calls),
          m_merging(merging), m_joining(joining)
    {
    }

    std::optional<CallMerge> run()
    {
        if (m_calls.size() < 2 || !gather())
            return std::nullopt;
        for (const auto &joints : jointsToTry())
            if (auto merge = mergeWith(joints))
                return merge;
        return std::nullopt;
    }

private:
    using Joints = std::vector<std::optional<Joint>>;

    bool gather()
    {
        for (const NodeId id : m_calls) {
            if (!areAlike(m_graph, m_calls.front(), id))
                return false;
            Member member{&m_graph.node(id), {}, {}, {}};
            for (const TensorId input : member.node->inputs) {
                member.tensors.push_back(input.valid() ? m_graph.tensor(input) : Tensor{});
                const auto &shape = member.tensors.back().shape;
                if (input.valid() && (!shape || !isStatic(*shape)))
                    return false;
            }
            auto omitted = omittedInputs(*member.node);
            auto description = describeWith(*member.node, member.tensors, m_opset);
            if (!omitted || !description || description->isOpaque())
                return false;
            member.omitted = *std::move(omitted);
            member.description = *std::move(description);
            m_members.push_back(std::move(member));
            if (!std::ranges::equal(m_members.front().tensors, m_members.back().tensors, {},
                                    &Tensor::type, &Tensor::type))
                return false;
        }
        const Node &first = *m_members.front().node;
        for (std::size_t i = 0; i < first.inputs.size(); ++i)
            m_shared.push_back(std::ranges::all_of(m_members, [&](const Member &member) {
                return member.node->inputs[i] == first.inputs[i];
            }));
        return std::ranges::count(m_shared, false) > 0;
    }

    std::vector<Joints> jointsToTry() const
    {
        const Member &first = m_members.front();
        std::vector<Joints> result;
        if (m_joining == Joining::Stack) {
            Joints joints(m_shared.size());
            for (std::size_t i = 0; i < m_shared.size(); ++i)
                if (!m_shared[i])
                    joints[i] = Joint::stack(rankOf(first));
            return {joints};
        }
        for (const Split &split : splitsOf(first.description)) {
            if ((split.combine == Combine::Sum) != (m_merging == Merging::Sum) || split.hasHalo())
                continue;
            Joints joints(m_shared.size());
            bool fits = true;
            for (std::size_t i = 0; i < m_shared.size(); ++i) {
                const SplitTensor &cut = cutOf(split.inputs, i);
                fits = fits && cut.isCut() != m_shared[i] && (m_shared[i] || cut.step == 1);
                if (!m_shared[i])
                    joints[i] = Joint::along(cut.dim);
            }
            if (fits)
                result.push_back(std::move(joints));
        }
        return result;
    }

    std::vector<Shape> shapesOf(std::size_t input) const
    {
        std::vector<Shape> shapes;
        for (const Member &member : m_members)
            shapes.push_back(member.shape(input));
        return shapes;
    }

    std::optional<CallMerge> mergeWith(const Joints &joints)
    {
        CallMerge merge{m_calls, *m_members.front().node, joints, {}};
        std::vector<Tensor> tensors = m_members.front().tensors;
        for (std::size_t i = 0; i < joints.size(); ++i) {
            if (!joints[i])
                continue;
            auto shape = joinedShape(shapesOf(i), *joints[i]);
            if (!shape)
                return std::nullopt;
            tensors[i].shape = *std::move(shape);
            tensors[i].constant = nullptr;
            tensors[i].values = nullptr;
        }
        for (const Omitted &omitted : omittedToTry()) {
            Node node = merge.node;
            if (!omitted.empty())
                node.attributes = withOmittedInputs(node.attributes, omitted);
            auto outputs = outputsOf(node, tensors, joints);
            if (!outputs)
                continue;
            merge.node = std::move(node);
            merge.outputs = *std::move(outputs);
            for (std::size_t i = 0; i < joints.size(); ++i)
                if (joints[i])
                    merge.node.inputs[i] = TensorId();
            return merge;
        }
        return std::nullopt;
    }

    /// What the one call may say of forward inputs that it does not have: as each call does, or of
    /// those of all calls joined.
    std::vector<Omitted> omittedToTry() const
    {
        constexpr std::size_t most = 64;
        std::vector<Omitted> lists{{}};
        for (std::size_t k = 0; k < m_members.front().omitted.size(); ++k) {
            std::vector<Shape> shapes, options;
            for (const Member &member : m_members)
                shapes.push_back(member.omitted[k].shape);
            if (std::ranges::count(shapes, shapes.front()) == std::ptrdiff_t(shapes.size()))
                options.push_back(shapes.front());
            const auto add = [&](const Joint &joint) {
                if (auto shape = joinedShape(shapes, joint))
                    options.push_back(*std::move(shape));
            };
            if (m_joining == Joining::Stack)
                add(Joint::stack(rankOf(m_members.front())));
            else
                for (int d = 0; d < int(shapes.front().size()); ++d)
                    add(Joint::along(d));
            std::vector<Omitted> longer;
            for (const Omitted &list : lists)
                for (const Shape &shape : options) {
                    longer.push_back(list);
                    longer.back().push_back(m_members.front().omitted[k]);
                    longer.back().back().shape = shape;
                }
            lists = std::move(longer);
            if (lists.size() > most)
                return {};
        }
        return lists;
    }

    /// How the results of the one call are joined, if its parts are the calls.
    std::optional<std::vector<Joint>>
    outputsOf(const Node &node, const std::vector<Tensor> &tensors, const Joints &joints) const
    {
        auto description = describeWith(node, tensors, m_opset);
        if (!description || description->isOpaque())
            return std::nullopt;
        std::vector<const Tensor *> inputs;
        for (std::size_t i = 0; i < tensors.size(); ++i)
            inputs.push_back(node.inputs[i].valid() ? &tensors[i] : nullptr);
        const CallPart whole =
            wholeCall(Call(node, std::move(inputs), m_opset), *std::move(description));
        for (const Split &split : splitsOf(whole.description)) {
            const auto outputs = jointsOfOutputs(split, joints);
            if (outputs && haveShapes(whole.description, *outputs) &&
                areParts(whole, split, joints))
                return outputs;
        }
        return std::nullopt;
    }

    /// By output, if the split cuts what is joined and nothing else.
    std::optional<std::vector<Joint>> jointsOfOutputs(const Split &split,
                                                      const Joints &joints) const
    {
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const SplitTensor &cut = cutOf(split.inputs, i);
            const int wanted = joints[i] ? joints[i]->dimOfWhole() : -1;
            if (cut.dim != wanted || (cut.isCut() && (cut.step != 1 || cut.hasHalo())))
                return std::nullopt;
        }
        if ((split.combine == Combine::Sum) != (m_merging == Merging::Sum))
            return std::nullopt;
        std::vector<Joint> outputs;
        for (const SplitTensor &cut : split.outputs) {
            if (m_merging == Merging::Sum)
                continue; // not cut: the parts add to it
            if (!cut.isCut() || cut.step != 1 || (m_joining == Joining::Stack && cut.dim != 0))
                return std::nullopt;
            outputs.push_back(m_joining == Joining::Stack ? Joint::stack(rankOf(m_members.front()))
                                                          : Joint::along(cut.dim));
        }
        return outputs;
    }

    /// Have the results of the one call the shapes of those of the calls, joined or added up?
    bool haveShapes(const Description &whole, const std::vector<Joint> &outputs) const
    {
        for (std::size_t o = 0; o < m_members.front().node->outputs.size(); ++o) {
            std::vector<Shape> shapes;
            for (const Member &member : m_members)
                shapes.push_back(*member.description.values[o].shape);
            const auto wanted =
                m_merging == Merging::Sum ? shapes.front() : joinedShape(shapes, outputs[o]);
            if (wanted != whole.values[o].shape)
                return false;
        }
        return true;
    }

    bool areParts(const CallPart &whole, const Split &split, const Joints &joints) const
    {
        std::int64_t begin = 0;
        for (const Member &member : m_members) {
            std::int64_t length = 1;
            if (m_joining == Joining::Along)
                for (std::size_t i = 0; i < joints.size(); ++i)
                    if (joints[i])
                        length = member.shape(i)[std::size_t(joints[i]->dim)].value();
            const auto part = callPart(whole, split, begin, begin + length);
            begin += length;
            if (!part || !computesLike(*part, member))
                return false;
        }
        return begin == split.extent;
    }

    bool computesLike(const CallPart &part, const Member &member) const
    {
        std::vector<Shape> ofPart, ofMember;
        for (std::size_t i = 0; i < member.tensors.size(); ++i) {
            ofPart.push_back(part.operands[i] ? *part.operands[i]->shape : Shape{});
            ofMember.push_back(member.shape(i));
            if (m_joining == Joining::Along && ofPart.back() != ofMember.back())
                return false;
        }
        return sameWithoutUnits(part.description, ofPart, member.description, ofMember);
    }

    const Graph &m_graph;
    const std::int64_t m_opset;
    const std::vector<NodeId> &m_calls;
    const Merging m_merging;
    const Joining m_joining;
    std::vector<Member> m_members;
    std::vector<bool> m_shared;
};

/// Attributes without what a gradient node says of forward inputs that it does not have.
std::uint64_t hashOfAttributes(const Node &node)
{
    const auto omitted = omittedInputs(node);
    return !omitted || omitted->empty() ? node.attributes.hash()
                                        : withOmittedInputs(node.attributes, {}).hash();
}

} // namespace

std::vector<TensorId> CallMerge::operands(const Graph &graph, std::size_t input) const
{
    std::vector<TensorId> list;
    for (const NodeId call : calls)
        list.push_back(graph.node(call).inputs[input]);
    return list;
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

std::optional<CallMerge> mergeOf(const Graph &graph, const Opsets &opsets,
                                 const std::vector<NodeId> &calls, Merging merging, Joining joining)
{
    return Merger(graph, opsets, calls, merging, joining).run();
}

} // namespace graphloom::magis
