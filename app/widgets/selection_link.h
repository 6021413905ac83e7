// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"
#include "app/snapshot/selection.h"

#include <functional>

class QAbstractProxyModel;
class QTableView;

namespace graphloom {

/// Ties the selected rows of a table to the selection, both ways.
class SelectionLink final : public QObject {
    Q_OBJECT

public:
    /// Lives as long as the table, which must show `shown` already; that shows `model`.
    SelectionLink(QTableView &table, QAbstractProxyModel &shown, TableModel &model,
                  Selection &selection);

    /// Changes what the table shows. That it then takes another current row is no choice of the
    /// user: the selection stays, and is shown where it is now.
    void change(const std::function<void()> &change);

private:
    void showSelection();
    void selectRows();

    QTableView &m_table;
    QAbstractProxyModel &m_shown;
    TableModel &m_model;
    Selection &m_selection;
    bool m_following = false; // the table follows the selection, not the other way
};

} // namespace graphloom
