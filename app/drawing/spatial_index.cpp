// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/drawing.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double leastCell = 512;
constexpr double mostCells = 40'000; // memory of an index over a very long drawing

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
    return {cell(rect.left() - m_bounds.left(), m_columns),
            cell(rect.top() - m_bounds.top(), m_rows),
            cell(rect.right() - m_bounds.left(), m_columns),
            cell(rect.bottom() - m_bounds.top(), m_rows)};
}

void SpatialIndex::insert(std::uint32_t index, const QRectF &rect)
{
    const Range range = cellsOf(rect);
    for (int y = range.top; y <= range.bottom; ++y)
        for (int x = range.left; x <= range.right; ++x) {
            auto &cell = m_cells[std::size_t(y) * std::size_t(m_columns) + std::size_t(x)];
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
    for (int y = range.top; y <= range.bottom; ++y)
        for (int x = range.left; x <= range.right; ++x) {
            const auto &cell = m_cells[std::size_t(y) * std::size_t(m_columns) + std::size_t(x)];
            found.insert(found.end(), cell.begin(), cell.end());
        }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace graphloom
