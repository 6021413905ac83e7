// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/stubs.h"

#include <algorithm>
#include <span>

namespace graphloom::layout {

namespace {

/// Keeps only the shortest long lines where too many would run side by side; one line stands for
/// all long edges of a node.
void thinOut(std::vector<bool> &stubs, const Input &input, const std::vector<std::uint32_t> &rows,
             const Options &options)
{
    std::vector<std::uint32_t> end(rows);    // by node: where its line ends
    const auto isLong = [&](std::size_t e) { // false for edges that close a cycle
        const Edge &edge = input.edges[e];
        return !stubs[e] && rows[edge.target] > rows[edge.source] + options.stubSpan;
    };
    std::vector<std::uint32_t> sources;
    for (std::size_t e = 0; e < stubs.size(); ++e)
        if (const Edge &edge = input.edges[e]; isLong(e)) {
            if (end[edge.source] == rows[edge.source])
                sources.push_back(edge.source);
            end[edge.source] = std::max(end[edge.source], rows[edge.target]);
        }
    if (sources.size() <= options.mostParallel)
        return;
    std::ranges::stable_sort(sources, {}, [&](std::uint32_t v) { return end[v] - rows[v]; });
    std::vector<std::uint32_t> parallel(*std::ranges::max_element(rows), 0); // lines below each row
    std::vector<bool> tooMany(input.nodes.size(), false);
    for (const std::uint32_t v : sources) {
        const std::span<std::uint32_t> crossed(parallel.data() + rows[v], end[v] - rows[v]);
        tooMany[v] = *std::ranges::max_element(crossed) >= options.mostParallel;
        if (!tooMany[v])
            for (std::uint32_t &lines : crossed)
                ++lines;
    }
    for (std::size_t e = 0; e < stubs.size(); ++e)
        if (tooMany[input.edges[e].source] && isLong(e))
            stubs[e] = true;
}

} // namespace

std::vector<bool> chooseStubs(const Input &input, const std::vector<std::uint32_t> &rows,
                              const Options &options)
{
    std::vector<std::uint32_t> fanout(input.nodes.size(), 0);
    for (const Edge &edge : input.edges)
        ++fanout[edge.source];
    std::vector<bool> stubs;
    stubs.reserve(input.edges.size());
    for (const Edge &edge : input.edges)
        stubs.push_back(fanout[edge.source] >= options.stubFanout &&
                        rows[edge.target] > rows[edge.source] + options.stubSpan);
    thinOut(stubs, input, rows, options);
    return stubs;
}

} // namespace graphloom::layout
