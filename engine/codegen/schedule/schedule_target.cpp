// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/schedule_target.h"

#include <algorithm>

namespace graphloom {

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
    if (fastest.registers)
        target.vectorRegisters = int(fastest.registers->value);
    if (const KernelRates *rates = device.rates())
        target.winograd = rates->transforms.has_value();
    return target;
}

} // namespace graphloom
