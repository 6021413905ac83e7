// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

/// Returns a stage that copies elements of input 0.
Stage copyStage(const Call &call, std::vector<Axis> axes, IndexMap from, IndexMap to)
{
    Stage stage;
    stage.axes = std::move(axes);
    stage.reads = {build::readInput(0, std::move(from))};
    stage.write = std::move(to);
    stage.body = Expr::load(0, call.type(0));
    return stage;
}

Result<Description> transpose(const Call &call)
{
    const std::size_t rank = call.rank(0);
    auto permutation = call.attributes().integers("perm");
    if (permutation.empty())
        for (std::size_t d = rank; d-- > 0;)
            permutation.push_back(std::int64_t(d));
    auto sorted = permutation;
    std::ranges::sort(sorted);
    bool valid = permutation.size() == rank;
    for (std::size_t d = 0; valid && d < rank; ++d)
        valid = sorted[d] == std::int64_t(d);
    if (!valid)
        return call.refuse("perm must be a permutation of the " + std::to_string(rank) +
                           " dimensions of its input");
    Shape to(rank);
    for (std::size_t d = 0; d < rank; ++d)
        to[d] = call.shape(0)[std::size_t(permutation[d])];
    IndexMap from(rank);
    for (std::size_t d = 0; d < rank; ++d)
        from[std::size_t(permutation[d])] = Index::axis(int(d));
    return build::single(call.type(0), copyStage(call, build::spaceAxes(to), std::move(from),
                                                 build::identityMap(rank)));
}

Result<Description> expand(const Call &call)
{
    const auto wanted = call.values(1);
    if (!wanted)
        return build::unknownShape(call, 1, call.type(0));
    const Shape shape = *wanted;
    GL_TRY_CONST(result, build::broadcastShape(call, {&call.shape(0), &shape}));
    return build::single(call.type(0), copyStage(call, build::spaceAxes(*result),
                                                 build::broadcastMap(call.shape(0), *result),
                                                 build::identityMap(result->size())));
}

/// x[d] is read for every repetition r: y[r * extent + d] = x[d].
Result<Description> tile(const Call &call)
{
    const auto repeats = call.values(1);
    if (!repeats)
        return build::opaque("its repeats are computed at run time",
                             {{call.type(0), Shape(call.rank(0), build::unknownExtent()), {}}});
    if (repeats->size() != call.rank(0))
        return call.refuse("has " + std::to_string(repeats->size()) +
                           " repeats for an input of rank " + std::to_string(call.rank(0)));
    const auto names = build::spaceAxes(call.shape(0));
    std::vector<Axis> axes;
    IndexMap from, to;
    for (std::size_t d = 0; d < call.rank(0); ++d) {
        Index target = Index::constant(0);
        if (!((*repeats)[d] == Dim(1))) {
            target = Index::axis(int(axes.size()), call.shape(0)[d]);
            axes.push_back({names[d].name + "'", (*repeats)[d], Axis::Kind::Space});
        }
        target.terms.push_back({int(axes.size()), 1});
        from.push_back(Index::axis(int(axes.size())));
        axes.push_back(names[d]);
        to.push_back(std::move(target));
    }
    return build::single(call.type(0),
                         copyStage(call, std::move(axes), std::move(from), std::move(to)));
}

Result<Description> concat(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", 0), call.rank(0)));
    Description description;
    description.values.push_back({call.type(0), std::nullopt, {}});
    Dim offset = 0;
    for (std::size_t i = 0; i < call.inputCount(); ++i) {
        const Shape &x = call.shape(i);
        bool fits = x.size() == call.rank(0);
        for (std::size_t d = 0; fits && d < x.size(); ++d)
            fits = d == std::size_t(*axis) || (x[d] - call.shape(0)[d]).constant().value_or(0) == 0;
        if (!fits)
            return call.refuse("cannot join shapes " + text(call.shape(0)) + " and " + text(x) +
                               " along dimension " + std::to_string(*axis));
        Stage stage;
        stage.name = "part " + std::to_string(i);
        stage.axes = build::spaceAxes(x);
        stage.reads = {build::readInput(int(i), build::identityMap(x.size()))};
        stage.write = build::identityMap(x.size());
        stage.write[std::size_t(*axis)].offset = offset;
        stage.body = Expr::load(0, call.type(i));
        description.stages.push_back(std::move(stage));
        offset += x[std::size_t(*axis)];
    }
    return description;
}

