// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom {

/// The choice of a parameter "device" that stands for the device of the plan.
inline constexpr std::string_view planDevice = "plan";

/// Returns the parameter "device" of a pass that plans for a device: the devices that are
/// described, this machine (thisMachine), and, as the initial choice, planDevice. `help` tells what
/// the pass uses it for.
Parameter deviceParameter(std::string_view help);

/// Tells whether a pass with these settings plans for the device of the plan.
bool usesPlanDevice(const Pass &pass, const Settings &settings);
/// Tells whether a pass with a deviceParameter() may plan for a device that calls can be timed on.
bool mayTime(const Settings &settings);

/// Returns the device that a pass with a deviceParameter() plans for. Fails as Context::timers and
/// CallTimer::device() do if this machine is to be measured and cannot be.
Result<std::shared_ptr<const Device>> deviceFor(const Plan &plan, const Context &context);

} // namespace graphloom
