// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace graphloom {

/// The value of --budget: a time or a number of trials, for tuning on a target, or, without a
/// target, for passes that have a parameter for it.
struct Budget {
    double amount = 0;
    enum class Unit { Seconds, Trials } unit = Unit::Seconds;
};

} // namespace graphloom
