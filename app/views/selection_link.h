// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/selection.h"

#include <functional>

class QAbstractProxyModel;
class QTableView;

namespace graphloom {

/// Ties the current row of a table to the selection, both ways.
class SelectionLink final : public QObject {
    Q_OBJECT

public:
    /// What the rows of the model behind the table's proxy stand for.
    struct Rows {
        std::function<int(const Item &)> rowOf; // -1 for none
        std::function<Item(int)> itemAt;
    };

    /// Lives as long as the table, whose model must be set already.
    SelectionLink(QTableView &table, QAbstractProxyModel &shown, Selection &selection, Rows rows);

    /// Changes what the table shows. That it then takes another current row is no choice of the
    /// user: the selection stays, and is shown where it is now.
    void change(const std::function<void()> &change);

Q_SIGNALS:
    void activated(const graphloom::Item &item); // double click, Enter

private:
    Item itemOf(const QModelIndex &index) const;
    void showSelection();
    void selectCurrent();

    QTableView &m_table;
    QAbstractProxyModel &m_shown;
    Selection &m_selection;
    Rows m_rows;
    bool m_following = false; // the table follows the selection, not the other way
};

} // namespace graphloom
