// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/describe/assembler.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <numeric>

namespace graphloom::kernels {

namespace {

using Elements = std::span<const DataValue>;

Result<Elements> sequenceOf(const Call &call, const DataValue &value)
{
    if (value.kind() != DataValue::Kind::Sequence)
        return call.refuse("expected a sequence, but its input is of kind " +
                           std::string(nameOf(value.kind())));
    return value.elements();
}

Result<const TensorData *> tensorOf(const Call &call, const DataValue &value)
{
    if (!value.tensor())
        return call.refuse("expected a tensor, but its input is of kind " +
                           std::string(nameOf(value.kind())));
    return value.tensor();
}

/// Returns the position in input `input`, which counts from the end if it is negative, or
/// `fallback` if the input is omitted. Refuses positions that are not below `bound`.
Result<std::size_t> positionIn(const Call &call, ValueInputs inputs, std::size_t input,
                               std::size_t size, std::size_t bound, std::size_t fallback)
{
    auto position = std::int64_t(fallback);
    if (input < inputs.size() && inputs[input]) {
        const TensorData *data = inputs[input]->tensor();
        if (!data || !isIntegral(data->type()) || data->elements() != 1)
            return call.refuse("its position must be a single integer");
        position = data->integer(0);
        if (position < 0)
            position += std::int64_t(size);
    }
    if (position < 0 || position >= std::int64_t(bound))
        return call.refuse("its position is out of range for a sequence of length " +
                           std::to_string(size));
    return std::size_t(position);
}

/// Returns the part of a tensor from `begin` on along an axis.
Result<TensorData> part(const Call &call, const TensorData &data, int axis, std::int64_t begin,
                        std::int64_t extent)
{
    TensorData::Extents extents = data.extents();
    const Cut whole = cutAlong(extents, axis);
    extents[std::size_t(axis)] = extent;
    GL_TRY_RESULT(result, Assembler::make(call, data.type(), extents));
    for (std::int64_t o = 0; o < whole.outer; ++o) {
        result->copy(o * extent * whole.inner, data, whole.at(o, begin, 0), extent * whole.inner);
        if (call.stopped(std::uint64_t(extent * whole.inner)))
            return stoppedError();
    }
    return std::move(*result).finish();
}

/// Returns the extents of the parts into which SplitToSequence splits a dimension: the list in its
/// second input, or equal parts except for the last one.
Result<std::vector<std::int64_t>> partsOf(const Call &call, ValueInputs inputs, std::int64_t extent)
{
    // Empty parts take memory, too, and a list of equal parts may be very long.
    const auto checkCount = [&](std::int64_t count) -> Result<void> {
        if (std::uint64_t(count) > call.maxBytes() / (sizeof(DataValue) + sizeof(TensorData)))
            return call.refuse("its " + std::to_string(count) + " parts do not fit into memory");
        return {};
    };
    std::int64_t each = 1;
    if (inputs.size() > 1 && inputs[1]) {
        GL_TRY_CONST(split, tensorOf(call, *inputs[1]));
        if (!isIntegral((*split)->type()) || (*split)->extents().size() > 1)
            return call.refuse("the sizes of its parts must be integers");
        if ((*split)->extents().size() == 1) {
            GL_TRY(checkCount((*split)->elements()));
            const auto parts = (*split)->integers();
            std::int64_t rest = extent;
            for (const std::int64_t one : parts)
                rest = one < 0 || one > rest ? -1 : rest - one;
            if (rest != 0)
                return call.refuse("its parts do not add up to the extent " +
                                   std::to_string(extent));
            return parts;
        }
        each = (*split)->integer(0);
        if (each < 1)
            return call.refuse("cannot split into parts of size " + std::to_string(each));
    }
    GL_TRY(checkCount(extent / each + (extent % each != 0)));
    std::vector<std::int64_t> parts;
    for (std::int64_t begin = 0; begin < extent; begin += std::min(each, extent - begin))
        parts.push_back(std::min(each, extent - begin));
    return parts;
}

Values one(DataValue value)
{
    Values values;
    values.push_back(std::move(value));
    return values;
}

Result<Values> edited(const Call &call, ValueInputs inputs,
                      const std::function<Result<void>(Values &)> &edit)
{
    GL_TRY_CONST(elements, sequenceOf(call, *inputs[0]));
    Values changed(elements->begin(), elements->end());
    GL_TRY(edit(changed));
    return one(DataValue::sequence(std::move(changed)));
}

} // namespace

Result<Values> passOn(const Call &, ValueInputs inputs, const Run &)
{
    return one(*inputs[0]);
}

Result<Values> sequenceEmpty(const Call &, ValueInputs, const Run &)
{
    return one(DataValue::sequence({}));
}

Result<Values> sequenceConstruct(const Call &call, ValueInputs inputs, const Run &)
{
    Values elements;
    for (const DataValue *input : inputs) {
        if (!input)
            return call.refuse("lacks an element");
        elements.push_back(*input);
    }
    return one(DataValue::sequence(std::move(elements)));
}

Result<Values> sequenceAt(const Call &call, ValueInputs inputs, const Run &)
{
    GL_TRY_CONST(elements, sequenceOf(call, *inputs[0]));
    GL_TRY_CONST(position, positionIn(call, inputs, 1, elements->size(), elements->size(), 0));
    return one((*elements)[*position]);
}

Result<Values> sequenceLength(const Call &call, ValueInputs inputs, const Run &)
{
    GL_TRY_CONST(elements, sequenceOf(call, *inputs[0]));
    return one(TensorData::scalar(std::int64_t(elements->size())));
}

Result<Values> sequenceInsert(const Call &call, ValueInputs inputs, const Run &)
{
    return edited(call, inputs, [&](Values &elements) -> Result<void> {
        const TensorData *added = inputs[1]->tensor();
        const TensorData *first = elements.empty() ? added : elements.front().tensor();
        if (!added || !first || added->type() != first->type())
            return call.refuse(
                "cannot insert an element whose type differs from that of the sequence");
        GL_TRY_CONST(position, positionIn(call, inputs, 2, elements.size(), elements.size() + 1,
                                          elements.size()));
        elements.insert(elements.begin() + std::ptrdiff_t(*position), *inputs[1]);
        return {};
    });
}

Result<Values> sequenceErase(const Call &call, ValueInputs inputs, const Run &)
{
    return edited(call, inputs, [&](Values &elements) -> Result<void> {
        const std::size_t last = elements.empty() ? 0 : elements.size() - 1;
        GL_TRY_CONST(position, positionIn(call, inputs, 1, elements.size(), elements.size(), last));
        elements.erase(elements.begin() + std::ptrdiff_t(*position));
        return {};
    });
}

Result<Values> splitToSequence(const Call &call, ValueInputs inputs, const Run &)
{
    GL_TRY_CONST(data, tensorOf(call, *inputs[0]));
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", 0),
                                             (*data)->extents().size()));
    GL_TRY_CONST(parts, partsOf(call, inputs, (*data)->extents()[std::size_t(*axis)]));
    const bool listed = inputs.size() > 1 && inputs[1];
    const bool drops = !listed && call.attributes().integer("keepdims", 1) == 0;
    Values elements;
    std::int64_t begin = 0;
    for (const std::int64_t extent : *parts) {
        GL_TRY_RESULT(element, part(call, **data, *axis, begin, extent));
        if (drops) {
            auto extents = element->extents();
            extents.erase(extents.begin() + *axis);
            element = element->reshaped(std::move(extents));
        }
        elements.push_back(std::move(*element));
        begin += extent;
    }
    return one(DataValue::sequence(std::move(elements)));
}

