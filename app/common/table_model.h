// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/cells.h"
#include "app/common/item.h"
#include "engine/cost/figure.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// A table model that describes each column once: its title, how its cells are obtained, and under
/// which key it is exported.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    struct Column {
        QString title;
        /// Name of the column in exported files, with its unit and never translated: "latency_ms".
        /// Empty: the column is not exported.
        QString key;
        Cells cells;
        QString meaning = {};
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
    /// Returns the content of a cell (Cells::value).
    QVariant value(int row, int column) const { return cells(column).value(row); }
    /// Returns how the figures of a row were obtained. Empty when the row has no figures, or when a
    /// column already says it.
    virtual QString provenance(int) const { return m_provenance; }
    /// Tells whether `row` sorts before `other` by a column. Empty cells come first.
    bool isLess(int row, int other, int column) const { return cells(column).isLess(row, other); }
    /// Tells whether a cell of the row contains the text, ignoring case.
    virtual bool matches(int row, const QString &text) const;

protected:
    /// Creates a table without columns. `provenance` is that of all rows.
    explicit TableModel(QObject *parent, std::optional<Provenance> provenance = {});
    void setColumns(std::vector<Column> columns) { m_columns = std::move(columns); }
    /// Replaces the description of a column.
    void setColumn(int column, Column description);
    /// Replaces the data that all rows come from.
    template <class T> void replace(T &data, std::type_identity_t<T> by)
    {
        beginResetModel();
        data = std::move(by);
        endResetModel();
    }
    QString text(int row, int column) const { return cells(column).text(row); }
    /// Returns the tooltip of a cell: by default its text, which a narrow column may cut off.
    virtual QString toolTip(int row, int column) const;

private:
    const Cells &cells(int column) const { return m_columns[std::size_t(column)].cells; }

    std::vector<Column> m_columns;
    QString m_provenance;
};

/// A table model with a `Row` of data for each row.
template <class Row> class RowsModel : public TableModel {
public:
    int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : int(allRows().size());
    }
    virtual const Row &at(int row) const { return allRows()[std::size_t(row)]; }

protected:
    using TableModel::TableModel;
    /// Returns all rows. Models whose rows do not lie side by side override at() and rowCount()
    /// instead.
    virtual std::span<const Row> allRows() const { return {}; }
    /// Returns makeCells() for a function of the row or of its number, or for a member of the row.
    template <class Content, class Show = std::nullptr_t>
    Cells of(Content content, Show show = {}) const
    {
        if constexpr (std::is_invocable_v<const Content &, const Row &>)
            return makeCells(
                [this, content](int row) -> decltype(auto) {
                    return std::invoke(content, at(row));
                },
                std::move(show));
        else
            return makeCells(std::move(content), std::move(show));
    }
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
