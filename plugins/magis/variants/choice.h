// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/objective.h"
#include "plugins/magis/variants/measuring.h"
#include "plugins/magis/variants/variants.h"

namespace graphloom::magis {

/// Of the reference's, where no limit is given; the paper's.
inline constexpr double usualLatency = 1.10;

/// What the objective asks for, in seconds and bytes; a limit that is not given is the usual one.
/// Limits of latency are shares of `reference` seconds, those of memory of what was needed before.
Limits limitsOf(const Objective &objective, const Outcome &before, double reference);
/// What the search looks at most: the limit, or for a whole front points all over it.
std::vector<Limits> interestsOf(const Objective &objective, const Limits &limits,
                                const Outcome &before, double reference);
/// Does a run of so many seconds and bytes keep them?
bool isWithin(const Limits &limits, double seconds, double bytes);

/// The state to take: within all limits that of the lower cost; else the one that comes closest.
/// The archive is not empty.
const State &chosen(const ParetoArchive<State> &archive, Objective::Mode mode, const Limits &limits,
                    bool &met);
/// The state to take by times of its own parts. Those that the search knew may have been too low or
/// too high between measured ones, and what is measured of one state prices others, too: the one
/// that is best then is measured next, until that is one whose parts have been.
State measured(const Variant &variant, const State &first, Measuring &measuring,
               Objective::Mode mode, const Limits &limits, const std::stop_token &stop);

} // namespace graphloom::magis
