// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/tuning/reformer/sequence_timer.h"
#include "engine/tuning/reformer/tuning_state.h"

namespace graphloom {

/// Holds what blocks and layouts are changed with. All must outlive it.
struct ReformContext {
    const FusionFacts &facts; // with the limits that joined blocks must keep
    const StateGenerator &generator;
    const PlanTunerOptions &options;
    TuningBudget &budget;
    SequenceTimer &timer;
};

} // namespace graphloom
