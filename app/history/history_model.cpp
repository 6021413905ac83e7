// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history/history_model.h"

#include "app/common/format.h"
#include "engine/plan/memory_plan.h"

#include <QApplication>
#include <QFont>
#include <QPalette>

namespace graphloom {

HistoryModel::HistoryModel(QObject *parent) : RowsModel(parent)
{
    const auto marked = [this](int number) {
        return number == m_current ? QStringLiteral("▸ %1").arg(number) : QString::number(number);
    };
    setColumns(
        {{tr("#"), QStringLiteral("number"), of(&HistoryRow::number, marked),
          tr("Number of changes up to this state; ▸ marks the state that is shown")},
         {tr("Change"), QStringLiteral("change"), of(&HistoryRow::step),
          tr("The pass or edit that led to this state")},
         {tr("Nodes"), QStringLiteral("nodes"), of(&HistoryRow::nodes)},
         {tr("Peak memory"), QStringLiteral("peak_bytes"), of(&HistoryRow::peakBytes, formatBytes),
          tr("Peak of the memory plan, modelled; empty until a pass has planned memory")},
         {tr("Latency"), QStringLiteral("latency_ms"),
          of(&HistoryRow::milliseconds, [](double ms) { return formatTime(ms / 1e3); }),
          tr("Median of the measured run, or else the latency of the memory plan")},
         {tr("Provenance"), QStringLiteral("provenance"), of(&HistoryRow::provenance),
          tr("How the latency was obtained"), "provenance"}});
}

void HistoryModel::setRows(std::vector<HistoryRow> rows, int current)
{
    m_current = current;
    replace(m_rows, std::move(rows));
}

/// The state that is shown is bold; states that were undone are dim.
QVariant HistoryModel::data(const QModelIndex &index, int role) const
{
    const int number = index.isValid() ? at(index.row()).number : m_current;
    if (role == Qt::FontRole && number == m_current) {
        QFont bold = QApplication::font();
        bold.setBold(true);
        return bold;
    }
    if (role == Qt::ForegroundRole && number > m_current)
        return QApplication::palette().color(QPalette::PlaceholderText);
    return TableModel::data(index, role);
}

std::vector<HistoryRow> historyRowsOf(const std::vector<Session::State> &states,
                                      const std::function<PlanRunPointer(const Plan &)> &runOf)
{
    std::vector<HistoryRow> rows;
    for (const Session::State &state : states) {
        const Plan &plan = *state.snapshot->plan;
        HistoryRow row{int(rows.size()), state.text, plan.graph.nodeCount(), {}, {}, {}};
        if (plan.memory) {
            row.peakBytes = double(*state.snapshot->peakBytes);
            row.milliseconds = plan.memory->after.ms;
            row.provenance = HistoryModel::tr("modelled, %1").arg(fromUtf8(plan.memory->device));
            if (const auto &times = plan.memory->times; times.measured > 0)
                row.provenance += HistoryModel::tr(", %1 % of the time from measured calls")
                                      .arg(100 * times.share, 0, 'f', 0);
        }
        if (const PlanRunPointer run = runOf(plan); run && run->outcome.after) {
            row.milliseconds = run->outcome.after->whole.median;
            row.provenance = run->provenance();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace graphloom