Result<Description> split(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", 0), call.rank(0)));
    const Dim &extent = call.shape(0)[std::size_t(*axis)];
    const auto count = std::int64_t(call.outputCount());
    std::vector<Dim> parts;
    if (call.has(1)) {
        const auto given = call.values(1);
        if (!given) {
            Shape shape = call.shape(0);
            shape[std::size_t(*axis)] = build::unknownExtent();
            return build::opaque(
                "its parts are computed at run time",
                std::vector<Value>(call.outputCount(), Value{call.type(0), shape, {}}));
        }
        parts = *given;
        if (std::int64_t(parts.size()) != count)
            return call.refuse("has " + std::to_string(parts.size()) + " parts, but " +
                               std::to_string(count) + " outputs");
    } else {
        // Equal parts; if the extent is not a multiple, the last one is smaller (opset 18).
        const Dim each = Dim::ceilDiv(extent, count);
        for (std::int64_t k = 0; k + 1 < count; ++k)
            parts.push_back(each);
        parts.push_back(extent - each * Dim(count - 1));
    }
    Dim total = 0;
    Description description;
    for (std::int64_t k = 0; k < count; ++k) {
        Shape shape = call.shape(0);
        shape[std::size_t(*axis)] = parts[std::size_t(k)];
        Stage stage = copyStage(call, build::spaceAxes(shape), build::identityMap(shape.size()),
                                build::identityMap(shape.size()));
        stage.name = "part " + std::to_string(k);
        stage.reads[0].map[std::size_t(*axis)].offset = total;
        stage.value = int(k);
        description.values.push_back({call.type(0), std::nullopt, {}});
        description.stages.push_back(std::move(stage));
        total += parts[std::size_t(k)];
    }
    if ((total - extent).constant().value_or(0) != 0)
        return call.refuse("its parts have " + total.text() + " elements along dimension " +
                           std::to_string(*axis) + " of extent " + extent.text());
    return description;
}

/// Clamps a slice bound to 0..extent (or -1..extent-1 for a negative step), like ONNX.
Dim clampedBound(const Dim &bound, const Dim &extent, bool backwards, bool isStart)
{
    Dim value = bound;
    if (bound.isConstant()) {
        constexpr std::int64_t endless = std::int64_t{1} << 31; // exporters' "to the end"
        if (bound.value() >= endless - 1)
            return backwards ? extent - Dim(1) : extent;
        if (bound.value() <= -endless)
            return backwards ? Dim(-1) : Dim(0);
        if (bound.value() < 0)
            value = Dim::max(bound + extent, backwards ? -1 : 0);
    }
    // If the extent is a symbol, a start is assumed to lie inside the tensor: [1:] has n-1.
    if (!extent.isConstant() && value.isConstant() && (isStart || value.value() <= 0))
        return value;
    return Dim::min(value, backwards ? extent - Dim(1) : extent);
}

Result<Description> slice(const Call &call)
{
    const std::size_t rank = call.rank(0);
    const auto starts = call.values(1), ends = call.values(2);
    const auto axes = call.integers(3), steps = call.integers(4);
    if (!starts || !ends || (call.has(3) && !axes) || (call.has(4) && !steps))
        return build::opaque("its bounds are computed at run time",
                             {{call.type(0), Shape(rank, build::unknownExtent()), {}}});
    if (starts->size() != ends->size() || (axes && axes->size() != starts->size()) ||
        (steps && steps->size() != starts->size()) || starts->size() > rank)
        return call.refuse("its starts, ends, axes and steps must have the same length");
    Shape to = call.shape(0);
    IndexMap from = build::identityMap(rank);
    for (std::size_t i = 0; i < starts->size(); ++i) {
        GL_TRY_CONST(axis, build::normalizedAxis(call, axes ? (*axes)[i] : std::int64_t(i), rank));
        const auto d = std::size_t(*axis);
        const std::int64_t step = steps ? (*steps)[i] : 1;
        if (step == 0 || step == std::numeric_limits<std::int64_t>::min())
            return call.refuse("has the invalid step " + std::to_string(step));
        const Dim &extent = call.shape(0)[d];
        const Dim start = clampedBound((*starts)[i], extent, step < 0, true);
        const Dim end = clampedBound((*ends)[i], extent, step < 0, false);
        const Dim span = step > 0 ? end - start : start - end;
        const Dim count = Dim::ceilDiv(span, step > 0 ? step : -step);
        to[d] = count.isConstant() ? Dim::max(count, 0) : count;
        from[d] = Index::axis(int(d), step, start);
    }
    return build::single(call.type(0), copyStage(call, build::spaceAxes(to), std::move(from),
                                                 build::identityMap(rank)));
}

