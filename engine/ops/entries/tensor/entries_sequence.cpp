// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/describe/value_type.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/kernels/kernels.h"

#include <array>

/// Sequences and optionals: their element types are propagated, but not their contents.
namespace graphloom::entries {

namespace {

constexpr std::string_view handlesNoTensor = "it handles a value that is not a tensor";

/// Returns the type of an input, or "" if it is unknown.
std::string typeOf(const Tensor &tensor)
{
    if (!tensor.otherType.empty())
        return tensor.otherType;
    return tensor.type == DataType::Undefined ? "" : valuetype::tensorOf(tensor.type);
}

/// Returns a value of a type; if that is a tensor type, its rank is unknown.
Value valueOf(const std::string &type)
{
    if (const auto element = valuetype::elementOfTensor(type))
        return {*element, std::nullopt, {}};
    return {DataType::Undefined, std::nullopt, type};
}

Result<Description> opaqueValue(Value value)
{
    return build::opaque(std::string(handlesNoTensor), {std::move(value)});
}

Result<Description> sequenceFrom(const std::string &element)
{
    return opaqueValue(element.empty() ? Value{} : valueOf(valuetype::sequenceOf(element)));
}

/// Returns the element type of a sequence input, or "" if it is unknown; refuses other inputs.
Result<std::string> elementOf(const Call &call, std::size_t input)
{
    const std::string type = typeOf(call.input(input));
    if (type.empty())
        return std::string();
    const auto element = valuetype::elementOfSequence(type);
    if (!element)
        return call.refuse("its input \"" + call.input(input).name + "\" is not a sequence");
    return *element;
}

Result<Description> emptySequence(const Call &call)
{
    const auto type =
        dataTypeFromOnnx(int(call.attributes().integer("dtype", int(DataType::Float))));
    if (!type || *type == DataType::Undefined)
        return call.refuse("attribute \"dtype\" is not an element type");
    return sequenceFrom(valuetype::tensorOf(*type));
}

Result<Description> constructSequence(const Call &call)
{
    for (std::size_t i = 1; i < call.inputCount(); ++i)
        if (call.has(i) && call.type(i) != DataType::Undefined &&
            call.type(0) != DataType::Undefined && call.type(i) != call.type(0))
            return call.refuse("its inputs have the types " + std::string(nameOf(call.type(0))) +
                               " and " + std::string(nameOf(call.type(i))));
    return sequenceFrom(typeOf(call.input(0)));
}

Result<Description> splitToSequence(const Call &call)
{
    return sequenceFrom(typeOf(call.input(0)));
}

/// Describes the insertion or removal of an element.
Result<Description> editSequence(const Call &call)
{
    GL_TRY_CONST(element, elementOf(call, 0));
    return sequenceFrom(*element);
}

/// Describes a tensor: one of the elements, or all of them joined.
Result<Description> elementAt(const Call &call)
{
    GL_TRY_CONST(element, elementOf(call, 0));
    return opaqueValue(valueOf(*element));
}

Result<Description> lengthOfSequence(const Call &call)
{
    GL_TRY(elementOf(call, 0));
    return opaqueValue({DataType::Int64, Shape{}, {}});
}

/// Describes the sequences of the nested graph's results for the elements.
Result<Description> mapSequence(const Call &call)
{
    const Graph *body = call.attributes().graph("body");
    if (!body || body->outputs().size() < call.outputCount())
        return call.refuse("lacks a nested graph \"body\" with its " +
                           std::to_string(call.outputCount()) + " outputs");
    std::vector<Value> values;
    for (std::size_t k = 0; k < call.outputCount(); ++k) {
        const std::string element = typeOf(body->tensor(body->outputs()[k]));
        values.push_back(element.empty() ? Value{} : valueOf(valuetype::sequenceOf(element)));
    }
    return build::opaque("it runs a nested graph on every element", std::move(values));
}

std::vector<Tensor> elementsForBody(const Call &call)
{
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < call.inputCount(); ++i) {
        Tensor tensor;
        if (call.has(i)) {
            tensor.type = call.input(i).type;
            tensor.shape = call.input(i).shape;
            if (const auto element = valuetype::elementOfSequence(call.input(i).otherType)) {
                const Value value = valueOf(*element);
                tensor.type = value.type;
                tensor.otherType = value.otherType;
            }
        }
        inputs.push_back(std::move(tensor));
    }
    return inputs;
}

/// Uses the type of its input; without one, the type in an attribute, which is not interpreted.
Result<Description> makeOptional(const Call &call)
{
    const std::string element = call.has(0) ? typeOf(call.input(0)) : "";
    return opaqueValue(element.empty() ? Value{} : valueOf(valuetype::optionalOf(element)));
}

/// Since version 18, the input may also be a plain value, or absent.
Result<Description> hasElement(const Call &call)
{
    const bool isTensor =
        call.has(0) && call.type(0) != DataType::Undefined && call.input(0).otherType.empty();
    if (call.has(0) && !isTensor && !valuetype::elementOfSequence(call.input(0).otherType))
        return opaqueValue({DataType::Bool, Shape{}, {}});
    Stage stage;
    stage.body = Expr::integer(call.has(0), DataType::Bool);
    return build::single(DataType::Bool, std::move(stage));
}

Result<Description> getElement(const Call &call)
{
    const Tensor &input = call.input(0);
    if (const auto element = valuetype::elementOfOptional(input.otherType))
        return opaqueValue(valueOf(*element));
    if (!input.otherType.empty() || input.type == DataType::Undefined || !input.shape)
        return opaqueValue({input.type, input.shape, input.otherType});
    return build::elementwise(call, 1, input.type, [](std::vector<Expr> x) { return x[0]; });
}

constexpr Operator entry(std::string_view name, std::int64_t since, int leastInputs, int mostInputs,
                         Result<Description> (*describe)(const Call &),
                         Operator::ValueKernel kernel)
{
    return {.domain = "",
            .name = name,
            .since = since,
            .leastInputs = leastInputs,
            .mostInputs = mostInputs,
            .outputs = 1,
            .describe = describe,
            .anyRank = true,
            .valueKernel = kernel};
}

constexpr std::array sequenceEntries{
    entry("ConcatFromSequence", 11, 1, 1, elementAt, kernels::concatFromSequence)
        .like("seq[2,8] axis=0"),
    entry("Optional", 15, 0, 1, makeOptional, kernels::optional).like("[2,8]"),
    entry("OptionalGetElement", 15, 1, 1, getElement, kernels::optionalGetElement)
        .like("optional[2,8]"),
    entry("OptionalHasElement", 15, 0, 1, hasElement, kernels::optionalHasElement)
        .like("optional[2,8]"),
    entry("SequenceAt", 11, 2, 2, elementAt, kernels::sequenceAt).like("seq[2,8] int64[]"),
    entry("SequenceConstruct", 11, 1, -1, constructSequence, kernels::sequenceConstruct)
        .like("[2,8] [2,8]"),
    entry("SequenceEmpty", 11, 0, 0, emptySequence, kernels::sequenceEmpty),
    entry("SequenceErase", 11, 1, 2, editSequence, kernels::sequenceErase).like("seq[2,8] int64[]"),
    entry("SequenceInsert", 11, 2, 3, editSequence, kernels::sequenceInsert).like("seq[2,8] [2,8]"),
    entry("SequenceLength", 11, 1, 1, lengthOfSequence, kernels::sequenceLength).like("seq[2,8]"),
    Operator{.domain = "",
             .name = "SequenceMap",
             .since = 17,
             .leastInputs = 1,
             .mostInputs = -1,
             .outputs = -1,
             .describe = mapSequence,
             .anyRank = true,
             .valueKernel = kernels::mapSequence,
             .bodyInputs = elementsForBody}
        .like("seq[2,8] body={1,1}"),
    entry("SplitToSequence", 11, 1, 2, splitToSequence, kernels::splitToSequence),
};

} // namespace

std::span<const Operator> sequences()
{
    return sequenceEntries;
}

} // namespace graphloom::entries
