// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_model.h"

#include "app/common/format.h"

#include <cmath>
#include <limits>

namespace graphloom {

KernelModel::KernelModel(QObject *parent)
    : TableModel(
          {{tr("Block"), true,
            tr("Number of the fusion block, or position of the operator without fusion"),
            QStringLiteral("block"), "fusion-block"},
           {tr("Operators"), false, tr("Operators of the block"), QStringLiteral("operators")},
           {tr("ms"), true, tr("Median time of one run, in milliseconds"),
            QStringLiteral("time_ms")},
           {tr("Before"), true,
            tr("Median time of one run with the schedules before tuning, in milliseconds; measured "
               "in alternation with the tuned ones"),
            QStringLiteral("time_before_ms")},
           {tr("Ratio"), true, tr("Time before tuning divided by time now: above 1 is faster"),
            QStringLiteral("speedup")},
           {tr("Share"), true, tr("Share of the time of all kernels"), QStringLiteral("share")},
           {tr("GFLOP/s"), true, tr("Scalar operations per second"), QStringLiteral("gflops")},
           {tr("Bytes"), true,
            tr("Bytes of the tensors that it reads and writes, each counted once"),
            QStringLiteral("bytes")},
           {tr("GB/s"), true, tr("These bytes per second"), QStringLiteral("gb_per_s")},
           {tr("Kernel"), false, tr("What the kernel computes: one loop nest of the block"),
            QStringLiteral("kernel"), "kernel"},
           {tr("Schedule"), false,
            tr("How the loops are tiled, ordered, vectorized and parallelized"),
            QStringLiteral("schedule"), "schedule"},
           {tr("Trials"), true,
            tr("Schedules that tuning compiled and measured for this kernel: a local search from "
               "the default schedule, as in AGO's tuner (section IV)"),
            QStringLiteral("trials"), "trial"},
           {tr("Default ms"), true,
            tr("Minimum time of one call with the default schedule, measured alone with as much "
               "other data touched between calls as in the plan: the start of the search (AGO, "
               "section IV)"),
            QStringLiteral("default_ms")},
           {tr("Best ms"), true,
            tr("Minimum time of one call with the tuned schedule, measured in the same way (AGO, "
               "section IV)"),
            QStringLiteral("best_ms")},
           {tr("Interpreted"), false, tr("Why there is no kernel for it"),
            QStringLiteral("interpreted")}},
          parent)
{
}

void KernelModel::setRun(PlanRunPointer run, bool linked)
{
    m_linked = linked;
    if (run == m_run)
        return;
    beginResetModel();
    m_run = std::move(run);
    endResetModel();
}

int KernelModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_run ? 0 : int(m_run->steps().size());
}

Item KernelModel::itemAt(int row) const
{
    return m_linked ? m_run->itemOf(std::size_t(row)) : Item();
}

int KernelModel::rowOf(const Item &item) const
{
    if (!m_run || !m_linked)
        return -1;
    std::uint32_t block = Partition::none;
    if (item.kind == Item::Kind::Block)
        block = item.index;
    else if (item.kind == Item::Kind::Node && item.index < m_run->blockOf.size())
        block = m_run->blockOf[item.index];
    int longest = -1;
    for (int row = 0; row < rowCount(); ++row)
        if (stepAt(row).block == block &&
            (longest < 0 || number(row, Time) > number(longest, Time)))
            longest = row;
    return longest;
}

double KernelModel::number(int row, int column) const
{
    const auto step = std::size_t(row);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const NestKernel *tuned = m_run->tunedOf(step);
    switch (column) {
    case Gflops:
        return m_run->flopsPerSecond(step) / 1e9;
    case Bytes:
        return stepAt(row).bytes;
    case Bandwidth:
        return m_run->bytesPerSecond(step) / 1e9;
    case Share:
        return m_run->shareOf(step);
    case Before:
        return m_run->beforeOf(step).value_or(none);
    case Ratio: {
        const double ms = m_run->timesOf(step).median;
        return ms > 0 ? m_run->beforeOf(step).value_or(none) / ms : none;
    }
    case Trials:
        return tuned ? double(tuned->trials) : none;
    case Default:
        return tuned && tuned->before ? tuned->before->value : none;
    case Best:
        return tuned && tuned->time ? tuned->time->value : none;
    default:
        return m_run->timesOf(step).median;
    }
}

