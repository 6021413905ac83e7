// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_cost.h"

#include <string>
#include <vector>

namespace graphloom {

/// Describes neighbouring blocks that were tried as one kernel (AGO section V, JOIN).
struct JoinTrial {
    /// All blocks of `others` read what `first` computes, or the same tensor as it.
    std::vector<NodeId> first, others;
    int uses = 1; // neighbours with equal kernels
    /// Least times of one run, one after the other and as one; 0 seconds: not measured.
    BlockSeconds apart = {}, together = {};
    bool joined = false;
    std::string reason = {}; // the times that decided, in words
};

} // namespace graphloom
