// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/history/history_model.h"
#include "app/widgets/hinted_panel.h"

namespace graphloom {

class FilteredTable;

/// Lists the states of the plan that undo and redo lead to. A click on a row, or Enter, asks for
/// its state.
class HistoryPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit HistoryPanel(QWidget *parent = nullptr);

    /// Sets the states and the number of the one that is shown; no states without a model.
    void setRows(std::vector<HistoryRow> rows, int current);
    const HistoryModel &model() const { return m_model; }
    FilteredTable &list() { return *m_list; }

Q_SIGNALS:
    /// Emitted when another state is wanted, by its number.
    void wanted(int number);

private:
    void want(const QModelIndex &index);

    HistoryModel m_model;
    FilteredTable *m_list;
};

} // namespace graphloom
