// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/statistics.h"

#include <algorithm>
#include <array>

namespace graphloom::entries {

namespace {

using build::Statistics;

/// Normalizes by the moments over the channels of a group and all positions. Scale and bias are
/// given for each channel; before version 21 for each group.
Result<Description> groupNormalization(const Call &call)
{
    const Shape &x = call.shape(0);
    const std::int64_t groups = call.attributes().integer("num_groups", 0);
    if (x.size() < 2 || groups < 1 || Dim::mod(x[1], groups).constant().value_or(0) != 0)
        return call.refuse("cannot split the channels of shape " + text(x) + " into " +
                           std::to_string(groups) + " groups");
    const bool perChannel = call.opset() >= 21;
    for (const std::size_t p : {1, 2})
        if (call.rank(p) != 1 || contradict(call.shape(p)[0], perChannel ? x[1] : Dim(groups)))
            return call.refuse("its parameter of shape " + text(call.shape(p)) +
                               " must have one number for each " +
                               (perChannel ? "channel" : "group"));
    const Dim channels = Dim::floorDiv(x[1], groups);
    const auto names = build::spaceAxes(x);
    std::vector<Statistics::Loop> loops{
        {"n", x[0], false}, {"g", groups, false}, {"c", channels, true}};
    Index channel = Index::axis(1, channels);
    channel.terms.push_back({2, 1});
    IndexMap map{Index::axis(0), channel};
    for (std::size_t d = 2; d < x.size(); ++d) {
        map.push_back(Index::axis(int(loops.size())));
        loops.push_back({names[d].name, x[d], true});
    }
    Statistics steps(call, std::move(loops), std::move(map));
    steps.gatherMoments();
    const IndexMap parameter{perChannel ? channel : Index::axis(1)};
    const double epsilon = call.attributes().real("epsilon", 1e-5f);
    return steps.finish("scale", {{1, parameter}, {2, parameter}},
                        [&](const Expr &value, const auto &moments, const auto &p) {
                            return (value - moments[0]) / squareRoot(moments[1] + epsilon) * p[0] +
                                   p[1];
                        });
}

Result<Description> meanVarianceNormalization(const Call &call)
{
    std::vector<int> axes;
    for (const std::int64_t axis : call.attributes().integers("axes", {0, 2, 3})) {
        GL_TRY_CONST(normalized, build::normalizedAxis(call, axis, call.rank(0)));
        axes.push_back(*normalized);
    }
    Statistics steps = Statistics::along(call, axes);
    steps.gatherMoments();
    constexpr double epsilon = 1e-9; // added to the deviation, as in ONNX's definition
    return steps.finish("scale", {}, [](const Expr &x, const auto &moments, const auto &) {
        return (x - moments[0]) / (squareRoot(moments[1]) + epsilon);
    });
}

/// Divides x by the norm of its line along the axis; lines of zeros stay zeros.
Result<Description> lpNormalization(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0)));
    const std::int64_t p = call.attributes().integer("p", 2);
    if (p != 1 && p != 2)
        return call.refuse("attribute \"p\" must be 1 or 2, not " + std::to_string(p));
    Statistics steps = Statistics::along(call, {*axis});
    steps.gather(
        "norm", Combine::Sum, 0,
        [p](const Expr &x, const auto &) { return p == 2 ? x * x : Expr::unary(Fn::Abs, x); },
        [p](const Expr &sum) { return p == 2 ? squareRoot(sum) : sum; });
    return steps.finish("scale", {}, [](const Expr &x, const auto &norm, const auto &) {
        return Expr::select(Expr::binary(Fn::Equal, norm[0], 0.0), 0.0, x / norm[0]);
    });
}

/// Computes x / sqrt(mean of squares) over the dimensions from an axis on.
Result<Description> rmsNormalization(const Call &call)
{
    GL_TRY_CONST(first,
                 build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0)));
    const Shape &x = call.shape(0);
    const auto broadcast = build::broadcastShape(call, {&x, &call.shape(1)});
    bool fits = broadcast && broadcast->size() == x.size();
    for (std::size_t d = 0; fits && d < x.size(); ++d)
        fits = !contradict((*broadcast)[d], x[d]);
    if (!fits)
        return call.refuse("its scale of shape " + text(call.shape(1)) +
                           " cannot be broadcast to " + text(x));
    std::vector<int> axes;
    for (int d = *first; d < int(x.size()); ++d)
        axes.push_back(d);
    Statistics steps = Statistics::along(call, axes);
    const Expr count = steps.count();
    steps.gather(
        "mean of squares", Combine::Sum, 0,
        [](const Expr &value, const auto &) { return value * value; },
        [&](const Expr &sum) { return sum / count; });
    const double epsilon = call.attributes().real("epsilon", 1e-5f);
    return steps.finish("scale", {{1, build::broadcastMap(call.shape(1), x)}},
                        [&](const Expr &value, const auto &mean, const auto &p) {
                            return value / squareRoot(mean[0] + epsilon) * p[0];
                        });
}

constexpr std::array statisticsEntries{
    Operator{"", "GroupNormalization", 18, 3, 3, 1, groupNormalization}.like(
        "[2,8,6,6] w[8] w[8] num_groups=4"),
    Operator{"", "LpNormalization", 1, 1, 1, 1, lpNormalization},
    Operator{"", "MeanVarianceNormalization", 9, 1, 1, 1, meanVarianceNormalization},
    Operator{"", "RMSNormalization", 23, 2, 2, 1, rmsNormalization}.like("[2,6,8] w[8]"),
};

} // namespace

std::span<const Operator> statistics()
{
    return statisticsEntries;
}

} // namespace graphloom::entries
