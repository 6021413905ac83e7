// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::magis {

/// Returns the parameters of the pass.
std::span<const Parameter> parameterTable();

/// Returns the described device that was chosen; null for this machine (thisMachine), whose calls
/// are timed.
const Device *describedDevice(const Settings &settings);

} // namespace graphloom::magis
