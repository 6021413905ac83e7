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
    /// Links a table, which must show `shown` already, which in turn shows `model`. The link lives
    /// as long as the table.
    SelectionLink(QTableView &table, QAbstractProxyModel &shown, TableModel &model,
                  Selection &selection);

    /// Calls `change`, which changes what the table shows. If the table then makes another row
    /// current, that is not the user's choice: the selection is kept, and shown where it is now.
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
