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

/// Returns what the schedules of all GPUs are chosen for.
ScheduleTarget schedulesOfGpu()
{
    ScheduleTarget target;
    target.lanes = 4;
    target.vectorRegisters = 32;
    target.items = 128;
    target.group = 64;
    target.winograd = false;
    target.byElement = true; // elements of vectors cost nothing, and loads are the fewer
    return target;
}

ScheduleTarget schedulesOf(const OpenclDevice &device)
{
    ScheduleTarget target = device.isCpu ? ScheduleTarget() : schedulesOfGpu();
    target.taskMemory = std::int64_t(device.local);
    target.threads = int(device.units);
    target.imageTexels = std::int64_t(device.texels);
    if (!device.isCpu) {
        target.items = std::min(target.items, int(device.mostItems));
        target.group = std::min(target.group, int(device.mostItems));
        // Its caches of textures are the larger ones.
        target.prefersImages = device.name.find("Adreno") != std::string::npos;
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
    ScheduleTarget target = schedulesOfGpu();
    target.threads = described.units;
    target.taskMemory = ownCacheOf(*described.machine);
    if (const auto &texels = described.machine->imageTexels) {
        target.imageTexels = std::int64_t(texels->value);
        target.prefersImages = true;
    }
    return target;
}

} // namespace

ChosenDevice ChosenDevice::elsewhere() const
{
    return described ? ChosenDevice{std::nullopt, described} : *this;
}

ScheduleTarget ChosenDevice::schedules(unsigned units) const
{
    ScheduleTarget target = described ? schedulesOf(*described) : schedulesOf(*runs);
    if (units > 0)
        target.threads = std::min(target.threads, int(units));
    if (described && runs) {
        target.taskMemory = std::min(target.taskMemory, std::int64_t(runs->local));
        target.imageTexels = std::min(target.imageTexels, std::int64_t(runs->texels));
    }
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
