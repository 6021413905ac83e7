// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/id.h"

#include <string>
#include <vector>

namespace graphloom {

/// Describes two blocks that were tried as one kernel (AGO section V, JOIN).
struct JoinTrial {
    std::vector<NodeId> writer, reader; // `reader` reads what `writer` computes
    int uses = 1;                       // pairs with equal kernels
    /// Seconds of one run, one after the other and joined; 0: not measured.
    double apartSeconds = 0, joinedSeconds = 0;
    bool joined = false;
    std::string reason = {}; // the figures that decided
};

} // namespace graphloom
