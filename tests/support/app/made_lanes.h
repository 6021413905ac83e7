// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lanes/lanes.h"

namespace graphloom::test {

/// Returns lanes of a run of many slices, dealt to the threads in turn: in every lane, slice s
/// begins at s µs and takes 0.8 µs. Each slice is of a step of its own, "step s", an elementwise
/// one; the lanes are of no PlanRun.
LanesPointer madeLanes(std::uint32_t slices, unsigned threads);

} // namespace graphloom::test
