// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/builder.h"

#include "engine/interpreter/spill.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/interpreter/uniform.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/symbolic.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Calls of constants with results up to `smallBytes` are computed while a match is evaluated,
/// since shapes and conditions may depend on them; those up to `mostBytes` when it is applied.
constexpr std::uint64_t smallBytes = 4096, mostBytes = std::uint64_t{1} << 26;
constexpr std::int64_t fewPoints = 1 << 14, mostPoints = std::int64_t{1} << 28;

std::optional<std::uint64_t> bytesOfOutputs(const Description &description)
{
    std::uint64_t bytes = 0;
    for (int k = 0; k < description.outputs; ++k) {
        const Value &value = description.values[std::size_t(k)];
        const auto elements = value.shape ? staticElements(*value.shape) : std::nullopt;
        if (!elements)
            return std::nullopt;
        bytes += bytesOf(value.type, std::uint64_t(*elements));
    }
    return bytes;
}

bool isWithin(const Description &description, std::uint64_t bytes, std::int64_t points)
{
    const auto taken = bytesOfOutputs(description);
    const auto visited = iterationSpace(description).constant();
    return !description.isOpaque() && taken && *taken <= bytes && visited && *visited <= points;
}

} // namespace

TensorData scalarData(double value, DataType type)
{
    std::vector<std::byte> bytes(std::size_t(std::max(8, bitsOf(type))) / 8);
    if (isFloatingPoint(type)) {
        encodeReal(type, value, bytes.data());
    } else {
        const auto integer = std::int64_t(value);
        for (std::size_t b = 0; b < bytes.size(); ++b)
            bytes[b] = std::byte(integer >> (8 * b) & 255);
    }
    return TensorData::fromBytes(type, {}, std::move(bytes));
}

std::optional<std::vector<TensorData>> computed(const Call &call, const Description &description,
                                                std::uint64_t maxBytes)
{
    std::vector<const TensorData *> inputs;
    for (std::size_t i = 0; i < call.inputCount(); ++i)
        inputs.push_back(call.has(i) ? call.input(i).constant.get() : nullptr);
    if (auto uniform = uniformResults(description, call, inputs))
        return uniform;
    if (!isWithin(description, maxBytes, maxBytes <= smallBytes ? fewPoints : mostPoints))
        return std::nullopt;
    auto outputs = runStages(description, call, inputs);
    if (!outputs)
        return std::nullopt;
    return spilled(*std::move(outputs), inputs);
}

const Tensor &Builder::tensor(TensorId value) const
{
    return isNew(value) ? m_tensors[value.index - m_terms.tensorBound()] : m_terms.tensor(value);
}

const Builder::NewCall *Builder::producer(TensorId value) const
{
    const auto found = std::ranges::find_if(m_calls, [&](const NewCall &call) {
        return std::ranges::find(call.node.outputs, value) != call.node.outputs.end();
    });
    return found != m_calls.end() ? &*found : nullptr;
}

bool Builder::isConstant(TensorId value) const
{
    if (!value.valid() || tensor(value).constant)
        return true;
    const NewCall *call = isNew(value) ? producer(value) : nullptr;
    return call && call->folds;
}

TensorId Builder::add(Tensor tensor)
{
    const TensorId id{m_terms.tensorBound() + std::uint32_t(m_tensors.size())};
    m_tensors.push_back(std::move(tensor));
    return id;
}

TensorId Builder::constant(TensorData data)
{
    return add(Tensor::of({}, std::move(data)));
}

TensorId Builder::scalar(double value, DataType type)
{
    return constant(scalarData(value, type));
}

TensorId Builder::integers(const std::vector<std::int64_t> &values)
{
    return constant(TensorData::fromInt64s(values));
}

TensorId Builder::call(std::string_view op, std::vector<TensorId> inputs, Attributes attributes)
{
    return call(op, std::move(inputs), std::move(attributes), 1)[0];
}

std::vector<TensorId> Builder::again(const Node &node, std::vector<TensorId> inputs)
{
    return call(node.qualifiedOp(), std::move(inputs), node.attributes, node.outputs.size());
}

std::vector<TensorId> Builder::call(std::string_view op, std::vector<TensorId> inputs,
                                    Attributes attributes, std::size_t outputs)
{
    const std::vector<TensorId> none(outputs);
    if (m_failed)
        return none;
    Node node;
    const auto dot = op.rfind('.');
    node.domain = dot == std::string_view::npos ? "" : op.substr(0, dot);
    node.op = dot == std::string_view::npos ? op : op.substr(dot + 1);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.outputs.resize(outputs);
    if (const NodeId known = m_terms.find(node); known.valid())
        return m_terms.node(known).outputs;
    const auto again = std::ranges::find_if(m_calls, [&](const NewCall &call) {
        return call.node.op == node.op && call.node.domain == node.domain &&
               call.node.inputs == node.inputs && call.node.outputs.size() == outputs &&
               call.node.attributes.hash() == node.attributes.hash();
    });
    if (again != m_calls.end())
        return again->node.outputs;
    std::vector<const Tensor *> known;
    for (const TensorId input : node.inputs)
        known.push_back(input.valid() ? &tensor(input) : nullptr);
    const Call call(node, std::move(known), m_terms.opsets()(node.domain));
    const DescribedCall &described = m_terms.described(call);
    if (!described.description || described.results.size() < outputs) {
        m_failed = true;
        return none;
    }
    const Description &description = *described.description;
    const bool constant =
        !node.inputs.empty() &&
        std::ranges::all_of(node.inputs, [&](TensorId input) { return isConstant(input); });
    const bool allKnown = constant && std::ranges::all_of(node.inputs, [&](TensorId input) {
                              return !input.valid() || tensor(input).constant;
                          });
    if (allKnown)
        if (auto results = computed(call, description, smallBytes)) {
            std::vector<TensorId> ids; // `call` is dangling from here on
            for (TensorData &data : *results)
                ids.push_back(this->constant(std::move(data)));
            return ids;
        }
    for (std::size_t k = 0; k < outputs; ++k) // invalidates the call's pointers to its inputs
        node.outputs[k] = add(described.results[k]);
    m_calls.push_back(
        {node, described.facts, constant && isWithin(description, mostBytes, mostPoints)});
    return node.outputs;
}

} // namespace graphloom
