// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/window.h"

#include <array>

/// Deformable convolution (Dai et al., ICCV 2017; with a mask Zhu et al., CVPR 2019): each element
/// of the window is moved by its own offset and interpolated between four elements of the input.
namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

class Deformation {
public:
    Deformation(const Call &call, std::array<build::WindowDim, 2> window, std::int64_t groups,
                std::int64_t offsetGroups)
        : m_call(call), m_window(std::move(window)), m_groups(groups), m_offsetGroups(offsetGroups)
    {
        m_description.values.push_back({call.type(0), std::nullopt, {}});
    }

    Description describe()
    {
        const int rows = addElements("rows", 0), columns = addElements("columns", 1);
        const int rowWeights = addWeights("row weights", 0),
                  columnWeights = addWeights("column weights", 1);
        addSum(rows, columns, rowWeights, columnWeights);
        return std::move(m_description);
    }

private:
    enum { n, g, r, s, h, w, k }; // axes of the samples: `k` is one of two neighbours

    Stage &add(std::string name, DataType type)
    {
        Stage stage;
        stage.name = std::move(name);
        stage.axes = {{"n", m_call.shape(0)[0], Kind::Space},
                      {"g", m_offsetGroups, Kind::Space},
                      {"r", m_window[0].kernel, Kind::Space},
                      {"s", m_window[1].kernel, Kind::Space},
                      {"h", m_window[0].output, Kind::Space},
                      {"w", m_window[1].output, Kind::Space},
                      {"k", 2, Kind::Space}};
        stage.write = build::identityMap(stage.axes.size());
        stage.value = int(m_description.values.size());
        m_description.values.push_back({type, std::nullopt, {}});
        m_description.stages.push_back(std::move(stage));
        return m_description.stages.back();
    }

    /// Returns the channel of an offset or mask; each element of the window has `parts` channels.
    Index channel(std::int64_t parts, std::int64_t part) const
    {
        const Dim columns = m_window[1].kernel * Dim(parts);
        Index index = Index::axis(g, m_window[0].kernel * columns, part);
        index.terms.push_back({r, columns});
        index.terms.push_back({s, parts});
        return index;
    }

    /// Returns the sampled position along a dimension; the stage's first read is its offset.
    Expr position(Stage &stage, int dimension) const
    {
        const build::WindowDim &dim = m_window[std::size_t(dimension)];
        stage.reads.push_back(build::readInput(
            2, {Index::axis(n), channel(2, dimension), Index::axis(h), Index::axis(w)}));
        const Expr place = Expr::axis(dimension == 0 ? h : w) * Expr::integer(dim.stride) +
                           Expr::axis(dimension == 0 ? r : s) * Expr::integer(dim.dilation) -
                           known(dim.padBegin);
        return wide(place) + wide(Expr::load(0, m_call.type(2)));
    }

    static Expr neighbour(const Expr &position)
    {
        return Expr::unary(Fn::Floor, position) + wide(Expr::axis(k));
    }

    /// Adds the indices of the neighbours, clamped to the input.
    int addElements(const char *name, int dimension)
    {
        Stage &stage = add(name, DataType::Int64);
        const Expr number = neighbour(position(stage, dimension));
        const Expr last = wide(known(m_window[std::size_t(dimension)].input - Dim(1)));
        const Expr zero = Expr::real(0, DataType::Double);
        const auto notAbove = [](const Expr &a, const Expr &b) {
            return Expr::binary(Fn::LessOrEqual, a, b);
        };
        // Comparisons with NaN are false.
        stage.body =
            Expr::cast(Expr::select(notAbove(zero, number),
                                    Expr::select(notAbove(number, last), number, last), zero),
                       DataType::Int64);
        return stage.value;
    }

    /// Adds the weights of the neighbours, 0 outside the input; those of rows include the mask.
    int addWeights(const char *name, int dimension)
    {
        Stage &stage = add(name, DataType::Double);
        const Expr at = position(stage, dimension), number = neighbour(at);
        const Expr last = wide(known(m_window[std::size_t(dimension)].input - Dim(1)));
        const Expr zero = Expr::real(0, DataType::Double);
        const Expr isInside = Expr::binary(Fn::And, Expr::binary(Fn::LessOrEqual, zero, number),
                                           Expr::binary(Fn::LessOrEqual, number, last));
        Expr weight = Expr::real(1, DataType::Double) - Expr::unary(Fn::Abs, at - number);
        if (dimension == 0 && m_call.has(4)) {
            stage.reads.push_back(build::readInput(
                4, {Index::axis(n), channel(1, 0), Index::axis(h), Index::axis(w)}));
            weight = weight * wide(Expr::load(1, m_call.type(4)));
        }
        stage.body = Expr::select(isInside, weight, zero);
        return stage.value;
    }

