// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/ir/tensor_data.h"

#include <QAbstractTableModel>

#include <memory>

namespace graphloom {

/// Lists the stored bytes of a tensor: hexadecimal and as ASCII, sixteen in a row. Tables show at
/// most mostRows rows; of more bytes the model has a part.
class ByteModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Hexadecimal, Ascii, ColumnCount };
    static constexpr std::int64_t bytesOfRow = 16, mostRows = 1 << 20;

    using QAbstractTableModel::QAbstractTableModel;

    /// Sets the tensor, which may be null; strings have no bytes.
    void setTensor(std::shared_ptr<const TensorData> data);
    /// Shows the part that contains a row of all bytes.
    void showPart(std::int64_t row);
    std::int64_t firstRow() const { return m_first; }
    /// Returns the number of rows of all bytes.
    std::int64_t allRows() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const TensorData> m_data;
    std::int64_t m_first = 0;
};

} // namespace graphloom
