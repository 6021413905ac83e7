// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/magis_pass.h"

#include "engine/autodiff/training.h"
#include "engine/ops/infer.h"
#include "plugins/magis/baselines.h"
#include "plugins/magis/checkpoint.h"
#include "plugins/magis/description.h"
#include "plugins/magis/distribution.h"
#include "plugins/magis/parameters.h"
#include "plugins/magis/realization.h"
#include "plugins/magis/rules/merged_variants.h"
#include "plugins/magis/variants.h"

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
    // Of two limits, the one whose other cost is to be low.
    if (objective.mode == Objective::Mode::Latency && limits.bytes > 0)
        return {{0, limits.bytes}};
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
        {"limits_met", plan.limitsMet},
        {"realized", plan.realized}};
    if (!plan.unrealized.empty())
        summary.push_back({"unrealized", plan.unrealized});
    return summary;
}

bool countsWeights(const Settings &settings, const Plan &plan)
{
    const std::int64_t mode = settings.integer("weights");
    return mode == 0 ? plan.training != nullptr : mode == 1;
}

/// The graph with calls merged, as far as that is faster.
Result<std::optional<MergedGraph>> fastestMerged(const Plan &plan, const Settings &settings,
                                                 const Opsets &opsets, const Device &device)
{
    MergeOptions options;
    options.uses = [&](std::string_view rule) { return settings.usesRule(rule); };
    if (plan.training)
        options.variables = plan.training->variables;
    options.views = Views::Whole; // as MemoryGraph has them
    auto merged = mergedVariants(plan.graph, opsets, device, options);
    if (!merged)
        return tl::unexpected(merged.error());
    std::optional<MergedGraph> fastest;
    for (MergedGraph &variant : *merged)
        if (!variant.log.steps.empty() && variant.seconds < merged->front().seconds && !fastest)
            fastest = std::move(variant);
    return fastest;
}

/// The graph, the graph with calls merged, and the graph without concatenations before calls, as
/// far as there are such.
Result<std::vector<Variant>> variantsOf(const Plan &plan, const Settings &settings,
                                        const Opsets &opsets)
{
    const VariantOptions options{&devices()[std::size_t(settings.integer("device"))],
                                 countsWeights(settings, plan), int(settings.integer("levels"))};
    std::vector<Variant> variants;
    auto own = variantOf("", plan.graph, opsets, options);
    if (!own)
        return tl::unexpected(own.error());
    variants.push_back(std::move(*own));
    auto merged = fastestMerged(plan, settings, opsets, *options.device);
    if (!merged)
        return tl::unexpected(merged.error());
    if (*merged) {
        auto variant = variantOf("with merged calls", (*merged)->graph, opsets, options);
        if (!variant)
            return tl::unexpected(variant.error());
        for (const RewriteStep &step : (*merged)->log.steps)
            variant->changes.push_back(step.rule);
        variants.push_back(std::move(*variant));
    }
    auto apart = distributed(plan.graph, opsets);
    if (!apart)
        return tl::unexpected(apart.error());
    if (apart->calls > 0) {
        auto variant = variantOf("without concatenations", apart->graph, opsets, options);
        if (!variant)
            return tl::unexpected(variant.error());
        variant->changes = std::move(apart->concatenations);
        variants.push_back(std::move(*variant));
    }
    return variants;
}

