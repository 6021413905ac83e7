// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/arm_devices.h"

#include "engine/cost/machine.h"

#include <algorithm>

namespace graphloom::arm64 {

namespace {

/// Returns the name of a device as one of this target. phone-cpu, which stands for phones in
/// general, is the description of a Snapdragon 865.
std::string nameAsTarget(const Device &device)
{
    return device.name == "phone-cpu" ? "sd865" : device.name;
}

std::vector<ArmDevice> findDevices()
{
    std::vector<ArmDevice> found;
    for (const Device &device : devices()) {
        const UnitKind &fastest = fastestSingleUnits(*device.machine);
        if (fastest.instructionSet != neon().name)
            continue;
        found.push_back({nameAsTarget(device), &device, fastest.processor, false});
        if (std::ranges::count(fastest.extensions, "fp16") > 0)
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
