// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/machine.h"
#include "engine/runtime/host_peaks.h"

namespace graphloom {

/// Describes this machine by what the system reports and what was measured on it with vectors of
/// an instruction set.
Machine hostMachine(const HostFacts &facts, const InstructionSet &set, const HostPeaks &peaks);

} // namespace graphloom
