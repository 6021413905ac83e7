// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/scatter_axes.h"

#include <algorithm>

/// Sums at data-dependent positions.
namespace graphloom {

std::optional<std::vector<Stage>> accumulated(const Scatter &scatter, const Shape &shape, int value,
                                              DataType type)
{
    const auto looksUp = [](const Index &index) { return index.lookup >= 0; };
    if (std::ranges::none_of(scatter.target, looksUp) || scatter.outside != Read::Outside::Never)
        return std::nullopt;
    const ScatterAxes axes(scatter, shape, std::vector<bool>(shape.size(), false));
    bool meets = false;
    for (std::size_t a = 0; a < scatter.axes.size(); ++a)
        meets = meets || (!axes.isSolved(int(a)) && !runsOnce(scatter.axes[a]));
    if (!meets)
        return std::nullopt;
    Stage zeros;
    zeros.name = "zeros";
    zeros.axes = build::spaceAxes(shape);
    zeros.write = build::identityMap(shape.size());
    zeros.value = value;
    zeros.body = Expr::real(0, type);
    Stage sum;
    sum.name = "scatter";
    sum.axes = scatter.axes;
    for (Axis &axis : sum.axes)
        axis.kind = Axis::Kind::Space;
    sum.reads = scatter.reads;
    sum.reads.push_back(build::readValue(value, scatter.target));
    sum.write = scatter.target;
    sum.value = value;
    sum.body = Expr::load(int(sum.reads.size()) - 1, type) + inType(scatter.factor, type);
    return std::vector<Stage>{std::move(zeros), std::move(sum)};
}

} // namespace graphloom