/// Takes the state's graph into the plan. Where that cannot be, the plan has all else and says why.
void realize(Plan &plan, const Variant &variant, const State &state, const Settings &settings,
             const Opsets &opsets, MemoryPlan &described)
{
    std::int64_t nodes = 0;
    const Arrangement &arrangement = *state.arrangement;
    for (int p = 0; p < int(arrangement.order().size()); ++p) {
        std::int64_t runs = 1;
        for (int r = arrangement.regionAt(p); r >= 0;
             r = arrangement.regions()[std::size_t(r)].parent)
            runs *= arrangement.fissions()[std::size_t(r)].number;
        nodes += runs;
    }
    if (nodes > settings.integer("largest-graph")) {
        described.unrealized = "its graph would have " + std::to_string(nodes) +
                               " nodes; --set magis.largest-graph=" + std::to_string(nodes) +
                               " makes it";
        return;
    }
    Trace trace;
    Simulator(*variant.memory, variant.space->evictions()).run(arrangement, state.policies, &trace);
    auto realized =
        magis::realized(*variant.memory, variant.space->fissions(), arrangement, trace, opsets);
    if (!realized) { // what has been found is not lost
        described.unrealized = realized.error().text() +
                               "; another --seed, --latency-limit or --memory-limit gives another "
                               "plan";
        return;
    }
    plan.graph = std::move(realized->graph);
    plan.partition = nullptr; // all of these are about other nodes
    plan.fusion = nullptr;
    plan.layouts = nullptr;
    plan.kernels = nullptr;
    described.realized = true;
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
    const Opsets opsets = opsetsOf(*plan.model);
    auto variants = variantsOf(plan, settings, opsets);
    if (!variants)
        return tl::unexpected(variants.error());
    const Outcome before = variants->front().unoptimized.outcome;
    const Limits limits = limitsOf(context.objective, before);
    SearchOptions options;
    options.seconds = settings.real("seconds");
    options.expanded = std::uint64_t(settings.integer("states"));
    options.threads = context.threads;
    options.stop = context.stop;
    options.progress = context.progress;
    for (Variant &variant : *variants)
        prepareSearch(variant, before, interestsOf(context.objective, limits, before), context.seed,
                      options);

    if (!context.resume.empty())
        if (auto read = readCheckpoint(context.resume, *variants); !read)
            return tl::unexpected(read.error());

    const auto choose = [&](const Variant &variant, const ParetoArchive<State> &archive,
                            MemoryPlan &described) {
        const State &best = chosen(archive, context.objective.mode, limits, described.limitsMet);
        const bool met = described.limitsMet;
        described = magis::described(*variant.space, best, variant.candidates, archive);
        addUnoptimized(*variants->front().space, variants->front().unoptimized, described);
        described.limitsMet = met;
        return best;
    };
    double published = -1, kept = 0;
    Result<void> checkpoint;
    const auto keep = [&] {
        if (!context.checkpoint.empty() && checkpoint)
            checkpoint = writeCheckpoint(context.checkpoint, *variants);
        kept = options.clock();
    };
    const std::size_t winner = searched(
        *variants, options, [&](const Variant &variant, const ParetoArchive<State> &found) {
            constexpr double interval = 0.5; // seconds; describing takes milliseconds
            if (const double now = options.clock(); now - published >= interval) {
                published = now;
                auto described = std::make_shared<MemoryPlan>();
                choose(variant, found, *described);
                Plan snapshot = plan;
                snapshot.memory = std::move(described);
                context.publish(std::make_shared<const Plan>(std::move(snapshot)));
            }
            constexpr double keepInterval = 10; // seconds
            if (options.clock() - kept >= keepInterval)
                keep();
        });
    keep();
    if (!checkpoint)
        return tl::unexpected(checkpoint.error());
    const Variant &variant = (*variants)[winner];
    MemoryPlan result;
    const State best = choose(variant, variant.search->archive(), result);
    result.baselines =
        baselinesOf(*variants->front().space, *variants->front().optimization, limits);
    result.changes = variant.changes;
    realize(plan, variant, best, settings, opsets, result);

    SearchRecord record = variant.search->record();
    for (const Variant &other : *variants)
        record.simulated += other.optimization->simulated();
    PassRecord pass;
    pass.summary = summaryOf(result);
    plan.history.push_back(std::move(pass));
    plan.memory = std::make_shared<const MemoryPlan>(std::move(result));
    plan.search = std::make_shared<const SearchRecord>(std::move(record));
    return plan;
}

} // namespace graphloom::magis
