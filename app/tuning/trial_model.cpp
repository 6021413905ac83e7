// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/trial_model.h"

#include "app/results/plan_run.h"

#include <limits>
#include <utility>

namespace graphloom {

TrialModel::TrialModel(QObject *parent) : RowsModel(parent)
{
    using Trial = TuningLog::Trial;
    const auto time = [](const Trial &trial) {
        return trial.what.problem.empty() ? std::optional(trial.what.milliseconds) : std::nullopt;
    };
    const auto relative = [this](std::size_t row) { return m_log.relative(row); };
    const auto toolTip = [this](int row) { return timesOf(at(row)); };
    const auto place = [this](int row) { return std::pair(at(row).what.place, row); };
    static constexpr double last = std::numeric_limits<double>::infinity(); // for failed trials
    setColumns(
        {{tr("Trial"), QStringLiteral("trial"), of([](int row) { return row + 1; }),
          tr("Number of the trial, in order"), "trial"},
         {tr("Block"), QStringLiteral("block"),
          of([](const Trial &trial) { return nameOf(trial.what.place); })
              .sortedBy(place)
              .toTheRight(),
          tr("Number of the fusion block, or position of the operator without fusion; after the "
             "point the number of its loop nest if it is not the first; \"whole\" if algorithms "
             "of the block are compared"),
          "fusion-block"},
         {tr("Operators"), QStringLiteral("operators"),
          of([this](const Trial &trial) { return operatorsOf(trial.what.place.block); }),
          tr("Operators of the block")},
         {tr("ms"), QStringLiteral("time_ms"),
          of(time).withToolTip(toolTip).sortedBy(
              [=, this](int row) { return time(at(row)).value_or(last); }),
          tr("Minimum time of one call, with as much other data touched between calls as in the "
             "plan")},
         {tr("Relative"), QStringLiteral("relative"),
          of(relative, [](double ratio) { return QString::number(ratio, 'f', 3); })
              .withToolTip(toolTip)
              .sortedBy([relative](std::size_t row) { return relative(row).value_or(last); }),
          tr("Relative to the default schedule of the same kernel: below 1 is faster")},
         {tr("Schedule"), QStringLiteral("schedule"), of([](const Trial &trial) {
              const QString schedule = fromUtf8(trial.what.schedule);
              return trial.what.byDefault ? tr("default: %1").arg(schedule) : schedule;
          }),
          tr("How the loops are tiled, ordered, vectorized and parallelized; for a whole block, "
             "its algorithms and the loop nests that run together"),
          "schedule"},
         {tr("Failed"), QStringLiteral("failed"),
          of([](const Trial &trial) { return fromUtf8(trial.what.problem); }),
          tr("Why the trial was not measured")}});
}

void TrialModel::begin(std::shared_ptr<const Plan> plan)
{
    m_blocks = plan ? kernelBlocksOf(*plan) : std::vector<std::vector<NodeId>>();
    m_plan = std::move(plan);
    replace(m_log, {});
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

QString TrialModel::provenance(int row) const
{
    const TuningTrial &trial = at(row).what;
    return trial.problem.empty() ? fromUtf8(graphloom::nameOf(trial.provenance)) : QString();
}

QString TrialModel::timesOf(const TuningLog::Trial &trial) const
{
    if (!trial.what.problem.empty())
        return fromUtf8(trial.what.problem);
    const TuningLog::Kernel &kernel = m_log.kernels()[trial.kernel];
    return tr("%1 ms (%2); default %3, best so far %4")
        .arg(formatReal(trial.what.milliseconds),
             fromUtf8(graphloom::nameOf(trial.what.provenance)), formatReal(kernel.startMs),
             formatReal(trial.bestMs));
}

} // namespace graphloom
