// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_model.h"

#include "app/common/format.h"

#include <algorithm>

namespace graphloom {

namespace {

std::uint64_t statesOf(const SearchRecord &record)
{
    return std::max(record.generated, record.simulated);
}

double bestOf(const SearchRecord &record)
{
    return record.history.empty() ? 0 : record.history.back().cost;
}

double ratio(double after, double before)
{
    return before > 0 ? after / before : 1;
}

} // namespace

double statesPerSecond(const SearchRecord &record)
{
    return record.seconds > 0 ? double(statesOf(record)) / record.seconds : 0;
}

QString resultText(const PassRun &run)
{
    if (run.error)
        return fromUtf8(run.error->text());
    if (!run.latest)
        return {};
    QStringList parts;
    const Plan &plan = *run.latest, &before = *run.before->plan;
    if (plan.memory && plan.memory != before.memory)
        parts << RunModel::tr("peak × %1, latency × %2 (modelled, %3)")
                     .arg(formatReal(ratio(double(plan.memory->after.peakBytes),
                                           double(plan.memory->before.peakBytes))),
                          formatReal(ratio(plan.memory->after.ms, plan.memory->before.ms)),
                          fromUtf8(plan.memory->device));
    if (plan.fusion && plan.fusion != before.fusion)
        parts << RunModel::tr("%1 blocks").arg(plan.fusion->blocks.size());
    if (plan.partition && plan.partition != before.partition)
        parts << RunModel::tr("%1 subgraphs").arg(plan.partition->subgraphs.size());
    if (plan.kernels && plan.kernels != before.kernels && run.search &&
        !run.search->history.empty())
        parts << RunModel::tr("kernel time × %1 (measured one by one)")
                     .arg(formatReal(run.search->history.back().cost));
    return parts.join(QStringLiteral(" · "));
}

RunModel::RunModel(QObject *parent)
    : TableModel(
          {{tr("#"), true, tr("Number of the run, in order of start"), QStringLiteral("run")},
           {tr("Pass"), false, {}, QStringLiteral("pass")},
           {tr("Parameters"), false, tr("Parameters that differ from their defaults, and the seed"),
            QStringLiteral("parameters")},
           {tr("State"), false, tr("State of the run"), QStringLiteral("state")},
           {tr("Best"), true, tr("Cost of the best state found, in the unit of the search"),
            QStringLiteral("best_cost")},
           {tr("States"), true, tr("States that the search has evaluated"),
            QStringLiteral("states")},
           {tr("States/s"), true, tr("States per second on this machine"),
            QStringLiteral("states_per_second")},
           {tr("Seconds"), true, tr("Seconds on this machine, without pauses"),
            QStringLiteral("seconds")},
           {tr("Began"), false, {}, QStringLiteral("began")}},
          parent)
{
}

int RunModel::rowOfRun(int number) const
{
    const auto found = std::ranges::find(m_runs, number, &PassRun::number);
    return found == m_runs.end() ? -1 : int(found - m_runs.begin());
}

void RunModel::set(const PassRun &run)
{
    const int row = rowOfRun(run.number);
    if (row < 0) {
        beginInsertRows({}, rowCount(), rowCount());
        m_runs.push_back(run);
        endInsertRows();
        return;
    }
    m_runs[std::size_t(row)] = run;
    Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void RunModel::remove(int number)
{
    const int row = rowOfRun(number);
    if (row < 0)
        return;
    beginRemoveRows({}, row, row);
    m_runs.erase(m_runs.begin() + row);
    endRemoveRows();
}

int RunModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_runs.size());
}

