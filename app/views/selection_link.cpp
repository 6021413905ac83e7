// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/selection_link.h"

#include <QAbstractProxyModel>
#include <QScopedValueRollback>
#include <QTableView>

namespace graphloom {

SelectionLink::SelectionLink(QTableView &table, QAbstractProxyModel &shown, Selection &selection,
                             Rows rows)
    : QObject(&table), m_table(table), m_shown(shown), m_selection(selection),
      m_rows(std::move(rows))
{
    connect(m_table.selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &SelectionLink::selectCurrent);
    // The current row may be of a part of what is selected, or the other way round.
    connect(&m_table, &QTableView::clicked, this, &SelectionLink::selectCurrent);
    connect(&m_table, &QTableView::activated, this,
            [this](const QModelIndex &index) { Q_EMIT activated(itemOf(index)); });
    connect(&m_selection, &Selection::changed, this, &SelectionLink::showSelection);
}

void SelectionLink::change(const std::function<void()> &change)
{
    {
        const QScopedValueRollback following(m_following, true);
        change();
    }
    showSelection();
}

Item SelectionLink::itemOf(const QModelIndex &index) const
{
    return m_rows.itemAt(m_shown.mapToSource(index).row());
}

void SelectionLink::showSelection()
{
    if (m_following)
        return;
    const QScopedValueRollback following(m_following, true);
    const int row = m_rows.rowOf(m_selection.item());
    const QModelIndex index =
        row < 0 ? QModelIndex() : m_shown.mapFromSource(m_shown.sourceModel()->index(row, 0));
    if (index.isValid()) {
        m_table.selectRow(index.row());
        m_table.scrollTo(index);
    } else {
        m_table.clearSelection();
        m_table.setCurrentIndex({});
    }
}

void SelectionLink::selectCurrent()
{
    const QModelIndex current = m_table.currentIndex();
    if (m_following || !current.isValid())
        return;
    const QScopedValueRollback following(m_following, true);
    m_selection.select(itemOf(current));
}

} // namespace graphloom
