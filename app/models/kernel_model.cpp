// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/kernel_model.h"

#include "app/models/format.h"

namespace graphloom {

KernelModel::KernelModel(QObject *parent)
    : TableModel(
          {{tr("Block"), true, tr("Fusion block; without fusion the operator, by its place")},
           {tr("Operators"), false, tr("Of the block")},
           {tr("ms"), true, tr("Milliseconds of one run, the median")},
           {tr("Share"), true, tr("Of the time of all kernels")},
           {tr("GFLOP/s"), true, tr("Scalar operations per second")},
           {tr("Bytes"), true, tr("Of the tensors that it reads and writes, each counted once")},
           {tr("GB/s"), true, tr("These bytes per second")},
           {tr("Kernel"), false, tr("What it computes: one loop nest of the block")},
           {tr("Schedule"), false, tr("How its loops are tiled, ordered, vectorized and shared")},
           {tr("Interpreted"), false, tr("Why there is no kernel for it")}},
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
    switch (column) {
    case Block: // copies of inputs come first
        return stepAt(row).block ? double(*stepAt(row).block) : -1;
    case Gflops:
        return m_run->flopsPerSecond(step) / 1e9;
    case Bytes:
        return stepAt(row).bytes;
    case Bandwidth:
        return m_run->bytesPerSecond(step) / 1e9;
    case Share:
        return m_run->shareOf(step);
    default:
        return m_run->timesOf(step).median;
    }
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
    if (column != Time)
        return text(row, column);
    const Times &times = m_run->timesOf(std::size_t(row));
    return tr("%1 ms; least %2, 95th percentile %3, noise %4 % (%5)")
        .arg(formatReal(times.median), formatReal(times.min), formatReal(times.p95),
             QString::number(100 * times.noise, 'f', 1),
             fromUtf8(nameOf(m_run->outcome.provenance)));
}

bool KernelModel::isLess(int row, int other, int column) const
{
    if (column == Operators || column == Kernel || column == Schedule || column == Interpreted)
        return text(row, column) < text(other, column);
    return number(row, column) < number(other, column);
}

} // namespace graphloom
