// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphloom::layout {

namespace {

constexpr double track = 8;   // distance between two lines in a gutter
constexpr double gutter = 34; // between two columns, in addition to the lines
constexpr std::size_t mostColumns = 400;
constexpr double dearLine = 12; // width that is given away for one line less between columns

} // namespace

Columns::Columns(const Layers &layers, const IndexedVector<VertexIndex, double> &x,
                 const Bands &bands, double aspect, const std::stop_token &stop)
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
    auto breaks = chooseBreaks(aspect, stop);
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

double Columns::heightOf(RankIndex first, RankIndex end) const
{
    // Lines to the next column turn below this one, and above that one.
    const double turns = track * (double(m_passing[end - 1]) + 1);
    return m_bands[end - 1].bottom - m_bands[first].top + (end < m_bands.nextIndex() ? turns : 0);
}

/// Breaks into columns of at most a height (but at least one rank each) that take the least width
/// together, in which each line that passes from one column to the next counts, too.
Columns::Breaks Columns::breaksBelow(double height) const
{
    struct Best {
        double width = std::numeric_limits<double>::infinity();
        RankIndex before; // where the last column begins
    };
    IndexedVector<RankIndex, Best> best(m_bands.size() + 1); // by where the last column ends
    best[RankIndex(0)].width = 0;
    for (const RankIndex end : IndexRange(RankIndex(1), m_bands.nextIndex() + 1)) {
        double left = std::numeric_limits<double>::infinity(), right = -left;
        for (RankIndex first = end - 1;; first = first - 1) {
            left = std::min(left, m_spans[first].top);
            right = std::max(right, m_spans[first].bottom);
            if (first < end - 1 && m_bands[end - 1].bottom - m_bands[first].top > height)
                break;
            const double border = first > RankIndex(0)
                                      ? gutter + (track + dearLine) * double(m_passing[first - 1])
                                      : 0;
            if (const double width = best[first].width + border + right - left;
                width < best[end].width)
                best[end] = {width, first};
            if (first == RankIndex(0))
                break;
        }
    }
    Breaks result;
    for (RankIndex end = m_bands.nextIndex(); end > RankIndex(0); end = best[end].before) {
        result.height = std::max(result.height, heightOf(best[end].before, end));
        if (best[end].before > RankIndex(0))
            result.ranks.push_back(best[end].before);
    }
    std::ranges::reverse(result.ranks);
    result.width = best[m_bands.nextIndex()].width;
    return result;
}

std::vector<RankIndex> Columns::chooseBreaks(double aspect, const std::stop_token &stop) const
{
    if (aspect <= 0 || m_bands.size() < 2)
        return {};
    const double height = m_bands.back().bottom - m_bands.front().top;
    double width = 0; // of a rank on average
    for (const Band &span : m_spans)
        width += (span.bottom - span.top) / double(m_bands.size());
    // Few columns for many ranks are a long computation: begin where they may fit.
    const double middle = std::sqrt(aspect * height / std::max(1.0, width));
    const auto fewest = std::size_t(std::max(1.0, middle / 3));
    // Try numbers of columns while more of them make the drawing larger on a canvas of the aspect.
    std::vector<RankIndex> breaks;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t n = std::min(fewest, m_bands.size());
         n <= std::min(mostColumns, m_bands.size()) && !stop.stop_requested(); ++n) {
        double narrowest = std::numeric_limits<double>::infinity();
        for (const double slack : {1.0, 1.08, 1.2}) {
            Breaks made = breaksBelow(slack * height / double(n));
            const double size = std::max(made.width / aspect, made.height);
            narrowest = std::min(narrowest, made.width);
            if (size < least) {
                least = size;
                breaks = std::move(made.ranks);
            }
        }
        if (narrowest / aspect > least * 1.3)
            break;
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
