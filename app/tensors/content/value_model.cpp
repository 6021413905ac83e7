// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/content/value_model.h"

#include <algorithm>

namespace graphloom {

ValueModel::ValueModel(QObject *parent)
    : QAbstractTableModel(parent), m_texts(new ElementTexts(this))
{
    connect(m_texts, &ElementTexts::read, this, &ValueModel::refresh);
}

void ValueModel::setSlice(std::shared_ptr<const TensorData> data, const TensorSlice &slice)
{
    beginResetModel();
    m_data = std::move(data);
    m_slice = slice;
    m_firstRow = m_firstColumn = 0;
    m_texts->setSlice(m_data, m_slice);
    endResetModel();
}

void ValueModel::showPart(std::int64_t row, std::int64_t column)
{
    const std::int64_t first = row / mostRows * mostRows, left = column / mostColumns * mostColumns;
    if (first == m_firstRow && left == m_firstColumn)
        return;
    beginResetModel();
    m_firstRow = first;
    m_firstColumn = left;
    endResetModel();
}

std::optional<std::int64_t> ValueModel::positionAt(const QModelIndex &index) const
{
    return index.isValid()
               ? m_slice.position(m_firstRow + index.row(), m_firstColumn + index.column())
               : std::nullopt;
}

QModelIndex ValueModel::indexOf(std::int64_t row, std::int64_t column) const
{
    return index(int(row - m_firstRow), int(column - m_firstColumn));
}

int ValueModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_data || m_slice.elements() == 0
               ? 0
               : int(std::min(mostRows, m_slice.rows() - m_firstRow));
}

int ValueModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_data || m_slice.elements() == 0
               ? 0
               : int(std::min(mostColumns, m_slice.columns() - m_firstColumn));
}

QVariant ValueModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((m_data->type() == DataType::String ? Qt::AlignLeft : Qt::AlignRight) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const QString *text = m_texts->text(m_firstRow + index.row(), m_firstColumn + index.column());
    if (!text)
        return role == Qt::DisplayRole ? QVariant(QStringLiteral("…")) : QVariant();
    const auto position = role == Qt::ToolTipRole ? positionAt(index) : std::nullopt;
    return position ? indicesText(m_slice, *position) + QStringLiteral(" ") + *text : *text;
}

QVariant ValueModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || m_slice.rank() == 0)
        return {};
    if (orientation == Qt::Vertical)
        return qlonglong((m_firstRow + section) *
                         (m_slice.rank() == 1 ? TensorSlice::vectorColumns : 1));
    return m_slice.rank() == 1 ? QVariant(QStringLiteral("+%1").arg(section))
                               : QVariant(qlonglong(m_firstColumn + section));
}

void ValueModel::refresh(std::int64_t row, std::int64_t column)
{
    const auto top = int(std::max<std::int64_t>(0, row - m_firstRow)),
               left = int(std::max<std::int64_t>(0, column - m_firstColumn));
    const int bottom = std::min(rowCount(), int(row - m_firstRow + ElementTexts::blockRows)) - 1;
    const int right =
        std::min(columnCount(), int(column - m_firstColumn + ElementTexts::blockColumns)) - 1;
    if (top <= bottom && left <= right) // otherwise it is of a part that was shown before
        Q_EMIT dataChanged(index(top, left), index(bottom, right),
                           {Qt::DisplayRole, Qt::ToolTipRole});
}

QString indicesText(const TensorSlice &slice, std::int64_t position)
{
    QStringList indices;
    for (const std::int64_t index : slice.indicesOf(position))
        indices << QString::number(index);
    return indices.isEmpty() ? QString() : '[' + indices.join(QStringLiteral(", ")) + ']';
}

} // namespace graphloom
