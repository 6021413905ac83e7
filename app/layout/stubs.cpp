// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/stubs.h"

namespace graphloom::layout {

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
    return stubs;
}

} // namespace graphloom::layout
