// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/contraction.h"

#include "engine/interpreter/stages/strip_machine.h"
#include "engine/interpreter/stages/strip_runner.h"

#include <algorithm>
#include <optional>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace graphloom {

namespace {

constexpr std::int64_t rowsPerBlock = 64, columnsPerBlock = 128, depthPerBlock = 256;
constexpr std::int64_t kernelWidth = 16; // multiplyPanels() needs multiples of it

/// Combines some of the loops of a stage into one index; the last loop is the fastest.
struct Loops {
    std::vector<int> axes;
    std::int64_t count = 1;

    void add(const LoweredStage &stage, int axis)
    {
        axes.push_back(axis);
        count *= stage.extents[std::size_t(axis)];
    }
    void seek(const LoweredStage &stage, Point &at, std::int64_t number) const
    {
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
            const std::int64_t extent = stage.extents[std::size_t(*axis)];
            at[std::size_t(*axis)] = number % extent;
            number /= extent;
        }
    }
    int last() const { return axes.empty() ? -1 : axes.back(); }
};

/// Splits the indices from `first` up to `end` into runs along the last loop, and calls
/// visit(start, count) for each; `at` then points at its start.
template <class Visit>
void forEachRun(const LoweredStage &stage, const Loops &loops, std::int64_t first, std::int64_t end,
                Point &at, Visit visit)
{
    const std::int64_t extent = loops.axes.empty() ? 1 : stage.extents[std::size_t(loops.last())];
    for (std::int64_t start = first; start < end;) {
        loops.seek(stage, at, start);
        const std::int64_t rest = extent - start % extent;
        const std::int64_t count = std::min({rest, end - start, std::int64_t(strip::stripLength)});
        visit(start, int(count));
        start += count;
    }
}

struct Shape2 {
    Loops batch, rows, columns, depth;
    int left = -1, right = -1; // reads: rows x depth, depth x columns
};

/// Returns the form of the stage if it is a contraction that benefits from panels.
std::optional<Shape2> formOf(const LoweredStage &stage, const StageProgram &program)
{
    using Op = Instruction::Op;
    if (stage.stage->combine != Combine::Sum || stage.ordered || program.body.size() != 3)
        return std::nullopt;
    const Instruction &first = program.body[0], &second = program.body[1],
                      &product = program.body[2];
    if (first.op != Op::Load || second.op != Op::Load || product.op != Op::OfReals ||
        product.fn != Fn::Mul || product.out != program.bodyResult ||
        std::min(product.a, product.b) != std::min(first.out, second.out) ||
        std::max(product.a, product.b) != std::max(first.out, second.out) ||
        program.registers[std::size_t(first.out)] != scalar::Bank::Real ||
        program.registers[std::size_t(second.out)] != scalar::Bank::Real)
        return std::nullopt;
    Shape2 form;
    form.left = first.index;
    form.right = second.index;
    const auto &left = stage.reads[std::size_t(form.left)].depends;
    const auto &right = stage.reads[std::size_t(form.right)].depends;
    for (int axis = 0; axis < stage.axes(); ++axis) {
        const bool inLeft = left[std::size_t(axis)], inRight = right[std::size_t(axis)];
        Loops &loops = stage.reduces(axis)  ? form.depth
                       : inLeft && !inRight ? form.rows
                       : inRight && !inLeft ? form.columns
                                            : form.batch;
        loops.add(stage, axis);
    }
    // The contiguous operand provides the columns, or the longer one if the other is short.
    const auto contiguous = [&](const Loops &loops) {
        return std::ranges::any_of(loops.axes, [&](int axis) {
            return std::abs(stage.write.steps[std::size_t(axis)]) == 1;
        });
    };
    if (form.columns.count < kernelWidth
            ? form.rows.count > form.columns.count
            : contiguous(form.rows) && form.rows.count >= kernelWidth) {
        std::swap(form.rows, form.columns);
        std::swap(form.left, form.right);
    }
    constexpr std::int64_t worthwhile = 4;
    if (form.rows.count < worthwhile || form.columns.count < worthwhile)
        return std::nullopt;
    return form;
}

/// Holds the buffers of one thread, and computes blocks with them.
class BlockWorker {
public:
    BlockWorker(const Shape2 &form, const StripPlan &columnPlan, const StripAccess &leftAccess,
                const std::stop_token &stop, StageFailure &failure)
        : m_form(form), m_plan(columnPlan), m_stage(columnPlan.stage), m_leftAccess(leftAccess),
          m_stop(stop), m_failure(failure), m_machine(columnPlan, failure),
          m_left(std::size_t(rowsPerBlock * depthPerBlock)),
          m_right(std::size_t(depthPerBlock * columnsPerBlock)),
          m_sums(std::size_t(rowsPerBlock * columnsPerBlock))
    {
    }

