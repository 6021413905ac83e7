// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/kernel_plan.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace graphloom {

struct Plan;

/// A schedule of one kernel that was tried.
struct KernelTrial {
    std::uint32_t block = 0; // of kernelBlocksOf(plan)
    std::string kernel;      // what it computes
    std::string schedule;
    double ms = 0;       // median of one call; 0 where there is a problem
    std::string problem; // why there is no time: it does not compile, crashed, took too long
};

struct KernelTuningOptions {
    double seconds = 0; // for all kernels together; 0: only what was measured before is used
    int trials = 64;    // of one kernel, at most
    std::stop_token stop;
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Called with every trial, from the calling thread.
    std::function<void(const KernelTrial &)> tried = [](const KernelTrial &) {};
};

struct KernelTuning {
    std::shared_ptr<const KernelPlan> kernels;
    std::int64_t different = 0; // kernels whose code differs, and that have something to tune
    std::int64_t known = 0;     // of these: measured before, and not again
    std::int64_t trials = 0;
    double startMs = 0, bestMs = 0; // of all of them together, measured one by one; least times
    Provenance provenance = Provenance::Host;
};

/// What measures kernels on a target and looks for faster schedules; a target gives it to passes
/// that tune. May be called from several threads, though measurements then disturb each other.
class KernelTuner {
public:
    virtual ~KernelTuner() = default;
    /// Schedules for the kernels of a plan's blocks; stopped, the best so far. Fails (Missing) when
    /// there is no toolchain, (Fault) when trials cannot begin.
    virtual Result<KernelTuning> tune(const Plan &plan,
                                      const KernelTuningOptions &options) const = 0;
};

} // namespace graphloom
