// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/schedule_target.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

int pipesOf(const Machine &machine)
{
    constexpr int usual = 2;
    const UnitKind &unit = fastestSingleUnits(machine);
    if (!unit.clock || unit.instructionSet.empty())
        return usual;
    constexpr double operations = 2; // of a multiply-add
    return std::max(1, int(std::lround(unit.flops.value /
                                       (operations * unit.clock->value * unit.lanes.value))));
}

std::int64_t ownCacheOf(const Machine &machine)
{
    const UnitKind &unit = fastestSingleUnits(machine);
    const bool isKnown = !unit.memory.empty() && unit.memory.back().bytes;
    return isKnown ? std::int64_t(unit.memory.back().bytes->value) : 0;
}

ScheduleTarget scheduleTargetOf(const Device &device)
{
    ScheduleTarget target;
    target.lanes = device.lanes;
    target.threads = device.units;
    if (!device.machine)
        return target;
    const UnitKind &fastest = fastestUnits(*device.machine);
    if (const InstructionSet *set = findAnyInstructionSet(fastest.instructionSet))
        target.byElement = set->byElement;
    target.ownCache = ownCacheOf(*device.machine);
    target.pipes = pipesOf(*device.machine);
    if (fastest.registers)
        target.vectorRegisters = int(fastest.registers->value);
    if (const KernelRates *rates = device.rates())
        target.winograd = rates->transforms.has_value();
    return target;
}

} // namespace graphloom
