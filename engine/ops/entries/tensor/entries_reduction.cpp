// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

/// Loops over the shape of input 0 with the given dimensions as reductions (after the space axes),
/// reading input 0; the result keeps the reduced dimensions with extent 1, or drops them.
Stage reductionStage(const Call &call, const std::vector<int> &axes, bool keep)
{
    const Shape &x = call.shape(0);
    const auto all = build::spaceAxes(x);
    Stage stage;
    IndexMap map(x.size());
    for (const Kind kind : {Kind::Space, Kind::Reduce})
        for (int d = 0; d < int(x.size()); ++d) {
            const bool reduced = std::ranges::find(axes, d) != axes.end();
            if (reduced != (kind == Kind::Reduce))
                continue;
            map[std::size_t(d)] = Index::axis(int(stage.axes.size()));
            stage.axes.push_back({all[std::size_t(d)].name, x[std::size_t(d)], kind});
        }
    for (int d = 0; d < int(x.size()); ++d) {
        const bool reduced = std::ranges::find(axes, d) != axes.end();
        if (!reduced)
            stage.write.push_back(map[std::size_t(d)]);
        else if (keep)
            stage.write.push_back(Index::constant(0));
    }
    stage.reads = {build::readInput(0, std::move(map))};
    stage.body = Expr::load(0, call.type(0));
    return stage;
}

std::vector<int> allAxes(std::size_t rank)
{
    std::vector<int> axes;
    for (std::size_t d = 0; d < rank; ++d)
        axes.push_back(int(d));
    return axes;
}

/// Describes a reduction along axes that are known only at run time.
Description reductionAlongUnknownAxes(const Call &call)
{
    Value result{call.type(0), std::nullopt, {}};
    const auto axes = build::lengthOf(call, 1);
    const bool reducesNone =
        axes == 0u && call.attributes().integer("noop_with_empty_axes", 0) != 0;
    const std::size_t reduced = axes == 0u && !reducesNone ? call.rank(0) : axes.value_or(0);
    if (call.attributes().integer("keepdims", 1) != 0)
        result.shape = Shape(call.rank(0), build::unknownExtent());
    else if (axes && reduced <= call.rank(0))
        result.shape = Shape(call.rank(0) - reduced, build::unknownExtent());
    return build::opaque("its axes are computed at run time", {std::move(result)});
}

/// Returns the stage of a Reduce operator, without a reduction if noop_with_empty_axes applies.
Result<Stage> reduceStage(const Call &call)
{
    GL_TRY_CONST(axes, build::axesOf(call, 1, call.rank(0)));
    std::vector<int> reduced = axes->value_or(std::vector<int>{});
    if (reduced.empty() && call.attributes().integer("noop_with_empty_axes", 0) == 0)
        reduced = allAxes(call.rank(0));
    return reductionStage(call, reduced, call.attributes().integer("keepdims", 1) != 0);
}

Expr same(const Expr &x)
{
    return x;
}
Expr square(const Expr &x)
{
    return x * x;
}
template <Fn fn> Expr apply(const Expr &x)
{
    return Expr::unary(fn, x);
}

/// finish(combine over body(x)).
template <Combine combine, auto body, auto finish> Result<Description> reduce(const Call &call)
{
    GL_TRY_RESULT(stage, reduceStage(call));
    const DataType type = call.type(0);
    stage->combine = combine;
    stage->initial = combine == Combine::Product ? 1
                     : combine == Combine::Max   ? lowest(type)
                     : combine == Combine::Min   ? highest(type)
                                                 : 0;
    stage->body = body(stage->body);
    const Expr result = finish(Expr::accumulator(type));
    if (result->fn != Fn::Accumulator)
        stage->finish = result;
    return build::single(type, std::move(*stage));
}

Dim pointsOfReduction(const Stage &stage)
{
    Dim count = 1;
    for (const Axis &axis : stage.axes)
        if (axis.kind == Kind::Reduce)
            count *= axis.extent;
    return count;
}

Expr dividedBy(const Expr &sum, const Dim &count)
{
    return sum / Expr::cast(Expr::table({count}, Expr::integer(0)), sum.type());
}

Result<Description> reduceMean(const Call &call)
{
    auto description = reduce<Combine::Sum, same, same>(call);
    if (description) {
        Stage &stage = description->stages.front();
        stage.finish = dividedBy(Expr::accumulator(call.type(0)), pointsOfReduction(stage));
    }
    return description;
}

