// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/cost.h"

#include "engine/ops/algebra/algebra.h"
#include "engine/ops/derive/analysis.h"

#include <algorithm>

namespace graphloom {

namespace {

double numberOf(const Dim &dim)
{
    if (const auto value = dim.constant())
        return double(*value);
    return double(dim.evaluate([](const std::string &) -> std::optional<std::int64_t> {
                         return std::int64_t(Cost::symbolicExtent);
                     })
                      .value_or(0));
}

/// Returns the cost of a scalar function in additions, roughly that of today's processors.
double effortOf(Fn fn)
{
    if (arityOf(fn) == 0 || fn == Fn::Cast)
        return 0;
    switch (fn) {
    case Fn::Div:
    case Fn::FloorDiv:
    case Fn::Mod:
    case Fn::Fmod:
    case Fn::Sqrt:
        return 5;
    case Fn::Pow:
        return 40;
    default: // functions up to Round and from Add on are instructions, those between are in libm
        return fn > Fn::Sqrt && fn < Fn::IsNan ? 20 : 1;
    }
}

double effortOf(const Expr &expr)
{
    if (expr.empty())
        return 0;
    double effort = effortOf(expr->fn);
    for (int i = 0; i < arityOf(expr->fn); ++i)
        effort += effortOf(expr.argument(i));
    return effort;
}

double effortOf(const Description &description)
{
    double effort = 0;
    for (const Stage &stage : description.stages) {
        Dim results = 1, points = 1;
        for (const Axis &axis : stage.axes) {
            points *= axis.extent;
            if (axis.kind == Axis::Kind::Space)
                results *= axis.extent;
        }
        effort +=
            numberOf(points) * effortOf(stage.body) + numberOf(results) * effortOf(stage.finish);
    }
    return effort;
}

} // namespace

Cost &Cost::operator+=(const Cost &other)
{
    flops += other.flops;
    calls += other.calls;
    effort += other.effort;
    bytes += other.bytes;
    return *this;
}

Cost Cost::operator-(const Cost &other) const
{
    return {flops - other.flops, calls - other.calls, effort - other.effort, bytes - other.bytes};
}

CallFacts factsOf(const Description &description, const Call &call)
{
    CallFacts facts;
    facts.cost.flops = numberOf(flopsOf(description));
    facts.cost.calls = 1;
    facts.cost.effort = effortOf(description);
    const Traffic traffic = trafficOf(description, call);
    facts.cost.bytes = numberOf(traffic.read) + numberOf(traffic.written);
    facts.commutative = isCommutative(description);
    return facts;
}

Cost costOfCopy(const Tensor &tensor)
{
    Cost cost;
    cost.calls = 1;
    if (tensor.shape) // each element is read and written
        cost.bytes = 2 * numberOf(elementsOf(*tensor.shape)) * std::max(1, bitsOf(tensor.type) / 8);
    return cost;
}

} // namespace graphloom
