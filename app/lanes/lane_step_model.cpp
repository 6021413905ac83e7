// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_step_model.h"

#include <algorithm>

namespace graphloom {

LaneStepModel::LaneStepModel(QObject *parent) : RowsModel(parent)
{
    const auto ms = [](double seconds) { return 1e3 * seconds; };
    const auto ran = [=](double Lanes::Step::*time) {
        return [=](const Lanes::Step &step) {
            return step.slice == Lanes::noSlice ? std::nullopt : std::optional(ms(step.*time));
        };
    };
    const auto compared = [=](std::optional<double> Lanes::Step::*time) {
        return [=](const Lanes::Step &step) {
            return step.*time ? std::optional(ms(*(step.*time))) : std::nullopt;
        };
    };
    const auto rate = [](double Lanes::Step::*amount) {
        return [=](const Lanes::Step &step) {
            const double giga = step.rateOf(step.*amount) / 1e9;
            return giga > 0 ? std::optional(giga) : std::nullopt;
        };
    };
    const auto share = [this](const Lanes::Step &step) {
        const double whole = m_lanes->runs.back().seconds;
        return whole > 0 ? step.seconds / whole : 0;
    };
    const auto ratio = [](const Lanes::Step &step) {
        return step.before && step.now && *step.now > 0 ? std::optional(*step.before / *step.now)
                                                        : std::nullopt;
    };
    const auto times = [](double number) {
        return QString::number(number, 'f', 2) + QStringLiteral(" ×");
    };
    const auto idle = [this](const Lanes::Step &step) {
        return m_lanes->runs.back().idleShareOf(step);
    };
    setColumns(
        {{tr("Kernel"), QStringLiteral("kernel"),
          of(&Lanes::Step::name).withToolTip([this](int row) { return at(row).computed; }),
          tr("Block, and the operators that it computes"), "fusion-block"},
         {tr("Start ms"), QStringLiteral("start_ms"), of(ran(&Lanes::Step::start)),
          tr("When the first thread begins, in milliseconds since the beginning of the run")},
         {tr("ms"), QStringLiteral("time_ms"), of(ran(&Lanes::Step::seconds)),
          tr("Time from the beginning of the first thread to the end of the last one in the traced "
             "run")},
         {tr("Share"), QStringLiteral("share"), of(share, formatPercent),
          tr("Share of the time of the traced run")},
         {tr("Median ms"), QStringLiteral("median_ms"),
          of([=](const Lanes::Step &step) { return ms(step.usual); }),
          tr("Median time in the timed runs, in milliseconds")},
         {tr("Before ms"), QStringLiteral("block_before_ms"), of(compared(&Lanes::Step::before)),
          tr("Median time that the work of the whole block took in the run that the plan was "
             "compared with; shown in the row of the block's first kernel. Empty if other blocks "
             "share that work")},
         {tr("After ms"), QStringLiteral("block_after_ms"), of(compared(&Lanes::Step::now)),
          tr("Median time of all kernels of the block")},
         {tr("Ratio"), QStringLiteral("block_speedup"), of(ratio, times),
          tr("Before divided by After: above 1 is faster")},
         {tr("GFLOP/s"), QStringLiteral("gflops"), of(rate(&Lanes::Step::flops)),
          tr("Scalar operations per second in the traced run")},
         {tr("GB/s"), QStringLiteral("gb_per_s"), of(rate(&Lanes::Step::bytes)),
          tr("Bytes of the tensors that it reads and writes, per second in the traced run")},
         {tr("Threads"), QStringLiteral("threads"), of(&Lanes::Step::threads),
          tr("Number of threads that took part")},
         {tr("Idle"), QStringLiteral("idle_share"), of(idle, formatPercent),
          tr("Share of all threads' time that was idle while the kernel ran")},
         {tr("Interpreted"), QStringLiteral("interpreted"), of(&Lanes::Step::reason),
          tr("Why there is no kernel for it")}});
}

void LaneStepModel::setLanes(LanesPointer lanes, bool linked)
{
    m_linked = linked;
    if (lanes == m_lanes)
        return;
    m_rows.clear();
    if (lanes)
        m_rows = lanes->of->longestSteps(
            [&steps = lanes->runs.back().steps](std::size_t step) { return steps[step].seconds; });
    replace(m_lanes, std::move(lanes));
}

bool LaneStepModel::isUsed(Column column) const
{
    switch (column) {
    case Before:
    case Now:
    case Ratio:
        return m_lanes && m_lanes->runs.size() > 1;
    case Interpreted:
        return std::ranges::any_of(allRows(),
                                   [](const Lanes::Step &step) { return !step.reason.isEmpty(); });
    default:
        return true;
    }
}

Item LaneStepModel::itemAt(int row) const
{
    return m_linked ? m_lanes->of->itemOf(std::size_t(row)) : Item();
}

int LaneStepModel::rowOf(const Item &item) const
{
    if (!m_lanes || !m_linked)
        return -1;
    const std::uint32_t block = m_lanes->of->blockOfItem(item);
    return block < m_rows.size() ? m_rows[block] : -1;
}

QString LaneStepModel::provenance(int) const
{
    return m_lanes->of->provenance();
}

} // namespace graphloom
