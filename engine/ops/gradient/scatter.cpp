// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/gradient/scatter.h"

#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/index_edit.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/scatter_axes.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Builds the stage of one solution.
class GatherStage {
public:
    GatherStage(const Scatter &scatter, const Shape &shape, const OperandFacts &facts,
                const Solution &solution)
        : m_scatter(scatter), m_shape(shape), m_facts(facts), m_solution(solution)
    {
    }

    /// Returns nothing if a read's index cannot be written with the new axes; `blocked` is then an
    /// axis of the scatter in that index.
    std::optional<Stage> make(int &blocked)
    {
        m_stage.axes = m_solution.axes;
        m_stage.write = m_solution.write;
        if (m_solution.isEmpty) {
            m_stage.body = Expr::real(0, m_scatter.factor.type());
            std::erase_if(m_stage.axes,
                          [](const Axis &axis) { return axis.kind == Axis::Kind::Reduce; });
            return std::move(m_stage);
        }
        if (!addReads(blocked))
            return std::nullopt;
        Expr factor = withoutTests(composed(m_scatter.factor, m_solution.images));
        guard(factor);
        Expr condition = conditions();
        reduce(std::move(factor), condition);
        return std::move(m_stage);
    }

private:
    bool addReads(int &blocked)
    {
        for (const Read &read : m_scatter.reads) {
            Read moved = read;
            // A read at the target of the sum is a read of the element itself.
            m_isTarget.push_back(read.outside == m_scatter.outside &&
                                 sameMap(read.map, m_scatter.target) &&
                                 m_facts.shape(read.operand) == m_shape);
            if (m_isTarget.back()) {
                moved.map = m_solution.write;
                moved.outside = Read::Outside::Never;
            }
            for (std::size_t d = 0; d < read.map.size() && !m_isTarget.back(); ++d) {
                const Index index = tidied(read.map[d], m_scatter.axes);
                const auto image = composed(index, m_solution.images);
                if (!image) {
                    for (const Index::Term &term : index.terms)
                        if (!m_solution.images[std::size_t(term.axis)].isAffine())
                            blocked = term.axis;
                    return false;
                }
                moved.map[d] = *image;
            }
            m_stage.reads.push_back(std::move(moved));
        }
        return true;
    }

    /// Removes tests for the target, because the elements of the sum lie inside.
    Expr withoutTests(const Expr &factor) const
    {
        return withParts(factor, [&](const Expr &part) -> Expr {
            if (part->fn != Fn::Select)
                return {};
            const Expr test = part.argument(0);
            if (test->fn == Fn::Inside && m_isTarget[std::size_t(test->index)])
                return withoutTests(part.argument(1));
            return {};
        });
    }

    /// Guards axes whose images leave their extents: outside, a product is 0 if one of its factors
    /// reads 0; other expressions need a test.
    void guard(const Expr &factor)
    {
        const bool isProduct = consistsOfLoads(factor);
        for (const int axis : m_solution.guarded) {
            const bool vanishes = isProduct && std::ranges::any_of(readsOf(factor), [&](int read) {
                                      return endsWith(read, axis);
                                  });
            const Axis &loop = m_scatter.axes[std::size_t(axis)];
            if (!vanishes) {
                const Expr at = exprOf(m_solution.images[std::size_t(axis)]);
                const Expr last = exprOf(Index::constant(loop.extent - Dim(1)));
                m_inside = bothOf(m_inside, Expr::binary(Fn::LessOrEqual, Expr::integer(0), at));
                m_inside = bothOf(m_inside, Expr::binary(Fn::LessOrEqual, at, last));
            }
            for (std::size_t r = 0; r < m_scatter.reads.size(); ++r) {
                Read &read = m_stage.reads[r];
                if (m_isTarget[r] || read.outside != Read::Outside::Never ||
                    !usesAxis(m_scatter.reads[r], axis))
                    continue;
                read.outside =
                    vanishes && !isLookedUp(int(r)) ? Read::Outside::Value : Read::Outside::Clamp;
                read.outsideValue = 0;
            }
        }
    }

    static bool consistsOfLoads(const Expr &factor)
    {
        if (factor->fn == Fn::Mul)
            return consistsOfLoads(factor.argument(0)) && consistsOfLoads(factor.argument(1));
        if (factor->fn == Fn::Cast)
            return consistsOfLoads(factor.argument(0));
        return factor->fn == Fn::Load || factor->fn == Fn::Real;
    }

    bool usesAxis(const Read &read, int axis) const
    {
        return std::ranges::any_of(read.map, [&](const Index &index) {
            return std::ranges::find(index.terms, axis, &Index::Term::axis) != index.terms.end();
        });
    }

    bool isLookedUp(int read) const
    {
        const auto looksUp = [read](const Index &index) { return index.lookup == read; };
        return std::ranges::any_of(m_scatter.target, looksUp) ||
               std::ranges::any_of(m_scatter.reads, [&](const Read &other) {
                   return std::ranges::any_of(other.map, looksUp);
               });
    }

