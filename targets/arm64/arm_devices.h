// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/cost/instruction_set.h"

#include <string>
#include <vector>

namespace graphloom::arm64 {

/// Describes a device of the target.
struct ArmDevice {
    std::string name; // of the target's device: "kirin990"
    const Device *described = nullptr;
    /// The name that compilers have for its fastest cores: "cortex-a76". Kernels are compiled for
    /// these; the others execute the same instructions.
    std::string processor;
    bool halves = false; // kernels compute tensors of half precision in half precision
};

/// Returns the described devices whose fastest units have NEON, in the order of devices(); those
/// with arithmetic of half precision a second time with it, as "kirin990+fp16".
const std::vector<ArmDevice> &armDevices();
/// Returns the device of this name. Fails (Usage), naming those that there are.
Result<ArmDevice> armDevice(const std::string &name);

/// Holds the parts of a name "kirin990@ssh:board".
struct DeviceName {
    std::string device;     // "kirin990"
    std::string connection; // "ssh:board"; empty: the device is emulated
};
DeviceName splitName(const std::string &name);

/// Returns the instruction set of all of them.
const InstructionSet &neon();

} // namespace graphloom::arm64
