// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"
#include "tests/support/sketch.h"

#include <numeric>

/// Graphs as the pass sees them, for a device with simple figures.
namespace graphloom::test {

inline magis::MemoryGraph memoryOf(const Graph &graph, const Device &device, bool weights = true,
                                   const Opsets &opsets = sketchOpset)
{
    auto memory = magis::MemoryGraph::of(graph, opsets, device, weights);
    if (!memory)
        qFatal("%s", memory.error().text().c_str());
    return *std::move(memory);
}
inline magis::MemoryGraph memoryOf(const Graph &graph)
{
    return memoryOf(graph, *findDevice("rtx-3090"));
}

inline std::vector<int> ownOrder(const magis::MemoryGraph &memory)
{
    std::vector<int> order(memory.steps().size());
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// Holds every step once, behind all that have to be earlier?
inline bool isValidOrder(const magis::MemoryGraph &memory, std::span<const int> order)
{
    std::vector<int> place(memory.steps().size(), -1);
    for (std::size_t p = 0; p < order.size(); ++p) {
        if (order[p] < 0 || std::size_t(order[p]) >= place.size() ||
            place[std::size_t(order[p])] >= 0)
            return false;
        place[std::size_t(order[p])] = int(p);
    }
    if (order.size() != place.size())
        return false;
    for (std::size_t s = 0; s < place.size(); ++s)
        for (const int before : memory.steps()[s].before)
            if (place[std::size_t(before)] >= place[s])
                return false;
    return true;
}

} // namespace graphloom::test
