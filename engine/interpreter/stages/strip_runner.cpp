// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/strip_runner.h"

#include "engine/interpreter/stages/strip_machine.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace graphloom {

using scalar::Bank;
using strip::stripLength;

namespace {

bool gathersPosition(Combine combine)
{
    return combine >= Combine::ArgMax;
}

/// Returns the axis along which strips are cheapest, or -1 if there is none.
int bestAxis(const LoweredStage &stage, const StageProgram &program)
{
    const bool reduces = stage.axes() > stage.spaceAxes;
    const double perStrip = 30.0 * double(program.body.size() + program.outer.size() + 2);
    const auto reductions = double(stage.points(stage.spaceAxes, stage.axes()));
    int best = -1;
    double least = 0;
    for (int axis = 0; axis < stage.axes(); ++axis) {
        const bool isReduction = stage.reduces(axis);
        if (isReduction && axis != stage.axes() - 1)
            continue; // strips along it would change the order of the reduction
        if (!isReduction && stage.ordered && (stage.readsOwnValue || axis != stage.spaceAxes - 1))
            continue; // elements would be written in another order
        const auto extent = double(stage.extents[std::size_t(axis)]);
        const double lanes = extent / std::max(1.0, std::ceil(extent / stripLength));
        double perPoint = isReduction ? 4 : 0; // gathered one after the other
        for (const LoweredMap &map : stage.reads)
            perPoint += StripAccess(stage, map, axis).cost();
        perPoint += perStrip / std::max(1.0, lanes);
        double cost = perPoint * std::max(1.0, reductions);
        if (!isReduction)
            cost += StripAccess(stage, stage.write, axis).cost();
        else if (reduces)
            cost += 50;
        if (best < 0 || cost <= least) {
            best = axis;
            least = cost;
        }
    }
    return best;
}

/// Runs the share of one thread in a stage.
class Worker {
public:
    Worker(const StripPlan &plan, const std::stop_token &stop, StageFailure &failure)
        : m_plan(plan), m_stage(plan.stage), m_combine(plan.stage.stage->combine),
          m_isUnsigned(plan.program.bodyType == DataType::Uint64), m_machine(plan, failure),
          m_stop(stop), m_failure(failure)
    {
        fuse();
    }

    /// Runs the strips from `first` up to `end`; numbers grow fastest along the plan's axis, unless
    /// that is a reduction axis.
    void run(std::int64_t first, std::int64_t end)
    {
        m_at = {};
        const bool alongSpace = m_plan.axis >= 0 && !m_stage.reduces(m_plan.axis);
        const std::int64_t extent = alongSpace ? m_stage.extents[std::size_t(m_plan.axis)] : 1;
        const std::int64_t strips = (extent + stripLength - 1) / stripLength;
        seek(first / strips);
        std::int64_t strip = first % strips;
        for (std::int64_t i = first; i < end && !ended(); ++i) {
            const auto count =
                int(std::min<std::int64_t>(stripLength, extent - strip * stripLength));
            if (alongSpace)
                m_at[std::size_t(m_plan.axis)] = strip * stripLength;
            runStrip(count);
            if (++strip == strips) {
                strip = 0;
                advance(m_stage, m_at, 0, m_stage.spaceAxes, m_plan.axis);
            }
        }
    }

private:
    bool ended() const { return m_stop.stop_requested() || m_failure.happened(); }

    /// Sets the space axes, except that of the strips, to point number `number`.
    void seek(std::int64_t number)
    {
        for (int a = m_stage.spaceAxes; a-- > 0;) {
            if (a == m_plan.axis)
                continue;
            m_at[std::size_t(a)] = number % m_stage.extents[std::size_t(a)];
            number /= m_stage.extents[std::size_t(a)];
        }
    }

    void runStrip(int count)
    {
        const StageProgram &program = m_plan.program;
        if (m_plan.axis >= 0 && m_stage.reduces(m_plan.axis)) {
            m_machine.run(program.outer, m_at, stripLength);
            reduceAlong();
        } else {
            m_machine.run(program.outer, m_at, count);
            if (m_combine != Combine::None)
                reducePoints(count);
        }
        m_machine.run(program.finish, m_at, count);
        m_machine.store(m_at, count);
    }

