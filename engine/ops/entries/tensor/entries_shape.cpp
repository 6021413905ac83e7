// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom::entries {

namespace {

/// Returns the extents of the input without reading its elements.
Result<Description> shapeOfInput(const Call &call)
{
    const auto rank = std::int64_t(call.rank(0));
    const auto bound = [&](std::string_view name, std::int64_t fallback) {
        const std::int64_t value = call.attributes().integer(name, fallback);
        return std::clamp<std::int64_t>(value < 0 ? value + rank : value, 0, rank);
    };
    const std::int64_t start = bound("start", 0), end = std::max(start, bound("end", rank));
    Stage stage;
    stage.axes = {{"i", end - start, Axis::Kind::Space}};
    stage.write = {Index::axis(0)};
    const Shape &x = call.shape(0);
    stage.body = Expr::table(Shape(x.begin() + start, x.begin() + end), Expr::axis(0));
    return build::single(DataType::Int64, std::move(stage));
}

Result<Description> sizeOfInput(const Call &call)
{
    Stage stage;
    stage.body = Expr::table({elementsOf(call.shape(0))}, Expr::integer(0));
    return build::single(DataType::Int64, std::move(stage));
}

Expr literal(const TensorData &data)
{
    return isFloatingPoint(data.type()) ? Expr::real(data.real(0), data.type())
                                        : Expr::integer(data.integer(0), data.type());
}

Result<Description> constantOfShape(const Call &call)
{
    const TensorData *value = call.attributes().tensor("value");
    if (value && (value->elements() != 1 || value->type() == DataType::String))
        return call.refuse("attribute \"value\" must be a single number");
    const DataType type = value ? value->type() : DataType::Float;
    const auto wanted = call.values(0);
    if (!wanted)
        return build::unknownShape(call, 0, type);
    Stage stage;
    stage.axes = build::spaceAxes(*wanted);
    stage.write = build::identityMap(wanted->size());
    stage.body = value ? literal(*value) : Expr::real(0, DataType::Float);
    return build::single(type, std::move(stage));
}

/// start + i * delta.
Result<Description> range(const Call &call)
{
    for (std::size_t i = 0; i < 3; ++i)
        if (call.rank(i) != 0 && !(elementsOf(call.shape(i)) == Dim(1)))
            return call.refuse("its start, limit and delta must be scalars");
    const DataType type = call.type(0);
    std::optional<Dim> count;
    if (isIntegral(type)) {
        const auto start = call.values(0), limit = call.values(1), delta = call.values(2);
        if (delta && (*delta)[0] == Dim(0))
            return call.refuse("has a delta of zero");
        if (start && limit && delta && (*delta)[0].isConstant()) {
            const Dim step = (*delta)[0], span = (*limit)[0] - (*start)[0];
            count = step.value() > 0 ? Dim::ceilDiv(span, step)
                                     : Dim::ceilDiv(Dim(0) - span, Dim(0) - step);
        }
    } else if (const auto start = call.reals(0), limit = call.reals(1), delta = call.reals(2);
               start && limit && delta) {
        const double steps = std::ceil(((*limit)[0] - (*start)[0]) / (*delta)[0]);
        if (!(std::fabs(steps) < 1e15))
            return call.refuse("does not reach its limit");
        count = std::int64_t(steps);
    }
    if (!count)
        return build::opaque("its bounds are computed at run time",
                             {{type, Shape{build::unknownExtent()}, {}}});
    Stage stage;
    stage.axes = {{"i", count->isConstant() ? Dim::max(*count, 0) : *count, Axis::Kind::Space}};
    stage.reads = {build::readInput(0, IndexMap(call.rank(0), Index::constant(0))),
                   build::readInput(2, IndexMap(call.rank(2), Index::constant(0)))};
    stage.write = {Index::axis(0)};
    stage.body = Expr::load(0, type) + Expr::cast(Expr::axis(0), type) * Expr::load(1, type);
    return build::single(type, std::move(stage));
}

constexpr std::array shapeEntries{
    Operator{"", "ConstantOfShape", 9, 1, 1, 1, constantOfShape}.like("(2,8,6,6)"),
    Operator{"", "Range", 11, 3, 3, 1, range}.like("(=0) (=8) (=2)"),
    Operator{"", "Shape", 1, 1, 1, 1, shapeOfInput}.tellingExtents(),
    Operator{"", "Size", 1, 1, 1, 1, sizeOfInput}.tellingExtents(),
};

} // namespace

std::span<const Operator> shape()
{
    return shapeEntries;
}

} // namespace graphloom::entries