Result<Values> concatFromSequence(const Call &call, ValueInputs inputs, const Run &)
{
    GL_TRY_CONST(elements, sequenceOf(call, *inputs[0]));
    if (elements->empty())
        return call.refuse("cannot join the elements of an empty sequence");
    const bool stacks = call.attributes().integer("new_axis", 0) != 0;
    std::vector<TensorData> parts;
    for (const DataValue &element : *elements) {
        GL_TRY_CONST(data, tensorOf(call, element));
        parts.push_back(**data);
    }
    TensorData::Extents extents = parts.front().extents();
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", 0),
                                             extents.size() + (stacks ? 1 : 0)));
    const auto along = std::size_t(*axis);
    if (stacks)
        extents.insert(extents.begin() + *axis, 1);
    std::int64_t total = 0;
    for (TensorData &data : parts) {
        auto own = data.extents();
        if (stacks)
            own.insert(own.begin() + std::min<std::ptrdiff_t>(*axis, std::ssize(own)), 1);
        const std::int64_t extent = along < own.size() ? own[along] : 0;
        if (along < own.size())
            own[along] = extents[along];
        if (own != extents || data.type() != parts.front().type())
            return call.refuse("cannot join elements of different types or shapes");
        total += extent;
        own[along] = extent;
        data = data.reshaped(std::move(own));
    }
    extents[along] = total;
    GL_TRY_RESULT(result, Assembler::make(call, parts.front().type(), extents));
    const Cut whole = cutAlong(extents, *axis);
    std::int64_t begin = 0;
    for (const TensorData &data : parts) {
        const std::int64_t run = data.extents()[along] * whole.inner;
        for (std::int64_t o = 0; o < whole.outer; ++o) {
            result->copy(whole.at(o, begin, 0), data, o * run, run);
            if (call.stopped(std::uint64_t(run)))
                return stoppedError();
        }
        begin += data.extents()[along];
    }
    return one(std::move(*result).finish());
}