Result<Description> pad(const Call &call)
{
    const std::size_t rank = call.rank(0);
    const auto given = call.values(1);
    if (!given || build::hasUnknownAxes(call, 3))
        return build::opaque("its pads are computed at run time",
                             {{call.type(0), Shape(rank, build::unknownExtent()), {}}});
    GL_TRY_CONST(some, build::axesOf(call, 3, rank));
    std::vector<int> axes = some->value_or(std::vector<int>{});
    if (!*some)
        for (std::size_t d = 0; d < rank; ++d)
            axes.push_back(int(d));
    if (const auto unsorted = call.integers(3); unsorted && !axes.empty())
        for (std::size_t i = 0; i < axes.size(); ++i) // pads follow the order of the axes
            axes[i] =
                int((*unsorted)[i] < 0 ? (*unsorted)[i] + std::int64_t(rank) : (*unsorted)[i]);
    if (given->size() != 2 * axes.size())
        return call.refuse("has " + std::to_string(given->size()) + " pads for " +
                           std::to_string(axes.size()) + " dimensions");
    const std::string mode = call.attributes().text("mode", "constant");
    Shape to = call.shape(0);
    IndexMap from = build::identityMap(rank);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto d = std::size_t(axes[i]);
        to[d] += (*given)[i] + (*given)[i + axes.size()];
        from[d].offset = Dim(0) - (*given)[i];
    }
    Stage stage = copyStage(call, build::spaceAxes(to), std::move(from), build::identityMap(rank));
    Read &read = stage.reads.front();
    if (mode == "constant") {
        read.outside = Read::Outside::Value;
        if (call.has(2)) {
            stage.reads.push_back(build::readInput(2, IndexMap(call.rank(2), Index::constant(0))));
            stage.body = Expr::select(Expr::inside(0), stage.body, Expr::load(1, call.type(0)));
        }
    } else if (mode == "edge") {
        stage.reads.front().outside = Read::Outside::Clamp;
    } else if (mode == "reflect") {
        stage.reads.front().outside = Read::Outside::Reflect;
    } else if (mode == "wrap") {
        stage.reads.front().outside = Read::Outside::Wrap;
    } else {
        return call.refuse("mode \"" + mode + "\" is not constant, edge, reflect or wrap");
    }
    return build::single(call.type(0), std::move(stage));
}

Result<Description> gather(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", 0), call.rank(0)));
    const Shape &data = call.shape(0), &indices = call.shape(1);
    const auto split = data.begin() + *axis;
    Shape to(data.begin(), split);
    to.insert(to.end(), indices.begin(), indices.end());
    to.insert(to.end(), split + 1, data.end());
    IndexMap from, picked;
    for (int d = 0; d < *axis; ++d)
        from.push_back(Index::axis(d));
    Index lookup = Index::constant(0);
    lookup.lookup = 1;
    from.push_back(std::move(lookup));
    for (std::size_t d = 0; d < indices.size(); ++d)
        picked.push_back(Index::axis(*axis + int(d)));
    for (std::size_t d = std::size_t(*axis) + 1; d < data.size(); ++d)
        from.push_back(Index::axis(int(d + indices.size()) - 1));
    const std::size_t rank = to.size();
    Stage stage = copyStage(call, build::spaceAxes(to), std::move(from), build::identityMap(rank));
    stage.reads.push_back(build::readInput(1, std::move(picked)));
    return build::single(call.type(0), std::move(stage));
}

