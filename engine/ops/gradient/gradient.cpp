// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/gradient/gradient.h"

#include "engine/ops/describe/stage.h"
#include "engine/ops/gradient/adjoint.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr const char *inputAttribute = "gradient_input", *domainAttribute = "gradient_domain",
                     *opsetAttribute = "gradient_opset", *countsAttribute = "gradient_counts",
                     *omittedAttribute = "gradient_omitted", *addsAttribute = "gradient_adds";

constexpr const char *ownAttributes[] = {inputAttribute,  domainAttribute,  opsetAttribute,
                                         countsAttribute, omittedAttribute, addsAttribute};

/// Returns the name of an attribute of the forward node, which may be a gradient node itself.
std::string forwardName(const char *attribute)
{
    return "forward_" + std::string(attribute);
}

/// Returns the attributes of the forward node in the form in which a gradient node carries them.
Attributes carried(Attributes attributes)
{
    for (const char *own : ownAttributes) {
        std::string nested = forwardName(own);
        while (attributes.contains(nested))
            nested = "forward_" + nested;
        for (; nested != own; nested = nested.substr(forwardName("").size())) {
            const std::string inner = nested.substr(forwardName("").size());
            if (const AttributeValue *value = attributes.find(inner))
                attributes = attributes.with(nested, AttributeValue(*value)).without(inner);
        }
    }
    return attributes;
}

/// Reverses carried().
Attributes uncarried(Attributes attributes)
{
    for (const char *own : ownAttributes) {
        attributes = attributes.without(own);
        std::string inner = own;
        for (std::string nested = forwardName(own); attributes.contains(nested);
             nested = "forward_" + nested) {
            attributes =
                attributes.with(inner, AttributeValue(*attributes.find(nested))).without(nested);
            inner = nested;
        }
    }
    return attributes;
}

/// Inputs of the forward node that the gradient node does not have: number, type, rank, extents.
using Omitted = std::vector<std::int64_t>;

void record(Omitted &list, std::size_t input, const Tensor &tensor)
{
    list.push_back(std::int64_t(input));
    list.push_back(std::int64_t(tensor.type));
    list.push_back(std::int64_t(tensor.shape->size()));
    for (const Dim &extent : *tensor.shape)
        list.push_back(extent.value());
}

/// The forward call that a gradient node stands for.
class ForwardCall {
public:
    static Result<ForwardCall> of(const Call &call)
    {
        const Attributes &attributes = call.attributes();
        const auto counts = attributes.integers(countsAttribute);
        ForwardCall forward;
        forward.m_node.domain = attributes.text(domainAttribute, "");
        forward.m_node.op = call.node().op;
        forward.m_node.name = call.node().name;
        forward.m_node.attributes = uncarried(attributes);
        forward.m_opset = attributes.integer(opsetAttribute, 1);
        forward.m_input = int(attributes.integer(inputAttribute, -1));
        const auto most = std::int64_t(call.inputCount()) - (addsToSum(call.node()) ? 1 : 0);
        if (counts.size() != 2 || counts[0] < 0 || counts[1] < 1 || counts[0] > most ||
            counts[1] > most || counts[0] + 2 * counts[1] != most || forward.m_input < 0 ||
            forward.m_input >= counts[0])
            return call.refuse("is not a valid gradient node: its inputs and attributes contradict "
                               "each other");
        const auto inputs = std::size_t(counts[0]), outputs = std::size_t(counts[1]);
        forward.m_tensors.resize(inputs);
        for (std::size_t i = 0; i < inputs; ++i)
            if (call.has(i))
                forward.m_tensors[i] = call.input(i);
        if (!forward.readOmitted(attributes.integers(omittedAttribute)))
            return call.refuse("is not a valid gradient node: its list of omitted inputs is "
                               "malformed");
        for (std::size_t k = 0; k < outputs; ++k) {
            forward.m_node.outputs.push_back(
                call.has(inputs + k) ? TensorId{std::uint32_t(inputs + k)} : TensorId());
            forward.m_given.push_back(call.has(inputs + outputs + k));
        }
        for (std::size_t i = 0; i < inputs; ++i)
            forward.m_node.inputs.push_back(forward.m_tensors[i] ? TensorId{std::uint32_t(i)}
                                                                 : TensorId());
        return forward;
    }

