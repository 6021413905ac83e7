// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/packing.h"

#include <cmath>
#include <cstdint>
#include <numeric>

namespace graphloom::layout {

std::vector<Point> packRectangles(const std::vector<Rect> &sizes, double aspect, double gap)
{
    double area = 0, widest = 0;
    for (const Rect &size : sizes) {
        area += (size.width() + gap) * (size.height() + gap);
        widest = std::max(widest, size.width());
    }
    const double rowWidth = std::max(widest, std::sqrt(area * (aspect > 0 ? aspect : 1.6)));
    std::vector<std::uint32_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return sizes[a].height() > sizes[b].height();
    });
    std::vector<Point> corners(sizes.size());
    double x = 0, y = 0, rowHeight = 0;
    for (const std::uint32_t i : order) {
        if (x > 0 && x + sizes[i].width() > rowWidth) {
            x = 0;
            y += rowHeight + gap;
            rowHeight = 0;
        }
        corners[i] = {x, y};
        x += sizes[i].width() + gap;
        rowHeight = std::max(rowHeight, sizes[i].height());
    }
    return corners;
}

} // namespace graphloom::layout
