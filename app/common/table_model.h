// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/item.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <vector>

namespace graphloom {

/// A table whose columns are described once: their titles, what is in them, how rows compare, and
/// what leaves the program.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    struct Column {
        QString title;
        bool number = false; // written at the right
        QString meaning = {};
        /// What other programs know it by, with its unit and never translated: "latency_ms".
        /// Empty: it does not leave the program.
        QString key = {};
        const char *term = ""; // of the glossary, which says more
    };

    int columnCount(const QModelIndex &parent = {}) const final;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const final;

    /// What a row stands for; none for rows that are nothing that can be selected.
    virtual Item itemAt(int) const { return {}; }
    /// The row of an item, or of the one that it belongs to; -1 when there is none.
    virtual int rowOf(const Item &) const { return -1; }
    const std::vector<Column> &columns() const { return m_columns; }
    /// What is in a cell, not how it is written: a number in the column's unit, a truth value, a
    /// text; not valid where there is nothing.
    virtual QVariant value(int row, int column) const;
    /// How the figures of a row were obtained; empty where it has none, or a column that says it.
    virtual QString provenance(int) const { return {}; }
    /// Does the row come before the other, by what is in a column? By values, unless it says
    /// otherwise: what has none comes first, then numbers.
    virtual bool isLess(int row, int other, int column) const;
    /// Has the row the text, ignoring case, in it?
    virtual bool matches(int row, const QString &text) const;

protected:
    explicit TableModel(std::vector<Column> columns, QObject *parent = nullptr)
        : QAbstractTableModel(parent), m_columns(std::move(columns))
    {
    }
    virtual QString text(int row, int column) const = 0;
    /// Describes a column anew.
    void setColumn(int column, Column description);
    /// What a narrow column cuts off, or more.
    virtual QString toolTip(int row, int column) const { return text(row, column); }

private:
    std::vector<Column> m_columns;
};

/// The rows of a table that have a text in them; sorted by values, not by how they are written.
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
