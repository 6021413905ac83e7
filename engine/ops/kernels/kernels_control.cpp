// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/describe/assembler.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>

namespace graphloom::kernels {

namespace {

Result<bool> truthOf(const Call &call, const DataValue &condition)
{
    const TensorData *data = condition.tensor();
    if (!data || data->type() != DataType::Bool || data->elements() != 1)
        return call.refuse("its condition must be a single Boolean");
    return data->integer(0) != 0;
}

TensorData truth(bool value)
{
    return TensorData::fromBytes(DataType::Bool, {}, {std::byte{value}});
}

/// Returns an empty stack for an output of the body, whose inferred shape it uses.
Result<TensorData> emptyStack(const Call &call, std::size_t output, std::size_t axis)
{
    const Graph &body = *call.attributes().graph("body");
    const Tensor &element = body.tensor(body.outputs()[output]);
    if (element.type == DataType::Undefined || !element.shape)
        return call.refuse("runs no iteration, so the type or rank of output " +
                           std::to_string(output) + " is unknown");
    TensorData::Extents extents;
    for (const Dim &dim : *element.shape)
        extents.push_back(dim.constant().value_or(0));
    extents.insert(extents.begin() + std::ptrdiff_t(std::min(axis, extents.size())), 0);
    GL_TRY_RESULT(empty, Assembler::make(call, element.type, std::move(extents)));
    return std::move(*empty).finish();
}

/// Stacks the parts, which must be tensors of the same type and shape, along a new dimension.
Result<TensorData> stack(const Call &call, const Values &parts, std::int64_t along)
{
    const TensorData *first = parts.front().tensor();
    for (const DataValue &part : parts)
        if (!part.tensor() || part.tensor()->extents() != first->extents() ||
            part.tensor()->type() != first->type())
            return call.refuse(
                "stacked results of iterations must be tensors of the same type and shape");
    TensorData::Extents extents = first->extents();
    GL_TRY_CONST(axis, build::normalizedAxis(call, along, extents.size() + 1));
    extents.insert(extents.begin() + *axis, std::int64_t(parts.size()));
    GL_TRY_RESULT(result, Assembler::make(call, first->type(), extents));
    const Cut cut = cutAlong(extents, *axis);
    for (std::int64_t i = 0; i < cut.extent; ++i)
        for (std::int64_t o = 0; o < cut.outer; ++o) {
            result->copy(cut.at(o, i, 0), *parts[std::size_t(i)].tensor(), o * cut.inner,
                         cut.inner);
            if (call.stopped(std::uint64_t(cut.inner)))
                return stoppedError();
        }
    return std::move(*result).finish();
}

/// Returns element `i` along a dimension, without that dimension.
Result<TensorData> slice(const Call &call, const TensorData &data, int axis, std::int64_t i)
{
    TensorData::Extents extents = data.extents();
    const Cut cut = cutAlong(extents, axis);
    extents.erase(extents.begin() + axis);
    GL_TRY_RESULT(result, Assembler::make(call, data.type(), std::move(extents)));
    for (std::int64_t o = 0; o < cut.outer; ++o) {
        result->copy(o * cut.inner, data, cut.at(o, i, 0), cut.inner);
        if (call.stopped(std::uint64_t(cut.inner)))
            return stoppedError();
    }
    return std::move(*result).finish();
}

} // namespace

Result<Values> branch(const Call &call, ValueInputs inputs, const Run &run)
{
    GL_TRY_CONST(condition, truthOf(call, *inputs[0]));
    return run(*condition ? "then_branch" : "else_branch", {});
}

Result<Values> loop(const Call &call, ValueInputs inputs, const Run &run)
{
    const std::size_t states = inputs.size() > 2 ? inputs.size() - 2 : 0;
    const bool counted = !inputs.empty() && inputs[0];
    if (counted && (!inputs[0]->tensor() || inputs[0]->tensor()->elements() != 1))
        return call.refuse("its number of iterations must be a single number");
    const std::int64_t most = counted ? inputs[0]->tensor()->integer(0) : 0;
    bool goesOn = true;
    if (inputs.size() > 1 && inputs[1]) {
        GL_TRY_CONST(start, truthOf(call, *inputs[1]));
        goesOn = *start;
    }
    Values state;
    for (std::size_t s = 0; s < states; ++s) {
        if (!inputs[s + 2])
            return call.refuse("its state " + std::to_string(s) + " has no initial value");
        state.push_back(*inputs[s + 2]);
    }
    std::vector<Values> stacked(call.outputCount() - std::min(states, call.outputCount()));
    std::uint64_t stackedBytes = 0;
    for (std::int64_t iteration = 0; goesOn && (!counted || iteration < most); ++iteration) {
        Values given{TensorData::scalar(iteration), truth(true)};
        given.insert(given.end(), state.begin(), state.end());
        GL_TRY_RESULT(outputs, run("body", given));
        GL_TRY_CONST(next, truthOf(call, outputs->front()));
        goesOn = *next;
        for (std::size_t s = 0; s < states; ++s)
            state[s] = std::move((*outputs)[s + 1]);
        for (std::size_t k = 0; k < stacked.size(); ++k) {
            stackedBytes += (*outputs)[states + 1 + k].bytes() + sizeof(DataValue);
            stacked[k].push_back(std::move((*outputs)[states + 1 + k]));
        }
        if (stackedBytes > call.maxBytes())
            return call.refuse("the output of its iterations does not fit into memory");
    }
    Values results = std::move(state);
    for (std::size_t k = 0; k < stacked.size(); ++k) {
        GL_TRY_RESULT(whole, stacked[k].empty() ? emptyStack(call, states + 1 + k, 0)
                                                : stack(call, stacked[k], 0));
        results.push_back(std::move(*whole));
    }
    return results;
}

Result<Values> scan(const Call &call, ValueInputs inputs, const Run &run)
{
    const Attributes &attributes = call.attributes();
    const auto sequences = std::size_t(attributes.integer("num_scan_inputs", 0));
    const std::size_t states = inputs.size() - sequences;
    auto inputAxes = attributes.integers("scan_input_axes"),
         outputAxes = attributes.integers("scan_output_axes");
    auto inputBackwards = attributes.integers("scan_input_directions");
    auto outputBackwards = attributes.integers("scan_output_directions");
    const std::size_t results = call.outputCount() - std::min(states, call.outputCount());
    for (auto *list : {&inputAxes, &inputBackwards})
        list->resize(sequences, 0);
    for (auto *list : {&outputAxes, &outputBackwards})
        list->resize(results, 0);
    if (std::ranges::find(inputs, nullptr) != inputs.end())
        return call.refuse("lacks a state or sequence");
    std::int64_t steps = 0;
    std::vector<int> axes;
    for (std::size_t i = 0; i < sequences; ++i) {
        if (!inputs[states + i]->tensor())
            return call.refuse("can only scan tensors");
        const TensorData &sequence = *inputs[states + i]->tensor();
        GL_TRY_CONST(axis, build::normalizedAxis(call, inputAxes[i], sequence.extents().size()));
        axes.push_back(*axis);
        steps = sequence.extents()[std::size_t(*axis)];
    }
    Values state;
    for (std::size_t s = 0; s < states; ++s)
        state.push_back(*inputs[s]);
    std::vector<Values> stacked(results);
    for (std::int64_t step = 0; step < steps; ++step) {
        Values given = state;
        for (std::size_t i = 0; i < sequences; ++i) {
            GL_TRY_RESULT(part, slice(call, *inputs[states + i]->tensor(), axes[i],
                                      inputBackwards[i] ? steps - 1 - step : step));
            given.push_back(std::move(*part));
        }
        GL_TRY_RESULT(outputs, run("body", given));
        for (std::size_t s = 0; s < states; ++s)
            state[s] = std::move((*outputs)[s]);
        for (std::size_t k = 0; k < results; ++k)
            stacked[k].push_back(std::move((*outputs)[states + k]));
    }
    Values all = std::move(state);
    for (std::size_t k = 0; k < results; ++k) {
        if (outputBackwards[k])
            std::ranges::reverse(stacked[k]);
        GL_TRY_RESULT(whole, stacked[k].empty() ? emptyStack(call, states + k, 0)
                                                : stack(call, stacked[k], outputAxes[k]));
        all.push_back(std::move(*whole));
    }
    return all;
}

} // namespace graphloom::kernels
