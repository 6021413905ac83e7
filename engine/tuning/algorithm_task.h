// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/plan_tuner.h"

#include <map>

namespace graphloom {

/// Blocks with equal kernels, and what was measured of the ways to compute them.
struct AlgorithmTask {
    std::size_t block = 0; // the first of them, of the kernels
    std::vector<std::uint32_t> parts;
    double weight = 0; // estimated, of all of them
    TunedBlock result;
    std::string start;                   // how the estimate computes them
    std::string shape;                   // of their contractions
    std::map<std::string, double> times; // seconds, by the algorithm's text; 0: it failed

    /// Of any way; 0: none was measured.
    double bestTime() const;
    /// The best way, and the start where none is clearly better.
    std::string bestWay() const;
};

/// Which phases are the costliest, roughly and in no unit: measuring takes longer than all else.
double roughCost(const BlockKernel &kernel, std::size_t phase);

/// The blocks that can be computed in several ways, equal ones once, as the kernels have them.
std::vector<AlgorithmTask> algorithmTasksOf(const PlanKernels &kernels);

} // namespace graphloom
