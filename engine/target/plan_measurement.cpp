// SPDX-License-Identifier: Apache-2.0
#include "engine/target/plan_measurement.h"

#include "engine/cost/host.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom {

namespace {

constexpr double most = 1e24, leastMs = 1e-12; // rates made of such figures are finite
constexpr std::int64_t mostBytes = std::int64_t{1} << 60;

bool isAmount(double value)
{
    return std::isfinite(value) && value >= 0 && value <= most;
}

bool isTime(double ms)
{
    return isAmount(ms) && (ms == 0 || ms >= leastMs);
}

bool isPossible(const Times &times)
{
    return isTime(times.min) && isTime(times.median) && isTime(times.p95) && isAmount(times.noise);
}

bool isPossible(const PlanMemory &memory)
{
    return std::ranges::all_of(
        std::array{memory.arena, memory.peak, memory.border, memory.constants},
        [](std::int64_t bytes) { return bytes >= 0 && bytes <= mostBytes; });
}

bool isPossible(const Device &device)
{
    const auto isRate = [](double rate) { return isAmount(rate) && rate >= 1; };
    return device.units > 0 && isRate(device.peakFlops) && isRate(device.bandwidth) &&
           isRate(device.cacheBandwidth);
}

tl::unexpected<Error> refuse(const std::string &why)
{
    return fail(Error::Kind::Model, why);
}

Result<void> checkTimes(const std::optional<Measurement> &measured,
                        const std::vector<PlanStep> &steps)
{
    if (!measured)
        return steps.empty() ? Result<void>() : refuse("some of its steps have no times");
    if (measured->steps.size() != steps.size())
        return refuse("its steps and their times differ in number");
    if (measured->runs < 1 || !isPossible(measured->whole) ||
        !std::ranges::all_of(measured->steps, [](const Times &of) { return isPossible(of); }))
        return refuse("it has an impossible time");
    return {};
}

Result<void> checkSteps(const std::vector<PlanStep> &steps, std::size_t blocks)
{
    for (const PlanStep &step : steps) {
        if (step.block && *step.block >= blocks)
            return refuse("a step belongs to block " + std::to_string(*step.block) +
                          ", which the plan does not have");
        if (!isAmount(step.flops) || !isAmount(step.bytes))
            return refuse("a step has an impossible amount of work");
    }
    return {};
}

Result<void> checkTrace(const std::vector<TraceSlice> &trace, std::size_t steps)
{
    for (const TraceSlice &slice : trace)
        if (slice.step >= steps || slice.thread >= mostThreads || !isAmount(slice.start) ||
            !isAmount(slice.seconds))
            return refuse("its trace has an impossible slice");
    return {};
}

} // namespace

std::string machineName()
{
    const HostFacts &host = hostFacts();
    return host.cpu + ", " + std::to_string(host.cores) + (host.cores == 1 ? " core" : " cores");
}

Result<void> checkMeasurement(const PlanMeasurement &measurement)
{
    const TargetOutcome &outcome = measurement.outcome;
    if (!measurement.plan)
        return refuse("the plan that was measured is missing");
    if (!outcome.after)
        return refuse("it has no times");
    if (outcome.threads < 1 || outcome.threads > mostThreads)
        return refuse("it has an impossible number of threads, " + std::to_string(outcome.threads));
    if (!isPossible(outcome.memory) || (outcome.memoryBefore && !isPossible(*outcome.memoryBefore)))
        return refuse("it has an impossible size of memory");
    const std::size_t blocks = kernelBlocksOf(*measurement.plan).size();
    GL_TRY(checkSteps(outcome.steps, blocks));
    GL_TRY(checkSteps(outcome.stepsBefore,
                      outcome.besideOriginal ? measurement.plan->original.nodeCount() : blocks));
    GL_TRY(checkTimes(outcome.after, outcome.steps));
    GL_TRY(checkTimes(outcome.before, outcome.stepsBefore));
    GL_TRY(checkTrace(outcome.trace, outcome.steps.size()));
    GL_TRY(checkTrace(outcome.traceBefore, outcome.stepsBefore.size()));
    if (measurement.device && !isPossible(*measurement.device))
        return refuse("its device has an impossible figure");
    return {};
}

Result<void> checkTrials(const TuningTrials &trials)
{
    if (!trials.plan)
        return refuse("the plan that was tuned is missing");
    for (const TuningTrial &trial : trials.trials)
        if (!isTime(trial.milliseconds) || trial.uses < 1)
            return refuse("a trial has an impossible figure");
    return {};
}

} // namespace graphloom
