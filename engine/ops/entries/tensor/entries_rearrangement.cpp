// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/window.h"

#include <algorithm>
#include <array>

/// Operators that move elements: back to where a pooling found them, from columns back to an image,
/// into the centre.
namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

Stage fillWithZeros(DataType type, const Shape &shape)
{
    Stage stage;
    stage.name = "zeros";
    stage.axes = build::spaceAxes(shape);
    stage.write = build::identityMap(shape.size());
    stage.body = isIntegral(type) ? Expr::integer(0, type) : Expr::real(0, type);
    return stage;
}

/// Writes each element at its index, a row-major position in the input of the pooling. A given
/// output shape may be larger than that input.
Result<Description> maxUnpool(const Call &call)
{
    const Shape &x = call.shape(0), &indices = call.shape(1);
    const auto kernel = call.attributes().integers("kernel_shape");
    if (x.size() < 3 || kernel.size() + 2 != x.size() || std::ranges::min(kernel) < 1)
        return call.refuse("kernel_shape does not match an input of shape " + text(x));
    bool fits = indices.size() == x.size() && isIntegral(call.type(1));
    for (std::size_t d = 0; fits && d < x.size(); ++d)
        fits = !contradict(indices[d], x[d]);
    if (!fits)
        return call.refuse("its indices of shape " + text(indices) +
                           " do not match its input of shape " + text(x));
    const std::size_t dims = kernel.size();
    const auto strides = build::numbers(call, "strides", dims, 1, 1);
    const auto pads = build::numbers(call, "pads", 2 * dims, 0, 0);
    if (!strides || !pads)
        return tl::unexpected((strides ? pads : strides).error());
    Shape pooled{x[0], x[1]};
    for (std::size_t d = 0; d < dims; ++d)
        pooled.push_back((x[d + 2] - Dim(1)) * Dim((*strides)[d]) + Dim(kernel[d]) -
                         Dim((*pads)[d] + (*pads)[d + dims]));
    Shape to = pooled;
    if (call.has(2)) {
        const auto wanted = call.values(2);
        if (!wanted)
            return build::opaque("its shape is computed at run time",
                                 {{call.type(0), Shape(x.size(), build::unknownExtent()), {}}});
        to = *wanted;
        bool room = to.size() == pooled.size();
        for (std::size_t d = 0; room && d < to.size(); ++d)
            room = (to[d] - pooled[d]).constant().value_or(0) >= 0;
        if (!room)
            return call.refuse("its output shape " + text(to) + " is smaller than " + text(pooled));
    }
    Description description;
    description.values.push_back({call.type(0), std::nullopt, {}});
    description.stages.push_back(fillWithZeros(call.type(0), to));
    const auto axes = build::spaceAxes(x);
    Stage place;
    place.name = "place";
    place.axes = axes;
    place.reads = {build::readInput(0, build::identityMap(x.size()))};
    place.write = build::identityMap(2);
    place.body = Expr::load(0, call.type(0));
    // The position in its plane: rows by division, columns by remainder.
    Dim plane = 1;
    for (std::size_t d = 2; d < pooled.size(); ++d)
        plane *= pooled[d];
    const Expr number = Expr::axis(0) * known(x[1]) + Expr::axis(1);
    const Expr inPlane = Expr::load(0, call.type(1)) - number * known(plane);
    Dim inner = plane;
    for (std::size_t d = 2; d < pooled.size(); ++d) {
        const Dim around = inner;
        inner = 1;
        for (std::size_t e = d + 1; e < pooled.size(); ++e)
            inner *= pooled[e];
        Stage coordinate;
        coordinate.name = "coordinate " + axes[d].name;
        coordinate.axes = axes;
        coordinate.reads = {build::readInput(1, build::identityMap(x.size()))};
        coordinate.value = int(description.values.size());
        coordinate.write = build::identityMap(x.size());
        const Expr rest = d == 2 ? inPlane : Expr::binary(Fn::Mod, inPlane, known(around));
        coordinate.body = Expr::binary(Fn::FloorDiv, rest, known(inner));
        description.values.push_back({DataType::Int64, std::nullopt, {}});
        Index index = Index::constant(0);
        index.lookup = int(place.reads.size());
        place.write.push_back(std::move(index));
        place.reads.push_back(build::readValue(coordinate.value, build::identityMap(x.size())));
        description.stages.push_back(std::move(coordinate));
    }
    description.stages.push_back(std::move(place));
    return description;
}

