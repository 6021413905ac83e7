// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/linear.h"

#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns the inputs that an expression loads.
std::set<int> inputsOf(const Stage &stage, const Expr &expr)
{
    std::set<int> reads, inputs;
    if (!expr.empty())
        collectLoads(*expr, reads);
    for (const int read : reads)
        if (stage.reads[std::size_t(read)].operand.kind == Operand::Kind::Input)
            inputs.insert(stage.reads[std::size_t(read)].operand.index);
    return inputs;
}

/// The degree of an expression in some inputs together: 1 if it is linear in them, 0 if it does not
/// depend on them; none otherwise.
class Degree {
public:
    Degree(const Stage &stage, const std::set<int> &inputs, int ofAccumulator)
        : m_stage(stage), m_inputs(inputs), m_ofAccumulator(ofAccumulator)
    {
    }

    std::optional<int> of(const Expr &expr) const
    {
        switch (expr->fn) {
        case Fn::Load: {
            const Operand &operand = m_stage.reads[std::size_t(expr->index)].operand;
            if (operand.kind == Operand::Kind::Value)
                return std::nullopt;
            return m_inputs.contains(operand.index) ? 1 : 0;
        }
        case Fn::Accumulator:
            return m_ofAccumulator;
        case Fn::Negate:
            return of(expr.argument(0));
        case Fn::Cast:
            return isFloatingPoint(expr.type()) ? of(expr.argument(0)) : independent(expr);
        case Fn::Add:
        case Fn::Sub: {
            const auto left = of(expr.argument(0)), right = of(expr.argument(1));
            return left == right ? left : std::nullopt;
        }
        case Fn::Mul: {
            const auto left = of(expr.argument(0)), right = of(expr.argument(1));
            return left && right ? std::optional(*left + *right) : std::nullopt;
        }
        case Fn::Div:
            return of(expr.argument(1)) == 0 ? of(expr.argument(0)) : std::nullopt;
        case Fn::Select: { // with 0 otherwise, such as where a stride skips an element
            const bool zero = expr.argument(2)->fn == Fn::Real && expr.argument(2)->real == 0;
            return of(expr.argument(0)) == 0 && zero ? of(expr.argument(1)) : independent(expr);
        }
        default:
            return independent(expr);
        }
    }

private:
    std::optional<int> independent(const Expr &expr) const
    {
        for (int i = 0; i < arityOf(expr->fn); ++i)
            if (of(expr.argument(i)) != 0)
                return std::nullopt;
        return 0;
    }

    const Stage &m_stage;
    const std::set<int> &m_inputs;
    int m_ofAccumulator;
};

/// Returns the only stage of a description if it is linear in these inputs together, or null.
const Stage *linearStage(const Description &description, const std::set<int> &parameters,
                         std::set<int> addends)
{
    if (description.isOpaque() || description.stages.size() != 1)
        return nullptr;
    const Stage &stage = description.stages.front();
    const bool sums =
        stage.combine == Combine::None || (stage.combine == Combine::Sum && stage.initial == 0);
    if (!sums || Degree(stage, parameters, 0).of(stage.body) != 1)
        return nullptr;
    addends.insert(parameters.begin(), parameters.end());
    if (!stage.finish.empty() && Degree(stage, addends, 1).of(stage.finish) != 1)
        return nullptr;
    // The value outside a tensor would have to be scaled as well.
    const bool outside = std::ranges::any_of(stage.reads, [&](const Read &read) {
        return addends.contains(read.operand.index) && read.outside == Read::Outside::Value &&
               read.outsideValue != 0;
    });
    return outside ? nullptr : &stage;
}

bool equal(const Index &a, const Index &b)
{
    return a.isAffine() && b.isAffine() && a.offset == b.offset &&
           a.terms.size() == b.terms.size() &&
           std::ranges::equal(a.terms, b.terms, [](const auto &left, const auto &right) {
               return left.axis == right.axis && left.coefficient == right.coefficient;
           });
}

/// Returns the dimension of the tensor that runs along the index, if exactly one does and no other
/// dimension shares an axis with it.
std::optional<int> dimensionAlong(const Stage &stage, const IndexMap &map, const Index &along)
{
    std::set<int> wanted;
    collectAxes(stage, along, wanted);
    std::optional<int> found;
    for (std::size_t d = 0; d < map.size(); ++d) {
        std::set<int> axes;
        collectAxes(stage, map[d], axes);
        const bool shares =
            std::ranges::any_of(axes, [&](int axis) { return wanted.contains(axis); });
        if (!shares)
            continue;
        if (found || !equal(map[d], along))
            return std::nullopt;
        found = int(d);
    }
    return found;
}

/// Does the same for the only read of an input; fails if the input is read several times.
std::optional<int> dimensionAlong(const Stage &stage, int input, int along)
{
    if (along >= int(stage.write.size()))
        return std::nullopt;
    const Operand operand{Operand::Kind::Input, input};
    if (std::ranges::count(stage.reads, operand, &Read::operand) != 1)
        return std::nullopt;
    return dimensionAlong(stage, std::ranges::find(stage.reads, operand, &Read::operand)->map,
                          stage.write[std::size_t(along)]);
}

} // namespace

std::optional<std::vector<ParameterDimension>> scaledWith(const Description &description,
                                                          int parameter, int along)
{
    if (description.stages.empty())
        return std::nullopt;
    const Stage &first = description.stages.front();
    std::set<int> inputs = inputsOf(first, first.finish);
    const Stage *stage = linearStage(description, {parameter}, inputs);
    inputs.insert(parameter);
    if (!stage) { // a sum is linear in all its addends
        inputs.merge(inputsOf(first, first.body));
        stage = linearStage(description, inputsOf(first, first.body), inputs);
    }
    if (!stage)
        return std::nullopt;
    std::vector<ParameterDimension> scaled;
    for (const int input : inputs) {
        ParameterDimension dimension{input, ParameterDimension::whole};
        if (along != ParameterDimension::whole) {
            const auto found = dimensionAlong(*stage, input, along);
            if (!found)
                return std::nullopt;
            dimension.dimension = *found;
        }
        scaled.push_back(dimension);
    }
    return scaled;
}

std::optional<int> addedAlong(const Description &description, int addend, int along)
{
    if (description.isOpaque() || description.stages.size() != 1)
        return std::nullopt;
    const Stage &stage = description.stages.front();
    if (stage.finish.empty() || stage.finish->fn != Fn::Add ||
        inputsOf(stage, stage.body).contains(addend) ||
        inputsOf(stage, stage.finish.argument(0)).contains(addend))
        return std::nullopt;
    const Expr load = stage.finish.argument(1);
    if (load->fn != Fn::Load ||
        stage.reads[std::size_t(load->index)].operand != Operand{Operand::Kind::Input, addend})
        return std::nullopt;
    return dimensionAlong(stage, addend, along);
}

bool isLinearIn(const Description &description, int input)
{
    return linearStage(description, {input}, {}) != nullptr;
}

} // namespace graphloom
