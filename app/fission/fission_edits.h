// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"
#include "engine/pass/pass.h"

namespace graphloom {

/// Holds the edits that are possible by hand for one fission of a plan's F-Tree (MAGIS 5.1: enable,
/// disable, mutate, lift), as far as the tree itself tells. The pass that made the plan carries an
/// edit out and computes the costs again. Refusals (Usage) name the nodes of the regions that are
/// in the way.
struct FissionEdits {
    using Outcome = Result<Context::FissionEdit>;
    Outcome enable = fail(Error::Kind::Usage, "not yet evaluated"); // with the fewest parts
    Outcome disable = enable, lift = enable, more = enable, fewer = enable;
    Outcome lock = enable; // locks, or unlocks if it is locked
    bool locked = false;
    std::vector<std::pair<int, Outcome>> numbers; // of each possible number of parts
};

/// Returns the edits of a fission, an index into plan->memory->fissions; -1 if none is chosen.
FissionEdits fissionEditsFor(const Snapshot &snapshot, int fission);

} // namespace graphloom