/// log(sum(exp(x - max))) + max: two stages, so that large values do not overflow.
Result<Description> reduceLogSumExp(const Call &call)
{
    GL_TRY_RESULT(stage, reduceStage(call));
    const DataType type = call.type(0);
    Stage highestStage = *stage;
    highestStage.name = "max";
    highestStage.value = 1;
    highestStage.combine = Combine::Max;
    highestStage.initial = lowest(type);
    highestStage.cancels = true;
    Stage sum = std::move(*stage);
    sum.name = "sum";
    sum.reads.push_back(build::readValue(1, sum.write));
    const Expr peak = Expr::load(1, type);
    sum.combine = Combine::Sum;
    sum.body = Expr::unary(Fn::Exp, sum.body - peak);
    sum.finish = Expr::unary(Fn::Log, Expr::accumulator(type)) + peak;
    Description description;
    description.values = {{type, std::nullopt, {}}, {type, std::nullopt, {}}};
    description.stages = {std::move(highestStage), std::move(sum)};
    return description;
}

template <bool max> Result<Description> argReduce(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", 0), call.rank(0)));
    Stage stage = reductionStage(call, {*axis}, call.attributes().integer("keepdims", 1) != 0);
    const bool last = call.attributes().integer("select_last_index", 0) != 0;
    stage.combine = max ? (last ? Combine::ArgMaxLast : Combine::ArgMax)
                        : (last ? Combine::ArgMinLast : Combine::ArgMin);
    return build::single(DataType::Int64, std::move(stage));
}

/// y[i] = sum of x[j] over all j up to i: a triangular reduction.
Result<Description> cumSum(const Call &call)
{
    const auto given = call.integers(1);
    if (!given || given->size() != 1)
        return build::opaque("its axis is computed at run time",
                             {{call.type(0), call.shape(0), {}}});
    GL_TRY_CONST(axis, build::normalizedAxis(call, given->front(), call.rank(0)));
    const bool exclusive = call.attributes().integer("exclusive", 0) != 0;
    const bool reverse = call.attributes().integer("reverse", 0) != 0;
    Stage stage;
    stage.axes = build::spaceAxes(call.shape(0));
    stage.write = build::identityMap(call.rank(0));
    const int j = int(stage.axes.size());
    stage.axes.push_back({"s", call.shape(0)[std::size_t(*axis)], Kind::Reduce});
    IndexMap map = build::identityMap(call.rank(0));
    map[std::size_t(*axis)] = Index::axis(j);
    stage.reads = {build::readInput(0, std::move(map))};
    const Expr here = Expr::axis(*axis), there = Expr::axis(j);
    const Expr taken = Expr::binary(exclusive ? Fn::Less : Fn::LessOrEqual, reverse ? here : there,
                                    reverse ? there : here);
    stage.combine = Combine::Sum;
    stage.body = Expr::select(taken, Expr::load(0, call.type(0)), 0.0);
    return build::single(call.type(0), std::move(stage));
}

template <auto describe> Result<Description> alongAxes(const Call &call)
{
    if (build::hasUnknownAxes(call, 1))
        return reductionAlongUnknownAxes(call);
    return describe(call);
}

template <auto describe> constexpr Operator entry(std::string_view name)
{
    return {"", name, 1, 1, 2, 1, alongAxes<describe>};
}

constexpr std::array reductionEntries{
    Operator{"", "ArgMax", 1, 1, 1, 1, argReduce<true>}.like("[2,8,6,6] axis=1"),
    Operator{"", "ArgMin", 1, 1, 1, 1, argReduce<false>}.like("[2,8,6,6] axis=1"),
    Operator{"", "CumSum", 11, 2, 2, 1, cumSum}.like("[2,8,6,6] (=1)"),
    entry<reduce<Combine::Sum, apply<Fn::Abs>, same>>("ReduceL1").like("[2,8,6,6] (2,3)"),
    entry<reduce<Combine::Sum, square, apply<Fn::Sqrt>>>("ReduceL2").like("[2,8,6,6] (2,3)"),
    entry<reduce<Combine::Sum, same, apply<Fn::Log>>>("ReduceLogSum").like("[2,8,6,6] (2,3)"),
    entry<reduceLogSumExp>("ReduceLogSumExp").like("[2,8,6,6] (2,3)"),
    entry<reduce<Combine::Max, same, same>>("ReduceMax").like("[2,8,6,6] (2,3)"),
    entry<reduceMean>("ReduceMean").like("[2,8,6,6] (2,3)"),
    entry<reduce<Combine::Min, same, same>>("ReduceMin").like("[2,8,6,6] (2,3)"),
    entry<reduce<Combine::Product, same, same>>("ReduceProd").like("[2,8,6,6] (2,3)"),
    entry<reduce<Combine::Sum, same, same>>("ReduceSum").like("[2,8,6,6] (2,3)"),
    entry<reduce<Combine::Sum, square, same>>("ReduceSumSquare").like("[2,8,6,6] (2,3)"),
};

} // namespace

std::span<const Operator> reduction()
{
    return reductionEntries;
}

} // namespace graphloom::entries
