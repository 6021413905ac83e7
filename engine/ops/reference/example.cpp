// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/reference/example.h"

#include "engine/ops/describe/value_type.h"
#include "engine/ops/upgrade/upgrade.h"

#include <algorithm>
#include <charconv>

namespace graphloom {

namespace {

std::vector<std::string_view> parts(std::string_view text, char separator)
{
    std::vector<std::string_view> found;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0)
            found.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

template <typename Number> std::optional<Number> numberOf(std::string_view text)
{
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

template <typename Number> std::optional<std::vector<Number>> numbersOf(std::string_view text)
{
    std::vector<Number> numbers;
    for (const std::string_view part : parts(text, ',')) {
        const auto number = numberOf<Number>(part);
        if (!number)
            return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

TensorData zeros(std::vector<std::int64_t> extents)
{
    return TensorData::splat(DataType::Float, std::move(extents), std::vector<std::byte>(4));
}

/// Returns the graph for "{2,1}": two inputs, and a constant as the only output.
GraphPointer bodyOf(const std::vector<std::int64_t> &counts)
{
    GraphEditor editor;
    std::vector<TensorId> inputs, outputs;
    for (std::int64_t i = 0; i < counts[0]; ++i) {
        Tensor input;
        input.name = "i" + std::to_string(i);
        inputs.push_back(editor.addTensor(std::move(input)));
    }
    for (std::int64_t i = 0; i < counts[1]; ++i)
        outputs.push_back(editor.addTensor(Tensor::of("o" + std::to_string(i), zeros({}))));
    editor.setInputs(std::move(inputs));
    editor.setOutputs(std::move(outputs));
    return std::make_shared<const Graph>(*std::move(editor).finish());
}

AttributeValue attributeOf(std::string_view text)
{
    if (text.starts_with('{') && text.ends_with('}'))
        if (const auto counts = numbersOf<std::int64_t>(text.substr(1, text.size() - 2));
            counts && counts->size() == 2)
            return bodyOf(*counts);
    const bool isList = text.find(',') != text.npos;
    if (const auto integers = numbersOf<std::int64_t>(text); integers && !integers->empty()) {
        if (isList)
            return *integers;
        return integers->front();
    }
    if (const auto reals = numbersOf<float>(text); reals && !reals->empty()) {
        if (isList)
            return *reals;
        return reals->front();
    }
    return std::string(text);
}

DataType typeNamed(std::string_view name)
{
    for (int number = 1; const auto type = dataTypeFromOnnx(number); ++number)
        if (nameOf(*type) == name)
            return *type;
    return DataType::Undefined;
}

/// Parses "(1,2)" without the parentheses.
std::optional<TensorData> constantOf(std::string_view text)
{
    const bool isScalar = text.starts_with('=');
    if (isScalar)
        text.remove_prefix(1);
    const auto integers = numbersOf<std::int64_t>(text);
    const auto reals = integers ? std::optional(std::vector<float>()) : numbersOf<float>(text);
    if (!reals)
        return std::nullopt;
    TensorData::Extents extents;
    if (!isScalar)
        extents.push_back(std::int64_t(integers ? integers->size() : reals->size()));
    const auto bytesOf = [](const auto &values) {
        const auto bytes = std::as_bytes(std::span(values));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    return integers ? TensorData::fromBytes(DataType::Int64, extents, bytesOf(*integers))
                    : TensorData::fromBytes(DataType::Float, extents, bytesOf(*reals));
}

} // namespace

void ExampleCall::addInput(Tensor tensor)
{
    const std::size_t position = m_tensors.size();
    tensor.name = "x" + std::to_string(position);
    m_node.inputs.push_back(TensorId{std::uint32_t(position)});
    m_tensors.push_back(std::move(tensor));
}

void ExampleCall::leaveInputOut()
{
    m_node.inputs.push_back({});
    m_tensors.emplace_back();
}

Result<void> ExampleCall::read(std::string_view word)
{
    const auto refuse = [&] {
        return fail(Error::Kind::Fault,
                    "its example contains the invalid word " + std::string(word), m_node.label());
    };
    if (word == "_") {
        leaveInputOut();
        return {};
    }
    if (word.starts_with("->")) {
        const auto count = numberOf<int>(word.substr(2));
        if (!count)
            return refuse();
        m_node.outputs.resize(std::size_t(*count), TensorId{0});
        return {};
    }
    if (word.starts_with('(') && word.ends_with(')')) {
        auto data = constantOf(word.substr(1, word.size() - 2));
        if (!data)
            return refuse();
        addInput(Tensor::of("", std::move(*data)));
        return {};
    }
    if (const std::size_t equals = word.find('='); equals != word.npos) {
        m_node.attributes = m_node.attributes.with(std::string(word.substr(0, equals)),
                                                   attributeOf(word.substr(equals + 1)));
        return {};
    }
    const std::size_t open = word.find('[');
    if (open == word.npos || !word.ends_with(']'))
        return refuse();
    const auto extents = numbersOf<std::int64_t>(word.substr(open + 1, word.size() - open - 2));
    const std::string_view type = word.substr(0, open);
    const DataType elements = type.empty() ? DataType::Float : typeNamed(type);
    if (!extents)
        return refuse();
    Tensor tensor;
    if (type == "w") {
        tensor = Tensor::of("", zeros(*extents));
    } else if (type == "seq" || type == "optional") {
        const std::string element = valuetype::tensorOf(DataType::Float);
        tensor.otherType =
            type == "seq" ? valuetype::sequenceOf(element) : valuetype::optionalOf(element);
    } else if (elements != DataType::Undefined) {
        tensor.type = elements;
        tensor.shape = Shape(extents->begin(), extents->end());
    } else {
        return refuse();
    }
    addInput(std::move(tensor));
    return {};
}

Result<ExampleCall> ExampleCall::of(const Operator &entry)
{
    ExampleCall example;
    example.m_node.domain = entry.domain;
    example.m_node.op = entry.name;
    example.m_node.outputs.resize(1, TensorId{0});
    example.m_opset = entry.domain.empty() ? std::max(entry.since, newestOpset) : entry.since;
    for (const std::string_view word : parts(entry.example, ' '))
        GL_TRY(example.read(word));
    if (example.m_tensors.empty())
        for (int i = 0; i < std::max(entry.leastInputs, entry.mostInputs < 0 ? 2 : 0); ++i)
            GL_TRY(example.read("[2,8,6,6]"));
    for (std::size_t k = 0; k < example.m_node.outputs.size(); ++k)
        example.m_node.outputs[k] = TensorId{std::uint32_t(example.m_tensors.size() + k)};
    return example;
}

Call ExampleCall::call() const
{
    std::vector<const Tensor *> inputs;
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        inputs.push_back(m_node.inputs[i].valid() ? &m_tensors[i] : nullptr);
    return Call(m_node, std::move(inputs), m_opset);
}

std::vector<bool> ExampleCall::constants() const
{
    std::vector<bool> flags;
    for (const Tensor &tensor : m_tensors)
        flags.push_back(tensor.constant != nullptr);
    return flags;
}

} // namespace graphloom
