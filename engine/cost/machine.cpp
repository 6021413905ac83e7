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

const UnitKind &fastestSingleUnits(const Machine &machine)
{
    return *std::ranges::max_element(machine.units, {},
                                     [](const UnitKind &kind) { return kind.flops.value; });
}

Machine withUnits(Machine machine, int count)
{
    std::ranges::stable_sort(machine.units, std::greater(),
                             [](const UnitKind &kind) { return kind.flops.value; });
    double left = std::max(count, 1);
    for (UnitKind &kind : machine.units) {
        kind.count.value = std::min(kind.count.value, left);
        left -= kind.count.value;
    }
    std::erase_if(machine.units, [](const UnitKind &kind) { return kind.count.value <= 0; });
    return machine;
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
