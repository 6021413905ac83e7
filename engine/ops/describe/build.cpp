// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace graphloom::build {

std::vector<Axis> spaceAxes(const Shape &shape)
{
    constexpr std::string_view images = "nchw", volumes = "ncdhw", letters = "ijklmpqtuv";
    const std::string_view names = shape.size() == 4   ? images
                                   : shape.size() == 5 ? volumes
                                                       : letters;
    std::vector<Axis> axes;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        std::string name = d < names.size() ? std::string(1, names[d]) : "a" + std::to_string(d);
        axes.push_back({std::move(name), shape[d], Axis::Kind::Space});
    }
    return axes;
}

IndexMap identityMap(std::size_t rank)
{
    IndexMap map;
    for (std::size_t d = 0; d < rank; ++d)
        map.push_back(Index::axis(int(d)));
    return map;
}

IndexMap broadcastMap(const Shape &operand, const Shape &result)
{
    IndexMap map;
    const std::size_t shift = result.size() - operand.size();
    for (std::size_t d = 0; d < operand.size(); ++d)
        map.push_back(operand[d] == Dim(1) && !(result[d + shift] == Dim(1))
                          ? Index::constant(0)
                          : Index::axis(int(d + shift)));
    return map;
}

Result<Shape> broadcastShape(const Call &call, const std::vector<const Shape *> &shapes)
{
    std::size_t rank = 0;
    for (const Shape *shape : shapes)
        rank = std::max(rank, shape->size());
    Shape result(rank, Dim(1));
    for (const Shape *shape : shapes) {
        for (std::size_t d = 0; d < shape->size(); ++d) {
            Dim &to = result[rank - shape->size() + d];
            const Dim &from = (*shape)[d];
            if (from == to || from == Dim(1))
                continue;
            if (to == Dim(1))
                to = from;
            else if (from.isConstant() && to.isConstant())
                return call.refuse("its inputs of shapes " + text(*shapes.front()) + " and " +
                                   text(*shape) + " cannot be broadcast to one shape");
            else if (from.isConstant())
                to = from; // a symbol next to a number other than 1 must be that number or 1
            else if (!to.isConstant())
                to = Dim::max(to, from); // they are equal, or one of them is 1
        }
    }
    return result;
}

Read readInput(int input, IndexMap map)
{
    return {{Operand::Kind::Input, input}, std::move(map), Read::Outside::Never, 0};
}

Read readInput(int input, IndexMap map, double outside)
{
    return {{Operand::Kind::Input, input}, std::move(map), Read::Outside::Value, outside};
}

Read readValue(int value, IndexMap map)
{
    return {{Operand::Kind::Value, value}, std::move(map), Read::Outside::Never, 0};
}

Description single(DataType type, Stage stage)
{
    Description description;
    description.values.push_back({type, std::nullopt, {}});
    description.stages.push_back(std::move(stage));
    return description;
}

Result<Description> elementwise(const Call &call, std::size_t inputs, DataType type,
                                const std::function<Expr(std::vector<Expr>)> &body)
{
    std::vector<const Shape *> shapes;
    for (std::size_t i = 0; i < inputs; ++i)
        shapes.push_back(&call.shape(i));
    GL_TRY_CONST(shape, broadcastShape(call, shapes));
    Stage stage;
    stage.axes = spaceAxes(*shape);
    stage.write = identityMap(shape->size());
    std::vector<Expr> loads;
    for (std::size_t i = 0; i < inputs; ++i) {
        stage.reads.push_back(readInput(int(i), broadcastMap(*shapes[i], *shape)));
        loads.push_back(Expr::load(int(i), call.type(i)));
    }
    stage.body = body(std::move(loads));
    return single(type, std::move(stage));
}

Expr castTo(const Expr &value, DataType type, bool saturates)
{
    if (value.type() == type)
        return value;
    // Writing saturates by itself, but keeps infinities of types that have them.
    const bool hasInfinity = type == DataType::Float8E5M2;
    if (!isFloatingPoint(type) || bitsOf(type) != 8 || (saturates && !hasInfinity))
        return Expr::cast(value, type);
    const Expr wide = Expr::cast(value, DataType::Double);
    constexpr double greatest = 57344; // largest number of E5M2
    if (saturates)
        return Expr::cast(Expr::select(Expr::unary(Fn::IsInf, wide),
                                       Expr::unary(Fn::Sign, wide) * greatest, wide),
                          type);
    // Half a step beyond the largest number, where ties round to even: only E4M3FN's is even.
    const bool even = type == DataType::Float8E4M3FN;
    const double bound = even ? 464 : type == DataType::Float8E4M3FNUZ ? 248 : 61440;
    const Expr beyond =
        Expr::binary(even ? Fn::Less : Fn::LessOrEqual, Expr::real(bound, DataType::Double),
                     Expr::unary(Fn::Abs, wide));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    const Expr replacement = hasInfinity ? wide * infinity : Expr::real(nothing, DataType::Double);
    return Expr::cast(Expr::select(beyond, replacement, wide), type);
}

Result<int> normalizedAxis(const Call &call, std::int64_t axis, std::size_t rank)
{
    const auto r = std::int64_t(rank);
    if (axis < -r || axis >= r)
        return call.refuse("axis " + std::to_string(axis) +
                           " is not a dimension of a tensor of rank " + std::to_string(rank));
    return int(axis < 0 ? axis + r : axis);
}

Result<std::optional<std::vector<int>>> axesOf(const Call &call, std::size_t input,
                                               std::size_t rank)
{
    std::vector<std::int64_t> given;
    if (call.has(input)) {
        assert(!hasUnknownAxes(call, input));
        given = *call.integers(input);
    } else if (call.attributes().contains("axes")) {
        given = call.attributes().integers("axes");
    } else {
        return std::optional<std::vector<int>>();
    }
    std::vector<int> axes;
    for (const std::int64_t axis : given) {
        GL_TRY_CONST(normalized, normalizedAxis(call, axis, rank));
        axes.push_back(*normalized);
    }
    std::ranges::sort(axes);
    if (std::ranges::adjacent_find(axes) != axes.end())
        return call.refuse("has a duplicate axis");
    return std::optional(std::move(axes));
}

bool hasUnknownAxes(const Call &call, std::size_t input)
{
    return call.has(input) && !call.integers(input);
}

std::optional<std::size_t> lengthOf(const Call &call, std::size_t input)
{
    constexpr std::int64_t mostDimensions = 64;
    const Shape &shape = call.shape(input);
    const auto length = shape.size() == 1 ? shape[0].constant() : std::nullopt;
    return length && *length >= 0 && *length < mostDimensions ? std::optional(std::size_t(*length))
                                                              : std::nullopt;
}

Dim unknownExtent()
{
    static const Dim unknown = Dim::symbol("?");
    return unknown;
}

bool isUnknown(const Dim &extent)
{
    return extent == unknownExtent();
}

Description opaque(std::string reason, std::vector<Value> values)
{
    Description description;
    description.values = std::move(values);
    description.opaque = std::move(reason);
    return description;
}

Description unknownShape(const Call &call, std::size_t shapeInput, DataType type)
{
    Value value{type, std::nullopt, {}};
    if (const auto rank = lengthOf(call, shapeInput))
        value.shape = Shape(*rank, unknownExtent());
    return opaque("its shape is computed at run time", {std::move(value)});
}

} // namespace graphloom::build
