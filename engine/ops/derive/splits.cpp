// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/splits.h"

#include "engine/base/integer_division.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace graphloom {

namespace {

/// The positions of a dimension's index while one axis runs from a to b and the others through
/// their whole extents.
struct AxisReach {
    int axis;
    SplitTensor tensor;
};

/// Returns the outermost axis of an index, if the index is affine or the quotient of an affine one
/// in which the axis moves by a multiple of the divisor (transposed convolutions). A sliding window
/// surrounds its space axis, whatever its dilation is.
std::optional<AxisReach> outermostAxis(const Index &index, const Stage &stage, int dim)
{
    const std::int64_t divisor = index.divide.value();
    if (!(index.modulo == Dim(0)) || index.table || index.lookup >= 0 || divisor < 1)
        return std::nullopt;
    const std::vector<int> factors = factorsOf(index, stage.axes);
    const auto space = std::ranges::find_if(
        factors, [&](int axis) { return stage.axes[std::size_t(axis)].kind == Axis::Kind::Space; });
    if (factors.empty())
        return std::nullopt;
    const int axis = space != factors.end() ? *space : factors.front();
    std::int64_t step = 0, below = index.offset.value(), above = index.offset.value();
    for (const auto &term : index.terms) {
        const std::int64_t coefficient = term.coefficient.value();
        if (term.axis == axis) {
            step += coefficient;
            continue;
        }
        const std::int64_t span =
            coefficient * (stage.axes[std::size_t(term.axis)].extent.value() - 1);
        (span < 0 ? below : above) += span;
    }
    if (step < 1 || step % divisor != 0)
        return std::nullopt;
    step /= divisor;
    below = floorDiv(below, divisor);
    above = floorDiv(above, divisor);
    AxisReach reach{axis, {dim, step, -below, above + 1 - step}};
    // It is harmless to read elements that a stride skips.
    if (reach.tensor.before == 0 && reach.tensor.after < 0)
        reach.tensor.after = 0;
    return reach;
}

bool hasStaticExtents(const Stage &stage)
{
    const auto constant = [](const Index &index) {
        return index.offset.isConstant() && index.divide.isConstant() &&
               index.modulo.isConstant() && std::ranges::all_of(index.terms, [](const auto &term) {
                   return term.coefficient.isConstant();
               });
    };
    return std::ranges::all_of(stage.axes,
                               [](const Axis &axis) { return axis.extent.isConstant(); }) &&
           std::ranges::all_of(stage.write, constant) &&
           std::ranges::all_of(stage.reads, [&](const Read &read) {
               return std::ranges::all_of(read.map, constant);
           });
}

void collectPositions(const Expr::Node &node, std::vector<bool> &used)
{
    if (node.fn == Fn::Axis)
        used[std::size_t(node.index)] = true;
    for (const auto &argument : node.arguments)
        if (argument)
            collectPositions(*argument, used);
}

bool contains(const Expr::Node &node, Fn fn)
{
    return node.fn == fn || std::ranges::any_of(node.arguments, [&](const auto &argument) {
               return argument && contains(*argument, fn);
           });
}

/// Is the expression additive in the accumulator, so that parts of a sum can be added? Only with
/// loaded factors: a literal one may be the reciprocal of the extent.
bool isLinear(const Expr &expr)
{
    if (expr.empty() || expr->fn == Fn::Accumulator)
        return true;
    std::set<int> loads;
    switch (expr->fn) {
    case Fn::Cast:
    case Fn::Negate:
        return isLinear(expr.argument(0));
    case Fn::Mul:
    case Fn::Div:
        collectLoads(*expr.argument(1), loads);
        return !loads.empty() && !contains(*expr.argument(1), Fn::Accumulator) &&
               isLinear(expr.argument(0));
    default:
        return false;
    }
}

/// A union-find over the axes of all stages and the dimensions of all inputs and values, joined
/// where cutting one cuts the other.
class Cuts {
public:
    explicit Cuts(const Description &description) : m_description(description)
    {
        for (const Stage &stage : description.stages) {
            m_firstAxis.push_back(int(m_parents.size()));
            for (std::size_t a = 0; a < stage.axes.size(); ++a)
                newElement();
        }
        for (const Stage &stage : description.stages) {
            for (const int r : loadedReads(stage)) {
                const Read &read = stage.reads[std::size_t(r)];
                if (read.operand.kind == Operand::Kind::Input)
                    m_inputs = std::max(m_inputs, read.operand.index + 1);
            }
        }
        for (std::size_t s = 0; s < description.stages.size(); ++s)
            joinStage(int(s));
    }

