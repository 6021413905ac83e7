// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/algebra/making.h"

namespace graphloom::dnnfusion {

Pattern apply(const UnaryOperator &op, Pattern x, const std::string &as)
{
    std::vector<Pattern> inputs{std::move(x)};
    for (const std::string &parameter : parametersOf(op))
        inputs.push_back(any(parameter));
    return call(op.name, std::move(inputs)).as(as);
}

std::vector<std::string> parametersOf(const UnaryOperator &op)
{
    std::vector<std::string> names;
    for (std::size_t i = 1; i < op.inputs; ++i)
        names.push_back("p" + std::to_string(i));
    return names;
}

TensorId again(const Match &match, Builder &builder, const std::string &call, TensorId x)
{
    const Node &node = match[call];
    std::vector<TensorId> inputs = node.inputs;
    inputs[0] = x;
    return builder.again(node, std::move(inputs))[0];
}

bool sameAttributes(const Match &match, const std::string &a, const std::string &b)
{
    return match[a].attributes.hash() == match[b].attributes.hash();
}

bool Scalar::turns(Fn from, Fn to) const
{
    return imagesOf(function.body, read, from, loads).contains(to);
}

std::optional<Scalar> scalarOf(const Match &match, const std::string &name, std::size_t input,
                               const Range &domain)
{
    const Node &node = match[name];
    const auto description = match.terms().describe(match.terms().call(node));
    auto function = description ? elementwiseOf(*description) : std::nullopt;
    const int read = function ? function->readOf(int(input)) : -1;
    if (read < 0)
        return std::nullopt;
    std::vector<Range> loads;
    for (const int other : function->inputs)
        loads.push_back(other == int(input) ? domain
                                            : match.terms().range(node.inputs[std::size_t(other)]));
    return Scalar{*std::move(function), read, std::move(loads)};
}

Scalar scalarOf(const UnaryOperator &op, const Range &domain)
{
    std::vector<Range> loads(op.function.inputs.size());
    loads[0] = domain;
    return {op.function, 0, std::move(loads)};
}

TensorId filled(Builder &builder, const Tensor &like, double value)
{
    const auto elements = like.shape ? staticElements(*like.shape) : std::nullopt;
    if (!elements) {
        builder.refuse();
        return {};
    }
    TensorData::Extents extents;
    for (const Dim &dim : *like.shape)
        extents.push_back(dim.value());
    const TensorData one = scalarData(value, like.type);
    return builder.constant(
        TensorData::splat(like.type, std::move(extents), {one.bytes().begin(), one.bytes().end()}));
}

} // namespace graphloom::dnnfusion
