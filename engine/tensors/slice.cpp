// SPDX-License-Identifier: Apache-2.0
#include "engine/tensors/slice.h"

#include <algorithm>

namespace graphloom {

TensorSlice::TensorSlice(Extents extents)
    : m_extents(std::move(extents)), m_rowAxis(rank() >= 2 ? rank() - 2 : none),
      m_columnAxis(rank() >= 1 ? rank() - 1 : none), m_index(m_extents.size(), 0)
{
}

void TensorSlice::setRowAxis(int axis)
{
    if (axis == m_columnAxis)
        m_columnAxis = m_rowAxis;
    m_rowAxis = axis;
    m_index[std::size_t(m_rowAxis)] = m_index[std::size_t(m_columnAxis)] = 0;
}

void TensorSlice::setColumnAxis(int axis)
{
    if (axis == m_rowAxis)
        m_rowAxis = m_columnAxis;
    m_columnAxis = axis;
    m_index[std::size_t(m_rowAxis)] = m_index[std::size_t(m_columnAxis)] = 0;
}

void TensorSlice::setIndex(int axis, std::int64_t index)
{
    m_index[std::size_t(axis)] = index;
}

std::int64_t TensorSlice::rows() const
{
    if (rank() >= 2)
        return m_extents[std::size_t(m_rowAxis)];
    return rank() == 0 ? 1 : (m_extents[0] + vectorColumns - 1) / vectorColumns;
}

std::int64_t TensorSlice::columns() const
{
    if (rank() >= 2)
        return m_extents[std::size_t(m_columnAxis)];
    return rank() == 0 ? 1 : std::min(m_extents[0], vectorColumns);
}

std::int64_t TensorSlice::elements() const
{
    // An axis without elements leaves none in the slices of the others.
    if (std::ranges::find(m_extents, 0) != m_extents.end())
        return 0;
    return rank() == 1 ? m_extents[0] : rows() * columns();
}

std::int64_t TensorSlice::stepOf(int axis) const
{
    std::int64_t step = 1;
    for (int other = axis + 1; other < rank(); ++other)
        step *= m_extents[std::size_t(other)];
    return step;
}

std::int64_t TensorSlice::rowStep() const
{
    return rank() >= 2 ? stepOf(m_rowAxis) : vectorColumns;
}

std::int64_t TensorSlice::columnStep() const
{
    return rank() >= 2 ? stepOf(m_columnAxis) : 1;
}

std::optional<std::int64_t> TensorSlice::position(std::int64_t row, std::int64_t column) const
{
    std::int64_t position = row * rowStep() + column * columnStep();
    for (int axis = 0; axis < rank(); ++axis)
        position += m_index[std::size_t(axis)] * stepOf(axis);
    if (rank() == 1 && position >= m_extents[0])
        return std::nullopt;
    return position;
}

TensorSlice::Extents TensorSlice::sliceExtents() const
{
    return rank() < 2 ? m_extents : Extents{rows(), columns()};
}

std::vector<std::int64_t> TensorSlice::indicesOf(std::int64_t position) const
{
    std::vector<std::int64_t> indices(m_extents.size(), 0);
    for (std::size_t axis = indices.size(); axis-- > 0;) {
        indices[axis] = position % m_extents[axis];
        position /= m_extents[axis];
    }
    return indices;
}

std::pair<std::int64_t, std::int64_t> TensorSlice::show(std::int64_t position)
{
    if (rank() < 2)
        return {position / vectorColumns, position % vectorColumns};
    const std::vector<std::int64_t> indices = indicesOf(position);
    for (int axis = 0; axis < rank(); ++axis)
        if (axis != m_rowAxis && axis != m_columnAxis)
            m_index[std::size_t(axis)] = indices[std::size_t(axis)];
    return {indices[std::size_t(m_rowAxis)], indices[std::size_t(m_columnAxis)]};
}

std::optional<std::int64_t> positionOf(const TensorData::Extents &extents,
                                       const std::vector<std::int64_t> &indices)
{
    if (indices.size() != extents.size())
        return std::nullopt;
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (indices[axis] < 0 || indices[axis] >= extents[axis])
            return std::nullopt;
        position = position * extents[axis] + indices[axis];
    }
    return position;
}

} // namespace graphloom
