// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/content/byte_model.h"

#include <QFontDatabase>

#include <algorithm>

namespace graphloom {

void ByteModel::setTensor(std::shared_ptr<const TensorData> data)
{
    beginResetModel();
    m_data = std::move(data);
    m_first = 0;
    endResetModel();
}

void ByteModel::showPart(std::int64_t row)
{
    const std::int64_t first = row / mostRows * mostRows;
    if (first == m_first)
        return;
    beginResetModel();
    m_first = first;
    endResetModel();
}

std::int64_t ByteModel::allRows() const
{
    return m_data && m_data->type() != DataType::String
               ? (std::int64_t(m_data->bytes().size()) + bytesOfRow - 1) / bytesOfRow
               : 0;
}

int ByteModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(std::min(mostRows, allRows() - m_first));
}

int ByteModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant ByteModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::FontRole)
        return QFontDatabase::systemFont(QFontDatabase::FixedFont);
    if (role != Qt::DisplayRole)
        return {};
    const auto all = m_data->bytes();
    const auto begin = std::size_t((m_first + index.row()) * bytesOfRow);
    QString text;
    for (std::size_t i = begin; i < std::min(all.size(), begin + std::size_t(bytesOfRow)); ++i) {
        const auto byte = std::to_integer<unsigned>(all[i]);
        if (index.column() == Ascii)
            text += byte >= 0x20 && byte < 0x7f ? QChar(byte) : QChar('.');
        else
            text += QStringLiteral("%1%2")
                        .arg(byte, 2, 16, QLatin1Char('0'))
                        .arg(i % 8 == 7 ? QStringLiteral("  ") : QStringLiteral(" "));
    }
    return index.column() == Hexadecimal ? text.trimmed() : text;
}

QVariant ByteModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Vertical)
        return QString::number((m_first + section) * bytesOfRow, 16);
    return section == Hexadecimal ? tr("Bytes (hexadecimal)") : tr("ASCII");
}

} // namespace graphloom
