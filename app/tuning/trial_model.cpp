// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/trial_model.h"

#include "app/common/format.h"
#include "app/results/plan_run.h"

#include <limits>
#include <utility>

namespace graphloom {

TrialModel::TrialModel(QObject *parent)
    : TableModel(
          {{tr("Trial"), true, tr("Number of the trial, in order"), QStringLiteral("trial"),
            "trial"},
           {tr("Block"), true,
            tr("Number of the fusion block, or position of the operator without fusion; after the "
               "point the number of its loop nest if it is not the first; \"whole\" if algorithms "
               "of the block are compared"),
            QStringLiteral("block"), "fusion-block"},
           {tr("Operators"), false, tr("Operators of the block"), QStringLiteral("operators")},
           {tr("ms"), true,
            tr("Minimum time of one call, with as much other data touched between calls as in the "
               "plan"),
            QStringLiteral("time_ms")},
           {tr("Relative"), true,
            tr("Relative to the default schedule of the same kernel: below 1 is faster"),
            QStringLiteral("relative")},
           {tr("Schedule"), false,
            tr("How the loops are tiled, ordered, vectorized and parallelized; for a whole block, "
               "its algorithms and the loop nests that run together"),
            QStringLiteral("schedule"), "schedule"},
           {tr("Failed"), false, tr("Why the trial was not measured"), QStringLiteral("failed")}},
          parent)
{
}

void TrialModel::begin(std::shared_ptr<const Plan> plan)
{
    beginResetModel();
    m_log = {};
    m_blocks = plan ? kernelBlocksOf(*plan) : std::vector<std::vector<NodeId>>();
    m_plan = std::move(plan);
    endResetModel();
}

void TrialModel::add(std::vector<TuningTrial> trials)
{
    if (trials.empty())
        return;
    beginInsertRows({}, rowCount(), rowCount() + int(trials.size()) - 1);
    for (TuningTrial &trial : trials)
        m_log.add(std::move(trial));
    endInsertRows();
}

QString TrialModel::nameOf(const KernelPlace &place)
{
    if (!place.nest)
        return tr("%1 whole").arg(place.block);
    return *place.nest == 0 ? QString::number(place.block)
                            : QStringLiteral("%1.%2").arg(place.block).arg(*place.nest);
}

QString TrialModel::operatorsOf(std::uint32_t block) const
{
    return block < m_blocks.size() ? blockOperators(m_plan->graph, m_blocks[block]) : QString();
}

int TrialModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_log.trials().size());
}

QString TrialModel::text(int row, int column) const
{
    const TuningTrial &trial = trialAt(row);
    switch (column) {
    case Number:
        return QString::number(row + 1);
    case Block:
        return nameOf(trial.place);
    case Operators:
        return operatorsOf(trial.place.block);
    case Time:
        return trial.problem.empty() ? formatReal(trial.milliseconds) : QString();
    case Relative: {
        const auto relative = m_log.relative(std::size_t(row));
        return relative ? QString::number(*relative, 'f', 3) : QString();
    }
    case Schedule:
        return trial.byDefault ? tr("default: %1").arg(fromUtf8(trial.schedule))
                               : fromUtf8(trial.schedule);
    default:
        return fromUtf8(trial.problem);
    }
}

QVariant TrialModel::value(int row, int column) const
{
    const TuningTrial &trial = trialAt(row);
    switch (column) {
    case Number:
        return row + 1;
    case Time:
        return trial.problem.empty() ? QVariant(trial.milliseconds) : QVariant();
    case Relative: {
        const auto relative = m_log.relative(std::size_t(row));
        return relative ? QVariant(*relative) : QVariant();
    }
    default:
        return TableModel::value(row, column);
    }
}

QString TrialModel::provenance(int row) const
{
    return trialAt(row).problem.empty() ? fromUtf8(graphloom::nameOf(trialAt(row).provenance))
                                        : QString();
}

bool TrialModel::isLess(int row, int other, int column) const
{
    if (column == Block)
        return std::pair(trialAt(row).place, row) < std::pair(trialAt(other).place, other);
    if (column == Time || column == Relative) { // what failed is behind the slowest
        const QVariant a = value(row, column), b = value(other, column);
        if (a.isValid() != b.isValid())
            return a.isValid();
    }
    return TableModel::isLess(row, other, column);
}

QString TrialModel::toolTip(int row, int column) const
{
    if (column != Time && column != Relative)
        return text(row, column);
    const TuningLog::Trial &trial = m_log.trials()[std::size_t(row)];
    if (!trial.what.problem.empty())
        return fromUtf8(trial.what.problem);
    const TuningLog::Kernel &kernel = m_log.kernels()[trial.kernel];
    return tr("%1 ms (%2); default %3, best so far %4")
        .arg(formatReal(trial.what.milliseconds),
             fromUtf8(graphloom::nameOf(trial.what.provenance)), formatReal(kernel.startMs),
             formatReal(trial.bestMs));
}

} // namespace graphloom
