// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/call_part.h"

#include "engine/ops/algebra/stage_equality.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/part_candidates.h"

#include <algorithm>
#include <map>

namespace graphloom {

namespace {

Shape shapeOfPart(Shape shape, const TensorPart &part)
{
    if (part.dim >= 0)
        shape[std::size_t(part.dim)] = part.end - part.begin;
    return shape;
}

/// Restricts the description of the whole call to a part: axes have the length of the part, and
/// indices count from the beginning of the parts of their tensors.
class Restriction {
public:
    Restriction(const CallPart &whole, const Split &split, std::int64_t begin, std::int64_t end,
                const std::vector<TensorPart> &inputs)
        : m_whole(whole.description), m_split(split), m_begin(begin), m_end(end), m_inputs(inputs)
    {
    }

    Description description()
    {
        Description part = m_whole;
        for (std::size_t s = 0; s < part.stages.size(); ++s)
            restrict(part.stages[s], m_split.axes[s]);
        for (std::size_t v = 0; v < part.values.size(); ++v)
            part.values[v].shape = shapeOf(part, int(v));
        return part;
    }

private:
    void restrict(Stage &stage, const std::vector<int> &axes)
    {
        for (Read &read : stage.reads)
            for (std::size_t d = 0; d < read.map.size(); ++d)
                shift(read.map[d], axes, originOf(read.operand, int(d)));
        for (std::size_t d = 0; d < stage.write.size(); ++d) {
            Dim origin = 0;
            for (const Index::Term &term : stage.write[d].terms)
                if (std::ranges::find(axes, term.axis) != axes.end())
                    origin += term.coefficient * Dim(m_begin);
            m_origins[{stage.value, int(d)}] = origin;
            shift(stage.write[d], axes, origin);
        }
        for (const int axis : axes)
            stage.axes[std::size_t(axis)].extent = m_end - m_begin;
    }

    Dim originOf(const Operand &operand, int dim) const
    {
        if (operand.kind == Operand::Kind::Value) {
            const auto at = m_origins.find({operand.index, dim});
            return at != m_origins.end() ? at->second : Dim(0);
        }
        const auto input = std::size_t(operand.index);
        return input < m_inputs.size() && m_inputs[input].dim == dim ? Dim(m_inputs[input].begin)
                                                                     : Dim(0);
    }

    void shift(Index &index, const std::vector<int> &axes, const Dim &origin) const
    {
        for (const Index::Term &term : index.terms)
            if (std::ranges::find(axes, term.axis) != axes.end())
                index.offset += term.coefficient * Dim(m_begin);
        index.offset += Dim(0) - origin * index.divide;
    }