/// Holds the blocks of an image whose elements are the columns of another tensor.
struct BlockGrid {
    Shape image, block;
    Shape counts; // of blocks along each dimension
    std::vector<std::int64_t> strides, dilations, pads;
    Dim samples, channels;
    std::vector<std::string> positionNames, offsetNames; // of loops

    std::size_t dims() const { return image.size(); }
};

Result<BlockGrid> blockGridOf(const Call &call, const Shape &image, const Shape &block)
{
    const Shape &x = call.shape(0);
    const std::size_t dims = image.size();
    if (dims == 0 || block.size() != dims)
        return call.refuse("its image and block must have the same number of dimensions");
    const auto strides = build::numbers(call, "strides", dims, 1, 1);
    const auto dilations = build::numbers(call, "dilations", dims, 1, 1);
    const auto pads = build::numbers(call, "pads", 2 * dims, 0, 0);
    for (const auto *list : {&strides, &dilations, &pads})
        if (!*list)
            return tl::unexpected(list->error());
    Shape counts;
    for (std::size_t d = 0; d < dims; ++d) {
        const Dim span = (block[d] - Dim(1)) * Dim((*dilations)[d]) + Dim(1);
        const Dim room = image[d] + Dim((*pads)[d] + (*pads)[d + dims]) - span;
        counts.push_back(Dim::floorDiv(room, (*strides)[d]) + Dim(1));
    }
    const Dim blockSize = elementsOf(block), positions = elementsOf(counts);
    if (contradict(positions, x[2]) || Dim::mod(x[1], blockSize).constant().value_or(0) != 0)
        return call.refuse("its input of shape " + text(x) + " does not contain " +
                           positions.text() + " blocks of " + blockSize.text() + " elements");
    return BlockGrid{image,
                     block,
                     std::move(counts),
                     *strides,
                     *dilations,
                     *pads,
                     x[0],
                     Dim::floorDiv(x[1], blockSize),
                     build::positionNames(dims),
                     build::windowNames(dims)};
}

/// Adds axes over the extents to the stage, and their row-major position to the index.
void addRowMajor(Stage &stage, Index &index, const std::vector<std::string> &names,
                 const Shape &extents)
{
    for (std::size_t d = 0; d < extents.size(); ++d) {
        Dim inner = 1;
        for (std::size_t e = d + 1; e < extents.size(); ++e)
            inner *= extents[e];
        index.terms.push_back({int(stage.axes.size()), inner});
        stage.axes.push_back({names[d], extents[d], Kind::Space});
    }
}

/// Views the columns of the input as blocks.
Stage viewBlocks(const BlockGrid &grid, DataType type)
{
    Stage stage;
    stage.name = "blocks";
    stage.value = 1;
    stage.axes = {{"n", grid.samples, Kind::Space}, {"c", grid.channels, Kind::Space}};
    Index row = Index::axis(1, elementsOf(grid.block)), column = Index::constant(0);
    addRowMajor(stage, row, grid.offsetNames, grid.block);
    addRowMajor(stage, column, grid.positionNames, grid.counts);
    stage.reads = {build::readInput(0, {Index::axis(0), row, column})};
    stage.write = build::identityMap(stage.axes.size());
    stage.body = Expr::load(0, type);
    return stage;
}

/// Sums the blocks that cover each image element.
Stage sumBlocks(const BlockGrid &grid, DataType type)
{
    Stage stage;
    stage.name = "sum";
    stage.axes = {{"n", grid.samples, Kind::Space}, {"c", grid.channels, Kind::Space}};
    for (std::size_t d = 0; d < grid.dims(); ++d)
        stage.axes.push_back({grid.positionNames[d], grid.image[d], Kind::Space});
    stage.write = build::identityMap(stage.axes.size());
    IndexMap from = build::identityMap(2), covering;
    Expr onStride;
    for (std::size_t d = 0; d < grid.dims(); ++d) {
        const int position = int(d) + 2, offset = int(stage.axes.size());
        const std::int64_t stride = grid.strides[d];
        stage.axes.push_back({grid.offsetNames[d], grid.block[d], Kind::Reduce});
        from.push_back(Index::axis(offset));
        Index index = Index::axis(position, 1, grid.pads[d]);
        index.terms.push_back({offset, -grid.dilations[d]});
        index.divide = stride;
        covering.push_back(std::move(index));
        if (stride == 1)
            continue;
        const Expr at = Expr::axis(position) + Expr::integer(grid.pads[d]) -
                        Expr::axis(offset) * Expr::integer(grid.dilations[d]);
        const Expr hit = Expr::binary(Fn::Equal, Expr::binary(Fn::Mod, at, Expr::integer(stride)),
                                      Expr::integer(0));
        onStride = onStride.empty() ? hit : Expr::binary(Fn::And, onStride, hit);
    }
    from.insert(from.end(), covering.begin(), covering.end());
    stage.reads = {{{Operand::Kind::Value, 1}, std::move(from), Read::Outside::Value, 0}};
    stage.combine = Combine::Sum;
    stage.body = Expr::load(0, type);
    if (!onStride.empty())
        stage.body = Expr::select(onStride, stage.body, 0.0);
    return stage;
}

