// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/window.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <limits>

/// Operators that read between elements, at positions that other tensors give. For each sampled
/// dimension, one stage computes the neighbours of a position and one their weights; the last stage
/// looks those elements up and weights them.
namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

Expr both(const Expr &a, const Expr &b)
{
    return Expr::binary(Fn::And, a, b);
}
Expr notAbove(const Expr &a, const Expr &b)
{
    return Expr::binary(Fn::LessOrEqual, a, b);
}
Expr inside(const Expr &value, const Expr &least, const Expr &most)
{
    return both(notAbove(least, value), notAbove(value, most));
}

/// Returns the number of the nearest existing element, or of the last one for NaN.
Expr elementNumber(const Expr &number, const Expr &last)
{
    const Expr fromStart =
        Expr::select(notAbove(Expr::real(0, DataType::Double), number), number, 0.0);
    return Expr::cast(Expr::select(notAbove(number, last), fromStart, last), DataType::Int64);
}

/// A description under construction whose intermediate values are written by elementwise stages.
class Steps {
public:
    explicit Steps(DataType type) { m_description.values.push_back({type, std::nullopt, {}}); }

    /// Adds a value with a stage that writes `body` at every point of the axes.
    int add(std::string name, std::vector<Axis> axes, std::vector<Read> reads, DataType type,
            Expr body)
    {
        const int value = int(m_description.values.size());
        m_description.values.push_back({type, std::nullopt, {}});
        Stage stage;
        stage.name = std::move(name);
        stage.write = build::identityMap(axes.size());
        stage.axes = std::move(axes);
        stage.reads = std::move(reads);
        stage.value = value;
        stage.body = std::move(body);
        m_description.stages.push_back(std::move(stage));
        return value;
    }

    Description finish(Stage stage)
    {
        m_description.stages.push_back(std::move(stage));
        return std::move(m_description);
    }

private:
    Description m_description;
};

/// A sampled dimension: the values that hold the numbers of the neighbouring elements of the
/// positions, and their weights, both over some axes and the taps.
struct Sampled {
    int element, weight;
    std::int64_t taps;
};

// ---------------------------------------------------------------------------------------------

enum class Padding { Zeros, Border, Reflection };

struct Grid {
    std::string mode; // nearest, linear or cubic
    Padding padding;
    bool alignCorners;
};

Result<Grid> gridOf(const Call &call)
{
    const Attributes &a = call.attributes();
    std::string mode = a.text("mode", call.opset() >= 20 ? "linear" : "bilinear");
    const std::string padding = a.text("padding_mode", "zeros");
    if (mode == "bilinear" || mode == "bicubic")
        mode = mode.substr(2); // their names before version 20
    if (mode != "nearest" && mode != "linear" && mode != "cubic")
        return call.refuse("mode \"" + mode + "\" is not nearest, linear or cubic");
    if (padding != "zeros" && padding != "border" && padding != "reflection")
        return call.refuse("padding_mode \"" + padding + "\" is not zeros, border or reflection");
    return Grid{mode,
                padding == "zeros"    ? Padding::Zeros
                : padding == "border" ? Padding::Border
                                      : Padding::Reflection,
                a.integer("align_corners", 0) != 0};
}

/// Returns the position mirrored at both ends as often as needed: a triangular wave.
Expr reflected(const Expr &position, const Dim &extent, bool alignCorners)
{
    const Expr least = Expr::real(alignCorners ? 0 : -0.5, DataType::Double);
    const Expr range = wide(known(alignCorners ? extent - Dim(1) : extent));
    const Expr along = Expr::binary(Fn::Mod, position - least, range + range);
    const Expr mirrored = least + range - Expr::unary(Fn::Abs, along - range);
    return alignCorners && extent == Dim(1) ? Expr::real(0, DataType::Double) : mirrored;
}

/// Cubic convolution with a = -0.75.
Expr cubicWeight(const Expr &distance)
{
    constexpr double a = -0.75;
    const Expr near = ((distance * (a + 2) - (a + 3)) * distance) * distance + 1.0;
    const Expr far = ((distance * a - 5 * a) * distance + 8 * a) * distance - 4 * a;
    return Expr::select(notAbove(distance, 1.0), near, far);
}

