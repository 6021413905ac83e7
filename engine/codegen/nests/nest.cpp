// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/nest.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <numeric>

namespace graphloom {

IndexRange<AxisIndex> Nest::spaceAxes() const
{
    return firstIndices<AxisIndex>(std::ranges::count(axes, false, &NestAxis::reduces));
}

IndexRange<AxisIndex> Nest::reductionAxes() const
{
    return {AxisIndex(spaceAxes().size()), axes.nextIndex()};
}

AxisExtents Nest::extents() const
{
    AxisExtents extents;
    for (const NestAxis &axis : axes)
        extents.push_back(axis.extent);
    return extents;
}

std::int64_t Nest::points(bool reductions) const
{
    std::int64_t points = 1;
    for (const NestAxis &axis : axes)
        if (reductions || !axis.reduces)
            points *= axis.extent;
    return points;
}

std::int64_t BlockTensor::elements() const
{
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies());
}

namespace {

std::string elementText(const std::string &tensor, const std::vector<IndexForm> &map,
                        const Nest &nest)
{
    std::string text = tensor + "[";
    for (std::size_t d = 0; d < map.size(); ++d)
        text +=
            (d > 0 ? ", " : "") + map[d].text([&](AxisIndex axis) { return nest.axes[axis].name; });
    return text + "]";
}

std::string exprText(const Expr &expr, const Nest &nest, const BlockTensors &tensors)
{
    switch (expr->fn) {
    case Fn::Load:
    case Fn::Inside: {
        const NestRead &read = nest.reads[readIn(*expr)];
        return (expr->fn == Fn::Inside ? "inside " : "") +
               elementText(tensors[read.tensor].name, read.map, nest);
    }
    case Fn::Axis:
        return nest.axes[axisIn(*expr)].name;
    case Fn::Real: {
        std::string text = std::to_string(expr->real);
        text.erase(text.find_last_not_of('0') + 1);
        return text.ends_with('.') ? text + "0" : text;
    }
    case Fn::Integer:
        return std::to_string(expr->integer);
    case Fn::Accumulator:
        return "acc";
    default:
        break;
    }
    std::string text(nameOf(expr->fn));
    text += "(";
    for (int i = 0; i < arityOf(expr->fn); ++i)
        text += (i > 0 ? ", " : "") + exprText(expr.argument(i), nest, tensors);
    return text + ")";
}

std::string_view nameOf(Combine combine)
{
    switch (combine) {
    case Combine::None:
        return "";
    case Combine::Sum:
        return "sum";
    case Combine::Product:
        return "product";
    case Combine::Max:
        return "max";
    case Combine::Min:
        return "min";
    case Combine::ArgMax:
    case Combine::ArgMaxLast:
        return "argmax";
    case Combine::ArgMin:
    case Combine::ArgMinLast:
        return "argmin";
    }
    return "";
}

} // namespace

std::string textOf(const Nest &nest, const BlockTensors &tensors)
{
    std::string text;
    if (nest.reduces()) {
        text = "acc = " + std::string(nameOf(nest.combine)) + " over";
        for (const NestAxis &axis : nest.axes)
            if (axis.reduces)
                text += " " + axis.name + "<" + std::to_string(axis.extent);
        text += " of " + exprText(nest.body, nest, tensors);
    }
    for (const NestStore &store : nest.stores)
        text +=
            (text.empty() ? "" : "\n") + elementText(tensors[store.tensor].name, store.map, nest) +
            (store.update == Combine::None ? ""
                                           : " " + std::string(nameOf(store.update)) + " with") +
            " = " + exprText(store.value, nest, tensors);
    return text;
}

} // namespace graphloom