QString RunModel::text(int row, int column) const
{
    const PassRun &run = runAt(row);
    const SearchRecord *search = run.search.get();
    switch (column) {
    case Number:
        return QString::number(run.number);
    case Pass:
        return run.name();
    case Settings:
        return run.settings();
    case State: {
        const QString state = nameOf(run.state);
        if (run.isActive())
            return run.doing.isEmpty() ? state
                                       : QStringLiteral("%1, %2 % · %3")
                                             .arg(state)
                                             .arg(int(100 * run.fraction))
                                             .arg(run.doing);
        const QString result = resultText(run);
        return result.isEmpty() ? state : state + QStringLiteral(": ") + result;
    }
    case Best:
        return search && !search->history.empty() ? formatReal(bestOf(*search)) : QString();
    case States:
        return search ? formatCount(double(statesOf(*search))) : QString();
    case StatesPerSecond:
        return search ? formatCount(statesPerSecond(*search)) : QString();
    case Seconds:
        return QString::number(run.seconds, 'f', 1);
    case Began:
        return run.began.toString(QStringLiteral("HH:mm:ss"));
    default:
        return {};
    }
}

QVariant RunModel::value(int row, int column) const
{
    const PassRun &run = runAt(row);
    const SearchRecord *search = run.search.get();
    switch (column) {
    case Number:
        return run.number;
    case Best:
        return search && !search->history.empty() ? QVariant(bestOf(*search)) : QVariant();
    case States:
        return search ? QVariant(qulonglong(statesOf(*search))) : QVariant();
    case StatesPerSecond:
        return search ? QVariant(statesPerSecond(*search)) : QVariant();
    case Seconds:
        return run.seconds;
    case Began:
        return run.began.toUTC().toString(Qt::ISODateWithMs);
    default:
        return TableModel::value(row, column);
    }
}

QString RunModel::provenance(int row) const
{
    const SearchRecord *search = runAt(row).search.get();
    return search ? fromUtf8(search->cost) : QString();
}

QString RunModel::toolTip(int row, int column) const
{
    const PassRun &run = runAt(row);
    if (column == Best && run.search)
        return fromUtf8(run.search->cost);
    if (column == States && run.search)
        return tr("%1 states, %2 of them duplicates; moves of %3 were evaluated")
            .arg(statesOf(*run.search))
            .arg(run.search->filtered)
            .arg(run.search->expanded);
    return text(row, column);
}

RefusalModel::RefusalModel(QObject *parent)
    : TableModel(
          {{tr("Reason"), false, {}, QStringLiteral("reason")},
           {tr("Count"), true, {}, QStringLiteral("count")},
           {tr("Share"), true, tr("Share of all rejected candidates"), QStringLiteral("share")},
           {tr("For example"), false, {}, QStringLiteral("example")}},
          parent)
{
}

void RefusalModel::setRecord(std::shared_ptr<const SearchRecord> record)
{
    if (m_record == record)
        return;
    const int before = rowCount();
    const int after = record ? int(record->refusals.size()) : 0;
    if (before != after) {
        beginResetModel();
        m_record = std::move(record);
        endResetModel();
        return;
    }
    m_record = std::move(record);
    if (after > 0)
        Q_EMIT dataChanged(index(0, 0), index(after - 1, ColumnCount - 1));
}

int RefusalModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_record ? 0 : int(m_record->refusals.size());
}

double RefusalModel::shareOf(int row) const
{
    double sum = 0;
    for (const auto &refusal : m_record->refusals)
        sum += double(refusal.count);
    return sum > 0 ? double(at(row).count) / sum : 0;
}

QString RefusalModel::text(int row, int column) const
{
    switch (column) {
    case Reason:
        return fromUtf8(at(row).reason);
    case Count:
        return QString::number(at(row).count);
    case Share:
        return QString::number(100 * shareOf(row), 'f', 1) + QStringLiteral(" %");
    case Example:
        return fromUtf8(at(row).example);
    default:
        return {};
    }
}

QVariant RefusalModel::value(int row, int column) const
{
    switch (column) {
    case Count:
        return qulonglong(at(row).count);
    case Share:
        return shareOf(row);
    default:
        return TableModel::value(row, column);
    }
}

} // namespace graphloom