/// Adds positions along dimension `d` of the image from the coordinates -1…1 in the grid.
Sampled sampleGrid(Steps &steps, const Call &call, const Grid &grid, std::size_t d,
                   const std::vector<Axis> &points)
{
    const Dim &extent = call.shape(0)[d + 2];
    const std::size_t dims = call.rank(0) - 2;
    const int rank = int(points.size());
    IndexMap coordinate = build::identityMap(points.size());
    coordinate.push_back(
        Index::constant(std::int64_t(dims - 1 - d))); // the last dimension comes first
    const Expr given = wide(Expr::load(0, call.type(1))) + 1.0, last = known(extent - Dim(1));
    Expr position =
        grid.alignCorners ? given * 0.5 * wide(last) : (given * wide(known(extent)) - 1.0) * 0.5;
    if (grid.mode == "nearest")
        position = Expr::unary(Fn::Round, position);
    const Expr least =
        grid.alignCorners ? Expr::real(0, DataType::Double) : Expr::real(-0.5, DataType::Double);
    const Expr most = wide(last) - least;
    if (grid.padding == Padding::Border)
        position = Expr::select(inside(position, least, most), position,
                                max(min(position, wide(last)), 0.0));
    else if (grid.padding == Padding::Reflection)
        position = Expr::select(inside(position, least, most), position,
                                reflected(position, extent, grid.alignCorners));
    const std::vector<Read> fromGrid{build::readInput(1, std::move(coordinate))};
    const std::string name = build::positionNames(dims)[d];
    const int at = steps.add("position " + name, points, fromGrid, DataType::Double, position);

    const std::int64_t taps = grid.mode == "nearest" ? 1 : grid.mode == "linear" ? 2 : 4;
    std::vector<Axis> axes = points;
    axes.push_back({"k" + name, taps, Kind::Space});
    const std::vector<Read> fromPosition{build::readValue(at, build::identityMap(points.size()))};
    const Expr load = Expr::load(0, DataType::Double);
    const Expr tap = wide(Expr::axis(rank) - Expr::integer(taps == 4 ? 1 : 0));
    const Expr element =
        taps == 1 ? Expr::unary(Fn::Round, load) : Expr::unary(Fn::Floor, load) + tap;
    const Expr distance = Expr::unary(Fn::Abs, load - element);
    Expr weight = taps == 1   ? Expr::real(1, DataType::Double)
                  : taps == 2 ? Expr::real(1, DataType::Double) - distance
                              : cubicWeight(distance);
    if (grid.padding == Padding::Zeros)
        weight = Expr::select(inside(element, 0.0, wide(last)), weight, 0.0);
    // Mirrored between two elements, a position can be -0.5 or half an element after the last.
    const Expr number = grid.padding == Padding::Reflection
                            ? Expr::unary(Fn::Round, reflected(element, extent, grid.alignCorners))
                            : element;
    return {steps.add("element " + name, axes, fromPosition, DataType::Int64,
                      elementNumber(number, wide(last))),
            steps.add("weight " + name, axes, fromPosition, DataType::Double, weight), taps};
}

Result<Description> gridSample(const Call &call)
{
    const Shape &x = call.shape(0), &points = call.shape(1);
    if (x.size() < 3 || points.size() != x.size() || contradict(x[0], points[0]) ||
        contradict(points.back(), std::int64_t(x.size()) - 2))
        return call.refuse("its input of shape " + text(x) + " and grid of shape " + text(points) +
                           " do not match");
    GL_TRY_CONST(grid, gridOf(call));
    const std::size_t dims = x.size() - 2;
    const auto names = build::positionNames(dims);
    std::vector<Axis> pointAxes{{"n", x[0], Kind::Space}};
    for (std::size_t d = 0; d < dims; ++d)
        pointAxes.push_back({names[d], points[d + 1], Kind::Space});
    Steps steps(call.type(0));
    std::vector<Sampled> sampled;
    for (std::size_t d = 0; d < dims; ++d)
        sampled.push_back(sampleGrid(steps, call, *grid, d, pointAxes));

    Stage stage;
    stage.name = "weigh";
    stage.axes = pointAxes;
    stage.axes.insert(stage.axes.begin() + 1, {"c", x[1], Kind::Space});
    stage.write = build::identityMap(x.size());
    IndexMap position{Index::axis(0)}; // of the grid
    for (std::size_t d = 0; d < dims; ++d)
        position.push_back(Index::axis(int(d) + 2));
    stage.reads = {build::readInput(0, {Index::axis(0), Index::axis(1)})};
    Expr product = wide(Expr::load(0, call.type(0)));
    const bool interpolates = grid->mode != "nearest";
    for (std::size_t d = 0; d < dims; ++d) {
        IndexMap map = position;
        map.push_back(interpolates ? Index::axis(int(stage.axes.size())) : Index::constant(0));
        if (interpolates)
            stage.axes.push_back({"k" + names[d], sampled[d].taps, Kind::Reduce});
        Index lookup = Index::constant(0);
        lookup.lookup = int(stage.reads.size());
        stage.reads[0].map.push_back(std::move(lookup));
        stage.reads.push_back(build::readValue(sampled[d].element, map));
        if (interpolates || grid->padding == Padding::Zeros) {
            product = product * Expr::load(int(stage.reads.size()), DataType::Double);
            stage.reads.push_back(build::readValue(sampled[d].weight, std::move(map)));
        }
    }
    stage.combine = interpolates ? Combine::Sum : Combine::None;
    stage.body = std::move(product);
    return steps.finish(std::move(stage));
}

