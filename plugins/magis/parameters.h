// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/pass.h"

namespace graphloom::magis {

std::span<const Parameter> parameterTable();

/// The described device that was chosen; null: the one named measuredDevice.
const Device *describedDevice(const Settings &settings);
/// A target, whose calls are timed.
inline constexpr std::string_view measuredDevice = "host";

} // namespace graphloom::magis