    Call call() const
    {
        std::vector<const Tensor *> inputs;
        for (const auto &tensor : m_tensors)
            inputs.push_back(tensor ? &*tensor : nullptr);
        return Call(m_node, std::move(inputs), m_opset);
    }
    int input() const { return m_input; }
    const std::vector<bool> &given() const { return m_given; }

private:
    bool readOmitted(const Omitted &list)
    {
        for (std::size_t at = 0; at < list.size();) {
            if (at + 3 > list.size())
                return false;
            const auto input = std::size_t(list[at]), rank = std::size_t(list[at + 2]);
            const auto number = list[at + 1];
            const auto type =
                number > 0 && number < 256 ? dataTypeFromOnnx(int(number)) : std::nullopt;
            if (input >= m_tensors.size() || m_tensors[input] || !type || rank > highestRank ||
                at + 3 + rank > list.size())
                return false;
            Tensor tensor;
            tensor.type = *type;
            const auto first = list.begin() + std::ptrdiff_t(at + 3);
            if (rank > 0 && *std::min_element(first, first + std::ptrdiff_t(rank)) < 0)
                return false;
            tensor.shape = Shape(first, first + std::ptrdiff_t(rank));
            m_tensors[input] = std::move(tensor);
            at += 3 + rank;
        }
        return true;
    }

    Node m_node;
    std::vector<std::optional<Tensor>> m_tensors;
    std::vector<bool> m_given;
    std::int64_t m_opset = 1;
    int m_input = 0;
};

/// Does a single stage write each element of the only output, as a sum or, without anything to sum,
/// directly?
bool isSumOfOneStage(const Description &description)
{
    const auto writes = [](const Stage &stage) { return stage.value == 0; };
    if (description.isOpaque() || description.outputs != 1 ||
        std::ranges::count_if(description.stages, writes) != 1)
        return false;
    const Stage &stage = *std::ranges::find_if(description.stages, writes);
    return (stage.combine == Combine::None || stage.combine == Combine::Sum) &&
           std::ranges::all_of(stage.write, [](const Index &index) { return index.lookup < 0; });
}

/// Adds the elements of an input to those of the output.
Description withSum(Description description, int input)
{
    Stage &stage = *std::ranges::find(description.stages, 0, &Stage::value);
    const DataType type = description.values[0].type;
    const Expr sum = Expr::load(int(stage.reads.size()), type);
    stage.reads.push_back({{Operand::Kind::Input, input}, stage.write});
    if (stage.combine == Combine::None)
        stage.body = Expr::binary(Fn::Add, stage.body, sum);
    else
        stage.finish = Expr::binary(
            Fn::Add, stage.finish.empty() ? Expr::accumulator(type) : stage.finish, sum);
    return description;
}

Result<Description> describeGradient(const Call &call)
{
    GL_TRY_CONST(forward, ForwardCall::of(call));
    const Call described = forward->call();
    GL_TRY_CONST(description, describe(described));
    auto gradient = adjoint(described, *description, forward->input(), forward->given());
    if (!gradient || !addsToSum(call.node()))
        return gradient;
    const std::size_t sum = call.inputCount() - 1;
    if (!isSumOfOneStage(*gradient) || !call.has(sum) ||
        call.type(sum) != gradient->values[0].type || !call.input(sum).shape ||
        call.shape(sum) != described.shape(std::size_t(forward->input())))
        return call.refuse("adds its gradient to an input that is not a sum of such gradients");
    return withSum(*std::move(gradient), int(sum));
}

std::vector<std::string> formulasOf(const Description &description, std::size_t inputs)
{
    std::vector<std::string> names(inputs), values(description.values.size()), formulas;
    for (std::size_t i = 0; i < inputs; ++i)
        names[i] = "x" + std::to_string(i);
    for (std::size_t v = 0; v < values.size(); ++v)
        values[v] = "y" + std::to_string(v);
    for (const Stage &stage : description.stages)
        formulas.push_back(formulaOf(stage, names, values));
    return formulas;
}

/// Is the description of the call independent of the elements of an input?
bool isDescribedWithout(const Call &call, const Description &description, std::size_t input)
{
    if (!call.input(input).constant && !call.input(input).values)
        return true;
    Tensor unknown = call.input(input);
    unknown.constant = nullptr;
    unknown.values = nullptr;
    std::vector<const Tensor *> inputs;
    for (std::size_t i = 0; i < call.inputCount(); ++i)
        inputs.push_back(i == input ? &unknown : call.has(i) ? &call.input(i) : nullptr);
    const auto other = describe(Call(call.node(), std::move(inputs), call.opset()));
    return other && other->opaque == description.opaque &&
           std::ranges::equal(other->values, description.values,
                              [](const Value &a, const Value &b) { return a.shape == b.shape; }) &&
           formulasOf(*other, call.inputCount()) == formulasOf(description, call.inputCount());
}

} // namespace

