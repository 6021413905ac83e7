// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/gradient/adjoint_builder.h"
#include "engine/ops/kernels/kernels.h"

#include <array>

/// Operators that select elements by their values: their number or their origin is known only at
/// run time.
namespace graphloom::entries {

namespace {

/// Returns the positions of all nonzero elements, one column for each.
Result<Description> nonZero(const Call &call)
{
    if (call.type(0) == DataType::Complex64 || call.type(0) == DataType::Complex128)
        return call.refuse("does not support complex numbers");
    return build::opaque(
        "the number of nonzero elements depends on the data",
        {{DataType::Int64, Shape{std::int64_t(call.rank(0)), build::unknownExtent()}, {}}});
}

Result<Description> nonMaxSuppression(const Call &call)
{
    const Shape &boxes = call.shape(0), &scores = call.shape(1);
    if (boxes.size() != 3 || scores.size() != 3 || contradict(boxes[2], 4) ||
        contradict(boxes[0], scores[0]) || contradict(boxes[1], scores[2]))
        return call.refuse("its boxes of shape " + text(boxes) + " and scores of shape " +
                           text(scores) + " do not match");
    for (const std::size_t limit : {2, 3, 4})
        if (call.has(limit) && elementsOf(call.shape(limit)).constant().value_or(1) != 1)
            return call.refuse("its limits must be single numbers");
    return build::opaque("the number of selected boxes depends on the data",
                         {{DataType::Int64, Shape{build::unknownExtent(), 3}, {}}});
}

/// The count is an input since version 10.
Result<Description> topK(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0)));
    if (elementsOf(call.shape(1)).constant().value_or(1) != 1)
        return call.refuse("its count must be a single number, but has shape " +
                           text(call.shape(1)));
    Shape shape = call.shape(0);
    Dim &extent = shape[std::size_t(*axis)];
    const auto count = call.values(1);
    if (count) {
        const Dim missing = (*count)[0] - extent;
        if ((*count)[0].constant().value_or(0) < 0 || missing.constant().value_or(0) > 0)
            return call.refuse("cannot take " + (*count)[0].text() + " of " + extent.text() +
                               " elements");
    }
    extent = count ? (*count)[0] : build::unknownExtent();
    std::vector<Value> values{{call.type(0), shape, {}}, {DataType::Int64, shape, {}}};
    return build::opaque("it sorts", std::move(values));
}

/// Selected elements get the gradient of their position in the result.
Result<bool> topKGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    const auto axis =
        build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0));
    if (!axis || !builder.isGiven(0))
        return false;
    if (!builder.hasOutput(1))
        return call.refuse("has no gradient: it needs its positions as an output");
    const Shape taken = builder.shapeOf(builder.output(1));
    for (const Dim &extent : taken)
        if (build::isUnknown(extent))
            return false;
    const IndexMap here = build::identityMap(taken.size());
    Scatter scatter;
    scatter.axes = build::spaceAxes(taken);
    scatter.reads = {{builder.gradientOf(0), here, Read::Outside::Never, 0},
                     {builder.output(1), here, Read::Outside::Never, 0}};
    scatter.factor = Expr::load(0, call.type(0));
    scatter.target = here;
    scatter.target[std::size_t(*axis)] = Index::constant(0);
    scatter.target[std::size_t(*axis)].lookup = 1;
    builder.gather(scatter, 0);
    return true;
}

/// The selected parts of the input: elements, or slices along attribute `axis`.
struct Picking {
    Dim available; // how many there are
    Shape picked;  // the shape of `count` of them
};

Result<Picking> pickingOf(const Call &call, const Dim &count)
{
    if (!call.attributes().contains("axis"))
        return Picking{elementsOf(call.shape(0)), {count}};
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", 0), call.rank(0)));
    Picking picking{call.shape(0)[std::size_t(*axis)], call.shape(0)};
    picking.picked[std::size_t(*axis)] = count;
    return picking;
}

/// Returns the distinct elements, or slices along an axis, with their first positions, the number
/// of the distinct element for each element of the input, and the counts.
Result<Description> unique(const Call &call)
{
    GL_TRY_RESULT(picking, pickingOf(call, build::unknownExtent()));
    const Shape found{build::unknownExtent()};
    return build::opaque("the number of distinct elements depends on the data",
                         {{call.type(0), std::move(picking->picked), {}},
                          {DataType::Int64, found, {}},
                          {DataType::Int64, Shape{picking->available}, {}},
                          {DataType::Int64, found, {}}});
}

/// Returns the elements, or slices along an axis, for which the condition holds.
Result<Description> compress(const Call &call)
{
    if (call.rank(1) != 1 || call.type(1) != DataType::Bool)
        return call.refuse("its condition must be a list of Booleans, not " +
                           std::string(nameOf(call.type(1))) + " of shape " + text(call.shape(1)));
    Dim count = build::unknownExtent();
    if (const auto condition = call.integers(1)) {
        std::int64_t kept = 0;
        for (const std::int64_t keeps : *condition)
            kept += keeps != 0;
        count = kept;
    }
    GL_TRY_RESULT(picking, pickingOf(call, count));
    if ((call.shape(1)[0] - picking->available).constant().value_or(0) > 0)
        return call.refuse("its condition has " + call.shape(1)[0].text() + " Booleans for " +
                           picking->available.text() + " elements");
    return build::opaque("the kept elements depend on the data",
                         {{call.type(0), std::move(picking->picked), {}}});
}

constexpr std::array selectionEntries{
    Operator{"", "Compress", 9, 2, 2, 1, compress, kernels::compress}.like(
        "[2,8,6,6] bool[8] axis=1"),
    Operator{"", "NonMaxSuppression", 10, 2, 5, 1, nonMaxSuppression, kernels::nonMaxSuppression}
        .like("[1,20,4] [1,2,20]"),
    Operator{"", "NonZero", 9, 1, 1, 1, nonZero, kernels::nonZero}.like("[2,8]"),
    Operator{"", "TopK", 10, 2, 2, 2, topK, kernels::topK}
        .like("[2,8] (3) ->2")
        .withGradient(topKGradient),
    Operator{"", "Unique", 11, 1, 1, 4, unique, kernels::unique}.like("[8]"),
};

} // namespace

std::span<const Operator> selection()
{
    return selectionEntries;
}

} // namespace graphloom::entries
