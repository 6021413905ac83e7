// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "app/tuning/kernel_tuner.h"

#include <cstdint>
#include <optional>

class QSettings;

namespace graphloom {

/// Holds what the program begins with: its tabs, and the values of the fields of a window.
struct Defaults {
    bool restoresTabs = false;     // of the last time; otherwise there is the start page
    QString pass;                  // chosen at first; empty: the first one that can be used
    std::optional<double> seconds; // of passes that have a time limit; nothing: their own
    std::uint64_t seed = 0;
    unsigned threads = 0; // of passes; 0: one per core
    RunOptions run;       // of plans on this machine: runs and threads
    TuneLimits tuning;
};

Defaults defaultsIn(const QSettings &settings);
void keep(const Defaults &defaults, QSettings &settings);
/// Returns `held` with those values of `now` that are other ones than `before`.
Defaults followed(Defaults held, const Defaults &before, const Defaults &now);

} // namespace graphloom
