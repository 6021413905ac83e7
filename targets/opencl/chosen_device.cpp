// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/chosen_device.h"

#include "engine/codegen/emit/kernel_language.h"
#include "engine/cost/instruction_set.h"
#include "engine/deploy/kernel_choices.h"

#include <algorithm>
#include <charconv>

namespace graphloom::opencl {

namespace {

constexpr std::string_view language = "opencl"; // as descriptions name it

/// Returns the name of a described device as one of this target. phone-gpu, which stands for phones
/// in general, is the description of an Adreno 650.
std::string nameAsTarget(const Device &device)
{
    return device.name == "phone-gpu" ? "adreno650" : device.name;
}

std::vector<const Device *> describedDevices()
{
    std::vector<const Device *> found;
    for (const Device &device : devices())
        if (device.machine && fastestUnits(*device.machine).instructionSet == language)
            found.push_back(&device);
    return found;
}

/// Returns the number that a name is, if it is one.
std::optional<std::size_t> numberIn(const std::string &name)
{
    std::size_t number = 0;
    const char *end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

constexpr int lanesOfGpu = 4, registersOfGpu = 32, itemsOfGpu = 128, groupOfGpu = 64;

ScheduleTarget schedulesOf(const OpenclDevice &device)
{
    ScheduleTarget target;
    target.taskMemory = std::int64_t(device.local);
    target.threads = int(device.units);
    if (!device.isCpu) {
        target.lanes = lanesOfGpu;
        target.vectorRegisters = registersOfGpu;
        target.items = int(std::min<std::size_t>(itemsOfGpu, device.mostItems));
        target.group = int(std::min<std::size_t>(groupOfGpu, device.mostItems));
        target.winograd = false;
        return target;
    }
    // One work-item fills a unit of a processor.
    target.lanes = device.lanes >= 16 ? 16 : device.lanes >= 8 ? 8 : 4;
    if (const InstructionSet *set = findInstructionSet(target.lanes))
        target.vectorRegisters = set->registers;
    return target;
}

ScheduleTarget schedulesOf(const Device &described)
{
    ScheduleTarget target;
    target.lanes = lanesOfGpu;
    target.vectorRegisters = registersOfGpu;
    target.items = itemsOfGpu;
    target.group = groupOfGpu;
    target.winograd = false;
    target.threads = described.units;
    target.taskMemory = ownCacheOf(*described.machine);
    return target;
}

} // namespace

ScheduleTarget ChosenDevice::schedules(unsigned units) const
{
    ScheduleTarget target = described ? schedulesOf(*described) : schedulesOf(*runs);
    if (units > 0)
        target.threads = std::min(target.threads, int(units));
    if (described && runs)
        target.taskMemory = std::min(target.taskMemory, std::int64_t(runs->local));
    target.language = &openclLanguage();
    return target;
}

std::string ChosenDevice::fingerprint() const
{
    return (described ? described->title : runs->identity()) + ", " +
           vectorsText(schedules(0).lanes) + ", OpenCL C";
}

std::vector<std::string> describedNames()
{
    std::vector<std::string> names;
    for (const Device *device : describedDevices())
        names.push_back(nameAsTarget(*device));
    return names;
}

Result<ChosenDevice> chosenDevice(const std::string &name, bool mustRun)
{
    const auto found = openclDevices();
    const std::vector<const Device *> described = describedDevices();
    const auto known = std::ranges::find(
        described, name, [](const Device *device) { return nameAsTarget(*device); });
    ChosenDevice chosen;
    if (known != described.end()) {
        chosen.described = *known;
        if (found)
            chosen.runs = found->front();
        else if (mustRun)
            return tl::unexpected(found.error());
        return chosen;
    }
    const std::optional<std::size_t> number = name.empty() ? 0 : numberIn(name);
    if (found && number && *number < found->size()) {
        chosen.runs = (*found)[*number];
        return chosen;
    }
    if (!found && number)
        return tl::unexpected(found.error());
    std::string all;
    for (std::size_t i = 0; found && i < found->size(); ++i)
        all += std::to_string(i) + " (" + (*found)[i].name + "), ";
    for (const Device *device : described)
        all += nameAsTarget(*device) + (device == described.back() ? "" : ", ");
    return fail(Error::Kind::Usage, "this target has no such device; it has: " + all,
                "opencl:" + name);
}

} // namespace graphloom::opencl
