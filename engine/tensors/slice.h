// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace graphloom {

/// Describes a two-dimensional slice of a tensor: two of its axes become rows and columns, and the
/// others have an index. A scalar is one cell. The elements of a vector are wrapped into rows of
/// vectorColumns, so that a long one can be surveyed; its last row may be shorter.
class TensorSlice {
public:
    using Extents = TensorData::Extents;
    static constexpr std::int64_t vectorColumns = 16;
    static constexpr int none = -1;

    /// Creates the slice of the last two axes at index 0 of all others.
    explicit TensorSlice(Extents extents = {});

    const Extents &extents() const { return m_extents; }
    int rank() const { return int(m_extents.size()); }
    /// Returns the axis of the rows; none for scalars and vectors.
    int rowAxis() const { return m_rowAxis; }
    /// Returns the axis of the columns; none for scalars.
    int columnAxis() const { return m_columnAxis; }
    /// Returns the index of another axis.
    std::int64_t index(int axis) const { return m_index[std::size_t(axis)]; }
    /// Tells whether the slice is the whole tensor, not transposed.
    bool isWhole() const { return rank() < 2 || (rank() == 2 && m_rowAxis == 0); }

    /// These choose the axes. If it is the other one, the two are exchanged. Both require a rank of
    /// at least two.
    void setRowAxis(int axis);
    void setColumnAxis(int axis);
    void setIndex(int axis, std::int64_t index);

    std::int64_t rows() const;
    std::int64_t columns() const;
    std::int64_t elements() const;
    /// Returns the position of the cell's element in the tensor, or nothing for a cell after the
    /// end of a vector.
    std::optional<std::int64_t> position(std::int64_t row, std::int64_t column) const;
    /// Returns how far the elements of neighbouring rows and columns are apart in the tensor.
    std::int64_t rowStep() const;
    std::int64_t columnStep() const;
    /// Returns the extents of the slice as a tensor of its own.
    Extents sliceExtents() const;

    /// Returns the indices of the element at a position of the tensor, by axis.
    std::vector<std::int64_t> indicesOf(std::int64_t position) const;
    /// Chooses the indices of the other axes so that the slice contains an element, and returns its
    /// row and column.
    std::pair<std::int64_t, std::int64_t> show(std::int64_t position);

    bool operator==(const TensorSlice &) const = default;

private:
    std::int64_t stepOf(int axis) const;

    Extents m_extents;
    int m_rowAxis, m_columnAxis;
    std::vector<std::int64_t> m_index; // 0 for the two axes
};

/// Returns the position of the element with these indices, by axis; nothing if there is none.
std::optional<std::int64_t> positionOf(const TensorData::Extents &extents,
                                       const std::vector<std::int64_t> &indices);

} // namespace graphloom
