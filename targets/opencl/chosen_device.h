// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule_target.h"
#include "engine/cost/device.h"
#include "targets/opencl/opencl_devices.h"

#include <optional>
#include <string>
#include <vector>

namespace graphloom::opencl {

/// Describes a device of the target: one of a driver, by its number, or one that is only described,
/// by its name. Kernels for the latter run on the first device that there is, which shows whether
/// their outputs are right.
struct ChosenDevice {
    std::optional<OpenclDevice> runs;  // where kernels run; none where nothing is to run
    const Device *described = nullptr; // null: `runs` itself is meant

    /// Returns the device for code that does not run here: what is described is not limited by the
    /// device that it would run on.
    ChosenDevice elsewhere() const;
    /// Returns what schedules are chosen for, if so many units run them; 0: all.
    ScheduleTarget schedules(unsigned units) const;
    /// Returns what tells the device from others whose kernels differ.
    std::string fingerprint() const;
};

/// Returns the names of described devices that are for this target: "adreno650".
std::vector<std::string> describedNames();

/// Returns the device of this name; "" is the first one of the drivers. Fails (Usage), naming all,
/// if there is none, and (Missing), telling what to install, if `mustRun` and nothing can run here.
Result<ChosenDevice> chosenDevice(const std::string &name, bool mustRun);

} // namespace graphloom::opencl
