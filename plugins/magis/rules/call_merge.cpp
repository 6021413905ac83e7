// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/call_merge.h"

#include "engine/ops/derive/call_part.h"
#include "plugins/magis/rules/merge_members.h"
#include "plugins/magis/rules/unit_dimensions.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

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
        auto members = mergeMembers(m_graph, m_calls, m_opset);
        if (!members)
            return false;
        m_members = *std::move(members);
        const Node &first = *m_members.front().node;
        for (std::size_t i = 0; i < first.inputs.size(); ++i)
            m_shared.push_back(std::ranges::all_of(m_members, [&](const MergeMember &member) {
                return member.node->inputs[i] == first.inputs[i];
            }));
        return std::ranges::count(m_shared, false) > 0;
    }

    std::vector<Joints> jointsToTry() const
    {
        const MergeMember &first = m_members.front();
        std::vector<Joints> result;
        if (m_joining == Joining::Stack) {
            Joints joints(m_shared.size());
            for (std::size_t i = 0; i < m_shared.size(); ++i)
                if (!m_shared[i])
                    joints[i] = Joint::stack(first.rank());
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
        for (const MergeMember &member : m_members)
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
        for (const OmittedInputs &omitted : omittedToTry(m_members, m_joining == Joining::Stack)) {
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

    /// Returns how the results of the one call are joined, if the calls are its parts.
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

    /// Returns a joint for each output, if the split cuts exactly the joined inputs.
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
            outputs.push_back(m_joining == Joining::Stack ? Joint::stack(m_members.front().rank())
                                                          : Joint::along(cut.dim));
        }
        return outputs;
    }

    /// Tells whether the one call's results have the shapes of the calls' results, joined or added.
    bool haveShapes(const Description &whole, const std::vector<Joint> &outputs) const
    {
        for (std::size_t o = 0; o < m_members.front().node->outputs.size(); ++o) {
            std::vector<Shape> shapes;
            for (const MergeMember &member : m_members)
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
        for (const MergeMember &member : m_members) {
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

    bool computesLike(const CallPart &part, const MergeMember &member) const
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
    std::vector<MergeMember> m_members;
    std::vector<bool> m_shared;
};

} // namespace

std::vector<TensorId> CallMerge::operands(const Graph &graph, std::size_t input) const
{
    std::vector<TensorId> list;
    for (const NodeId call : calls)
        list.push_back(graph.node(call).inputs[input]);
    return list;
}

std::optional<CallMerge> mergeOf(const Graph &graph, const Opsets &opsets,
                                 const std::vector<NodeId> &calls, Merging merging, Joining joining)
{
    return Merger(graph, opsets, calls, merging, joining).run();
}

} // namespace graphloom::magis