// ---------------------------------------------------------------------------------------------

struct RegionSettings {
    Dim height, width;
    std::int64_t samples; // per cell and dimension; 0: adapted to the size of the region
    double scale;
    bool halfPixel, takesMaximum;
};

Result<RegionSettings> regionSettings(const Call &call)
{
    const Shape &x = call.shape(0), &regions = call.shape(1), &batch = call.shape(2);
    if (x.size() != 4 || regions.size() != 2 || contradict(regions[1], 4) || batch.size() != 1 ||
        contradict(batch[0], regions[0]) || !isIntegral(call.type(2)))
        return call.refuse("its input of shape " + text(x) + ", regions of shape " + text(regions) +
                           " and batch indices of shape " + text(batch) + " do not match");
    const Attributes &a = call.attributes();
    const std::string mode = a.text("mode", "avg");
    const std::string coordinates = a.text("coordinate_transformation_mode",
                                           call.opset() >= 16 ? "half_pixel" : "output_half_pixel");
    if (mode != "avg" && mode != "max")
        return call.refuse("mode \"" + mode + "\" is not avg or max");
    if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
        return call.refuse("unknown coordinate_transformation_mode \"" + coordinates + "\"");
    constexpr std::int64_t most = std::int64_t{1} << 20;
    const std::int64_t height = a.integer("output_height", 1), width = a.integer("output_width", 1);
    const std::int64_t samples = a.integer("sampling_ratio", 0);
    if (height < 1 || width < 1 || samples < 0 || std::max({height, width, samples}) > most)
        return call.refuse("its output extents or sampling_ratio are out of range");
    return RegionSettings{
        height,       width, samples, a.real("spatial_scale", 1), coordinates == "half_pixel",
        mode == "max"};
}

/// Adds the positions of the samples of every cell along one dimension (0: rows, 1: columns).
Sampled sampleRegions(Steps &steps, const Call &call, const RegionSettings &settings, int dimension)
{
    const Dim &extent = call.shape(0)[std::size_t(2 + dimension)];
    const Dim &cells = dimension == 0 ? settings.height : settings.width;
    const std::string name = dimension == 0 ? "h" : "w";
    std::vector<Axis> axes{{"r", call.shape(1)[0], Kind::Space},
                           {name, cells, Kind::Space},
                           {"s" + name, settings.samples, Kind::Space}};
    const int first = dimension == 0 ? 1 : 0; // regions are x1, y1, x2, y2
    const double offset = settings.halfPixel ? 0.5 : 0;
    const DataType type = call.type(1);
    const Expr start = wide(Expr::load(0, type)) * settings.scale - offset;
    Expr span = wide(Expr::load(1, type)) * settings.scale - offset - start;
    if (!settings.halfPixel)
        span = max(span, 1.0); // no region is smaller than an element
    const Expr sample = (wide(Expr::axis(2)) + 0.5) / double(settings.samples);
    const Expr position = start + (wide(Expr::axis(1)) + sample) * (span / double(cells.value()));
    const std::vector<Read> corners{
        build::readInput(1, {Index::axis(0), Index::constant(first)}),
        build::readInput(1, {Index::axis(0), Index::constant(first + 2)})};
    const int at = steps.add("position " + name, axes, corners, DataType::Double, position);

    // Positions up to one element outside count as the border, those beyond as 0.
    axes.push_back({"k" + name, 2, Kind::Space});
    const std::vector<Read> fromPosition{build::readValue(at, build::identityMap(3))};
    const Expr load = Expr::load(0, DataType::Double), last = wide(known(extent - Dim(1)));
    const Expr within = max(min(load, last), 0.0), tap = wide(Expr::axis(3));
    const Expr element = Expr::unary(Fn::Floor, within) + tap;
    const Expr weight = Expr::real(1, DataType::Double) - Expr::unary(Fn::Abs, within - element);
    const Expr reached = inside(load, -1.0, last + 1.0);
    return {steps.add("element " + name, axes, fromPosition, DataType::Int64,
                      elementNumber(element, last)),
            steps.add("weight " + name, axes, fromPosition, DataType::Double,
                      Expr::select(reached, weight, 0.0)),
            2};
}

