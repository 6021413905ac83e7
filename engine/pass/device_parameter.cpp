// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/device_parameter.h"

#include "engine/cost/device.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::string_view parameterName = "device";

/// New choices go to the end of a group, since records of runs hold the index of the choice.
std::span<const std::string_view> choices()
{
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> names(deviceNames().begin(), deviceNames().end());
        names.push_back(thisMachine);
        names.push_back(planDevice);
        return names;
    }();
    return all;
}

std::span<const std::string_view> choiceLabels()
{
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> labels(choices().size());
        labels[labels.size() - 2] = "this machine";
        labels[labels.size() - 1] = "the plan's";
        return labels;
    }();
    return all;
}

std::string_view chosen(const Settings &settings)
{
    return choices()[std::size_t(settings.integer(parameterName))];
}

} // namespace

Parameter deviceParameter(std::string_view help)
{
    return {.name = parameterName,
            .help = help,
            .kind = Parameter::Kind::Choice,
            .initial = double(choices().size() - 1),
            .choices = choices(),
            .label = "Device",
            .choiceLabels = choiceLabels()};
}

bool usesPlanDevice(const Pass &pass, const Settings &settings)
{
    return std::ranges::count(pass.parameters(), parameterName, &Parameter::name) > 0 &&
           chosen(settings) == planDevice;
}

bool mayTime(const Settings &settings)
{
    return !findDevice(chosen(settings));
}

Result<std::shared_ptr<const Device>> deviceFor(const Plan &plan, const Context &context)
{
    const std::string_view name = chosen(context.settings);
    if (name == planDevice)
        return plannedDevice(plan);
    if (const Device *described = findDevice(name))
        return sharedDevice(*described);
    GL_TRY_RESULT(timer, context.timers(name));
    context.progress(0, "measuring the device");
    GL_TRY_RESULT(device, (*timer)->device({.stop = context.stop, .progress = context.progress}));
    return std::make_shared<const Device>(*std::move(device));
}

} // namespace graphloom
