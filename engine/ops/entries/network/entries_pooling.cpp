// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/window.h"
#include "engine/ops/gradient/adjoint_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

/// The loops of a pooling window over input 0: n, c, positions; window offsets as reductions.
struct Pool {
    Stage stage;
    std::vector<build::WindowDim> dims;
    std::vector<int> position, offset;
};

Result<Pool> poolOf(const Call &call, double outside)
{
    if (call.rank(0) < 3)
        return call.refuse("its input must have rank 3 or more, but has shape " +
                           text(call.shape(0)));
    const auto extents = call.attributes().integers("kernel_shape");
    GL_TRY_RESULT(window, build::windowOf(call, Shape(extents.begin(), extents.end())));
    Pool pool;
    pool.dims = std::move(*window);
    Stage &stage = pool.stage;
    stage.axes = {{"n", call.shape(0)[0], Kind::Space}, {"c", call.shape(0)[1], Kind::Space}};
    const auto add = [&](std::string name, const Dim &extent, Kind kind) {
        stage.axes.push_back({std::move(name), extent, kind});
        return int(stage.axes.size()) - 1;
    };
    const std::size_t count = pool.dims.size();
    for (std::size_t d = 0; d < count; ++d)
        pool.position.push_back(
            add(build::positionNames(count)[d], pool.dims[d].output, Kind::Space));
    for (std::size_t d = 0; d < count; ++d)
        pool.offset.push_back(add(build::windowNames(count)[d], pool.dims[d].kernel, Kind::Reduce));
    IndexMap map = build::identityMap(2);
    for (std::size_t d = 0; d < count; ++d)
        map.push_back(build::windowIndex(pool.dims[d], pool.position[d], pool.offset[d]));
    stage.reads = {build::mayLeave(pool.dims) ? build::readInput(0, std::move(map), outside)
                                              : build::readInput(0, std::move(map))};
    stage.write = build::identityMap(count + 2);
    stage.body = Expr::load(0, call.type(0));
    return pool;
}

/// The kind of positions in the second output of a maximum pool.
enum class Positions {
    InTensor, // ONNX: flattened over the whole tensor
    InPlane,  // within the plane of a channel, so that parts of a batch have the same positions
};

Result<Description> maxPoolWith(const Call &call, Positions counted)
{
    GL_TRY_RESULT(pool, poolOf(call, lowest(call.type(0))));
    Stage &stage = pool->stage;
    stage.combine = Combine::Max;
    stage.initial = lowest(call.type(0));
    Description description = build::single(call.type(0), stage);
    if (call.outputCount() < 2)
        return description;

    // Position of the first maximum, flattened: the smallest position in the window whose element
    // equals the maximum found before.
    const bool columnMajor = call.attributes().integer("storage_order", 0) != 0;
    const std::size_t count = pool->dims.size();
    Stage positions = stage;
    positions.name = "position";
    positions.value = 1;
    positions.reads.push_back(build::readValue(0, build::identityMap(count + 2)));
    Expr flat = Expr::axis(0) * Expr::table({call.shape(0)[1]}, Expr::integer(0)) + Expr::axis(1);
    Expr inner;
    for (std::size_t step = 0; step < count; ++step) {
        const std::size_t d = columnMajor ? count - 1 - step : step;
        const build::WindowDim &dim = pool->dims[d];
        const Expr at = Expr::axis(pool->position[d]) * Expr::integer(dim.stride) +
                        Expr::axis(pool->offset[d]) * Expr::integer(dim.dilation) -
                        Expr::table({dim.padBegin}, Expr::integer(0));
        const Expr extent = Expr::table({dim.input}, Expr::integer(0));
        inner = step == 0 ? at : inner * extent + at;
        flat = flat * extent;
    }
    positions.combine = Combine::Min;
    const bool plane = counted == Positions::InPlane;
    // A number beyond every position that is exact in double.
    const std::int64_t beyond =
        plane ? std::numeric_limits<std::int32_t>::max() : std::int64_t{1} << 53;
    positions.initial = double(beyond);
    const Expr hit = Expr::binary(
        Fn::And, Expr::inside(0),
        Expr::binary(Fn::Equal, Expr::load(0, call.type(0)), Expr::load(1, call.type(0))));
    positions.body = Expr::select(hit, plane ? inner : flat + inner, Expr::integer(beyond));
    description.values.push_back({plane ? DataType::Int32 : DataType::Int64, std::nullopt, {}});
    description.stages.push_back(std::move(positions));
    return description;
}

