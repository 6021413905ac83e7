// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/drawing.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double leastCell = 512;
constexpr double mostCells = 40'000; // limits the memory for a very long drawing

} // namespace

SpatialIndex::SpatialIndex(const QRectF &bounds) : m_bounds(bounds)
{
    m_cell = std::max(leastCell, std::sqrt(bounds.width() * bounds.height() / mostCells));
    m_columns = int(bounds.width() / m_cell) + 1;
    m_rows = int(bounds.height() / m_cell) + 1;
    m_cells.resize(std::size_t(m_columns) * std::size_t(m_rows));
}

SpatialIndex::Range SpatialIndex::cellsOf(const QRectF &rect) const
{
    const auto cell = [this](double at, int count) {
        return int(std::clamp(std::floor(at / m_cell), 0.0, double(count - 1)));
    };
    const Column left(cell(rect.left() - m_bounds.left(), m_columns));
    const Column right(cell(rect.right() - m_bounds.left(), m_columns));
    const Row top(cell(rect.top() - m_bounds.top(), m_rows));
    const Row bottom(cell(rect.bottom() - m_bounds.top(), m_rows));
    return {{left, right + 1}, {top, bottom + 1}};
}

void SpatialIndex::insert(std::uint32_t index, const QRectF &rect)
{
    const Range range = cellsOf(rect);
    for (const Row y : range.rows)
        for (const Column x : range.columns) {
            auto &cell = m_cells[cellAt(x, y)];
            if (cell.empty() || cell.back() != index)
                cell.push_back(index);
        }
}

std::vector<std::uint32_t> SpatialIndex::in(const QRectF &rect) const
{
    std::vector<std::uint32_t> found;
    if (m_cells.empty())
        return found;
    const Range range = cellsOf(rect);
    for (const Row y : range.rows)
        for (const Column x : range.columns) {
            const auto &cell = m_cells[cellAt(x, y)];
            found.insert(found.end(), cell.begin(), cell.end());
        }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace graphloom
