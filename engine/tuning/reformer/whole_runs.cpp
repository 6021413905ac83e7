// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/whole_runs.h"

#include "engine/base/hash.h"
#include "engine/tuning/reformer/tuning_state.h"
#include "engine/tuning/tuned_profile.h"

namespace graphloom {

namespace {

/// Returns the key of a plan as a whole: that of all its kernels and schedules, in their order.
ProfileKey keyOf(const WholePlan &whole, const PlanTunerOptions &options)
{
    std::string text;
    for (const auto &kernel : whole.kernels->kernels)
        text += kernel ? symbolsOf(*kernel) + '\n' : "-\n";
    for (const std::vector<NestKernel> &block : whole.plan.kernels->blocks)
        for (const NestKernel &nest : block)
            text += nest.schedule + '\n';
    std::string structure = "whole";
    for (const std::uint64_t seed : {1, 2})
        structure += ' ' + std::to_string(hashText(text, seed));
    return tunedKey(std::move(structure), {}, options, "");
}

} // namespace

std::vector<WholeTime> wholeTimesOf(std::span<const WholePlan> plans,
                                    const PlanTunerOptions &options, double seconds)
{
    std::vector<WholeTime> times;
    for (const WholePlan &whole : plans)
        if (options.database)
            if (const auto known = options.database->lookup(keyOf(whole, options));
                known && !known->empty())
                times.push_back({known->front().medianNs * 1e-9, known->front().minNs * 1e-9,
                                 int(known->front().count)});
    if (times.size() == plans.size())
        return times;
    times.clear();
    if (!options.wholeRuns || seconds <= 0 || options.stop.stop_requested())
        return times;
    std::vector<Plan> built;
    for (const WholePlan &whole : plans)
        built.push_back(whole.plan);
    auto measured = options.wholeRuns(built, seconds);
    if (!measured || measured->size() != plans.size())
        return times;
    times = *std::move(measured);
    for (std::size_t p = 0; p < plans.size(); ++p) {
        TunedCandidate candidate;
        candidate.seconds = times[p].median;
        candidate.least = times[p].least;
        candidate.samples = times[p].runs;
        keepMeasured(options, keyOf(plans[p], options), candidate);
    }
    return times;
}

} // namespace graphloom