Result<Description> maxPool(const Call &call)
{
    return maxPoolWith(call, Positions::InTensor);
}

Result<Description> planarMaxPool(const Call &call)
{
    return maxPoolWith(call, Positions::InPlane);
}

/// The elements at the positions of the maxima, if those are an output, get the gradient.
Result<bool> maxPoolGradient(AdjointBuilder &builder)
{
    if (!builder.isGiven(0) || !builder.hasOutput(1) || builder.description().stages.size() < 2)
        return false;
    const Stage &positions = builder.description().stages[1];
    const DataType type = builder.call().type(0);
    const DataType positionType = builder.description().values[1].type;
    Scatter scatter;
    scatter.axes = positions.axes;
    scatter.reads = {{builder.gradientOf(0), positions.write, Read::Outside::Never, 0},
                     {builder.output(1), positions.write, Read::Outside::Never, 0}};
    scatter.target = positions.reads[0].map;
    scatter.outside = positions.reads[0].outside;
    const Expr position = positions.body.argument(1); // of an element that is a maximum
    scatter.factor = Expr::select(Expr::binary(Fn::Equal, position, Expr::load(1, positionType)),
                                  Expr::load(0, type), Expr::real(0, type));
    builder.gather(scatter, 0);
    return true;
}

/// Returns the number of a window's elements inside the tensor (or the padded tensor) as an
/// expression over the position: ceil((end - start) / dilation) with both bounds clamped.
Expr elementsInside(const build::WindowDim &dim, int position, bool padded)
{
    const Expr zero = Expr::integer(0), one = Expr::integer(1), step = Expr::integer(dim.dilation);
    const auto known = [](const Dim &value) { return Expr::table({value}, Expr::integer(0)); };
    const auto ceilDiv = [&](const Expr &a) {
        return Expr::binary(Fn::FloorDiv, a + step - one, step);
    };
    const Expr first = Expr::axis(position) * Expr::integer(dim.stride) - known(dim.padBegin);
    const Dim low = padded ? Dim(0) - dim.padBegin : Dim(0);
    const Dim high = padded ? dim.input + dim.padEnd : dim.input;
    const Expr begin = Expr::binary(Fn::Max, zero, ceilDiv(known(low) - first));
    const Expr end = Expr::binary(Fn::Min, known(dim.kernel), ceilDiv(known(high) - first));
    return Expr::binary(Fn::Max, zero, end - begin);
}

Result<Description> averagePool(const Call &call)
{
    GL_TRY_RESULT(pool, poolOf(call, 0));
    Stage &stage = pool->stage;
    stage.combine = Combine::Sum;
    const bool padded = call.attributes().integer("count_include_pad", 0) != 0;
    const bool ceil = call.attributes().integer("ceil_mode", 0) != 0;
    const bool always = !build::mayLeave(pool->dims) || (padded && !ceil);
    Dim whole = 1;
    Expr count = Expr::integer(1);
    for (std::size_t d = 0; d < pool->dims.size(); ++d) {
        whole *= pool->dims[d].kernel;
        count = count * elementsInside(pool->dims[d], pool->position[d], padded);
    }
    if (always)
        count = Expr::table({whole}, Expr::integer(0));
    stage.finish = Expr::accumulator(call.type(0)) / Expr::cast(count, call.type(0));
    return build::single(call.type(0), std::move(stage));
}

