// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_model.h"

namespace graphloom {

namespace {

std::optional<double> positive(double value)
{
    return value > 0 ? std::optional(value) : std::nullopt;
}

} // namespace

KernelModel::KernelModel(QObject *parent) : RowsModel(parent)
{
    const auto block = [this](int row) {
        return at(row).block ? QString::number(*at(row).block) : tr("input");
    };
    const auto time = [this](std::size_t step) { return m_run->timesOf(step).median; };
    const auto before = [this](std::size_t step) { return m_run->beforeOf(step); };
    const auto ratio = [=](std::size_t step) {
        const auto ms = before(step);
        return ms && time(step) > 0 ? std::optional(*ms / time(step)) : std::nullopt;
    };
    const auto times = [](double number) {
        return QString::number(number, 'f', 2) + QStringLiteral(" ×");
    };
    const auto bytes = [](double count) { return count > 0 ? formatBytes(count) : QString(); };
    // The rates are not known if the step is interpreted or too short to measure.
    const auto gflops = [this](std::size_t step) {
        return positive(m_run->flopsPerSecond(step) / 1e9);
    };
    const auto bandwidth = [this](std::size_t step) {
        return positive(m_run->bytesPerSecond(step) / 1e9);
    };
    const auto ofTuned = [this](auto content) {
        return of([=, this](std::size_t step) {
                   const NestKernel *tuned = m_run->tunedOf(step);
                   return tuned ? std::optional<double>(std::invoke(content, *tuned))
                                : std::nullopt;
               })
            .withToolTip([this](int row) { return tuningToolTip(row); });
    };
    const auto tunedMs = [this](std::optional<Figure> NestKernel::*ms) {
        return [this, ms](const NestKernel &tuned) {
            const std::optional<Figure> &figure = tuned.*ms;
            return figure && !m_run->tunedElsewhere() ? std::optional(figure->value) : std::nullopt;
        };
    };
    setColumns(
        {{tr("Block"), QStringLiteral("block"), of(&PlanStep::block).shownAs(block),
          tr("Number of the fusion block, or position of the operator without fusion"),
          "fusion-block"},
         {tr("Operators"), QStringLiteral("operators"),
          of([this](std::size_t step) { return m_run->operatorsOf(step); }),
          tr("Operators of the block")},
         {tr("ms"), QStringLiteral("time_ms"),
          of(time).withToolTip([this](int row) { return timeToolTip(row); }),
          tr("Median time of one run, in milliseconds")},
         {tr("Before"), QStringLiteral("time_before_ms"), of(before),
          tr("Median time of one run with the schedules before tuning, in milliseconds; measured "
             "in alternation with the tuned ones")},
         {tr("Ratio"), QStringLiteral("speedup"), of(ratio, times),
          tr("Time before tuning divided by time now: above 1 is faster")},
         {tr("Share"), QStringLiteral("share"),
          of([this](std::size_t step) { return m_run->shareOf(step); }, formatPercent),
          tr("Share of the time of all kernels")},
         {tr("GFLOP/s"), QStringLiteral("gflops"), of(gflops), tr("Scalar operations per second")},
         {tr("Bytes"), QStringLiteral("bytes"), of(&PlanStep::bytes, bytes),
          tr("Bytes of the tensors that it reads and writes, each counted once")},
         {tr("GB/s"), QStringLiteral("gb_per_s"), of(bandwidth),
          tr("Bytes read and written per second")},
         {tr("Kernel"), QStringLiteral("kernel"), of(&PlanStep::text),
          tr("What the kernel computes: one loop nest of the block"), "kernel"},
         {tr("Schedule"), QStringLiteral("schedule"), of(&PlanStep::schedule),
          tr("How the loops are tiled, ordered, vectorized and parallelized"), "schedule"},
         {tr("Trials"), QStringLiteral("trials"), ofTuned(&NestKernel::trials),
          tr("Schedules that tuning compiled and measured for this kernel: a local search from "
             "the default schedule"),
          "trial"},
         {tr("Default ms"), QStringLiteral("default_ms"), ofTuned(tunedMs(&NestKernel::before)),
          tr("Minimum time of one call with the default schedule, where the search starts; timed "
             "alone, with as much other data touched between calls as in the plan")},
         {tr("Best ms"), QStringLiteral("best_ms"), ofTuned(tunedMs(&NestKernel::time)),
          tr("Minimum time of one call with the tuned schedule, measured in the same way")},
         {tr("Interpreted"), QStringLiteral("interpreted"), of(&PlanStep::reason),
          tr("Why there is no kernel for it")}});
}

void KernelModel::setRun(PlanRunPointer run, bool linked)
{
    m_linked = linked;
    if (run == m_run)
        return;
    m_rows.clear();
    if (run)
        m_rows = run->longestSteps([&run](std::size_t step) { return run->timesOf(step).median; });
    replace(m_run, std::move(run));
}

Item KernelModel::itemAt(int row) const
{
    return m_linked ? m_run->itemOf(std::size_t(row)) : Item();
}

int KernelModel::rowOf(const Item &item) const
{
    if (!m_run || !m_linked)
        return -1;
    const std::uint32_t block = m_run->blockOfItem(item);
    return block < m_rows.size() ? m_rows[block] : -1;
}

bool KernelModel::isUsed(Column column) const
{
    if (column != Before && column != Ratio && column != Trials && column != Default &&
        column != Best)
        return true;
    for (int row = 0; row < rowCount(); ++row)
        if (value(row, column).isValid())
            return true;
    return false;
}

QString KernelModel::timeToolTip(int row) const
{
    const Times &times = m_run->timesOf(std::size_t(row));
    return tr("%1 ms; minimum %2, 95th percentile %3, noise %4 % (%5)")
        .arg(formatReal(times.median), formatReal(times.min), formatReal(times.p95),
             QString::number(100 * times.noise, 'f', 1), m_run->provenance());
}

QString KernelModel::tuningToolTip(int row) const
{
    const NestKernel *tuned = m_run->tunedOf(std::size_t(row));
    if (!tuned)
        return {};
    QStringList lines;
    lines << (tuned->schedule.empty() ? tr("No schedule is faster than the default")
                                      : tr("Tuned: %1").arg(fromUtf8(tuned->schedule)));
    if (tuned->time && tuned->before)
        lines << tr("one call: %1 ms by default, %2 ms now: %3 × (%4)")
                     .arg(formatReal(tuned->before->value), formatReal(tuned->time->value),
                          QString::number(tuned->before->value / tuned->time->value, 'f', 2),
                          fromUtf8(nameOf(tuned->time->provenance)));
    if (const std::string &device = kernelsOf(*m_run->plan)->device; !device.empty())
        lines << (m_run->tunedElsewhere() ? tr("tuned on another machine: %1").arg(fromUtf8(device))
                                          : tr("tuned on: %1").arg(fromUtf8(device)));
    if (tuned->trials == 0)
        lines << tr("Not measured directly: the times come from an identical kernel or the profile "
                    "database");
    return lines.join('\n');
}

QString KernelModel::provenance(int) const
{
    return m_run->provenance();
}

} // namespace graphloom
