// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/arm_devices.h"

#include "engine/cost/machine.h"

#include <algorithm>
#include <array>

namespace graphloom::arm64 {

namespace {

/// Returns the name of a device as one of this target. phone-cpu, which stands for phones in
/// general, is the description of a Snapdragon 865.
std::string nameAsTarget(const Device &device)
{
    return device.name == "phone-cpu" ? "sd865" : device.name;
}

/// Tells whether cores have vector arithmetic of half precision (FEAT_FP16), by their technical
/// reference manuals.
bool hasHalfArithmetic(const std::string &processor)
{
    constexpr std::array processors = {"cortex-a55", "cortex-a75", "cortex-a76", "cortex-a77",
                                       "cortex-a78", "cortex-x1",  "neoverse-n1"};
    return std::ranges::count(processors, processor) > 0;
}

std::vector<ArmDevice> findDevices()
{
    std::vector<ArmDevice> found;
    for (const Device &device : devices()) {
        const UnitKind &fastest = fastestSingleUnits(*device.machine);
        if (fastest.instructionSet != neon().name)
            continue;
        found.push_back({nameAsTarget(device), &device, fastest.processor, false});
        if (hasHalfArithmetic(fastest.processor))
            found.push_back({nameAsTarget(device) + "+fp16", &device, fastest.processor, true});
    }
    return found;
}

} // namespace

const std::vector<ArmDevice> &armDevices()
{
    static const std::vector<ArmDevice> all = findDevices();
    return all;
}

Result<ArmDevice> armDevice(const std::string &name)
{
    const auto found = std::ranges::find(armDevices(), name, &ArmDevice::name);
    if (found != armDevices().end())
        return *found;
    std::string names;
    for (const ArmDevice &device : armDevices())
        names += (names.empty() ? "" : ", ") + device.name;
    return fail(Error::Kind::Usage, "this target has no such device; it has: " + names,
                "arm64:" + name);
}

DeviceName splitName(const std::string &name)
{
    const std::size_t at = name.find('@');
    return at == std::string::npos ? DeviceName{name, {}}
                                   : DeviceName{name.substr(0, at), name.substr(at + 1)};
}

const InstructionSet &neon()
{
    return instructionSetsOf("aarch64").front();
}

} // namespace graphloom::arm64
