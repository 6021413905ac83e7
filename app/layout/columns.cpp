// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/columns.h"

#include <cmath>
#include <limits>

namespace graphloom::layout {

namespace {

constexpr double track = 8;   // distance between two lines in a gutter
constexpr double gutter = 34; // between two columns, in addition to the lines
constexpr std::size_t mostColumns = 400;
constexpr double window = 0.3;   // maximum distance of a break from its ideal place, in columns
constexpr double offTarget = 12; // cost of a break that is a whole column off its place, in lines

} // namespace

Columns::Columns(const Layers &layers, const IndexedVector<VertexIndex, double> &x,
                 const Bands &bands, double aspect)
    : m_bands(bands), m_passing(bands.size(), 0), m_columnOf(bands.size(), ColumnIndex(0))
{
    const auto &vertices = layers.vertices();
    for (const RankIndex r : bands.indices()) {
        Band span{std::numeric_limits<double>::infinity(),
                  -std::numeric_limits<double>::infinity()};
        for (const VertexIndex v : layers.layer(r)) {
            span.top = std::min(span.top, x[v] - vertices[v].left);
            span.bottom = std::max(span.bottom, x[v] + vertices[v].right);
            m_passing[r] += layers.below(v).empty() ? 0 : 1;
        }
        m_spans.push_back(span);
    }
    auto breaks = chooseBreaks(aspect);
    breaks.push_back(bands.nextIndex());
    RankIndex first(0);
    for (const RankIndex end : breaks) {
        Column column;
        column.first = first;
        column.end = end;
        column.left = std::numeric_limits<double>::infinity();
        column.right = -column.left;
        for (const RankIndex r : IndexRange(first, end)) {
            column.left = std::min(column.left, m_spans[r].top);
            column.right = std::max(column.right, m_spans[r].bottom);
            m_columnOf[r] = m_columns.nextIndex();
        }
        // The rightmost line turns first and stays innermost: lines that keep their order do not
        // cross.
        if (end < bands.nextIndex()) {
            std::vector<VertexIndex> leaving;
            for (const VertexIndex v : layers.layer(end - 1))
                if (!layers.below(v).empty())
                    leaving.push_back(v);
            std::sort(leaving.begin(), leaving.end(),
                      [&](VertexIndex a, VertexIndex b) { return x[a] > x[b]; });
            for (const VertexIndex v : leaving)
                column.tracks.emplace(v, column.tracks.size());
        }
        m_columns.push_back(std::move(column));
        first = end;
    }
    spread();
}

double Columns::widthOf(RankIndex first, RankIndex end) const
{
    double left = std::numeric_limits<double>::infinity(), right = -left;
    for (const RankIndex r : IndexRange(first, end)) {
        left = std::min(left, m_spans[r].top);
        right = std::max(right, m_spans[r].bottom);
    }
    return right - left;
}

std::vector<RankIndex> Columns::chooseBreaks(double aspect) const
{
    const RankIndex ranks = m_bands.nextIndex();
    if (aspect <= 0 || m_bands.size() < 2)
        return {};
    const double height = m_bands.back().bottom - m_bands.front().top;
    const auto rankAt = [&](double y) { // first rank that begins at or below y
        const auto it = std::lower_bound(m_bands.begin(), m_bands.end(), y,
                                         [](const Band &band, double at) { return band.top < at; });
        return RankIndex(it - m_bands.begin());
    };
    // Find the number of columns that comes closest to the wanted aspect ratio.
    std::size_t columns = 1;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t n = 1; n <= std::min(mostColumns, m_bands.size()); ++n) {
        double width = 0;
        RankIndex first(0);
        for (std::size_t i = 1; i <= n && first < ranks; ++i) {
            const RankIndex end =
                i == n ? ranks
                       : std::max(first + 1,
                                  rankAt(m_bands.front().top + height * double(i) / double(n)));
            width +=
                widthOf(first, end) + (i > 1 ? gutter + track * double(m_passing[first - 1]) : 0);
            first = end;
        }
        const double ratio = width / (height / double(n));
        const double off = std::abs(std::log(ratio / aspect));
        if (off < best) {
            best = off;
            columns = n;
        }
        if (ratio > aspect)
            break;
    }
    // Choose breaks near the ideal places where few lines pass.
    std::vector<RankIndex> breaks;
    const double columnHeight = height / double(columns);
    for (std::size_t i = 1; i < columns; ++i) {
        const double ideal = m_bands.front().top + columnHeight * double(i);
        RankIndex chosen; // invalid
        double cost = std::numeric_limits<double>::infinity();
        const RankIndex from = std::max(breaks.empty() ? RankIndex(1) : breaks.back() + 1,
                                        rankAt(ideal - window * columnHeight));
        for (const RankIndex r : IndexRange(from, ranks)) {
            const double away = std::abs(m_bands[r].top - ideal) / columnHeight;
            if (away > window && chosen.isValid())
                break;
            const double now = double(m_passing[r - 1]) + offTarget * away;
            if (now < cost) {
                cost = now;
                chosen = r;
            }
        }
        if (chosen.isValid())
            breaks.push_back(chosen);
    }
    return breaks;
}

void Columns::spread()
{
    double right = 0;
    for (const ColumnIndex c : m_columns.indices()) {
        Column &column = m_columns[c];
        if (c > ColumnIndex(0))
            right += gutter + track * double(m_columns[c - 1].tracks.size());
        column.move = {right - column.left, -m_bands[column.first].top};
        right += column.right - column.left;
    }
}

Route Columns::connection(VertexIndex vertex, double fromX, double toX) const
{
    for (const ColumnIndex c : IndexRange(ColumnIndex(0), m_columns.lastIndex())) {
        const Column &column = m_columns[c];
        const auto found = column.tracks.find(vertex);
        if (found == column.tracks.end())
            continue;
        const Column &next = m_columns[c + 1];
        const double number = double(found->second), count = double(column.tracks.size());
        const double bottom = m_bands[column.end - 1].bottom + column.move.y;
        const double low = bottom + track * (number + 1.5);
        const double high = -track * (count - number + 0.5);
        const double between = column.right + column.move.x + gutter / 2 + track * number;
        const double start = m_bands[next.first].top + next.move.y;
        return {{fromX, bottom}, {fromX, low}, {between, low},
                {between, high}, {toX, high},  {toX, start}};
    }
    return {};
}

} // namespace graphloom::layout
