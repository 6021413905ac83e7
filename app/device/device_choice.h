// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/target/target_plugins.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphloom {

/// Holds what a target has and lacks.
struct TargetState {
    TargetPlugin plugin;
    std::vector<Finding> findings;
    std::vector<std::pair<std::string, std::string>> devices; // with the problem, if any

    /// Tells whether everything that the target needs is there.
    bool isComplete() const;
};

/// Asks the targets, which look for compilers and devices: takes a moment. `added` names devices
/// with connections, "arm64:kirin990@ssh:board", which are not tried.
std::vector<TargetState> lookAtTargets(const std::vector<TargetPlugin> &plugins,
                                       const std::vector<std::string> &added = {});

/// Describes a device that plans can be made for.
struct DeviceChoice {
    enum class State {
        Unknown,   // its target was not asked yet
        Ready,     // plans can be built for it and run
        Missing,   // its target lacks something
        Unusable,  // this machine cannot be the device
        Described, // plans can be made for it, but not run
    };
    std::string name; // as for --target and --device: "host:cpu", "phone-cpu"
    std::optional<ChosenTarget> target = std::nullopt; // empty: only described
    bool isThisMachine = false;
    bool isAdded = false; // by the user, with a connection
    State state = State::Described;
    std::string details = {}; // its title, or what is missing and how to get it
};

/// Returns the devices of the targets, this machine first, with those of `added` that a target
/// knows, and then those that are only described.
std::vector<DeviceChoice> deviceChoices(const std::vector<TargetPlugin> &plugins,
                                        const std::vector<std::string> &added = {});
/// Sets what is known of the devices now.
void setStates(std::vector<DeviceChoice> &choices, const std::vector<TargetState> &states);

} // namespace graphloom
