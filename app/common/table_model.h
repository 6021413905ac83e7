// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/item.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <vector>

namespace graphloom {

/// A table model that describes each column once: its title, what its cells hold, how rows compare,
/// and under which key it is exported.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    struct Column {
        QString title;
        bool number = false; // aligned to the right
        QString meaning = {};
        /// Name of the column in exported files, with its unit and never translated: "latency_ms".
        /// Empty: the column is not exported.
        QString key = {};
        const char *term = ""; // key of a glossary entry that explains the column
    };

    int columnCount(const QModelIndex &parent = {}) const final;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const final;

    /// Returns the item of a row, or an empty item for a row that cannot be selected.
    virtual Item itemAt(int) const { return {}; }
    /// Returns the row of an item, or of the one that it belongs to; -1 when there is none.
    virtual int rowOf(const Item &) const { return -1; }
    const std::vector<Column> &columns() const { return m_columns; }
    /// Returns the content of a cell, not its formatted text: a number in the column's unit, a
    /// truth value or a text. Returns an invalid variant for an empty cell.
    virtual QVariant value(int row, int column) const;
    /// Returns how the figures of a row were obtained. Empty when the row has no figures, or when a
    /// column already says it.
    virtual QString provenance(int) const { return {}; }
    /// Tells whether `row` sorts before `other` by a column. By default values are compared: empty
    /// cells come first, then numbers, then texts.
    virtual bool isLess(int row, int other, int column) const;
    /// Tells whether a cell of the row contains the text, ignoring case.
    virtual bool matches(int row, const QString &text) const;

protected:
    explicit TableModel(std::vector<Column> columns, QObject *parent = nullptr)
        : QAbstractTableModel(parent), m_columns(std::move(columns))
    {
    }
    virtual QString text(int row, int column) const = 0;
    /// Replaces the description of a column.
    void setColumn(int column, Column description);
    /// Returns the tooltip of a cell: by default its text, which a narrow column may cut off.
    virtual QString toolTip(int row, int column) const { return text(row, column); }

private:
    std::vector<Column> m_columns;
};

/// Filters the rows of a table by a text, and sorts them by value, not by their formatted text.
class TableFilter final : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit TableFilter(TableModel &model, QObject *parent = nullptr);
    void setText(const QString &text);
    const QString &text() const { return m_text; }
    const TableModel &model() const { return m_model; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    TableModel &m_model;
    QString m_text;
};

} // namespace graphloom
