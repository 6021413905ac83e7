// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <set>
#include <vector>

class QTableView;

namespace graphloom {

/// Sets up what all tables of the window have in common: whole rows, one at a time; sorting by a
/// click on a header; rows of one height, so that a reset with thousands of rows is cheap.
void setUpTable(QTableView &table);

/// Gives the columns of a table the widths of their content. If there is not enough room for all,
/// the widest ones, usually names, get less, down to a width at which their ends can still be told
/// apart. Columns grow with values that change, and the ones that the user has resized keep their
/// widths.
class ColumnFit final : public QObject {
    Q_OBJECT

public:
    explicit ColumnFit(QTableView &table);

    /// Measures the content again; of a hidden table when it is shown.
    void measure();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    int widthOf(int column) const;
    bool isLast(int column) const;
    void widen();
    void apply();

    QTableView &m_table;
    const QObject *m_header;   // viewport of the header; events come to it while m_table is deleted
    std::vector<int> m_widths; // of the content, by column
    QTimer m_widening;         // after changes of cells
    std::set<int> m_resized;   // by the user
    bool m_isApplying = false, m_hadRows = false;
    bool m_isStale = false;   // content has come while the table was hidden
    bool m_isDragged = false; // a mouse button is down on the header
};

} // namespace graphloom
