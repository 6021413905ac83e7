// SPDX-License-Identifier: Apache-2.0
#include "engine/tensors/value_grid.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

std::int64_t divided(std::int64_t size, std::int64_t by)
{
    return (size + by - 1) / by;
}

/// Sums the elements of each cell.
class GridMaker {
public:
    GridMaker(const TensorData &data, const TensorSlice &slice, ValueGrid &grid,
              const ReadOptions &options)
        : m_data(data), m_slice(slice), m_grid(grid),
          m_meter(data, grid.range.rows * grid.range.columns, options),
          m_sums(grid.means.size(), 0), m_counts(grid.means.size(), 0)
    {
    }

    /// Returns false when stopped.
    bool run()
    {
        if (m_data.isSplat()) {
            addSplat();
            return true;
        }
        const SliceRange &range = m_grid.range;
        // Along the axis whose elements are closer together.
        const bool byRows = m_slice.rowStep() >= m_slice.columnStep();
        const std::int64_t outer = byRows ? range.rows : range.columns;
        for (std::int64_t line = 0; line < outer; ++line)
            if (!addLine(line, byRows))
                return false;
        for (std::size_t cell = 0; cell < m_sums.size(); ++cell)
            if (m_counts[cell] > 0)
                // A sum of numbers as great as those of double may be infinite.
                m_grid.means[cell] = std::clamp(m_sums[cell] / double(m_counts[cell]),
                                                *m_grid.least, *m_grid.greatest);
        return true;
    }

private:
    /// Adds the first element of each cell, as all are equal.
    void addSplat()
    {
        const double value = m_data.real(0);
        for (std::int64_t row = 0; row < m_grid.rows; ++row)
            for (std::int64_t column = 0; column < m_grid.columns; ++column)
                if (m_slice.position(m_grid.range.row + row * m_grid.cellRows,
                                     m_grid.range.column + column * m_grid.cellColumns)) {
                    add(row * m_grid.cellRows, column * m_grid.cellColumns, value);
                    m_grid.means[std::size_t(row * m_grid.columns + column)] = value;
                }
    }
    bool addLine(std::int64_t line, bool byRows)
    {
        const SliceRange &range = m_grid.range;
        const std::int64_t size = byRows ? range.columns : range.rows;
        const std::int64_t step = byRows ? m_slice.columnStep() : m_slice.rowStep();
        const std::int64_t jump = byRows ? m_slice.rowStep() : m_slice.columnStep();
        const std::int64_t atOnce = m_meter.atOnce(step);
        for (std::int64_t first = 0; first < size; first += atOnce) {
            std::int64_t count = std::min(atOnce, size - first);
            const auto at = byRows ? m_slice.position(range.row + line, range.column + first)
                                   : m_slice.position(range.row + first, range.column + line);
            if (!at)
                break; // after the end of a vector
            if (m_slice.rank() == 1)
                count = std::min(count, divided(m_data.elements() - *at, step));
            m_values.resize(std::size_t(count));
            readElements(m_data, *at, step, m_values);
            for (std::int64_t i = 0; i < count; ++i)
                add(byRows ? line : first + i, byRows ? first + i : line, m_values[std::size_t(i)]);
            if (!m_meter.add(count, step, first == 0 ? jump : 0))
                return false;
        }
        return true;
    }
    void add(std::int64_t row, std::int64_t column, double value)
    {
        const auto cell =
            std::size_t(row / m_grid.cellRows * m_grid.columns + column / m_grid.cellColumns);
        ValueGrid::Content &content = m_grid.contents[cell];
        if (!std::isfinite(value)) {
            content = ValueGrid::Content::NotFinite;
            return;
        }
        if (content == ValueGrid::Content::Empty)
            content = ValueGrid::Content::Finite;
        m_sums[cell] += value;
        ++m_counts[cell];
        m_grid.least = std::min(m_grid.least.value_or(value), value);
        m_grid.greatest = std::max(m_grid.greatest.value_or(value), value);
    }

    const TensorData &m_data;
    const TensorSlice &m_slice;
    ValueGrid &m_grid;
    ReadMeter m_meter;
    std::vector<double> m_sums, m_values;
    std::vector<std::int64_t> m_counts;
};

} // namespace

SliceRange wholeRange(const TensorSlice &slice)
{
    return slice.elements() == 0 ? SliceRange() : SliceRange{0, 0, slice.rows(), slice.columns()};
}

std::optional<ValueGrid> gridOf(const TensorData &data, const TensorSlice &slice,
                                const SliceRange &range, std::int64_t mostRows,
                                std::int64_t mostColumns, const ReadOptions &options)
{
    ValueGrid grid;
    grid.range = range;
    if (range.rows == 0 || range.columns == 0)
        return grid;
    grid.cellRows = divided(range.rows, std::max<std::int64_t>(1, mostRows));
    grid.cellColumns = divided(range.columns, std::max<std::int64_t>(1, mostColumns));
    grid.rows = divided(range.rows, grid.cellRows);
    grid.columns = divided(range.columns, grid.cellColumns);
    grid.means.resize(std::size_t(grid.rows * grid.columns), 0);
    grid.contents.resize(grid.means.size(), ValueGrid::Content::Empty);
    if (!GridMaker(data, slice, grid, options).run())
        return std::nullopt;
    return grid;
}

} // namespace graphloom
