// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/schedule_target.h"

#include <algorithm>

namespace graphloom {

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
    if (fastest.registers)
        target.vectorRegisters = int(fastest.registers->value);
    if (const KernelRates *rates = device.rates())
        target.winograd = rates->transforms.has_value();
    return target;
}

} // namespace graphloom
