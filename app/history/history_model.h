// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/session/session.h"

#include <functional>

namespace graphloom {

/// Holds a state of the plan that undo and redo lead to, as the history lists it.
struct HistoryRow {
    int number = 0; // index in the undo stack at which this is the state
    QString step;   // what led to it
    std::size_t nodes = 0;
    std::optional<double> peakBytes, milliseconds;
    QString provenance; // of the latency
};

/// Lists the states of the plan that undo and redo lead to, from the one that was opened on.
class HistoryModel final : public RowsModel<HistoryRow> {
    Q_OBJECT

public:
    enum Columns { Number, Step, Nodes, Peak, Latency, Obtained };

    explicit HistoryModel(QObject *parent = nullptr);

    void setRows(std::vector<HistoryRow> rows, int current);
    /// Returns the number of the state that is shown.
    int current() const { return m_current; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QString provenance(int) const override { return {}; } // a column says it

protected:
    std::span<const HistoryRow> allRows() const override { return m_rows; }

private:
    std::vector<HistoryRow> m_rows;
    int m_current = 0;
};

/// Returns the rows for the states of a session. `runOf` returns the measured run of a plan, or
/// null if it was not run.
std::vector<HistoryRow> historyRowsOf(const std::vector<Session::State> &states,
                                      const std::function<PlanRunPointer(const Plan &)> &runOf);

} // namespace graphloom
