// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/table_model.h"

#include "app/common/glossary.h"

namespace graphloom {

namespace {

int alignment(bool number)
{
    return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace

TableModel::TableModel(QObject *parent, std::optional<Provenance> provenance)
    : QAbstractTableModel(parent),
      m_provenance(provenance ? fromUtf8(nameOf(*provenance)) : QString())
{
}

int TableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_columns.size());
}

QVariant TableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case Qt::ToolTipRole:
        return toolTip(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return alignment(m_columns[std::size_t(index.column())].cells.number);
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column &column = m_columns[std::size_t(section)];
    switch (role) {
    case Qt::DisplayRole:
        return column.title;
    case Qt::ToolTipRole:
    case Qt::WhatsThisRole: {
        const QString text = explained(column.meaning, QLatin1String(column.term));
        return text.isEmpty() ? QVariant() : text;
    }
    case Qt::TextAlignmentRole:
        return alignment(column.cells.number);
    default:
        return {};
    }
}

void TableModel::setColumn(int column, Column description)
{
    m_columns[std::size_t(column)] = std::move(description);
    Q_EMIT headerDataChanged(Qt::Horizontal, column, column);
}

QString TableModel::toolTip(int row, int column) const
{
    const Cells &shown = cells(column);
    return shown.toolTip ? shown.toolTip(row) : shown.text(row);
}

bool TableModel::matches(int row, const QString &text) const
{
    for (int column = 0; column < columnCount(); ++column)
        if (this->text(row, column).contains(text, Qt::CaseInsensitive))
            return true;
    return false;
}

TableFilter::TableFilter(TableModel &model, QObject *parent)
    : QSortFilterProxyModel(parent), m_model(model)
{
    setSourceModel(&model);
}

void TableFilter::setText(const QString &text)
{
    const QString trimmed = text.trimmed();
    if (trimmed == m_text)
        return;
    m_text = trimmed;
    invalidateFilter();
}

bool TableFilter::filterAcceptsRow(int row, const QModelIndex &) const
{
    return m_text.isEmpty() || m_model.matches(row, m_text);
}

bool TableFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    return m_model.isLess(left.row(), right.row(), left.column());
}

} // namespace graphloom
