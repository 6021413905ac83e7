// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/algebra/reducing.h"

#include "engine/ops/upgrade/upgrade.h"

#include <algorithm>

namespace graphloom::dnnfusion {

std::vector<Pattern> reduction(const std::string &op, const Pattern &x, const std::string &as)
{
    return {call(op, {x}).as(as), call(op, {x, constant("axes")}).as(as)};
}

std::optional<std::vector<std::int64_t>> axesOf(const Match &match, const std::string &reduce)
{
    const Node &node = match[reduce];
    const Tensor &x = match.terms().tensor(node.inputs[0]);
    if (!x.shape || node.attributes.integer("noop_with_empty_axes", 0) != 0)
        return std::nullopt;
    std::vector<std::int64_t> axes = node.attributes.integers("axes");
    if (node.inputs.size() > 1 && node.inputs[1].valid()) {
        const auto given = match.terms().call(node).integers(1);
        if (!given)
            return std::nullopt;
        axes = *given;
    }
    const auto rank = std::int64_t(x.shape->size());
    if (axes.empty())
        for (std::int64_t d = 0; d < rank; ++d)
            axes.push_back(d);
    if (axes.empty())
        return axes; // a scalar has none
    for (std::int64_t &axis : axes)
        axis += axis < 0 ? rank : 0;
    std::ranges::sort(axes);
    if (axes.front() < 0 || axes.back() >= rank)
        return std::nullopt;
    return axes;
}

bool keepsDimensions(const Match &match, const std::string &reduce)
{
    return match[reduce].attributes.integer("keepdims", 1) != 0;
}

TensorId reduce(const Match &match, Builder &builder, const std::string &op, TensorId x,
                const std::vector<std::int64_t> &axes, bool keep)
{
    Attributes attributes({{"keepdims", std::int64_t(keep)}});
    // In operator sets where the axes are an input, an older form takes them as an attribute.
    if (hasOlderForms(op, match.terms().opsets()("")))
        return builder.call(op, {x, builder.integers(axes)}, std::move(attributes));
    return builder.call(op, {x}, attributes.with("axes", axes));
}

TensorId reduceAlike(const Match &match, Builder &builder, const std::string &op,
                     const std::string &like, TensorId x)
{
    if (match[like].op == op)
        return again(match, builder, like, x);
    const auto axes = axesOf(match, like);
    if (!axes) {
        builder.refuse();
        return {};
    }
    return reduce(match, builder, op, x, *axes, keepsDimensions(match, like));
}

bool isConstantAlongAxes(const Match &match, const std::string &reduce, const std::string &whole,
                         const std::string &x, const std::string &s)
{
    const auto axes = axesOf(match, reduce);
    if (!axes || !match.hasShape(x) || !match.hasShape(s) || !match.hasShape(whole))
        return false;
    const Shape &all = match.shape(whole), &part = match.shape(s);
    if (match.shape(x).size() != all.size() || part.size() > all.size())
        return false;
    const bool single = elementsOf(part) == Dim(1);
    return std::ranges::all_of(*axes, [&](std::int64_t axis) {
        const auto d = std::int64_t(part.size()) - std::int64_t(all.size()) + axis;
        const bool alike = d < 0 || part[std::size_t(d)] == Dim(1);
        // Dropping a dimension shifts those before it, which `s` must not have.
        return alike && (d < 0 || single || keepsDimensions(match, reduce)) &&
               match.shape(x)[std::size_t(axis)] == all[std::size_t(axis)];
    });
}

std::vector<Instance> reductionInstances(const std::vector<std::string> &reductions)
{
    std::vector<Instance> instances;
    const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
    for (const Shape &shape : {Shape{m, n}, Shape{2, 3, 4}})
        for (const std::int64_t axis : {std::int64_t(shape.size()) - 1, std::int64_t{0}})
            for (const bool asInput : {false, true}) {
                Instance instance;
                instance.variables.push_back({"x", shape});
                const std::int64_t keep = axis != 0;
                for (const std::string &name : reductions) {
                    std::vector<Attribute> attributes{{"keepdims", keep}};
                    if (!asInput)
                        attributes.push_back({"axes", std::vector<std::int64_t>{axis}});
                    instance.attributes.push_back({name, std::move(attributes)});
                }
                if (asInput)
                    instance.variables.push_back(
                        {"axes", {1}, TensorData::fromInt64s({axis}), DataType::Int64});
                instances.push_back(std::move(instance));
            }
    return instances;
}

} // namespace graphloom::dnnfusion