    /// Does a dimension of the tensor end with the axis, and read as 0 outside?
    bool endsWith(int number, int axis) const
    {
        const Read &read = m_scatter.reads[std::size_t(number)];
        if (read.outside != Read::Outside::Never &&
            !(read.outside == Read::Outside::Value && read.outsideValue == 0))
            return false;
        const Shape shape = m_facts.shape(read.operand);
        for (std::size_t d = 0; d < read.map.size(); ++d) {
            const Index index = tidied(read.map[d], m_scatter.axes);
            if (index.isAffine() && index.terms.size() == 1 && index.terms[0].axis == axis &&
                index.terms[0].coefficient == Dim(1) && index.offset == Dim(0) &&
                shape[d] == m_scatter.axes[std::size_t(axis)].extent)
                return true;
        }
        return false;
    }

    Expr conditions() const
    {
        Expr all = m_inside;
        for (const Expr &condition : m_solution.conditions)
            all = bothOf(all, condition);
        for (const auto &[position, dimension] : m_solution.matches) {
            const Index &index = m_scatter.target[std::size_t(dimension)];
            const Dim &extent = m_shape[std::size_t(dimension)];
            Expr lookup;
            if (index.lookup >= 0) {
                const Read &read = m_scatter.reads[std::size_t(index.lookup)];
                const Expr value = inInt64(Expr::load(index.lookup, m_facts.type(read.operand)));
                lookup = Expr::select(Expr::binary(Fn::Less, value, Expr::integer(0)),
                                      value + exprOf(Index::constant(extent)), value);
            }
            const Expr at = placed(composed(exprOf(index, lookup), m_solution.images),
                                   m_scatter.outside, extent);
            all = bothOf(all, Expr::binary(Fn::Equal, exprOf(position), at));
        }
        return all;
    }

    static Expr inInt64(const Expr &value)
    {
        return value.type() == DataType::Int64 ? value : Expr::cast(value, DataType::Int64);
    }

    /// Moves factors that all points of a sum share out of the sum.
    void reduce(Expr factor, Expr condition)
    {
        const auto choose = [&](const Expr &value) {
            return condition.empty() ? value : Expr::select(condition, value, 0.0);
        };
        const bool sums = std::ranges::any_of(
            m_stage.axes, [](const Axis &axis) { return axis.kind == Axis::Kind::Reduce; });
        if (!sums) {
            m_stage.body = choose(factor);
            return;
        }
        m_stage.combine = Combine::Sum;
        while (factor->fn == Fn::Select && isLiteral(factor.argument(2), 0)) {
            condition = bothOf(condition, factor.argument(0));
            factor = factor.argument(1);
        }
        Expr inner, outer = Expr::accumulator(factor.type());
        share(factor, true, inner, outer);
        if (inner.empty())
            inner = Expr::real(1, factor.type());
        m_stage.body = choose(inner);
        if (outer->fn != Fn::Accumulator)
            m_stage.finish = outer;
    }

    void share(const Expr &factor, bool numerator, Expr &inner, Expr &outer) const
    {
        if (factor->fn == Fn::Mul || (factor->fn == Fn::Div && numerator)) {
            share(factor.argument(0), numerator, inner, outer);
            share(factor.argument(1), numerator == (factor->fn == Fn::Mul), inner, outer);
            return;
        }
        if (!variesInSum(factor))
            outer = numerator ? productOf(outer, factor) : quotientOf(outer, factor);
        else if (numerator)
            inner = inner.empty() ? factor : inner * factor;
        else
            inner = (inner.empty() ? Expr::real(1, factor.type()) : inner) / factor;
    }

    bool variesInSum(const Expr &factor) const
    {
        const auto isReduction = [&](int axis) {
            return m_stage.axes[std::size_t(axis)].kind == Axis::Kind::Reduce;
        };
        bool varies = false;
        forEachPart(factor, [&](const Expr::Node &node) {
            if (node.fn == Fn::Axis)
                varies = varies || isReduction(node.index);
            if (node.fn == Fn::Load || node.fn == Fn::Inside)
                varies = varies || std::ranges::any_of(
                                       axesOf(m_stage, m_stage.reads[std::size_t(node.index)].map),
                                       isReduction);
        });
        return varies;
    }

    const Scatter &m_scatter;
    const Shape &m_shape;
    const OperandFacts &m_facts;
    const Solution &m_solution;
    Stage m_stage;
    std::vector<bool> m_isTarget;
    Expr m_inside;
};

} // namespace

std::vector<Stage> gathered(const Scatter &scatter, const Shape &shape, const OperandFacts &facts)
{
    std::vector<bool> matched(shape.size(), false);
    for (;;) { // terminates: each round matches one more dimension, and matching all works
        const ScatterAxes axes(scatter, shape, matched);
        std::vector<Stage> stages;
        int blocked = -1;
        for (const Solution &solution : axes.solutions()) {
            auto stage = GatherStage(scatter, shape, facts, solution).make(blocked);
            if (!stage)
                break;
            stages.push_back(std::move(*stage));
        }
        if (blocked < 0)
            return stages;
        matched[std::size_t(axes.solvedBy(blocked))] = true;
    }
}

} // namespace graphloom
