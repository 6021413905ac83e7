// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>

namespace graphloom {

namespace {

Description opaqueCall(const Call &call, std::string reason)
{
    Description description;
    description.outputs = int(call.outputCount());
    description.values.resize(call.outputCount());
    description.opaque = std::move(reason);
    return description;
}

bool isKnownDomain(std::string_view domain)
{
    return std::ranges::any_of(operatorTable(),
                               [&](const Operator &entry) { return entry.domain == domain; });
}

} // namespace

// Invalid shapes result from attributes and inputs that contradict each other.
Result<void> checkShape(const Call &call, const Shape &shape, int output)
{
    if (shape.size() > highestRank)
        return call.refuse("output " + std::to_string(output) + " would have " +
                           std::to_string(shape.size()) + " dimensions; at most " +
                           std::to_string(highestRank) + " are supported");
    for (const Dim &dim : shape) {
        if (dim.isOverflow())
            return call.refuse("the shape of output " + std::to_string(output) +
                               " exceeds 64-bit integers");
        if (dim.isConstant() && dim.value() < 0)
            return call.refuse("output " + std::to_string(output) +
                               " would have the negative extent " + dim.text() + " in shape " +
                               text(shape));
    }
    if (isStatic(shape) && !staticElements(shape))
        return call.refuse("output " + std::to_string(output) + " of shape " + text(shape) +
                           " has more elements than can be addressed");
    return {};
}

std::optional<std::vector<Dim>> Call::values(std::size_t input) const
{
    if (!has(input))
        return std::nullopt;
    const Tensor &tensor = *m_inputs[input];
    if (tensor.values)
        return *tensor.values;
    constexpr std::int64_t longest = 4096; // shapes and axes are short; weights are ignored
    if (!tensor.constant || !isIntegral(tensor.type) || tensor.constant->elements() > longest)
        return std::nullopt;
    const auto integers = tensor.constant->integers();
    return std::vector<Dim>(integers.begin(), integers.end());
}

std::optional<std::vector<std::int64_t>> Call::integers(std::size_t input) const
{
    const auto known = values(input);
    if (!known)
        return std::nullopt;
    std::vector<std::int64_t> result;
    for (const Dim &value : *known) {
        if (!value.isConstant())
            return std::nullopt;
        result.push_back(value.value());
    }
    return result;
}

std::optional<std::vector<double>> Call::reals(std::size_t input) const
{
    constexpr std::int64_t longest = 4096;
    if (!isConstant(input) || m_inputs[input]->type == DataType::String ||
        m_inputs[input]->constant->elements() > longest)
        return std::nullopt;
    std::vector<double> result;
    for (std::int64_t i = 0; i < m_inputs[input]->constant->elements(); ++i)
        result.push_back(m_inputs[input]->constant->real(i));
    return result;
}

bool Call::stopped(std::uint64_t steps) const
{
    if (!m_steps)
        return false;
    m_steps->add(steps);
    return m_steps->stopped();
}

tl::unexpected<Error> Call::refuse(std::string reason) const
{
    return fail(Error::Kind::Model, std::move(reason), m_node.label());
}

Result<Description> describe(const Call &call)
{
    const Node &node = call.node();
    const Operator *entry = findOperator(node.domain, node.op, call.opset());
    if (!entry)
        return opaqueCall(call,
                          isKnownDomain(node.domain)
                              ? "it is not in the operator table"
                              : "the operator table has no operators of its domain " + node.domain);
    const auto count = int(call.inputCount());
    int needed = 0;
    while (needed < entry->leastInputs && call.has(std::size_t(needed)))
        ++needed;
    if (needed < entry->leastInputs)
        return call.refuse("needs " + std::to_string(entry->leastInputs) + " inputs, but input " +
                           std::to_string(needed) + " is missing");
    if (entry->mostInputs >= 0 && count > entry->mostInputs)
        return call.refuse("takes at most " + std::to_string(entry->mostInputs) +
                           " inputs, but has " + std::to_string(count));
    if (entry->outputs >= 0 && int(call.outputCount()) > entry->outputs)
        return call.refuse("produces at most " + std::to_string(entry->outputs) +
                           " outputs, but has " + std::to_string(call.outputCount()));
    for (std::size_t i = 0; i < call.inputCount() && !entry->anyRank; ++i) {
        if (!call.has(i))
            continue;
        if (!call.input(i).shape || call.type(i) == DataType::Undefined)
            return opaqueCall(call, "the rank of input \"" + call.input(i).name + "\" is unknown");
    }
    GL_TRY_RESULT(description, entry->describe(call));
    description->outputs = int(call.outputCount());
    if (int(description->values.size()) < description->outputs)
        return call.refuse("has more outputs than the operator produces");
    for (int v = 0; v < int(description->values.size()); ++v) {
        Value &value = description->values[std::size_t(v)];
        if (!value.shape && !description->isOpaque())
            value.shape = shapeOf(*description, v);
        if (value.shape)
            GL_TRY(checkShape(call, *value.shape, v));
    }
    return description;
}

std::vector<const Tensor *> operandsOf(const Graph &graph, const Node &node)
{
    std::vector<const Tensor *> operands;
    for (const TensorId input : node.inputs)
        operands.push_back(input.valid() ? &graph.tensor(input) : nullptr);
    return operands;
}

Result<Description> describe(const Graph &graph, NodeId id, const Opsets &opsets)
{
    const Node &node = graph.node(id);
    return describe(Call(node, operandsOf(graph, node), opsets(node.domain)));
}

} // namespace graphloom
