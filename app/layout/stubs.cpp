// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/stubs.h"

#include <algorithm>
#include <numeric>

namespace graphloom::layout {

namespace {

/// Takes the longest lines away until the rest have few enough pieces; one line stands for all
/// long edges of a node.
void shorten(std::vector<bool> &stubs, const Input &input, const std::vector<std::uint32_t> &ranks,
             const Options &options)
{
    const auto spanOf = [&](const Edge &edge) { // none for an edge that leads back on a cycle
        const std::uint32_t from = ranks[edge.source], to = ranks[edge.target];
        return to > from ? to - from : 0;
    };
    std::vector<std::uint32_t> longest(input.nodes.size(), 0); // span of the lines of a node
    for (std::size_t e = 0; e < stubs.size(); ++e)
        if (const Edge &edge = input.edges[e]; !stubs[e])
            longest[edge.source] = std::max(longest[edge.source], spanOf(edge));
    std::uint64_t pieces = std::accumulate(longest.begin(), longest.end(), std::uint64_t{0});
    if (pieces <= options.mostPieces)
        return;
    std::vector<std::uint32_t> order(input.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return longest[a] > longest[b]; });
    std::vector<bool> shortened(input.nodes.size(), false);
    for (const std::uint32_t v : order) {
        if (pieces <= options.mostPieces || longest[v] <= options.stubSpan)
            break;
        shortened[v] = true;
        pieces -= longest[v];
    }
    for (std::size_t e = 0; e < stubs.size(); ++e)
        if (shortened[input.edges[e].source] && spanOf(input.edges[e]) > options.stubSpan)
            stubs[e] = true;
}

} // namespace

std::vector<bool> chooseStubs(const Input &input, const std::vector<std::uint32_t> &ranks,
                              const Options &options)
{
    std::vector<std::uint32_t> fanout(input.nodes.size(), 0);
    for (const Edge &edge : input.edges)
        ++fanout[edge.source];
    std::vector<bool> stubs;
    stubs.reserve(input.edges.size());
    for (const Edge &edge : input.edges)
        stubs.push_back(fanout[edge.source] >= options.stubFanout &&
                        ranks[edge.target] > ranks[edge.source] + options.stubSpan);
    shorten(stubs, input, ranks, options);
    return stubs;
}

} // namespace graphloom::layout