/// Adds the blocks in the columns of the input at their positions in the image.
Result<Description> columnsToImage(const Call &call)
{
    if (call.rank(0) != 3)
        return call.refuse("its input must have the dimensions n, block, position, but has shape " +
                           text(call.shape(0)));
    const DataType type = call.type(0);
    const auto image = call.values(1), block = call.values(2);
    if (!image || !block) {
        Value output{type, std::nullopt, {}};
        if (call.rank(1) == 1 && call.shape(1)[0].constant().value_or(99) < 64)
            output.shape = Shape(std::size_t(call.shape(1)[0].value()) + 2, build::unknownExtent());
        return build::opaque("its shapes are computed at run time", {std::move(output)});
    }
    GL_TRY_CONST(grid, blockGridOf(call, *image, *block));
    Description description;
    description.values = {{type, std::nullopt, {}}, {type, std::nullopt, {}}};
    description.stages = {viewBlocks(*grid, type), sumBlocks(*grid, type)};
    return description;
}

/// Crops the input to its centre, or pads it with zeros on both sides.
Result<Description> centerCropPad(const Call &call)
{
    const std::size_t rank = call.rank(0);
    std::vector<int> axes;
    for (const std::int64_t axis : call.attributes().integers("axes")) {
        GL_TRY_CONST(normalized, build::normalizedAxis(call, axis, rank));
        axes.push_back(*normalized);
    }
    if (!call.attributes().contains("axes"))
        for (std::size_t d = 0; d < rank; ++d)
            axes.push_back(int(d));
    const auto wanted = call.values(1);
    Shape to = call.shape(0);
    if (wanted && wanted->size() != axes.size())
        return call.refuse("has " + std::to_string(wanted->size()) + " extents for " +
                           std::to_string(axes.size()) + " dimensions");
    for (std::size_t i = 0; i < axes.size(); ++i)
        to[std::size_t(axes[i])] = wanted ? (*wanted)[i] : build::unknownExtent();
    Stage stage;
    IndexMap from = build::identityMap(rank);
    bool placed = wanted.has_value(), leaves = false;
    for (std::size_t d = 0; placed && d < rank; ++d) {
        const auto surplus = (call.shape(0)[d] - to[d]).constant();
        placed = surplus.has_value();
        if (!placed)
            break;
        leaves = leaves || *surplus < 0;
        from[d].offset = *surplus >= 0 ? *surplus / 2 : -(-*surplus / 2);
    }
    if (!placed)
        return build::opaque("its extents are known only at run time",
                             {{call.type(0), std::move(to), {}}});
    stage.axes = build::spaceAxes(to);
    stage.reads = {leaves ? build::readInput(0, std::move(from), 0)
                          : build::readInput(0, std::move(from))};
    stage.write = build::identityMap(rank);
    stage.body = Expr::load(0, call.type(0));
    return build::single(call.type(0), std::move(stage));
}

constexpr std::array rearrangementEntries{
    Operator{"", "CenterCropPad", 18, 2, 2, 1, centerCropPad}.like("[2,8,6,6] (2,8,4,8)"),
    Operator{"", "Col2Im", 18, 3, 3, 1, columnsToImage}.like("[2,32,9] (6,6) (2,2) strides=2,2"),
    Operator{"", "MaxUnpool", 9, 2, 3, 1, maxUnpool}.like(
        "[2,8,3,3] int64[2,8,3,3] kernel_shape=2,2 strides=2,2"),
};

} // namespace

std::span<const Operator> rearrangement()
{
    return rearrangementEntries;
}

} // namespace graphloom::entries
