// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_model.h"

#include <algorithm>

namespace graphloom {

namespace {

std::uint64_t statesOf(const SearchRecord &record)
{
    return std::max(record.generated, record.simulated);
}

std::optional<double> bestOf(const SearchRecord &record)
{
    return record.history.empty() ? std::nullopt : std::optional(record.history.back().cost);
}

double ratio(double after, double before)
{
    return before > 0 ? after / before : 1;
}

QString stateText(const PassRun &run)
{
    const QString state = nameOf(run.state);
    if (run.isActive())
        return run.doing.isEmpty() ? state
               : run.state == PassRun::State::Running
                   ? QStringLiteral("%1, %2 % · %3")
                         .arg(state)
                         .arg(int(100 * run.fraction))
                         .arg(run.doing)
                   : QStringLiteral("%1, %2 %").arg(state).arg(int(100 * run.fraction));
    const QString result = resultText(run);
    return result.isEmpty() ? state : state + QStringLiteral(": ") + result;
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
                     .arg(formatReal(ratio(double(peakBytesOf(plan)),
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

RunModel::RunModel(QObject *parent) : RowsModel(parent)
{
    // Returns the cells of a figure of the search, which are empty without a search.
    const auto ofSearch = [this](auto content, auto show) {
        using T = std::invoke_result_t<decltype(content), const SearchRecord &>;
        return of(
            [content](const PassRun &run) {
                return run.search ? std::optional<T>(content(*run.search)) : std::nullopt;
            },
            show);
    };
    const auto cost = [this](int row) {
        return at(row).search ? fromUtf8(at(row).search->cost) : QString();
    };
    const auto states = [this](int row) {
        const SearchRecord *search = at(row).search.get();
        return search ? tr("%1 states, %2 of them duplicates; moves of %3 were evaluated")
                            .arg(statesOf(*search))
                            .arg(search->filtered)
                            .arg(search->expanded)
                      : QString();
    };
    const auto tenths = [](double number) { return QString::number(number, 'f', 1); };
    const auto began = [](const PassRun &run) {
        return run.began.toUTC().toString(Qt::ISODateWithMs);
    };
    const auto timeOfDay = [this](int row) {
        return at(row).began.toString(QStringLiteral("HH:mm:ss"));
    };
    setColumns(
        {{tr("#"), QStringLiteral("run"), of(&PassRun::number),
          tr("Number of the run, in order of start")},
         {tr("Pass"), QStringLiteral("pass"), of(&PassRun::name)},
         {tr("Parameters"), QStringLiteral("parameters"), of(&PassRun::settings),
          tr("Parameters that differ from their defaults, and the seed")},
         {tr("State"), QStringLiteral("state"), of(stateText), tr("State of the run")},
         {tr("Best"), QStringLiteral("best_cost"), ofSearch(bestOf, formatReal).withToolTip(cost),
          tr("Cost of the best state found, in the unit of the search")},
         {tr("States"), QStringLiteral("states"),
          ofSearch(statesOf, formatCount).withToolTip(states),
          tr("States that the search has evaluated")},
         {tr("States/s"), QStringLiteral("states_per_second"),
          ofSearch(statesPerSecond, formatCount), tr("States per second on this machine")},
         {tr("Seconds"), QStringLiteral("seconds"), of(&PassRun::seconds, tenths),
          tr("Seconds on this machine, without pauses")},
         {tr("Started"), QStringLiteral("began"), of(began).shownAs(timeOfDay)}});
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
    Q_EMIT dataChanged(index(row, 0), index(row, Began));
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

QString RunModel::provenance(int row) const
{
    const SearchRecord *search = at(row).search.get();
    return search ? fromUtf8(search->cost) : QString();
}

RefusalModel::RefusalModel(QObject *parent) : RowsModel(parent)
{
    using Refusal = SearchRecord::Refusal;
    const auto share = [this](const Refusal &refusal) {
        double sum = 0;
        for (const Refusal &other : allRows())
            sum += double(other.count);
        return sum > 0 ? double(refusal.count) / sum : 0;
    };
    setColumns({{tr("Reason"), QStringLiteral("reason"), of(&Refusal::reason)},
                {tr("Count"), QStringLiteral("count"), of(&Refusal::count)},
                {tr("Share"), QStringLiteral("share"), of(share, formatPercent),
                 tr("Share of all rejected candidates")},
                {tr("Example"), QStringLiteral("example"), of(&Refusal::example)}});
}

std::span<const SearchRecord::Refusal> RefusalModel::allRows() const
{
    return m_record ? std::span(m_record->refusals) : std::span<const SearchRecord::Refusal>();
}

void RefusalModel::setRecord(std::shared_ptr<const SearchRecord> record)
{
    if (m_record == record)
        return;
    const int before = rowCount();
    const int after = record ? int(record->refusals.size()) : 0;
    if (before != after) {
        replace(m_record, std::move(record));
        return;
    }
    m_record = std::move(record);
    if (after > 0)
        Q_EMIT dataChanged(index(0, 0), index(after - 1, Example));
}

} // namespace graphloom
