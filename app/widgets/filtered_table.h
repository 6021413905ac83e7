// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"
#include "app/snapshot/selection.h"

#include <QWidget>

#include <functional>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTableView;

namespace graphloom {

class SelectionLink;

/// Shows a table below a line edit that filters it. The selected rows may be tied to the selection.
class FilteredTable final : public QWidget {
    Q_OBJECT

public:
    struct Texts {
        QString table, filter, placeholder; // accessible names, and the placeholder
        QString objectName;                 // object name of the table
        QLineEdit *line = nullptr;          // line edit for the filter; null: an ordinary one
    };
    FilteredTable(TableModel &model, const Texts &texts, QWidget *parent = nullptr);

    /// Puts a widget in front of the filter, and of widgets put there before.
    void addBeforeFilter(QWidget *widget, int stretch);
    /// Sets a gate for the filter text. The text goes to `gate`, which calls its second argument as
    /// soon as rows can be asked whether they match. Without a gate the filter applies at once.
    void setGate(std::function<void(const QString &, std::function<void()>)> gate)
    {
        m_gate = std::move(gate);
    }
    /// Shows below the filter what is wrong with it. An empty string hides the message.
    void setProblem(const QString &problem);
    /// Lets several rows be selected, which Ctrl+C copies, and adds a button in front of the filter
    /// that copies all rows that are shown (copiedRows()).
    void makeCopyable(const QString &buttonName);
    /// Makes a row of the model current and selected, even one that was filtered out.
    void choose(int row);
    /// Ties the selected rows to the selection, both ways.
    void linkTo(Selection &selection);
    /// Calls `change`, which changes what the table shows. The selection is kept, and shown where
    /// it is now.
    void change(const std::function<void()> &change);

    QTableView &table() { return *m_table; }
    QLineEdit &edit() { return *m_edit; }
    TableFilter &filter() { return m_filter; }
    const TableFilter &filter() const { return m_filter; }
    /// Returns the model's row at an index of the table.
    int rowAt(const QModelIndex &index) const { return m_filter.mapToSource(index).row(); }
    /// Returns the model's row that is current, or -1 when there is none.
    int currentRow() const;

Q_SIGNALS:
    void activated(const graphloom::Item &item); // double click, Enter
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    TableModel &m_model;
    TableFilter m_filter;
    QHBoxLayout *m_bar;
    QLineEdit *m_edit;
    QLabel *m_problem;
    QTableView *m_table;
    SelectionLink *m_link = nullptr;
    std::function<void(const QString &, std::function<void()>)> m_gate;
};

} // namespace graphloom
