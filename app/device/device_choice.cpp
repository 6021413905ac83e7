// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device/device_choice.h"

#include "engine/cost/device.h"

#include <algorithm>

namespace graphloom {

bool TargetState::isComplete() const
{
    return std::ranges::all_of(findings, &Finding::found);
}

std::vector<TargetState> lookAtTargets(const std::vector<TargetPlugin> &plugins,
                                       const std::vector<std::string> &added)
{
    std::vector<TargetState> all;
    for (const TargetPlugin &plugin : plugins) {
        TargetState state{plugin, {}, {}};
        if (plugin.target) {
            state.findings = plugin.target->probe();
            std::vector<std::string> devices = plugin.target->devices();
            for (const std::string &name : added)
                if (const auto chosen = findChosen(plugins, name);
                    chosen && chosen->target == plugin.target)
                    devices.push_back(chosen->device);
            for (const std::string &device : devices) {
                const auto checked = plugin.target->checkDevice(device);
                state.devices.emplace_back(device, checked ? "" : checked.error().text());
            }
        }
        all.push_back(std::move(state));
    }
    return all;
}

std::vector<DeviceChoice> deviceChoices(const std::vector<TargetPlugin> &plugins,
                                        const std::vector<std::string> &added)
{
    std::vector<DeviceChoice> choices;
    for (const TargetPlugin &plugin : plugins) {
        if (!plugin.target)
            continue;
        const std::vector<std::string> devices = plugin.target->devices();
        for (const std::string &device : devices) {
            ChosenTarget target{plugin.target, device};
            choices.push_back(
                {.name = nameOf(target),
                 .target = std::move(target),
                 .isThisMachine = plugin.target->isThisMachine() && device == devices.front(),
                 .state = DeviceChoice::State::Unknown});
        }
    }
    for (const std::string &name : added)
        if (auto chosen = findChosen(plugins, name))
            choices.push_back({.name = name,
                               .target = std::move(chosen),
                               .isAdded = true,
                               .state = DeviceChoice::State::Unknown});
    std::ranges::stable_partition(choices, &DeviceChoice::isThisMachine);
    for (const Device &device : devices())
        choices.push_back({.name = device.name, .details = device.title});
    return choices;
}

void setStates(std::vector<DeviceChoice> &choices, const std::vector<TargetState> &states)
{
    using State = DeviceChoice::State;
    for (DeviceChoice &choice : choices)
        for (const TargetState &target : states) {
            if (!choice.target || choice.target->target != target.plugin.target)
                continue;
            std::string missing;
            for (const Finding &finding : target.findings)
                if (!finding.found)
                    missing += (missing.empty() ? "" : "; ") + finding.what + ": " + finding.detail;
            for (const auto &[device, problem] : target.devices)
                if (device == choice.target->device) {
                    choice.state = !problem.empty()   ? State::Unusable
                                   : !missing.empty() ? State::Missing
                                                      : State::Ready;
                    choice.details = problem.empty() ? missing : problem;
                }
        }
}

} // namespace graphloom