Result<Description> lpPool(const Call &call)
{
    GL_TRY_RESULT(pool, poolOf(call, 0));
    Stage &stage = pool->stage;
    const double p = double(call.attributes().integer("p", 2));
    stage.combine = Combine::Sum;
    stage.body = Expr::binary(Fn::Pow, Expr::unary(Fn::Abs, stage.body), p);
    stage.finish = Expr::binary(Fn::Pow, Expr::accumulator(call.type(0)), 1 / p);
    return build::single(call.type(0), std::move(stage));
}

/// Returns a reduction over all dimensions after the channels.
Result<Stage> globalStage(const Call &call)
{
    const Shape &x = call.shape(0);
    if (x.size() < 3)
        return call.refuse("its input must have rank 3 or more, but has shape " + text(x));
    Stage stage;
    stage.axes = build::spaceAxes(x);
    for (std::size_t d = 2; d < x.size(); ++d)
        stage.axes[d].kind = Kind::Reduce;
    stage.reads = {build::readInput(0, build::identityMap(x.size()))};
    stage.write = {Index::axis(0), Index::axis(1)};
    stage.write.resize(x.size(), Index::constant(0));
    stage.body = Expr::load(0, call.type(0));
    return stage;
}

Result<Description> globalAveragePool(const Call &call)
{
    GL_TRY_RESULT(stage, globalStage(call));
    Dim count = 1;
    for (std::size_t d = 2; d < call.rank(0); ++d)
        count *= call.shape(0)[d];
    stage->combine = Combine::Sum;
    stage->finish = Expr::accumulator(call.type(0)) /
                    Expr::cast(Expr::table({count}, Expr::integer(0)), call.type(0));
    return build::single(call.type(0), std::move(*stage));
}

Result<Description> globalMaxPool(const Call &call)
{
    GL_TRY_RESULT(stage, globalStage(call));
    stage->combine = Combine::Max;
    stage->initial = lowest(call.type(0));
    return build::single(call.type(0), std::move(*stage));
}

Result<Description> globalLpPool(const Call &call)
{
    GL_TRY_RESULT(stage, globalStage(call));
    const double p = double(call.attributes().integer("p", 2));
    stage->combine = Combine::Sum;
    stage->body = Expr::binary(Fn::Pow, Expr::unary(Fn::Abs, stage->body), p);
    stage->finish = Expr::binary(Fn::Pow, Expr::accumulator(call.type(0)), 1 / p);
    return build::single(call.type(0), std::move(*stage));
}

/// Keeps positions within the plane: ONNX's positions in the whole tensor would make the parts of a
/// batch depend on each other.
bool keepPositions(TrainedCall &call)
{
    if (call.node.outputs.size() > 1 && call.node.outputs[1].valid())
        return false; // the model reads them itself
    call.node.domain = "graphloom";
    return call.addOutput(1, ".positions");
}

constexpr std::array poolingEntries{
    Operator{"", "AveragePool", 7, 1, 1, 1, averagePool}.like(
        "[2,8,6,6] kernel_shape=2,2 strides=2,2"),
    Operator{"", "GlobalAveragePool", 1, 1, 1, 1, globalAveragePool},
    Operator{"", "GlobalLpPool", 2, 1, 1, 1, globalLpPool},
    Operator{"", "GlobalMaxPool", 1, 1, 1, 1, globalMaxPool},
    Operator{"", "LpPool", 2, 1, 1, 1, lpPool}.like("[2,8,6,6] kernel_shape=2,2"),
    Operator{"", "MaxPool", 8, 1, 1, 2, maxPool}
        .like("[2,8,6,6] kernel_shape=2,2 strides=2,2")
        .withGradient(maxPoolGradient)
        .trainedBy(keepPositions),
    // An operator of our own for training: like ONNX's, but with positions within the plane.
    Operator{"graphloom", "MaxPool", 1, 1, 1, 2, planarMaxPool}
        .like("[2,8,6,6] kernel_shape=2,2 strides=2,2")
        .withGradient(maxPoolGradient),
};

} // namespace

std::span<const Operator> pooling()
{
    return poolingEntries;
}

} // namespace graphloom::entries
