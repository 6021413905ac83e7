// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/objective.h"
#include "plugins/magis/variants/measuring.h"
#include "plugins/magis/variants/variants.h"

namespace graphloom::magis {

/// Returns the limits that the objective asks for, in seconds and bytes. If it gives neither, the
/// latency is limited to the usual one, unless it is minimized. Limits of latency are shares of
/// `reference` seconds, limits of memory are shares of what was needed before.
Limits limitsOf(const Objective &objective, const Outcome &before, double reference);
/// Returns the points that the search concentrates on: the limit or, for a whole front, points all
/// over it.
std::vector<Limits> interestsOf(const Objective &objective, const Limits &limits,
                                const Outcome &before, double reference);
/// Tells whether a run of that many seconds and bytes keeps the limits.
bool isWithin(const Limits &limits, double seconds, double bytes);

/// Returns the state to choose: of those within all limits the one with the lowest cost, else the
/// one that comes closest. `met` tells which. The archive must not be empty.
const State &chosen(const ParetoArchive<State> &archive, Objective::Mode mode, const Limits &limits,
                    bool &met);
/// Returns the state to choose by measured times of its own parts. Times that the search
/// interpolated may have been too low or too high, and parts measured for one state change the
/// prices of others, too: after each measurement, the state that is then best is measured, until
/// the best one is one that has been measured.
State measured(const Variant &variant, const State &first, Measuring &measuring,
               Objective::Mode mode, const Limits &limits, const std::stop_token &stop);

} // namespace graphloom::magis