    void run(std::int64_t batch, std::int64_t row, std::int64_t column)
    {
        m_form.batch.seek(m_stage, m_at, batch);
        m_row = row;
        m_column = column;
        m_rows = std::min(rowsPerBlock, m_form.rows.count - row);
        m_columns = std::min(columnsPerBlock, m_form.columns.count - column);
        m_width = (m_columns + kernelWidth - 1) / kernelWidth * kernelWidth;
        std::ranges::fill(m_sums, m_stage.stage->initial);
        for (std::int64_t k = 0;
             k < m_form.depth.count && !m_stop.stop_requested() && !m_failure.happened();
             k += depthPerBlock) {
            const std::int64_t depth = std::min(depthPerBlock, m_form.depth.count - k);
            packRight(k, depth);
            packLeft(k, depth);
            strip::multiplyPanels(m_left.data(), m_right.data(), m_sums.data(), int(m_rows),
                                  int(depth), int(m_width));
        }
        m_form.depth.seek(m_stage, m_at, 0);
        finish();
    }

private:
    void packRight(std::int64_t k, std::int64_t depth)
    {
        m_form.rows.seek(m_stage, m_at, 0);
        const StripAccess &access = m_plan.reads[std::size_t(m_form.right)];
        for (std::int64_t d = 0; d < depth; ++d) {
            m_form.depth.seek(m_stage, m_at, k + d);
            double *row = m_right.data() + d * m_width;
            forEachRun(m_stage, m_form.columns, m_column, m_column + m_columns, m_at,
                       [&](std::int64_t start, int count) {
                           access.load(m_at, count, row + (start - m_column), m_failure);
                       });
            strip::fill(row + m_columns, 0.0, int(m_width - m_columns));
        }
    }

    void packLeft(std::int64_t k, std::int64_t depth)
    {
        m_form.columns.seek(m_stage, m_at, 0);
        for (std::int64_t r = 0; r < m_rows; ++r) {
            m_form.rows.seek(m_stage, m_at, m_row + r);
            double *row = m_left.data() + r * depth;
            forEachRun(m_stage, m_form.depth, k, k + depth, m_at,
                       [&](std::int64_t start, int count) {
                           m_leftAccess.load(m_at, count, row + (start - k), m_failure);
                       });
        }
    }

    void finish()
    {
        double *accumulator = m_machine.reals(m_plan.program.accumulator);
        for (std::int64_t r = 0; r < m_rows; ++r) {
            m_form.rows.seek(m_stage, m_at, m_row + r);
            const double *sums = m_sums.data() + r * m_width;
            forEachRun(m_stage, m_form.columns, m_column, m_column + m_columns, m_at,
                       [&](std::int64_t start, int count) {
                           std::copy_n(sums + (start - m_column), count, accumulator);
                           m_machine.run(m_plan.program.outer, m_at, count);
                           m_machine.run(m_plan.program.finish, m_at, count);
                           m_machine.store(m_at, count);
                       });
        }
    }

    const Shape2 &m_form;
    const StripPlan &m_plan; // strips along the last of the columns
    const LoweredStage &m_stage;
    const StripAccess &m_leftAccess; // of the left read, along the last of the depths
    const std::stop_token &m_stop;
    StageFailure &m_failure;
    StripMachine m_machine;
    std::vector<double> m_left, m_right, m_sums;
    Point m_at{};
    std::int64_t m_row = 0, m_column = 0, m_rows = 0, m_columns = 0, m_width = 0;
};

} // namespace

bool runContraction(const LoweredStage &stage, const StageProgram &program,
                    const std::stop_token &stop, StageFailure &failure)
{
    if (stage.points(0, stage.axes()) == 0)
        return false;
    const auto form = formOf(stage, program);
    if (!form)
        return false;
    const StripPlan plan(stage, program, form->columns.last());
    const StripAccess leftAccess(stage, stage.reads[std::size_t(form->left)], form->depth.last());
    const std::int64_t rowBlocks = (form->rows.count + rowsPerBlock - 1) / rowsPerBlock;
    const std::int64_t columnBlocks = (form->columns.count + columnsPerBlock - 1) / columnsPerBlock;
    const std::int64_t blocks = form->batch.count * rowBlocks * columnBlocks;
    // Small blocks (heads of attention) are handed to threads several at a time.
    const std::int64_t perBlock = std::min(rowsPerBlock, form->rows.count) *
                                  std::min(columnsPerBlock, form->columns.count) *
                                  form->depth.count;
    const std::int64_t share = std::max<std::int64_t>(1, 500'000 / perBlock);
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, blocks, std::size_t(share)),
                      [&](const auto &range) {
                          BlockWorker worker(*form, plan, leftAccess, stop, failure);
                          for (std::int64_t i = range.begin(); i < range.end(); ++i) {
                              if (stop.stop_requested() || failure.happened())
                                  return;
                              worker.run(i / (rowBlocks * columnBlocks),
                                         i / columnBlocks % rowBlocks * rowsPerBlock,
                                         i % columnBlocks * columnsPerBlock);
                          }
                      });
    return true;
}

} // namespace graphloom
