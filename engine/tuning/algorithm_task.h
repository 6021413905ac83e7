// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/plan_tuner.h"

#include <map>

namespace graphloom {

/// Holds blocks with equal kernels, and the measurements of the ways to compute them.
struct AlgorithmTask {
    BlockIndex block; // the first one
    std::vector<PartIndex> parts;
    double weight = 0; // estimated, of all these blocks
    TunedBlock result;
    std::string start;                   // how the estimate computes them
    std::string shape;                   // of their contractions
    std::map<std::string, double> times; // seconds, by the algorithm's text; 0: it failed

    /// Returns the least time of any way; 0: none was measured.
    double bestTime() const;
    /// Returns the best way, or the start if none is clearly better.
    std::string bestWay() const;
};

/// Estimates the cost of a phase roughly and without unit, to order phases: measuring takes longer
/// than all else.
double roughCost(const BlockKernel &kernel, PhaseIndex phase);

/// Returns the blocks that can be computed in several ways, equal ones once, in the order of the
/// kernels.
std::vector<AlgorithmTask> algorithmTasksOf(const PlanKernels &kernels);

} // namespace graphloom
