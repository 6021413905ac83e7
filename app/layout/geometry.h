// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace graphloom::layout {

/// Number of pixels in an inch, in which Graphviz measures sizes.
inline constexpr double pixelsPerInch = 72;

/// A point in the scene. Lengths are in scene units, which are pixels at a zoom of 100 %; y grows
/// downwards.
struct Point {
    double x = 0, y = 0;
    bool operator==(const Point &) const = default;
};

struct Rect {
    double left = 0, top = 0, right = 0, bottom = 0;

    double width() const { return right - left; }
    double height() const { return bottom - top; }
    Point centre() const { return {(left + right) / 2, (top + bottom) / 2}; }
    bool intersects(const Rect &other) const
    {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
    bool contains(const Rect &other) const
    {
        return left <= other.left && other.right <= right && top <= other.top &&
               other.bottom <= bottom;
    }
    Rect moved(double dx, double dy) const
    {
        return {left + dx, top + dy, right + dx, bottom + dy};
    }
    Rect grown(double by) const { return {left - by, top - by, right + by, bottom + by}; }
    void include(const Rect &other)
    {
        left = std::min(left, other.left);
        top = std::min(top, other.top);
        right = std::max(right, other.right);
        bottom = std::max(bottom, other.bottom);
    }
    void include(Point p) { include(Rect{p.x, p.y, p.x, p.y}); }
};

/// A line along an edge, from the bottom of its source to the top of its target. Pieces that are
/// neither horizontal nor vertical are meant to be drawn as curves with vertical ends.
using Route = std::vector<Point>;

/// Adds a point to a route. Redundant points (the same again, or further along a vertical piece)
/// are merged, and x that differ by rounding only are made equal.
inline void extend(Route &route, Point p)
{
    if (!route.empty() && std::abs(route.back().x - p.x) < 1e-3)
        p.x = route.back().x;
    const std::size_t n = route.size();
    if (n >= 1 && route.back() == p)
        return;
    if (n >= 2 && route[n - 1].x == p.x && route[n - 2].x == p.x &&
        (route[n - 1].y - route[n - 2].y) * (p.y - route[n - 1].y) >= 0)
        route.back() = p;
    else
        route.push_back(p);
}

} // namespace graphloom::layout
