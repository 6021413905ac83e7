// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/made_runs.h"

#include "app/run/target_run.h"
#include "tests/support/fake_plan.h"

#include <thread>

namespace graphloom::test {

PlanRunPointer madeRun(const SnapshotPointer &snapshot)
{
    PlanRun run;
    run.plan = snapshot->plan;
    run.outcome.target = "host";
    run.outcome.toolchain = "a compiler";
    run.outcome.threads = 2;
    run.outcome.after.emplace();
    run.outcome.after->whole = {9, 10, 12, 0.05};
    run.outcome.after->runs = 50;
    const auto add = [&](PlanStep step, double ms) {
        run.outcome.steps.push_back(std::move(step));
        run.outcome.after->steps.push_back({ms, ms, ms, 0});
    };
    PlanStep copy;
    copy.symbol = "kernel_copy";
    copy.text = "x with margins";
    copy.bytes = 64;
    add(copy, 1);
    const auto blocks = kernelBlocksOf(*run.plan);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        PlanStep step;
        step.block = b;
        step.text = "nest of " + std::to_string(b);
        if (b == 0) {
            step.reason = "for a test";
        } else {
            step.symbol = "kernel_" + std::to_string(b);
            step.schedule = "parallel i";
            step.flops = 1e6 * (b + 1);
            step.bytes = 1e5;
            run.sources.push_back({"block_" + std::to_string(b) + ".c",
                                   "// Block " + std::to_string(b) + "\n\n// y = x\nvoid " +
                                       step.symbol + "(void)\n{\n}\n",
                                   b});
        }
        add(std::move(step), b + 1);
    }
    run.device.emplace();
    run.device->units = 2;
    run.device->peakFlops = 100e9;
    run.device->bandwidth = 10e9;
    run.device->cacheBandwidth = 50e9;
    return planRunOf(std::move(run));
}

PlanRunPointer madeTracedRun(const SnapshotPointer &snapshot)
{
    PlanRun run = *madeRun(snapshot);
    run.stepMs = 0; // planRunOf() adds them up
    TargetOutcome &outcome = run.outcome;
    for (std::uint32_t step = 0; step < outcome.steps.size(); ++step) {
        const bool interpreted = !outcome.steps[step].reason.empty();
        outcome.trace.push_back({step, 0, 1e-3 * step, 0.8e-3, interpreted ? 0 : 8});
        if (!interpreted)
            outcome.trace.push_back({step, 1, 1e-3 * step + 0.1e-3, 0.4e-3, 4});
    }
    outcome.besideOriginal = true;
    outcome.before.emplace();
    outcome.before->whole = {20, 20, 20, 0};
    outcome.before->runs = 50;
    const auto blocks = kernelBlocksOf(unfusedPlan(*run.plan));
    for (std::uint32_t step = 0; step < blocks.size(); ++step) {
        PlanStep of;
        of.block = step;
        of.symbol = "before_" + std::to_string(step);
        of.text = "node " + std::to_string(step);
        of.flops = 1e6;
        of.bytes = 1e5;
        outcome.stepsBefore.push_back(std::move(of));
        outcome.before->steps.push_back({2, 2, 2, 0});
        outcome.traceBefore.push_back({step, 0, 2e-3 * step, 1.6e-3, 1});
    }
    return planRunOf(std::move(run));
}

Result<Device> ScriptedTarget::describe(const std::string &, std::stop_token) const
{
    return described ? Result<Device>(*described)
                     : fail(Error::Kind::Missing, "peaks are not known to a test");
}

std::vector<TuningTrial> madeTrials()
{
    TuningTrial trial;
    trial.provenance = Provenance::Emulated;
    std::vector<TuningTrial> trials(4, trial);
    trials[0].schedule = "parallel i";
    trials[0].byDefault = true;
    trials[0].milliseconds = 2;
    trials[1].schedule = "tile i 8";
    trials[1].milliseconds = 1.5;
    trials[2].schedule = "tile i 4";
    trials[2].problem = "crashed";
    trials[3].schedule = "unroll i 2";
    trials[3].milliseconds = 1;
    return trials;
}

std::shared_ptr<const KernelPlan> madeKernels(const Plan &plan)
{
    auto kernels = std::make_shared<KernelPlan>();
    kernels->target = "host";
    kernels->fusion = plan.fusion;
    kernels->blocks.resize(kernelBlocksOf(plan).size());
    NestKernel nest;
    nest.schedule = "unroll i 2";
    nest.before = Figure{2, "ms", Provenance::Emulated};
    nest.time = Figure{1, "ms", Provenance::Emulated};
    nest.trials = 4;
    kernels->blocks.front() = {nest};
    return kernels;
}

PlanRunPointer madeTunedRun(const SnapshotPointer &snapshot)
{
    PlanRun run = *madeRun(snapshot);
    run.stepMs = 0; // planRunOf() adds them up
    auto kernels = std::make_shared<KernelPlan>(*madeKernels(*run.plan));
    std::swap(kernels->blocks[0], kernels->blocks[1]);
    auto tuned = std::make_shared<Plan>(*run.plan);
    tuned->kernels = std::move(kernels);
    run.plan = std::move(tuned);
    auto log = std::make_shared<TuningLog>();
    for (TuningTrial trial : madeTrials()) {
        trial.place.block = 1;
        log->add(trial);
    }
    run.tuning = std::move(log);
    run.outcome.stepsBefore = run.outcome.steps;
    run.outcome.before = run.outcome.after;
    run.outcome.before->whole.median *= 2;
    for (Times &times : run.outcome.before->steps)
        times.median *= 2;
    return planRunOf(std::move(run));
}

Result<std::shared_ptr<const KernelPlan>> tuneAsMade(const Plan &plan, const TuneOptions &options,
                                                     bool untilStopped)
{
    do {
        for (const TuningTrial &trial : madeTrials())
            options.tried(trial);
        if (untilStopped)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (untilStopped && !options.stop.stop_requested());
    return madeKernels(plan);
}

std::vector<TargetPlugin> scripted(ScriptedTarget::Build build, ScriptedTarget::Tune tune)
{
    return {
        {"scripted.so", std::make_shared<ScriptedTarget>(std::move(build), std::move(tune)), {}}};
}

ScriptedTarget::Build fakeBuild(std::vector<std::string> &log, std::chrono::milliseconds pause)
{
    return [&log, pause](const BuildOptions &) -> Result<std::shared_ptr<BuiltPlan>> {
        auto plan = std::make_shared<FakePlan>("fake", log);
        plan->pause = pause;
        return plan;
    };
}

} // namespace graphloom::test