Result<GradientNode> gradientNode(const Graph &graph, NodeId id, int input,
                                  std::span<const TensorId> outputGradients, const Opsets &opsets)
{
    const Node &forward = graph.node(id);
    std::vector<const Tensor *> tensors;
    for (const TensorId tensor : forward.inputs)
        tensors.push_back(tensor.valid() ? &graph.tensor(tensor) : nullptr);
    const Call call(forward, std::move(tensors), opsets(forward.domain));
    GL_TRY_CONST(description, describe(call));
    std::vector<bool> given;
    for (std::size_t k = 0; k < forward.outputs.size(); ++k)
        given.push_back(k < outputGradients.size() && outputGradients[k].valid());
    GL_TRY_CONST(gradient, adjoint(call, *description, input, given));
    const std::size_t inputs = forward.inputs.size(), outputs = forward.outputs.size();
    const auto reads = inputsRead(*gradient, inputs + 2 * outputs);

    GradientNode result;
    result.type = call.type(std::size_t(input));
    result.shape = call.shape(std::size_t(input));
    result.node.domain = gradientDomain;
    result.node.op = forward.op;
    result.node.name = forward.name;
    Omitted omitted;
    for (std::size_t i = 0; i < inputs; ++i) {
        const bool stays = call.has(i) && (reads[i] || !isStatic(call.shape(i)) ||
                                           !isDescribedWithout(call, *description, i));
        result.node.inputs.push_back(stays ? forward.inputs[i] : TensorId());
        if (call.has(i) && !stays)
            record(omitted, i, call.input(i));
    }
    for (std::size_t k = 0; k < outputs; ++k)
        result.node.inputs.push_back(reads[inputs + k] ? forward.outputs[k] : TensorId());
    for (std::size_t k = 0; k < outputs; ++k)
        result.node.inputs.push_back(reads[inputs + outputs + k] ? outputGradients[k] : TensorId());
    result.node.attributes =
        carried(forward.attributes)
            .with(inputAttribute, std::int64_t(input))
            .with(domainAttribute, forward.domain)
            .with(opsetAttribute, call.opset())
            .with(countsAttribute,
                  std::vector<std::int64_t>{std::int64_t(inputs), std::int64_t(outputs)});
    if (!omitted.empty())
        result.node.attributes = result.node.attributes.with(omittedAttribute, std::move(omitted));
    return result;
}

Result<std::vector<OmittedInput>> omittedInputs(const Node &node)
{
    const Omitted list = node.attributes.integers(omittedAttribute);
    std::vector<OmittedInput> inputs;
    for (std::size_t at = 0; at < list.size();) {
        const bool fits = at + 3 <= list.size() && list[at] >= 0 && list[at + 2] >= 0 &&
                          list[at + 2] <= std::int64_t(list.size() - at - 3);
        if (!fits)
            return fail(Error::Kind::Model, "its list of omitted inputs is malformed",
                        node.label());
        const auto first = list.begin() + std::ptrdiff_t(at + 3), last = first + list[at + 2];
        inputs.push_back({std::size_t(list[at]), DataType(list[at + 1]), Shape(first, last)});
        at = std::size_t(last - list.begin());
    }
    return inputs;
}

Attributes withOmittedInputs(const Attributes &attributes, std::span<const OmittedInput> omitted)
{
    Omitted list;
    for (const OmittedInput &input : omitted) {
        Tensor tensor;
        tensor.type = input.type;
        tensor.shape = input.shape;
        record(list, input.input, tensor);
    }
    return attributes.with(omittedAttribute, std::move(list));
}

bool canAddToSum(const Node &node, const Description &description)
{
    return node.domain == gradientDomain && !addsToSum(node) && isSumOfOneStage(description);
}

Node addingTo(Node gradient, TensorId sum)
{
    gradient.inputs.push_back(sum);
    gradient.attributes = gradient.attributes.with(addsAttribute, std::int64_t(1));
    return gradient;
}

bool addsToSum(const Node &node)
{
    return node.domain == gradientDomain && node.attributes.integer(addsAttribute, 0) != 0;
}

int inputOfGradient(const Node &node)
{
    return int(node.attributes.integer(inputAttribute, -1));
}

bool isGradientOf(const Node &node, std::string_view op, int input)
{
    return node.domain == gradientDomain && node.op == op &&
           node.attributes.text(domainAttribute, "").empty() && inputOfGradient(node) == input &&
           !addsToSum(node);
}

const Operator *findGradientOperator(std::string_view name)
{
    static const std::vector<Operator> table = [] {
        std::vector<Operator> operators;
        for (const Operator &entry : operatorTable())
            operators.push_back({gradientDomain, entry.name, 0, 0, -1, 1, describeGradient});
        std::ranges::sort(operators, {}, &Operator::name);
        const auto copies = std::ranges::unique(operators, {}, &Operator::name);
        operators.erase(copies.begin(), copies.end());
        return operators;
    }();
    const auto found = std::ranges::lower_bound(table, name, {}, &Operator::name);
    return found != table.end() && found->name == name ? &*found : nullptr;
}

} // namespace graphloom
