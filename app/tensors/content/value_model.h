// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/tensors/content/element_texts.h"

#include <QAbstractTableModel>

#include <optional>

namespace graphloom {

/// Lists the elements of a slice. Tables show at most mostRows by mostColumns cells; of a larger
/// slice the model has a part.
class ValueModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr std::int64_t mostRows = 1 << 20, mostColumns = 1 << 20;

    explicit ValueModel(QObject *parent = nullptr);

    /// Sets the slice; null: no data. The part begins with the first row and column.
    void setSlice(std::shared_ptr<const TensorData> data, const TensorSlice &slice);
    const std::shared_ptr<const TensorData> &tensor() const { return m_data; }
    const TensorSlice &slice() const { return m_slice; }
    /// Shows the part of the slice that contains a cell.
    void showPart(std::int64_t row, std::int64_t column);
    /// Returns the row and column of the slice that the part begins with.
    std::int64_t firstRow() const { return m_firstRow; }
    std::int64_t firstColumn() const { return m_firstColumn; }
    /// Returns the position of a cell's element in the tensor, or nothing for an empty cell.
    std::optional<std::int64_t> positionAt(const QModelIndex &index) const;
    /// Returns the index of a cell of the slice, which must be in the part.
    QModelIndex indexOf(std::int64_t row, std::int64_t column) const;
    bool isBusy() const { return m_texts->isBusy(); }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    void refresh(std::int64_t row, std::int64_t column);

    std::shared_ptr<const TensorData> m_data;
    TensorSlice m_slice;
    std::int64_t m_firstRow = 0, m_firstColumn = 0;
    ElementTexts *m_texts;
};

/// Returns the indices of an element as text: "[3, 0, 1]"; of a scalar an empty string.
QString indicesText(const TensorSlice &slice, std::int64_t position);

} // namespace graphloom
