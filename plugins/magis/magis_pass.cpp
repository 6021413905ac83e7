// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/magis_pass.h"

#include "engine/ops/infer.h"
#include "plugins/magis/baselines.h"
#include "plugins/magis/description.h"
#include "plugins/magis/fission_tree.h"
#include "plugins/magis/parameters.h"
#include "plugins/magis/rules/graph_rule.h"
#include "plugins/magis/scheduling.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

/// What the objective asks for, in seconds and bytes; a limit that is not given is the usual one.
Limits limitsOf(const Objective &objective, const Outcome &before)
{
    constexpr double usualLatency = 1.10; // the paper's
    Limits limits;
    if (objective.memoryLimit)
        limits.bytes = std::int64_t(bytesOf(*objective.memoryLimit, std::uint64_t(before.peak)));
    if (objective.latencyLimit)
        limits.seconds = *objective.latencyLimit * before.seconds;
    if (limits.bytes == 0 && limits.seconds == 0)
        limits.seconds = usualLatency * before.seconds;
    return limits;
}

/// What the search looks at most: the limit, or for a whole front points all over it.
std::vector<Limits> interestsOf(const Objective &objective, const Limits &limits,
                                const Outcome &before)
{
    if (objective.mode != Objective::Mode::Pareto)
        return {limits};
    std::vector<Limits> interests;
    for (const double latency : {1.02, 1.05, 1.10, 1.20})
        interests.push_back({latency * before.seconds, 0});
    for (const double memory : {0.8, 0.6, 0.4})
        interests.push_back({0, std::int64_t(memory * double(before.peak))});
    return interests;
}

/// The state to take: within all limits that of the lower cost; else the one that comes closest.
const State &chosen(const ParetoArchive<State> &archive, Objective::Mode mode, const Limits &limits,
                    bool &met)
{
    const auto &entries = archive.entries(); // ascending in seconds, descending in bytes
    const State *best = nullptr;
    for (const auto &entry : entries) {
        const bool within = (limits.seconds <= 0 || entry.first <= limits.seconds) &&
                            (limits.bytes <= 0 || entry.second <= double(limits.bytes));
        if (within && (!best || mode != Objective::Mode::Latency || limits.bytes == 0))
            best = &entry.state;
    }
    met = best != nullptr;
    if (best)
        return *best;
    return limits.seconds > 0 && entries.front().first > limits.seconds ? entries.front().state
                                                                        : entries.back().state;
}

std::vector<SummaryEntry> summaryOf(const MemoryPlan &plan)
{
    const auto ratio = [](double after, double before) { return before > 0 ? after / before : 1; };
    std::vector<SummaryEntry> summary{
        {"device", plan.device},
        {"peak_bytes_before", plan.before.peakBytes},
        {"peak_bytes_after", plan.after.peakBytes},
        {"peak_ratio", ratio(double(plan.after.peakBytes), double(plan.before.peakBytes))},
        {"modelled_ms_before", plan.before.ms},
        {"modelled_ms_after", plan.after.ms},
        {"latency_ratio", ratio(plan.after.ms, plan.before.ms)},
        {"fissions", std::int64_t(std::ranges::count_if(
                         plan.fissions, [](const auto &fission) { return fission.number > 1; }))},
        {"recomputed", std::int64_t(plan.recomputed)},
        {"swapped", std::int64_t(plan.swapped)},
        {"limits_met", plan.limitsMet}};
    return summary;
}

bool countsWeights(const Settings &settings, const Plan &plan)
{
    const std::int64_t mode = settings.integer("weights");
    return mode == 0 ? plan.training != nullptr : mode == 1;
}

} // namespace

std::string_view MagisPass::help() const
{
    return "Lowers the peak memory of a run at the cost of latency, or the other way round: "
           "sub-graphs are split into parts that run one after the other (fission), tensors are "
           "computed again or swapped to the host's memory, and steps are re-ordered, in one "
           "search over all of it. MAGIS: Memory Optimization via Coordinated Graph Transformation "
           "and Scheduling for DNN (ASPLOS 2024), with sliding windows, nested fissions and an "
           "archive over both costs beside it. --objective, --memory-limit and --latency-limit say "
           "what is wanted; without them, the lowest peak at a tenth more latency.";
}

std::span<const Parameter> MagisPass::parameters() const
{
    return parameterTable();
}

std::span<const RuleFacts> MagisPass::rules() const
{
    return mergeRuleFacts();
}

Result<Plan> MagisPass::run(Plan plan, const Context &context) const
{
    const Settings &settings = context.settings;
    context.progress(0, "looking at memory");
    const Device &device = devices()[std::size_t(settings.integer("device"))];
    const auto memory =
        MemoryGraph::of(plan.graph, opsetsOf(*plan.model), device, countsWeights(settings, plan));
    if (!memory)
        return tl::unexpected(memory.error());
    const SearchSpace space(*memory, portfolio(*memory));
    const Optimization looking(space, {}, context.seed);
    const State before = looking.unoptimized(0);
    Trace trace;
    Simulator(*memory, space.evictions()).run(*before.arrangement, before.policies, &trace);
    const std::vector<int> candidates = buildFissionTree(
        space, hotSpots(trace, before.outcome.peak), int(settings.integer("levels")));

    const Limits limits = limitsOf(context.objective, before.outcome);
    const Optimization optimization(space, interestsOf(context.objective, limits, before.outcome),
                                    context.seed);
    SearchOptions options;
    options.seconds = settings.real("seconds");
    options.expanded = std::uint64_t(settings.integer("states"));
    options.threads = context.threads;
    options.stop = context.stop;
    options.progress = context.progress;
    ArchiveSearch<Optimization> search(optimization, options);
    for (State &state : optimization.seeds())
        search.seed(std::move(state));
    const auto describe = [&](const ParetoArchive<State> &archive) {
        bool met = false;
        const State &best = chosen(archive, context.objective.mode, limits, met);
        MemoryPlan described = magis::described(space, before, best, candidates, archive);
        described.limitsMet = met;
        return described;
    };
    double published = -1;
    const ParetoArchive<State> &archive = search.run([&](const ParetoArchive<State> &found) {
        constexpr double interval = 0.5; // seconds; describing takes milliseconds
        if (const double now = options.clock(); now - published >= interval) {
            published = now;
            Plan snapshot = plan;
            snapshot.memory = std::make_shared<const MemoryPlan>(describe(found));
            context.publish(std::make_shared<const Plan>(std::move(snapshot)));
        }
    });
    MemoryPlan result = describe(archive);
    result.baselines = baselinesOf(space, optimization, limits);
    SearchRecord record = search.record();
    record.simulated = optimization.simulated();
    PassRecord pass;
    pass.summary = summaryOf(result);
    plan.history.push_back(std::move(pass));
    plan.memory = std::make_shared<const MemoryPlan>(std::move(result));
    plan.search = std::make_shared<const SearchRecord>(std::move(record));
    return plan;
}

} // namespace graphloom::magis
