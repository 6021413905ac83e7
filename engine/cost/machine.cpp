// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/machine.h"

#include "engine/cost/machine_keys.h"

#include <algorithm>

namespace graphloom {

using namespace machine_keys;

std::string_view nameOf(Evidence evidence)
{
    return std::ranges::find(evidenceNames, evidence, &std::pair<Evidence, std::string_view>::first)
        ->second;
}

const UnitKind &fastestUnits(const Machine &machine)
{
    return *std::ranges::max_element(machine.units, {}, [](const UnitKind &kind) {
        return kind.count.value * kind.flops.value;
    });
}

double bandwidthOf(const Machine &machine, std::string_view level)
{
    for (const MemoryLevel &shared : machine.memory)
        if (shared.name == level)
            return shared.bandwidth.value;
    double sum = 0;
    for (const UnitKind &unit : machine.units)
        for (const MemoryLevel &own : unit.memory)
            if (own.name == level)
                sum += unit.count.value * own.bandwidth.value;
    return sum;
}

} // namespace graphloom