    void addSum(int rows, int columns, int rowWeights, int columnWeights)
    {
        const Shape &weights = m_call.shape(1);
        const Dim outputs = Dim::floorDiv(weights[0], m_groups);
        enum { batch, group, o, y, x, i, down, across, top, left };
        Stage stage;
        stage.name = "sum";
        stage.axes = {{"n", m_call.shape(0)[0], Kind::Space},
                      {"g", m_groups, Kind::Space},
                      {"o", outputs, Kind::Space},
                      {"h", m_window[0].output, Kind::Space},
                      {"w", m_window[1].output, Kind::Space},
                      {"i", weights[1], Kind::Reduce},
                      {"r", m_window[0].kernel, Kind::Reduce},
                      {"s", m_window[1].kernel, Kind::Reduce},
                      {"kh", 2, Kind::Reduce},
                      {"kw", 2, Kind::Reduce}};
        Index input = Index::axis(group, weights[1]), output = Index::axis(group, outputs);
        input.terms.push_back({i, 1});
        output.terms.push_back({o, 1});
        Index offsetGroup = m_offsetGroups == 1 ? Index::constant(0) : input;
        if (m_offsetGroups > 1)
            offsetGroup.divide = Dim::floorDiv(m_call.shape(0)[1], m_offsetGroups);
        const auto sampled = [&](int neighbourAxis) {
            return IndexMap{Index::axis(batch),        offsetGroup,    Index::axis(down),
                            Index::axis(across),       Index::axis(y), Index::axis(x),
                            Index::axis(neighbourAxis)};
        };
        Index row = Index::constant(0), column = Index::constant(0);
        row.lookup = 2;
        column.lookup = 3;
        stage.reads = {
            build::readInput(0, {Index::axis(batch), input, row, column}),
            build::readInput(1, {output, Index::axis(i), Index::axis(down), Index::axis(across)}),
            build::readValue(rows, sampled(top)),
            build::readValue(columns, sampled(left)),
            build::readValue(rowWeights, sampled(top)),
            build::readValue(columnWeights, sampled(left))};
        stage.write = {Index::axis(batch), output, Index::axis(y), Index::axis(x)};
        stage.combine = Combine::Sum;
        stage.body = wide(Expr::load(0, m_call.type(0))) * wide(Expr::load(1, m_call.type(1))) *
                     Expr::load(4, DataType::Double) * Expr::load(5, DataType::Double);
        if (m_call.has(3)) {
            stage.finish = Expr::accumulator(DataType::Double) +
                           wide(Expr::load(int(stage.reads.size()), m_call.type(3)));
            stage.reads.push_back(build::readInput(3, {output}));
        }
        m_description.stages.push_back(std::move(stage));
    }

    const Call &m_call;
    std::array<build::WindowDim, 2> m_window;
    std::int64_t m_groups, m_offsetGroups;
    Description m_description;
};

Result<Description> deformConv(const Call &call)
{
    const std::int64_t groups = call.attributes().integer("group", 1),
                       offsetGroups = call.attributes().integer("offset_group", 1);
    if (call.rank(0) != 4 || call.rank(1) != 4 || call.rank(2) != 4)
        return call.refuse("its inputs must have four dimensions, but have shapes " +
                           text(call.shape(0)) + ", " + text(call.shape(1)) + " and " +
                           text(call.shape(2)));
    const Shape &x = call.shape(0), &w = call.shape(1);
    const auto divides = [](std::int64_t count, const Dim &extent) {
        return count >= 1 && Dim::mod(extent, count).constant().value_or(0) == 0;
    };
    if (!divides(groups, w[0]) || !divides(offsetGroups, x[1]) ||
        contradict(x[1], w[1] * Dim(groups)))
        return call.refuse("its input of shape " + text(x) + " and weights of shape " + text(w) +
                           " do not match " + std::to_string(groups) + " groups and " +
                           std::to_string(offsetGroups) + " offset groups");
    GL_TRY_CONST(window, build::windowOf(call, {w[2], w[3]}));
    const Dim elements = w[2] * w[3] * Dim(offsetGroups);
    const auto fits = [&](std::size_t input, const Dim &channels) {
        const Shape &shape = call.shape(input);
        return shape.size() == 4 && !contradict(shape[0], x[0]) &&
               !contradict(shape[1], channels) && !contradict(shape[2], (*window)[0].output) &&
               !contradict(shape[3], (*window)[1].output);
    };
    if (!fits(2, elements * Dim(2)) || (call.has(4) && !fits(4, elements)))
        return call.refuse("its offset or mask does not match the shape of its result and " +
                           elements.text() + " elements of the window");
    if (call.has(3) && (call.rank(3) != 1 || contradict(call.shape(3)[0], w[0])))
        return call.refuse("its bias of shape " + text(call.shape(3)) + " does not match " +
                           w[0].text() + " channels");
    return Deformation(call, {(*window)[0], (*window)[1]}, groups, offsetGroups).describe();
}

constexpr std::array deformationEntries{
    Operator{"", "DeformConv", 19, 3, 5, 1, deformConv}.like("[2,8,6,6] w[4,8,3,3] [2,18,4,4]"),
};

} // namespace

std::span<const Operator> deformation()
{
    return deformationEntries;
}

} // namespace graphloom::entries
