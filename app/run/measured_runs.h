// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/profile/profile_database.h"
#include "engine/target/plan_measurement.h"

namespace graphloom {

/// Returns what made a plan, in a few words: "dnnfusion, ago, tuned"; "original" if nothing did.
std::string makersOf(const Plan &plan);

/// Returns a measurement as an entry of its device's history. `outcome` has been measured.
ProfiledRun profiledRun(const Plan &plan, const TargetOutcome &outcome, std::string model,
                        const MeasuredAt &at);

} // namespace graphloom
