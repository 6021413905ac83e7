// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/results/plan_run.h"
#include "engine/target/target_plugins.h"

#include <chrono>
#include <functional>

namespace graphloom::test {

/// A run made by hand: a step for each block, of which block b took b + 1 ms for 1e6 * (b + 1)
/// operations and 1e5 bytes ("kernel_<b>", a file of its own), but the first is interpreted
/// ("for a test"). Before them a step that copies an input for 1 ms, without arithmetic.
/// The device reaches 100 GFLOP/s and 10 GB/s.
PlanRunPointer madeRun(const SnapshotPointer &snapshot);

/// Trials of one kernel, block 0's: by default ("parallel i") 2 ms, then 1.5 ms, one that crashed,
/// and 1 ms ("unroll i 2"); emulated.
std::vector<TuningTrial> madeTrials();
/// What they come to: the last one's schedule.
std::shared_ptr<const KernelPlan> madeKernels(const Plan &plan);
/// madeRun() of a plan with fusion, after block 1's kernel was tuned in madeTrials(): before it,
/// all took twice as long.
PlanRunPointer madeTunedRun(const SnapshotPointer &snapshot);
/// A tuner that tells of those trials once, or again and again until it is stopped; gives what they
/// come to.
Result<std::shared_ptr<const KernelPlan>> tuneAsMade(const Plan &plan, const TuneOptions &options,
                                                     bool untilStopped = false);

/// A target called "host" whose build is a function of the test, and tuning, too.
class ScriptedTarget final : public Target {
public:
    using Build = std::function<Result<std::shared_ptr<BuiltPlan>>(const BuildOptions &)>;

    using Tune =
        std::function<Result<std::shared_ptr<const KernelPlan>>(const Plan &, const TuneOptions &)>;

    /// Without a function for tuning nothing is better than the defaults.
    explicit ScriptedTarget(Build build, Tune tune = {})
        : m_build(std::move(build)), m_tune(std::move(tune))
    {
    }
    std::string_view name() const override { return "host"; }
    bool isThisMachine() const override { return true; }
    std::string_view help() const override { return "Does what a test says."; }
    std::vector<std::string> devices() const override { return {"cpu"}; }
    Result<Device> describe(const std::string &, std::stop_token) const override;
    std::vector<Finding> probe() const override { return {}; }
    Result<void> checkDevice(const std::string &) const override { return refusal; }
    Result<std::vector<SourceFile>> generate(const Plan &, const BuildOptions &) const override
    {
        return std::vector<SourceFile>();
    }
    Result<std::shared_ptr<const KernelPlan>> tune(const Plan &plan,
                                                   const TuneOptions &options) const override
    {
        options.begun();
        return m_tune ? m_tune(plan, options) : nullptr;
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

    Result<void> refusal; // of its device

private:
    Build m_build;
    Tune m_tune;
};

std::vector<TargetPlugin> scripted(ScriptedTarget::Build build, ScriptedTarget::Tune tune = {});

/// A build that makes fakes (fake_plan.h) of the first two kernels, which note their runs in the
/// log; `pause`: how long a run takes.
ScriptedTarget::Build fakeBuild(std::vector<std::string> &log,
                                std::chrono::milliseconds pause = {});

} // namespace graphloom::test
