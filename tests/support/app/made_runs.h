// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/results/plan_run.h"
#include "engine/target/target_plugins.h"

#include <chrono>
#include <functional>

namespace graphloom::test {

/// Returns a handmade run with a step for each block: block b took b + 1 ms for 1e6 * (b + 1)
/// operations and 1e5 bytes ("kernel_<b>", a file of its own), but the first block is interpreted
/// ("for a test"). A step before them copies an input for 1 ms, without arithmetic. The device
/// reaches 100 GFLOP/s and 10 GB/s.
PlanRunPointer madeRun(const SnapshotPointer &snapshot);

/// Returns madeRun() measured beside the original, each of whose nodes is a kernel: its whole runs
/// take 20 ms, node n's kernel 2 ms. With traces of two threads: step s of the plan begins at
/// s ms and takes 0.8 ms on thread 0, and 0.4 ms from 0.1 ms later on on thread 1, where nothing is
/// interpreted; step s of the original begins at 2 s ms and takes 1.6 ms on thread 0.
PlanRunPointer madeTracedRun(const SnapshotPointer &snapshot);

/// Returns trials of one kernel, that of block 0: the default schedule ("parallel i") takes 2 ms,
/// then 1.5 ms, a crash, and 1 ms ("unroll i 2"); emulated.
std::vector<TuningTrial> madeTrials();
/// Returns the result of madeTrials(): the schedule of the last one.
std::shared_ptr<const KernelPlan> madeKernels(const Plan &plan);
/// Returns madeRun() of a plan with fusion, after block 1's kernel was tuned in madeTrials():
/// before tuning, all steps took twice as long.
PlanRunPointer madeTunedRun(const SnapshotPointer &snapshot);
/// Tunes as a tuner that reports madeTrials() once, or repeatedly until it is stopped. Returns
/// madeKernels().
Result<std::shared_ptr<const KernelPlan>> tuneAsMade(const Plan &plan, const TuneOptions &options,
                                                     bool untilStopped = false);

/// Implements a target called "host" whose build, and tuning, are functions of the test.
class ScriptedTarget final : public Target {
public:
    using Build = std::function<Result<std::shared_ptr<BuiltPlan>>(const BuildOptions &)>;

    using Tune =
        std::function<Result<std::shared_ptr<const KernelPlan>>(const Plan &, const TuneOptions &)>;

    /// Creates the target. Without a function for tuning the default schedules are the best.
    explicit ScriptedTarget(Build build, Tune tune = {})
        : m_build(std::move(build)), m_tune(std::move(tune))
    {
    }
    std::string_view name() const override { return "host"; }
    bool isThisMachine() const override { return true; }
    std::string_view help() const override { return "Does what a test says."; }
    std::vector<std::string> devices() const override { return names; }
    Result<Device> describe(const std::string &, std::stop_token) const override;
    std::vector<Finding> probe() const override { return {}; }
    std::string fingerprint(const std::string &device) const override { return device; }
    Result<void> checkDevice(const std::string &) const override { return refusal; }
    Result<std::vector<SourceFile>> generate(const Plan &, const BuildOptions &) const override
    {
        return std::vector<SourceFile>();
    }
    Result<Plan> tune(const Plan &plan, const TuneOptions &options) const override
    {
        options.prepared();
        Plan tuned = plan;
        tuned.kernels = nullptr;
        if (m_tune) {
            GL_TRY_RESULT(kernels, m_tune(plan, options));
            tuned.kernels = *std::move(kernels);
        }
        return tuned;
    }
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &,
                                             const BuildOptions &options) const override
    {
        return m_build(options);
    }
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                             const MeasureOptions &options) const override
    {
        return measureInTurns(plans, options);
    }

    std::vector<std::string> names = {"cpu"}; // of the devices
    Result<void> refusal;                     // result of the device check
    /// What describe() returns; none: it fails.
    std::optional<Device> described;

private:
    Build m_build;
    Tune m_tune;
};

std::vector<TargetPlugin> scripted(ScriptedTarget::Build build, ScriptedTarget::Tune tune = {});

/// Returns a build that makes fake plans (fake_plan.h) of the first two kernels, which record their
/// runs in `log`; `pause` is the time of a run.
ScriptedTarget::Build fakeBuild(std::vector<std::string> &log,
                                std::chrono::milliseconds pause = {});

} // namespace graphloom::test
