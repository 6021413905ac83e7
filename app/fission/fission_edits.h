// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"
#include "engine/pass/pass.h"

namespace graphloom {

/// What may be done by hand with one fission of a plan's tree (MAGIS 5.1: enable, disable, mutate,
/// lift), as far as the tree itself tells: the pass that made the plan carries it out, and costs
/// it anew. Refusals (Usage) name the nodes of the regions that are in the way.
struct FissionEdits {
    using Outcome = Result<Context::FissionEdit>;
    Outcome enable = fail(Error::Kind::Usage, "nobody has looked yet"); // in the least number
    Outcome disable = enable, lift = enable, more = enable, fewer = enable;
    Outcome lock = enable; // or unlock
    bool locked = false;
    std::vector<std::pair<int, Outcome>> numbers; // of parts, each that there may be
};

/// `fission`: of plan->memory->fissions; -1: none is chosen.
FissionEdits fissionEditsFor(const Snapshot &snapshot, int fission);

} // namespace graphloom