bool KernelModel::isUsed(Column column) const
{
    if (column != Before && column != Ratio && column != Trials && column != Default &&
        column != Best)
        return true;
    for (int row = 0; row < rowCount(); ++row)
        if (!std::isnan(number(row, column)))
            return true;
    return false;
}

QString KernelModel::text(int row, int column) const
{
    const PlanStep &step = stepAt(row);
    switch (column) {
    case Block:
        return step.block ? QString::number(*step.block) : tr("input");
    case Operators:
        return m_run->operatorsOf(std::size_t(row));
    case Kernel:
        return fromUtf8(step.text);
    case Time:
        return formatReal(number(row, Time));
    case Before:
    case Default:
    case Best:
        return std::isnan(number(row, column)) ? QString() : formatReal(number(row, column));
    case Ratio:
        return std::isnan(number(row, Ratio))
                   ? QString()
                   : QString::number(number(row, Ratio), 'f', 2) + QStringLiteral(" ×");
    case Trials:
        return std::isnan(number(row, Trials)) ? QString()
                                               : QString::number(number(row, Trials), 'f', 0);
    case Share:
        return QString::number(100 * number(row, Share), 'f', 1) + QStringLiteral(" %");
    case Gflops:
    case Bandwidth:
        return number(row, column) > 0 ? formatReal(number(row, column)) : QString();
    case Bytes:
        return step.bytes > 0 ? formatBytes(step.bytes) : QString();
    case Schedule:
        return fromUtf8(step.schedule);
    default:
        return fromUtf8(step.reason);
    }
}

QString KernelModel::toolTip(int row, int column) const
{
    if (column == Trials || column == Default || column == Best)
        return tuningToolTip(row);
    if (column != Time)
        return text(row, column);
    const Times &times = m_run->timesOf(std::size_t(row));
    return tr("%1 ms; minimum %2, 95th percentile %3, noise %4 % (%5)")
        .arg(formatReal(times.median), formatReal(times.min), formatReal(times.p95),
             QString::number(100 * times.noise, 'f', 1),
             fromUtf8(nameOf(m_run->outcome.provenance)));
}

QString KernelModel::tuningToolTip(int row) const
{
    const NestKernel *tuned = m_run->tunedOf(std::size_t(row));
    if (!tuned)
        return {};
    QStringList lines;
    lines << (tuned->schedule.empty() ? tr("No schedule is faster than the default")
                                      : tr("Tuned: %1").arg(fromUtf8(tuned->schedule)));
    if (const double start = number(row, Default); tuned->time && !std::isnan(start))
        lines << tr("one call: %1 ms by default, %2 ms now: %3 × (%4)")
                     .arg(formatReal(start), formatReal(tuned->time->value),
                          QString::number(start / tuned->time->value, 'f', 2),
                          fromUtf8(nameOf(tuned->time->provenance)));
    if (tuned->trials == 0)
        lines << tr("Not measured itself: the times are those of an equal kernel or from the "
                    "profile database");
    return lines.join('\n');
}

QVariant KernelModel::value(int row, int column) const
{
    switch (column) {
    case Operators:
    case Kernel:
    case Schedule:
    case Interpreted:
        return TableModel::value(row, column);
    case Block:
        return stepAt(row).block ? QVariant(*stepAt(row).block) : QVariant(); // of an input
    case Gflops:
    case Bandwidth: // of what is interpreted, or was too quick for the clock
        return number(row, column) > 0 ? QVariant(number(row, column)) : QVariant();
    default:
        return std::isnan(number(row, column)) ? QVariant() : QVariant(number(row, column));
    }
}

QString KernelModel::provenance(int) const
{
    return fromUtf8(nameOf(m_run->outcome.provenance));
}

} // namespace graphloom
