// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::magis {

std::span<const Parameter> parameterTable();

/// The described device that was chosen; null: this machine (thisMachine), whose calls are timed.
const Device *describedDevice(const Settings &settings);

} // namespace graphloom::magis