Result<Description> roiAlign(const Call &call)
{
    GL_TRY_CONST(settings, regionSettings(call));
    const Shape to{call.shape(1)[0], call.shape(0)[1], settings->height, settings->width};
    if (settings->samples == 0)
        return build::opaque("the number of samples depends on the regions",
                             {{call.type(0), to, {}}});
    Steps steps(call.type(0));
    const Sampled rows = sampleRegions(steps, call, *settings, 0);
    const Sampled columns = sampleRegions(steps, call, *settings, 1);
    enum { r, c, h, w, sh, sw, kh, kw };
    Stage stage;
    stage.name = settings->takesMaximum ? "maximum" : "average";
    stage.axes = {{"r", to[0], Kind::Space},
                  {"c", to[1], Kind::Space},
                  {"h", to[2], Kind::Space},
                  {"w", to[3], Kind::Space},
                  {"sh", settings->samples, Kind::Reduce},
                  {"sw", settings->samples, Kind::Reduce},
                  {"kh", 2, Kind::Reduce},
                  {"kw", 2, Kind::Reduce}};
    stage.write = build::identityMap(4);
    const auto lookup = [](int read) {
        Index index = Index::constant(0);
        index.lookup = read;
        return index;
    };
    const IndexMap row{Index::axis(r), Index::axis(h), Index::axis(sh), Index::axis(kh)};
    const IndexMap column{Index::axis(r), Index::axis(w), Index::axis(sw), Index::axis(kw)};
    stage.reads = {build::readInput(0, {lookup(1), Index::axis(c), lookup(2), lookup(3)}),
                   build::readInput(2, {Index::axis(r)}),
                   build::readValue(rows.element, row),
                   build::readValue(columns.element, column),
                   build::readValue(rows.weight, row),
                   build::readValue(columns.weight, column)};
    stage.body = wide(Expr::load(0, call.type(0))) * Expr::load(4, DataType::Double) *
                 Expr::load(5, DataType::Double);
    if (settings->takesMaximum) { // of the weighted elements, as in ONNX's reference
        stage.combine = Combine::Max;
        stage.initial = -std::numeric_limits<double>::infinity();
    } else {
        stage.combine = Combine::Sum;
        stage.finish =
            Expr::accumulator(DataType::Double) / double(settings->samples * settings->samples);
    }
    return steps.finish(std::move(stage));
}

/// Opaque: the extents of the windows depend on the regions.
Result<Description> maxRoiPool(const Call &call)
{
    const Shape &x = call.shape(0), &regions = call.shape(1);
    const auto pooled = call.attributes().integers("pooled_shape");
    if (x.size() != 4 || regions.size() != 2 || contradict(regions[1], 5) || pooled.size() != 2 ||
        std::ranges::min(pooled) < 1)
        return call.refuse("its input of shape " + text(x) + ", regions of shape " + text(regions) +
                           " and pooled_shape do not match");
    return build::opaque("its windows depend on the regions",
                         {{call.type(0), Shape{regions[0], x[1], pooled[0], pooled[1]}, {}}});
}

constexpr std::array samplingEntries{
    Operator{"", "GridSample", 16, 2, 2, 1, gridSample}.like("[2,8,6,6] [2,4,4,2]"),
    Operator{"", "MaxRoiPool", 1, 2, 2, 1, maxRoiPool, kernels::maxRoiPool}.like(
        "[2,8,6,6] [3,5] pooled_shape=2,2"),
    Operator{"", "RoiAlign", 10, 3, 3, 1, roiAlign, kernels::roiAlign}.like(
        "[2,8,6,6] [3,4] int64[3] output_height=2 output_width=2"),
};

} // namespace

std::span<const Operator> sampling()
{
    return samplingEntries;
}

} // namespace graphloom::entries