    /// Fuses the last product of the body with the sum if it is of reals and only summed up.
    void fuse()
    {
        const auto &body = m_plan.program.body;
        if (m_combine != Combine::Sum || m_plan.axis < 0 || m_stage.reduces(m_plan.axis) ||
            body.empty())
            return;
        const Instruction &last = body.back();
        m_fused = last.out == m_plan.program.bodyResult && last.op == Instruction::Op::OfReals &&
                  last.fn == Fn::Mul;
        if (!m_fused)
            return;
        m_code.assign(body.begin(), body.end() - 1);
        m_left = last.a;
        m_right = last.b;
        if (isUniform(m_right))
            std::swap(m_left, m_right);
        m_scaled = isUniform(m_left);
    }

    /// Tells whether all elements of a register that the body fills are the same.
    bool isUniform(int place) const
    {
        for (const Instruction &instruction : m_code)
            if (instruction.out == place)
                return instruction.op == Instruction::Op::Load &&
                       m_plan.reads[std::size_t(instruction.index)].uniform();
        return false;
    }

    Bank bodyBank() const
    {
        return m_plan.program.registers[std::size_t(m_plan.program.bodyResult)];
    }

    void reducePoints(int count)
    {
        const double initial = m_stage.stage->initial;
        const int acc = m_plan.program.accumulator;
        if (gathersPosition(m_combine))
            strip::fill(m_machine.integers(acc), 0, count);
        else if (bodyBank() == Bank::Real)
            strip::fill(m_machine.reals(acc), initial, count);
        else
            strip::fill(m_machine.integers(acc),
                        scalar::saturatedTo(m_plan.program.bodyType, initial), count);
        if (m_stage.points(m_stage.spaceAxes, m_stage.axes()) == 0)
            return;
        int untilCheck = checkInterval;
        do {
            if (m_fused) {
                m_machine.run(m_code, m_at, count);
                if (m_scaled)
                    strip::multiplyAdd(count, m_machine.reals(m_left)[0], m_machine.reals(m_right),
                                       m_machine.reals(acc));
                else
                    strip::multiplyAdd(count, m_machine.reals(m_left), m_machine.reals(m_right),
                                       m_machine.reals(acc));
            } else {
                m_machine.run(m_plan.program.body, m_at, count);
                combine(count);
            }
            if (--untilCheck == 0) {
                if (ended())
                    break;
                untilCheck = checkInterval;
            }
        } while (advance(m_stage, m_at, m_stage.spaceAxes, m_stage.axes()));
        for (int a = m_stage.spaceAxes; a < m_stage.axes(); ++a)
            m_at[std::size_t(a)] = 0;
    }

    void combine(int count)
    {
        const int acc = m_plan.program.accumulator, value = m_plan.program.bodyResult;
        if (gathersPosition(m_combine)) {
            if (bodyBank() == Bank::Real)
                gather(count, m_machine.reals(value), m_bestReals);
            else
                gather(count, m_machine.integers(value), m_bestIntegers);
        } else if (bodyBank() == Bank::Real) {
            strip::apply(functionOf(m_combine).value_or(Fn::Add), count, m_machine.reals(acc),
                         m_machine.reals(value), m_machine.reals(acc));
        } else {
            strip::apply(functionOf(m_combine).value_or(Fn::Add), m_isUnsigned, count,
                         m_machine.integers(acc), m_machine.integers(value),
                         m_machine.integers(acc));
        }
    }

    template <class T> void gather(int count, const T *value, T *best)
    {
        std::int64_t *position = m_machine.integers(m_plan.program.accumulator);
        const std::int64_t here = positionNow();
        for (int i = 0; i < count; ++i)
            if (here == 0 || scalar::takesOver(m_combine, m_isUnsigned, value[i], best[i])) {
                best[i] = value[i];
                position[i] = here;
            }
    }

    /// Returns the position along the only reduction axis, or 0 if it has no loop.
    std::int64_t positionNow() const
    {
        return m_stage.axes() > m_stage.spaceAxes ? m_at[std::size_t(m_stage.axes() - 1)] : 0;
    }