    const Description &m_whole;
    const Split &m_split;
    const std::int64_t m_begin, m_end;
    const std::vector<TensorPart> &m_inputs;
    std::map<std::pair<int, int>, Dim> m_origins; // of values, by dimension
};

/// Returns a constant list of integers with the type and form of another one.
Tensor listLike(const Tensor &constant, const std::vector<std::int64_t> &values)
{
    TensorData data = TensorData::fromInt64s(values);
    if (constant.type == DataType::Int32) {
        const std::vector<std::int32_t> narrow(values.begin(), values.end());
        data = TensorData::fromValues<std::int32_t>(DataType::Int32, {std::int64_t(narrow.size())},
                                                    narrow);
    }
    return Tensor::of(constant.name, std::move(data));
}

/// Describes the node of a candidate and returns it if its description equals that of the part.
std::optional<CallPart> accepted(const CallPart &part, const PartCandidate &candidate,
                                 const Description &wanted, std::span<const Shape> shapes)
{
    CallPart result = part;
    result.node.attributes = candidate.attributes;
    for (const auto &[input, values] : candidate.lists) {
        result.operands[input] = listLike(*result.operands[input], values);
        result.replaced[input] = true;
    }
    auto description = describe(result.call());
    if (!description || !sameComputation(wanted, *description, shapes))
        return std::nullopt;
    result.description = *std::move(description);
    return result;
}

std::string dimensionOf(const Split &split)
{
    for (const auto *list : {&split.outputs, &split.inputs})
        for (const SplitTensor &cut : *list)
            if (cut.isCut())
                return std::to_string(cut.dim);
    return "0";
}

} // namespace

Call CallPart::call() const
{
    std::vector<const Tensor *> tensors;
    for (const auto &operand : operands)
        tensors.push_back(operand ? &*operand : nullptr);
    return Call(node, std::move(tensors), opset);
}

TensorPart partOf(const SplitTensor &cut, const Shape &shape, std::int64_t begin, std::int64_t end)
{
    if (!cut.isCut())
        return {};
    const std::int64_t extent = shape[std::size_t(cut.dim)].value();
    return {cut.dim, std::max<std::int64_t>(0, cut.step * begin - cut.before),
            std::min(extent, cut.step * end + cut.after)};
}

CallPart wholeCall(const Call &call, Description description)
{
    CallPart whole;
    whole.node = call.node();
    whole.inputs.resize(call.inputCount());
    whole.outputs.resize(call.outputCount());
    for (std::size_t i = 0; i < call.inputCount(); ++i)
        whole.operands.push_back(call.has(i) ? std::optional(call.input(i)) : std::nullopt);
    whole.replaced.assign(call.inputCount(), false);
    whole.description = std::move(description);
    whole.opset = call.opset();
    return whole;
}

Result<CallPart> callPart(const CallPart &whole, const Split &split, std::int64_t begin,
                          std::int64_t end)
{
    const auto refuse = [&](const std::string &why) {
        return fail(Error::Kind::Model,
                    whole.node.qualifiedOp() + " cannot be computed in parts along dimension " +
                        dimensionOf(split) + why,
                    whole.node.label());
    };
    if (begin < 0 || end <= begin || end > split.extent)
        return refuse(": invalid part from " + std::to_string(begin) + " to " +
                      std::to_string(end));
    CallPart part = whole;
    std::vector<Shape> shapes(whole.operands.size());
    for (std::size_t i = 0; i < whole.operands.size(); ++i) {
        if (!whole.operands[i])
            continue;
        Tensor &tensor = *part.operands[i];
        part.inputs[i] = partOf(cutOf(split.inputs, i), *tensor.shape, begin, end);
        shapes[i] = shapeOfPart(*tensor.shape, part.inputs[i]);
        if (part.inputs[i].dim >= 0) {
            if (part.inputs[i].begin >= part.inputs[i].end)
                return refuse(": a part lies entirely in the padding");
            tensor.shape = shapes[i];
            tensor.constant = nullptr;
            tensor.values = nullptr;
        }
    }
    for (std::size_t o = 0; o < part.outputs.size(); ++o)
        part.outputs[o] =
            partOf(cutOf(split.outputs, o), *whole.description.values[o].shape, begin, end);
    part.replaced.assign(whole.operands.size(), false);
    const Description wanted = Restriction(whole, split, begin, end, part.inputs).description();
    std::optional<CallPart> found;
    const PartFacts facts{whole, split, end - begin, wanted, part.inputs, part.outputs, shapes};
    const bool any = proposeParts(facts, [&](const PartCandidate &candidate) {
        found = accepted(part, candidate, wanted, shapes);
        return found.has_value();
    });
    if (!any)
        return refuse("");
    return *std::move(found);
}

Result<CallPart> callPart(const Graph &graph, NodeId node, const Description &description,
                          const Split &split, std::int64_t begin, std::int64_t end,
                          const Opsets &opsets)
{
    const Node &calling = graph.node(node);
    const Call call(calling, operandsOf(graph, calling), opsets(calling.domain));
    return callPart(wholeCall(call, description), split, begin, end);
}

std::optional<Split> splitLike(const CallPart &part, const Split &split)
{
    const auto alike = [](const std::vector<SplitTensor> &a, const std::vector<SplitTensor> &b) {
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
            if (cutOf(a, i).dim != cutOf(b, i).dim || cutOf(a, i).step != cutOf(b, i).step)
                return false;
        return true;
    };
    for (Split &other : splitsOf(part.description))
        if (other.extent == split.extent && other.combine == split.combine &&
            alike(other.inputs, split.inputs) && alike(other.outputs, split.outputs))
            return std::move(other);
    return std::nullopt;
}

bool canBeCut(const CallPart &whole, const Split &split)
{
    const std::int64_t half = (split.extent + 1) / 2, third = split.extent / 3;
    // A part of extent one may have another description: an extent of one has no index.
    return callPart(whole, split, 0, half) && callPart(whole, split, half, split.extent) &&
           (split.hasHalo() || callPart(whole, split, split.extent - 1, split.extent)) &&
           (!split.hasHalo() || third < 1 || callPart(whole, split, third, split.extent - third));
}

} // namespace graphloom