    std::vector<Split> splits()
    {
        std::vector<Split> result;
        std::vector<int> roots;
        for (std::size_t s = 0; s < m_description.stages.size(); ++s)
            for (std::size_t a = 0; a < m_description.stages[s].axes.size(); ++a) {
                const int root = find(m_firstAxis[s] + int(a));
                if (runsOnce(m_description.stages[s].axes[a]) ||
                    std::ranges::find(roots, root) != roots.end())
                    continue;
                roots.push_back(root);
                if (auto split = splitOf(root))
                    result.push_back(std::move(*split));
            }
        return result;
    }

private:
    int newElement()
    {
        m_parents.push_back(int(m_parents.size()));
        return m_parents.back();
    }
    int find(int element)
    {
        while (m_parents[std::size_t(element)] != element)
            element = m_parents[std::size_t(element)] =
                m_parents[std::size_t(m_parents[std::size_t(element)])];
        return element;
    }
    void join(int a, int b) { m_parents[std::size_t(find(b))] = find(a); }

    /// Returns the element of a dimension of an input (of a value for negative numbers).
    int elementOf(const Operand &operand, int dim)
    {
        const int tensor =
            operand.kind == Operand::Kind::Input ? operand.index : -1 - operand.index;
        const auto [at, added] = m_dims.try_emplace({tensor, dim}, 0);
        if (added)
            at->second = newElement();
        return at->second;
    }
    void joinDims(int stageIndex, const Operand &operand, const IndexMap &map)
    {
        const Stage &stage = m_description.stages[std::size_t(stageIndex)];
        for (int d = 0; d < int(map.size()); ++d)
            if (const auto reach = outermostAxis(map[std::size_t(d)], stage, d))
                join(elementOf(operand, d), m_firstAxis[std::size_t(stageIndex)] + reach->axis);
    }
    void joinStage(int s)
    {
        const Stage &stage = m_description.stages[std::size_t(s)];
        for (const int r : loadedReads(stage))
            joinDims(s, stage.reads[std::size_t(r)].operand, stage.reads[std::size_t(r)].map);
        joinDims(s, {Operand::Kind::Value, stage.value}, stage.write);
    }

    bool cuts(int stage, int axis, int root)
    {
        return find(m_firstAxis[std::size_t(stage)] + axis) == root &&
               !runsOnce(m_description.stages[std::size_t(stage)].axes[std::size_t(axis)]);
    }

    /// Returns how a map cuts its tensor: not at all (dim -1), in one dimension, or nothing if no
    /// part of the tensor corresponds to the cut.
    std::optional<SplitTensor> cutOf(int s, const IndexMap &map, int root)
    {
        const Stage &stage = m_description.stages[std::size_t(s)];
        SplitTensor cut;
        for (int d = 0; d < int(map.size()); ++d) {
            const Index &index = map[std::size_t(d)];
            const bool touched = std::ranges::any_of(
                index.terms, [&](const auto &term) { return cuts(s, term.axis, root); });
            if (!touched)
                continue;
            const auto reach = outermostAxis(index, stage, d);
            if (!reach || !cuts(s, reach->axis, root) || cut.isCut())
                return std::nullopt;
            const auto count = std::ranges::count_if(
                index.terms, [&](const auto &term) { return cuts(s, term.axis, root); });
            if (count != 1)
                return std::nullopt; // two axes of one sum cannot be cut at the same time
            cut = reach->tensor;
        }
        return cut;
    }

    /// Merges the cut of another read of a tensor; both must agree except for their halos.
    static bool unite(SplitTensor &cut, const SplitTensor &other)
    {
        if (cut.dim != other.dim || cut.step != other.step)
            return false;
        cut.before = std::max(cut.before, other.before);
        cut.after = std::max(cut.after, other.after);
        return true;
    }

    std::optional<Split> splitOf(int root)
    {
        Split split;
        split.inputs.resize(std::size_t(m_inputs));
        split.outputs.resize(std::size_t(m_description.outputs));
        split.axes.resize(m_description.stages.size());
        std::vector<std::optional<SplitTensor>> values(m_description.values.size());
        std::vector<bool> read(std::size_t(m_inputs), false);
        std::int64_t extent = 0;
        for (int s = 0; s < int(m_description.stages.size()); ++s) {
            const Stage &stage = m_description.stages[std::size_t(s)];
            std::vector<bool> positions(stage.axes.size(), false);
            for (const Expr *expr : {&stage.body, &stage.finish})
                if (!expr->empty())
                    collectPositions(**expr, positions);
            bool reduces = false;
            for (int a = 0; a < int(stage.axes.size()); ++a) {
                if (!cuts(s, a, root))
                    continue;
                const Axis &axis = stage.axes[std::size_t(a)];
                if (positions[std::size_t(a)] || (extent != 0 && extent != axis.extent.value()))
                    return std::nullopt;
                extent = axis.extent.value();
                reduces |= axis.kind == Axis::Kind::Reduce || sharesElements(stage, a);
                split.axes[std::size_t(s)].push_back(a);
            }
            if (split.axes[std::size_t(s)].size() > 1)
                return std::nullopt;
            if (!takeReads(s, root, split, values, read) ||
                !takeWrite(s, root, reduces, split, values))
                return std::nullopt;
        }
        split.extent = extent;
        if (extent < 2)
            return std::nullopt;
        for (std::size_t o = 0; o < split.outputs.size(); ++o)
            if (!values[o])
                return std::nullopt;
        return split;
    }

