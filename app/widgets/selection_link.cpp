// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/selection_link.h"

#include <QAbstractProxyModel>
#include <QScopedValueRollback>
#include <QTableView>

#include <algorithm>

namespace graphloom {

SelectionLink::SelectionLink(QTableView &table, QAbstractProxyModel &shown, TableModel &model,
                             Selection &selection)
    : QObject(&table), m_table(table), m_shown(shown), m_model(model), m_selection(selection)
{
    connect(m_table.selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SelectionLink::selectRows);
    // The current row may be a part of the selected item, or vice versa.
    connect(&m_table, &QTableView::clicked, this, &SelectionLink::selectRows);
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

void SelectionLink::showSelection()
{
    if (m_following)
        return;
    const QScopedValueRollback following(m_following, true);
    const auto shownRow = [this](const Item &item) {
        const int row = m_model.rowOf(item);
        return row < 0 ? -1 : m_shown.mapFromSource(m_model.index(row, 0)).row();
    };
    std::set<int> rows;
    if (m_table.selectionMode() != QAbstractItemView::SingleSelection)
        for (const Item &item : m_selection.items())
            rows.insert(shownRow(item));
    const int current = shownRow(m_selection.item());
    rows.insert(current);
    rows.erase(-1);
    QItemSelection selected; // joined into ranges, as many ranges are slow
    for (auto it = rows.begin(); it != rows.end();) {
        const int first = *it;
        int last = first;
        while (++it != rows.end() && *it == last + 1)
            last = *it;
        selected.append({m_shown.index(first, 0), m_shown.index(last, m_shown.columnCount() - 1)});
    }
    QItemSelectionModel &model = *m_table.selectionModel();
    const QModelIndex index = current < 0 ? QModelIndex() : m_shown.index(current, 0);
    model.setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    model.select(selected, QItemSelectionModel::ClearAndSelect);
    if (index.isValid())
        m_table.scrollTo(index);
}

void SelectionLink::selectRows()
{
    const QModelIndex current = m_table.currentIndex();
    if (m_following || !current.isValid())
        return;
    const QScopedValueRollback following(m_following, true);
    std::vector<Item> items;
    const auto add = [&](int row) {
        items.push_back(m_model.itemAt(m_shown.mapToSource(m_shown.index(row, 0)).row()));
    };
    for (const QItemSelectionRange &range : m_table.selectionModel()->selection())
        for (int row = range.top(); row <= range.bottom(); ++row)
            add(row);
    if (m_table.selectionModel()->isRowSelected(current.row()))
        add(current.row()); // again at the end, as panels show the last item
    if (!items.empty() && std::ranges::none_of(items, &Item::operator bool))
        return; // rows of another graph do not stand for items of this one
    m_selection.select(std::move(items));
}

} // namespace graphloom
