// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/schedule/scheduling.h"
#include "tests/support/sketch.h"

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

using magis::ownOrder;

/// Lists steps by their numbers.
inline std::vector<magis::StepIndex> stepsOf(std::initializer_list<int> numbers)
{
    std::vector<magis::StepIndex> steps;
    for (const int number : numbers)
        steps.push_back(magis::StepIndex(number));
    return steps;
}

/// Holds every step once, behind all that have to be earlier?
inline bool isValidOrder(const magis::MemoryGraph &memory, const magis::StepOrder &order)
{
    IndexedVector<magis::StepIndex, magis::Position> positionOf(memory.steps().size());
    for (const magis::Position p : order.indices()) {
        if (!positionOf.contains(order[p]) || positionOf[order[p]].isValid())
            return false;
        positionOf[order[p]] = p;
    }
    if (order.size() != positionOf.size())
        return false;
    for (const magis::StepIndex s : positionOf.indices())
        for (const magis::StepIndex before : memory.steps()[s].before)
            if (positionOf[before] >= positionOf[s])
                return false;
    return true;
}

} // namespace graphloom::test