    /// Reduces to one point, in strips along the last reduction axis.
    void reduceAlong()
    {
        const int acc = m_plan.program.accumulator, axis = m_plan.axis;
        const std::int64_t extent = m_stage.extents[std::size_t(axis)];
        std::int64_t &position = m_at[std::size_t(axis)];
        double real = m_stage.stage->initial;
        std::int64_t integer =
            bodyBank() == Bank::Integer ? scalar::saturatedTo(m_plan.program.bodyType, real) : 0;
        std::int64_t chosen = 0;
        if (m_stage.points(m_stage.spaceAxes, m_stage.axes()) > 0) {
            do {
                for (position = 0; position < extent && !ended(); position += stripLength) {
                    const auto count = int(std::min<std::int64_t>(stripLength, extent - position));
                    m_machine.run(m_plan.program.body, m_at, count);
                    if (bodyBank() == Bank::Real)
                        fold(count, m_machine.reals(m_plan.program.bodyResult), real, chosen);
                    else
                        fold(count, m_machine.integers(m_plan.program.bodyResult), integer, chosen);
                }
                position = 0;
            } while (!ended() && advance(m_stage, m_at, m_stage.spaceAxes, m_stage.axes(), axis));
        }
        for (int a = m_stage.spaceAxes; a < m_stage.axes(); ++a)
            m_at[std::size_t(a)] = 0;
        if (gathersPosition(m_combine))
            m_machine.integers(acc)[0] = chosen;
        else if (bodyBank() == Bank::Real)
            m_machine.reals(acc)[0] = real;
        else
            m_machine.integers(acc)[0] = integer;
    }

    template <class T> void fold(int count, const T *value, T &gathered, std::int64_t &chosen)
    {
        if (gathersPosition(m_combine)) {
            const std::int64_t start = positionNow();
            for (int i = 0; i < count; ++i)
                if (start + i == 0 ||
                    scalar::takesOver(m_combine, m_isUnsigned, value[i], gathered)) {
                    gathered = value[i];
                    chosen = start + i;
                }
        } else {
            strip::fold(functionOf(m_combine).value_or(Fn::Add), m_isUnsigned, count, value,
                        gathered);
        }
    }

    static constexpr int checkInterval = 1024;

    const StripPlan &m_plan;
    const LoweredStage &m_stage;
    const Combine m_combine;
    const bool m_isUnsigned;
    StripMachine m_machine;
    const std::stop_token &m_stop;
    StageFailure &m_failure;
    Point m_at{};
    bool m_fused = false, m_scaled = false;
    std::vector<Instruction> m_code; // the body without the fused product
    int m_left = -1, m_right = -1;   // the product's factors
    double m_bestReals[stripLength];
    std::int64_t m_bestIntegers[stripLength];
};

} // namespace

bool advance(const LoweredStage &stage, Point &at, int first, int end, int skipped)
{
    for (int a = end; a-- > first;) {
        if (a == skipped)
            continue;
        if (++at[std::size_t(a)] < stage.extents[std::size_t(a)])
            return true;
        at[std::size_t(a)] = 0;
    }
    return false;
}

void runStrips(const LoweredStage &stage, const StageProgram &program, const std::stop_token &stop,
               StageFailure &failure)
{
    const std::int64_t points = stage.points(0, stage.spaceAxes);
    if (points == 0)
        return;
    const StripPlan plan(stage, program, bestAxis(stage, program));
    std::int64_t strips = points;
    if (plan.axis >= 0 && !stage.reduces(plan.axis)) {
        const std::int64_t extent = stage.extents[std::size_t(plan.axis)];
        strips = points / extent * ((extent + stripLength - 1) / stripLength);
    }
    // Threads only pay off for shares of a certain size.
    constexpr double worthwhile = 30'000;
    const double perStrip =
        double(points) / double(strips) *
        double(std::max<std::int64_t>(stage.points(stage.spaceAxes, stage.axes()), 1));
    const auto share = std::int64_t(std::max(1.0, worthwhile / perStrip));
    if (stage.ordered || strips <= share) {
        Worker(plan, stop, failure).run(0, strips);
        return;
    }
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, strips, share), [&](const auto &range) {
        Worker(plan, stop, failure).run(range.begin(), range.end());
    });
}

} // namespace graphloom