Result<Description> depthToSpace(const Call &call)
{
    const std::int64_t block = call.attributes().integer("blocksize", 0);
    const Shape &x = call.shape(0);
    if (x.size() != 4 || block < 1 || block > (1 << 15) ||
        Dim::mod(x[1], block * block).constant().value_or(0) != 0)
        return call.refuse("cannot split the channels of shape " + text(x) + " into blocks of " +
                           std::to_string(block));
    const bool columnRow = call.attributes().text("mode", "DCR") == "CRD";
    const Dim channels = Dim::floorDiv(x[1], block * block);
    enum { n, c, h, bh, w, bw };
    std::vector<Axis> axes{{"n", x[0], Kind::Space}, {"c", channels, Kind::Space},
                           {"h", x[2], Kind::Space}, {"h'", block, Kind::Space},
                           {"w", x[3], Kind::Space}, {"w'", block, Kind::Space}};
    Index channel;
    channel.terms =
        columnRow ? std::vector<Index::Term>{{c, block * block}, {bh, block}, {bw, 1}}
                  : std::vector<Index::Term>{{bh, channels * Dim(block)}, {bw, channels}, {c, 1}};
    Index row = Index::axis(h, block), column = Index::axis(w, block);
    row.terms.push_back({bh, 1});
    column.terms.push_back({bw, 1});
    return build::single(call.type(0),
                         copyStage(call, std::move(axes),
                                   {Index::axis(n), channel, Index::axis(h), Index::axis(w)},
                                   {Index::axis(n), Index::axis(c), row, column}));
}

Result<Description> spaceToDepth(const Call &call)
{
    const std::int64_t block = call.attributes().integer("blocksize", 0);
    const Shape &x = call.shape(0);
    if (x.size() != 4 || block < 1 || block > (1 << 15) ||
        Dim::mod(x[2], block).constant().value_or(0) != 0 ||
        Dim::mod(x[3], block).constant().value_or(0) != 0)
        return call.refuse("cannot split shape " + text(x) + " into blocks of " +
                           std::to_string(block));
    enum { n, bh, bw, c, h, w };
    std::vector<Axis> axes{{"n", x[0], Kind::Space},
                           {"h'", block, Kind::Space},
                           {"w'", block, Kind::Space},
                           {"c", x[1], Kind::Space},
                           {"h", Dim::floorDiv(x[2], block), Kind::Space},
                           {"w", Dim::floorDiv(x[3], block), Kind::Space}};
    Index row = Index::axis(h, block), column = Index::axis(w, block);
    row.terms.push_back({bh, 1});
    column.terms.push_back({bw, 1});
    Index channel;
    channel.terms = {{bh, x[1] * Dim(block)}, {bw, x[1]}, {c, 1}};
    return build::single(call.type(0),
                         copyStage(call, std::move(axes),
                                   {Index::axis(n), Index::axis(c), row, column},
                                   {Index::axis(n), channel, Index::axis(h), Index::axis(w)}));
}

constexpr std::array movementEntries{
    Operator{"", "Concat", 4, 1, -1, 1, concat}.like("[2,8,6,6] [2,4,6,6] axis=1"),
    Operator{"", "DepthToSpace", 1, 1, 1, 1, depthToSpace}.like("[2,8,6,6] blocksize=2"),
    Operator{"", "Expand", 8, 2, 2, 1, expand}.like("[8,1,1] (2,8,6,6)").shapedBy(1, true),
    Operator{"", "Gather", 1, 2, 2, 1, gather}.like("[2,8,6,6] int64[3] axis=1"),
    Operator{"", "Pad", 11, 2, 4, 1, pad}.like("[2,8,6,6] (0,0,1,1,0,0,1,1)"),
    Operator{"", "Slice", 10, 3, 5, 1, slice}.like("[2,8,6,6] (1) (5) (1)"),
    Operator{"", "SpaceToDepth", 1, 1, 1, 1, spaceToDepth}.like("[2,8,6,6] blocksize=2"),
    Operator{"", "Split", 13, 1, 2, -1, split}.like("[2,8,6,6] axis=1 ->2"),
    Operator{"", "Tile", 6, 2, 2, 1, tile}.like("[2,8] (1,3)"),
    Operator{"", "Transpose", 1, 1, 1, 1, transpose}.like("[2,8,6,6] perm=0,2,3,1"),
};

} // namespace

std::span<const Operator> movement()
{
    return movementEntries;
}

} // namespace graphloom::entries
