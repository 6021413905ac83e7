// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history/history_panel.h"

#include "app/widgets/filtered_table.h"

#include <QTableView>

namespace graphloom {

HistoryPanel::HistoryPanel(QWidget *parent) : HintedPanel(parent)
{
    m_list = new FilteredTable(m_model, {tr("Undo history"), tr("Filter the history"),
                                         tr("Filter by change"), QStringLiteral("historyTable")});
    m_list->makeCopyable(QStringLiteral("copyHistory"));
    setContent(m_list);
    setEmpty(true);
    connect(&m_list->table(), &QTableView::clicked, this, &HistoryPanel::want);
    connect(&m_list->table(), &QTableView::activated, this, &HistoryPanel::want);
}

void HistoryPanel::setRows(std::vector<HistoryRow> rows, int current)
{
    setEmpty(rows.empty());
    m_model.setRows(std::move(rows), current);
    if (m_model.rowCount() == 0)
        return;
    const QModelIndex shown = m_list->filter().mapFromSource(m_model.index(current, 0));
    m_list->table().setCurrentIndex(shown);
    m_list->table().scrollTo(shown);
}

/// Several rows are being selected, to be copied, while a modifier is held.
void HistoryPanel::want(const QModelIndex &index)
{
    const int number = m_model.at(m_list->rowAt(index)).number;
    if (number != m_model.current() && m_list->table().selectionModel()->selectedRows().size() == 1)
        Q_EMIT wanted(number);
}

} // namespace graphloom
