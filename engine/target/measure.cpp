// SPDX-License-Identifier: Apache-2.0
#include "engine/target/target.h"

#include "engine/system/energy_meter.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

namespace graphloom {

namespace {

/// Returns the quantile of the sorted values for a fraction (nearest rank).
double quantile(const std::vector<double> &sorted, double part)
{
    const double rank = std::ceil(part * double(sorted.size()));
    return sorted[std::size_t(std::max(rank, 1.0)) - 1];
}

constexpr int mostStepRuns = 30;

using Clock = std::chrono::steady_clock;

/// Tracks one part of measuring, which is over when stopped or out of time.
class Part {
public:
    explicit Part(const MeasureOptions &options) : m_options(options) {}

    bool isOver() const
    {
        return m_options.stop.stop_requested() || seconds() >= m_options.seconds;
    }
    /// Returns the fraction done, of `runs` or of the time.
    double done(int run, int runs) const
    {
        return std::min(std::max(double(run) / runs, seconds() / m_options.seconds), 1.0);
    }

private:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - m_start).count(); }

    const MeasureOptions &m_options;
    const Clock::time_point m_start = Clock::now();
};

/// Returns the times of the steps, from runs that read the clock between them.
Result<std::vector<Times>> timesOfSteps(BuiltPlan &plan, const MeasureOptions &options)
{
    std::vector<std::vector<double>> samples(plan.steps().size());
    const int runs = std::clamp(options.runs, 1, mostStepRuns);
    const Part part(options);
    for (int run = 0; run < runs && (run == 0 || !part.isOver()); ++run) {
        GL_TRY_CONST(seconds, plan.timeSteps());
        for (std::size_t s = 0; s < samples.size(); ++s)
            samples[s].push_back((*seconds)[s] * 1e3);
    }
    std::vector<Times> times;
    for (std::vector<double> &of : samples)
        times.push_back(timesOf(std::move(of)));
    return times;
}

} // namespace

Times timesOf(std::vector<double> milliseconds)
{
    assert(!milliseconds.empty());
    std::ranges::sort(milliseconds);
    Times times{milliseconds.front(), quantile(milliseconds, 0.5), quantile(milliseconds, 0.95), 0};
    if (times.median > 0)
        times.noise = (quantile(milliseconds, 0.75) - quantile(milliseconds, 0.25)) / times.median;
    return times;
}

Result<std::vector<Measurement>> measureInTurns(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                                const MeasureOptions &options)
{
    const Part warming(options);
    for (int run = 0; run < options.warmup && !warming.isOver(); ++run)
        for (const auto &plan : plans)
            GL_TRY(plan->runOnce());

    std::vector<std::vector<double>> samples(plans.size());
    std::vector<double> joules(plans.size(), 0);
    EnergyMeter meter;
    const int runs = std::max(options.runs, 1);
    const Part timing(options);
    for (int run = 0; run < runs && (run == 0 || !timing.isOver()); ++run) {
        for (std::size_t p = 0; p < plans.size(); ++p) {
            // Warms up: caches hold the other plans' data, and threads have slept.
            if (!options.stop.stop_requested())
                GL_TRY(plans[p]->runOnce());
            const double energy = meter.joules();
            const auto start = Clock::now();
            GL_TRY(plans[p]->runOnce());
            samples[p].push_back(
                std::chrono::duration<double, std::milli>(Clock::now() - start).count());
            joules[p] += meter.joules() - energy;
        }
        options.progress(0.9 * timing.done(run + 1, runs), "measuring");
    }

    std::vector<Measurement> measurements;
    for (std::size_t p = 0; p < plans.size(); ++p) {
        GL_TRY_RESULT(steps, timesOfSteps(*plans[p], options));
        const int timed = int(samples[p].size());
        measurements.push_back(
            {timesOf(std::move(samples[p])), *std::move(steps), timed, plans[p]->provenance()});
        measurements.back().joules = joules[p] / timed;
        measurements.back().energyOf = meter.source();
    }
    options.progress(1, "measuring");
    return measurements;
}

bool Target::hasDevice(const std::string &device) const
{
    const std::vector<std::string> names = devices();
    return std::ranges::find(names, device) != names.end();
}

Result<KernelCode> Target::compiledCode(std::span<const SourceFile>, const std::string &,
                                        const BuildOptions &) const
{
    return fail(Error::Kind::Usage, "kernels of this target are not machine code that can be read",
                std::string(name()));
}

Result<PackageFacts> Target::package(const Plan &, const PackageOptions &,
                                     const std::filesystem::path &) const
{
    return fail(Error::Kind::Usage, "this target has no packages", std::string(name()));
}

} // namespace graphloom