    bool takeReads(int s, int root, Split &split,
                   const std::vector<std::optional<SplitTensor>> &values, std::vector<bool> &read)
    {
        const Stage &stage = m_description.stages[std::size_t(s)];
        for (const int r : loadedReads(stage)) {
            const Read &source = stage.reads[std::size_t(r)];
            const auto cut = cutOf(s, source.map, root);
            if (!cut)
                return false;
            // A read that mirrors or repeats a tensor reaches elements far from its index.
            if (cut->hasHalo() &&
                (source.outside == Read::Outside::Reflect || source.outside == Read::Outside::Wrap))
                return false;
            if (source.operand.kind == Operand::Kind::Value) {
                // Intermediate values have no halo: every part has its own.
                const auto &value = values[std::size_t(source.operand.index)];
                if (!value || value->dim != cut->dim || value->step != cut->step || cut->hasHalo())
                    return false;
                continue;
            }
            const auto input = std::size_t(source.operand.index);
            if (read[input] ? !unite(split.inputs[input], *cut) : false)
                return false;
            if (!read[input])
                split.inputs[input] = *cut;
            read[input] = true;
        }
        return true;
    }

    bool takeWrite(int s, int root, bool reduces, Split &split,
                   std::vector<std::optional<SplitTensor>> &values)
    {
        const Stage &stage = m_description.stages[std::size_t(s)];
        const auto cut = cutOf(s, stage.write, root);
        if (!cut || cut->hasHalo())
            return false;
        const bool output = stage.value < m_description.outputs;
        const auto accumulation = accumulationOf(stage);
        auto &value = values[std::size_t(stage.value)];
        if (value && !(*value == *cut))
            return false;
        value = *cut;
        if (!cut->isCut() && !reduces && beginsSum(s))
            return true; // parts of a sum all begin with 0
        if (cut->isCut() == reduces)
            // Cut and summed: a sum over a part. Neither: every part would recompute the value.
            return !cut->isCut() && !output && split.axes[std::size_t(s)].empty();
        if (!output)
            return !reduces;
        split.outputs[std::size_t(stage.value)] = *cut;
        if (reduces) {
            const Combine combine = accumulation ? accumulation->combine : stage.combine;
            const bool combines = combine == Combine::Sum || combine == Combine::Product ||
                                  combine == Combine::Max || combine == Combine::Min;
            const bool linear =
                combine == Combine::Sum ? isLinear(stage.finish) : stage.finish.empty();
            const bool isWhole = !accumulation || beginsSum(firstStageOf(stage.value));
            if (!combines || !linear || !isWhole ||
                (split.combine != Combine::None && split.combine != combine))
                return false;
            split.combine = combine;
        }
        return true;
    }

    int firstStageOf(int value) const
    {
        const auto &stages = m_description.stages;
        return int(std::ranges::find(stages, value, &Stage::value) - stages.begin());
    }

    /// Does the stage fill a value with 0 to which all others add at data-dependent positions?
    bool beginsSum(int s) const
    {
        const auto &stages = m_description.stages;
        const Stage &first = stages[std::size_t(s)];
        if (firstStageOf(first.value) != s || first.combine != Combine::None ||
            !isLiteral(first.body, 0))
            return false;
        return std::all_of(stages.begin() + s + 1, stages.end(), [&](const Stage &stage) {
            if (stage.value != first.value)
                return true;
            const auto accumulation = accumulationOf(stage);
            return accumulation && accumulation->combine == Combine::Sum;
        });
    }

    const Description &m_description;
    std::vector<int> m_parents, m_firstAxis;
    std::map<std::pair<int, int>, int> m_dims;
    int m_inputs = 0;
};

} // namespace

bool Split::hasHalo() const
{
    return std::ranges::any_of(inputs, &SplitTensor::hasHalo);
}

std::vector<Split> splitsOf(const Description &description)
{
    if (description.isOpaque() || !std::ranges::all_of(description.stages, hasStaticExtents))
        return {};
    return Cuts(description).splits();
}

} // namespace graphloom
