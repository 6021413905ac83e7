// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/target/target.h"

namespace graphloom {

/// Describes one shared library in the folder of targets. A library that cannot be used stays in
/// the list, with the reason.
struct TargetPlugin {
    std::filesystem::path file;
    std::shared_ptr<const Target> target; // null when `problem` is set
    std::string problem;
};

/// Holds a target and the choice among its devices.
struct ChosenTarget {
    std::shared_ptr<const Target> target;
    std::string device; // one of the target's devices()
};

/// Returns the name by which --target chooses it: "host:avx2".
std::string nameOf(const ChosenTarget &chosen);

/// Returns the target and device of such a name; none if no target knows it.
std::optional<ChosenTarget> findChosen(const std::vector<TargetPlugin> &plugins,
                                       const std::string &name);

/// Returns a description of the device, with its target. Fails as Target::describe() does.
Result<Device> described(const ChosenTarget &chosen, std::stop_token stop);

/// Holds the device that passes plan for.
struct PlannedDevice {
    std::shared_ptr<const Device> device;
    std::string instead; // why it is not the chosen one; empty: it is
};
/// Describes a device for plans, with rates of kernels if `timers` has a timer for it. If its
/// figures must be measured and cannot be, gives the first device of its target, or, if that cannot
/// be measured either, the first one that comes with the program. Fails (Fault) when stopped.
Result<PlannedDevice> plannedDeviceOn(const ChosenTarget &chosen, const TimingLimits &limits,
                                      const CallTimers &timers = {});

/// Returns the target among these that is the machine that the program runs on. Fails (Missing) if
/// there is none, telling what is wrong with those that cannot be used.
Result<ChosenTarget> thisMachineAmong(const std::vector<TargetPlugin> &plugins);

/// Returns the target of the device that the plan is made for. If nothing builds plans for that,
/// does the same as thisMachineAmong().
Result<ChosenTarget> targetOf(const Plan &plan, const std::vector<TargetPlugin> &plugins);

/// Loads every target plugin of a folder, this machine's first, then in the order of their file
/// names (engine/pass/plugin_library.h).
std::vector<TargetPlugin> loadTargetPlugins(const std::filesystem::path &folder);

/// Loads the program's own target plugins, with a row for each that is missing.
std::vector<TargetPlugin> ownTargetPlugins();

/// Returns the folder of the installed or built targets that belong to the running executable.
std::filesystem::path defaultTargetFolder();

} // namespace graphloom