Result<Values> mapSequence(const Call &call, ValueInputs inputs, const Run &run)
{
    if (std::ranges::find(inputs, nullptr) != inputs.end())
        return call.refuse("lacks an input");
    GL_TRY_CONST(first, sequenceOf(call, *inputs[0]));
    std::vector<Values> results(call.outputCount());
    for (std::size_t i = 0; i < first->size(); ++i) {
        Values given;
        for (const DataValue *input : inputs) {
            if (input->kind() != DataValue::Kind::Sequence) {
                given.push_back(*input);
                continue;
            }
            if (input->elements().size() != first->size())
                return call.refuse("its sequences have different lengths");
            given.push_back(input->elements()[i]);
        }
        GL_TRY_RESULT(outputs, run("body", given));
        for (std::size_t k = 0; k < results.size(); ++k)
            results[k].push_back(std::move((*outputs)[k]));
    }
    Values sequences;
    for (Values &elements : results)
        sequences.push_back(DataValue::sequence(std::move(elements)));
    return sequences;
}

Result<Values> optional(const Call &, ValueInputs inputs, const Run &)
{
    const bool given = !inputs.empty() && inputs[0];
    return one(DataValue::optional(given ? std::optional(*inputs[0]) : std::nullopt));
}

Result<Values> optionalHasElement(const Call &, ValueInputs inputs, const Run &)
{
    const bool given = !inputs.empty() && inputs[0];
    const bool has =
        given && (inputs[0]->kind() != DataValue::Kind::Optional || !inputs[0]->elements().empty());
    return one(TensorData::fromBytes(DataType::Bool, {}, {std::byte{has}}));
}

Result<Values> optionalGetElement(const Call &call, ValueInputs inputs, const Run &)
{
    if (inputs[0]->kind() != DataValue::Kind::Optional)
        return one(*inputs[0]);
    if (inputs[0]->elements().empty())
        return call.refuse("its optional has no element");
    return one(inputs[0]->elements()[0]);
}

} // namespace graphloom::kernels
