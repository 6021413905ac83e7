// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/passing.h"

#include "engine/ops/analysis.h"
#include "engine/ops/stage_facts.h"

#include <algorithm>
#include <limits>

namespace graphloom {

namespace {

/// The number that an expression is whatever the axes are; none when it depends on them or is
/// more than the entries write for known extents.
std::optional<double> numberIn(const Expr &expr)
{
    if (expr->fn == Fn::Real)
        return expr->real;
    if (expr->fn == Fn::Integer)
        return double(expr->integer);
    if (expr->fn == Fn::Cast)
        return numberIn(expr.argument(0));
    if (expr->fn == Fn::Table && expr->table->size() == 1)
        if (const auto value = expr->table->front().constant())
            return double(*value);
    return std::nullopt;
}

/// The elements that an index reaches: from the first to the last, if it goes upwards.
struct Reach {
    Dim first, last;
};
std::optional<Reach> reachOf(const Index &index, const std::vector<Axis> &axes)
{
    if (!index.isAffine())
        return std::nullopt;
    Reach reach{index.offset, index.offset};
    for (const auto &term : index.terms) {
        if (runsOnce(axes[std::size_t(term.axis)]))
            continue;
        if (!term.coefficient.isConstant() && !term.coefficient.lowerBound())
            return std::nullopt;
        if (term.coefficient.lowerBound().value_or(-1) < 0)
            return std::nullopt;
        reach.last += term.coefficient * (axes[std::size_t(term.axis)].extent - Dim(1));
    }
    return reach;
}

/// Does the map reach every element of the tensor once, in row-major order of the space axes, and
/// none beside it? Requires a mapping type of Reorganize or below and as many points as elements.
bool reachesAll(const Stage &stage, const Read &read, const Shape &shape)
{
    if (read.map.size() != shape.size())
        return false;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const Index &index = read.map[d];
        if (!index.isAffine()) { // by row-major position, from the first element on
            if (!(index.offset == Dim(0)) || read.outside != Read::Outside::Never)
                return false;
            continue;
        }
        const auto reach = reachOf(index, stage.axes);
        if (!reach || !(reach->first == Dim(0)) || !(reach->last == shape[d] - Dim(1)))
            return false;
    }
    return true;
}

/// Whether gathering one element gives it: where the initial value is neutral.
bool gathersOne(const Stage &stage)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (stage.combine) {
    case Combine::None:
        return true;
    case Combine::Sum:
        return stage.initial == 0;
    case Combine::Product:
        return stage.initial == 1;
    case Combine::Max:
        return stage.initial == -infinity;
    case Combine::Min:
        return stage.initial == infinity;
    default:
        return false;
    }
}

/// Takes off what changes nothing: conversions to the type that is there, division by a known 1,
/// a choice for positions outside of a tensor that no position is outside of.
Expr peeled(Expr expr, const Stage &stage, const Shape &shape)
{
    for (;;) {
        if (expr->fn == Fn::Cast && expr.argument(0).type() == expr.type())
            expr = expr.argument(0);
        else if ((expr->fn == Fn::Div || expr->fn == Fn::Mul) &&
                 numberIn(expr.argument(1)) == 1.0 && expr.argument(0).type() == expr.type())
            expr = expr.argument(0);
        else if (expr->fn == Fn::Select && expr.argument(0)->fn == Fn::Inside &&
                 reachesAll(stage, stage.reads[std::size_t(expr.argument(0)->index)], shape))
            expr = expr.argument(1);
        else
            return expr;
    }
}

/// The read that the stage copies, if it copies one.
const Read *readCopied(const Stage &stage, const Call &call)
{
    const bool gathersMany =
        std::ranges::any_of(stage.axes, [](const Axis &axis) { return isReduction(axis); });
    if (gathersMany || !gathersOne(stage) || stage.reads.empty() ||
        stage.reads[0].operand.kind != Operand::Kind::Input ||
        !call.has(std::size_t(stage.reads[0].operand.index)))
        return nullptr;
    const Shape &shape = call.shape(std::size_t(stage.reads[0].operand.index));
    const Expr body = peeled(stage.body, stage, shape);
    const bool finishes =
        stage.finish.empty() || peeled(stage.finish, stage, shape)->fn == Fn::Accumulator;
    return body->fn == Fn::Load && body->index == 0 && finishes ? &stage.reads[0] : nullptr;
}

} // namespace

std::optional<int> inputHandedOn(const Description &description, const Call &call, int output)
{
    if (description.isOpaque())
        return std::nullopt;
    const Stage *writer = nullptr;
    for (const Stage &stage : description.stages)
        if (stage.value == output) {
            if (writer)
                return std::nullopt;
            writer = &stage;
        }
    const auto &value = description.values[std::size_t(output)];
    const Read *read = writer && value.shape ? readCopied(*writer, call) : nullptr;
    if (!read)
        return std::nullopt;
    const int input = read->operand.index;
    const Tensor &given = call.input(std::size_t(input));
    const auto type = mappingType(description, input, output);
    if (!given.shape || given.type != value.type || !type || *type > MappingType::Reorganize ||
        !(elementsOf(*given.shape) == elementsOf(*value.shape)) ||
        !reachesAll(*writer, *read, *given.shape))
        return std::nullopt;
    return input;
}

std::optional<int> inputReturned(const Description &description, const Call &call, int output)
{
    const auto input = inputHandedOn(description, call, output);
    if (!input ||
        !(*call.input(std::size_t(*input)).shape == *description.values[std::size_t(output)].shape))
        return std::nullopt;
    return input;
}

} // namespace graphloom
