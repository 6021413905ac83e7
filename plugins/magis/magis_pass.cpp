// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/magis_pass.h"

#include "engine/ops/derive/infer.h"
#include "engine/plan/training_record.h"
#include "engine/system/atomic_file.h"
#include "plugins/magis/checkpoint.h"
#include "plugins/magis/description.h"
#include "plugins/magis/parameters.h"
#include "plugins/magis/pricing.h"
#include "plugins/magis/realize/constant_parts.h"
#include "plugins/magis/realize/realized_schedule.h"
#include "plugins/magis/rules/graph_rule.h"
#include "plugins/magis/time_budget.h"
#include "plugins/magis/tree_editing.h"
#include "plugins/magis/variants/baselines.h"
#include "plugins/magis/variants/choice.h"
#include "plugins/magis/variants/variant_graphs.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

std::vector<SummaryEntry> summaryOf(const MemoryPlan &plan, const MemorySchedule *schedule)
{
    const std::int64_t peak = schedule ? peakOf(*schedule).bytes : plan.after.peakBytes;
    const auto ratio = [](double after, double before) { return before > 0 ? after / before : 1; };
    std::vector<SummaryEntry> summary{
        {"device", plan.device},
        {"peak_bytes_before", plan.before.peakBytes},
        {"peak_bytes_after", peak},
        {"peak_ratio", ratio(double(peak), double(plan.before.peakBytes))},
        {"modelled_ms_before", plan.before.ms},
        {"modelled_ms_after", plan.after.ms},
        {"latency_ratio", ratio(plan.after.ms, plan.before.ms)},
        {"modelled_ms_rewritten", plan.rewritten.ms},
        {"latency_ratio_to_rewritten", ratio(plan.after.ms, plan.rewritten.ms)},
        {"fissions", std::int64_t(std::ranges::count_if(
                         plan.fissions, [](const auto &fission) { return fission.number > 1; }))},
        {"recomputed", std::int64_t(plan.recomputed)},
        {"swapped", std::int64_t(plan.swapped)},
        {"limits_met", plan.limitsMet},
        {"realized", plan.realized}};
    if (plan.times.measured > 0) {
        summary.push_back({"calls_measured", std::int64_t(plan.times.measured)});
        summary.push_back({"calls_modelled", std::int64_t(plan.times.modelled)});
        summary.push_back({"measured_share", plan.times.share});
    }
    if (!plan.unrealized.empty())
        summary.push_back({"unrealized", plan.unrealized});
    return summary;
}

bool countsWeights(const Settings &settings, const Plan &plan)
{
    const std::int64_t mode = settings.integer("weights");
    return mode == 0 ? plan.training != nullptr : mode == 1;
}

/// Nodes of the graph that is made of a state, one by one for all parts.
std::int64_t nodesOf(const State &state)
{
    std::int64_t nodes = 0;
    const Arrangement &arrangement = *state.arrangement;
    for (const Position p : arrangement.order().indices()) {
        std::int64_t runs = 1;
        for (RegionIndex r = arrangement.regionAt(p); r.isValid();
             r = arrangement.regions()[r].parent)
            runs *= arrangement.fissions()[r].number;
        nodes += runs;
    }
    return nodes;
}

/// How long making the plan of a state will take, told from how long it took to look at the graph:
/// distinct calls are looked at, and cut, once; the other nodes are written only.
double secondsToFinish(const Variant &variant, const State &state, std::int64_t largestGraph)
{
    const std::int64_t nodes = nodesOf(state);
    const auto looked = double(std::max<std::size_t>(1, variant.graph.nodeCount()));
    return variant.seconds * (0.6 + (nodes <= largestGraph ? 0.25 * double(nodes) / looked : 0));
}

/// Takes the state's graph into the plan. Where that cannot be, or would keep who has stopped the
/// run waiting, the plan has all else and says why.
Result<void> realize(Plan &plan, const Variant &variant, const State &state,
                     const Settings &settings, const Opsets &opsets, const std::stop_token &stop,
                     MemoryPlan &described)
{
    plan.schedule = nullptr;
    const Arrangement &arrangement = *state.arrangement;
    const std::int64_t nodes = nodesOf(state);
    if (nodes > settings.integer("largest-graph")) {
        described.unrealized = "its graph would have " + std::to_string(nodes) +
                               " nodes; --set magis.largest-graph=" + std::to_string(nodes) +
                               " makes it";
        return {};
    }
    constexpr std::int64_t mostWhenStopped = 8000; // some tenths of a second
    if (stop.stop_requested() && nodes > mostWhenStopped) {
        described.unrealized = "the run was stopped before its graph of " + std::to_string(nodes) +
                               " nodes was made; a search that goes on from this plan makes it";
        return {};
    }
    Trace trace;
    Simulator(*variant.memory, variant.space->evictions()).run(arrangement, state.policies, &trace);
    auto realized =
        magis::realized(*variant.memory, variant.space->fissions(), arrangement, trace, opsets);
    if (!realized) { // what has been found is not lost
        described.unrealized = realized.error().text() +
                               "; another --seed, --latency-limit or --memory-limit gives another "
                               "plan";
        return {};
    }
    if (!plan.training) {
        realized = withConstantParts(*std::move(realized), opsets);
        if (!realized)
            return tl::unexpected(realized.error());
    }
    const RealizedMemory memory = memoryOf(*variant.memory, *realized);
    const RealizedArena arena = arenaOf(memory);
    described.arenaBytes = variant.memory->residentBytes() + arena.layout.bytes;
    plan.schedule = std::make_shared<const MemorySchedule>(
        scheduleOf(*realized, memory, arena, countsWeights(settings, plan)));
    plan.graph = std::move(realized->graph);
    described.realized = true;
    return {};
}

/// What is known of the plan that is gone on from, or edited.
struct Beginning {
    const Plan *from = nullptr;
    std::string state; // MemoryPlan::state; empty: there is none
    std::string where;
    bool locks = false; // some fission is locked

    explicit Beginning(const Context &context)
    {
        from = context.resume ? context.resume->from.get() : nullptr;
        if (!from || !from->memory)
            return;
        where = context.resume->where;
        state = from->memory->state;
        locks = std::ranges::any_of(from->memory->fissions, &MemoryPlan::Fission::locked);
    }
};

/// The fastest graph that rewriting alone makes. Where only the variant of a plan that is gone on
/// from was made, that plan may know a faster one.
MemoryPoint rewrittenOf(const std::vector<Variant> &variants, const Beginning &beginning,
                        const Device &device)
{
    const Variant &fast = variants[fastest(variants)];
    MemoryPoint point{fast.unoptimized.outcome.seconds * 1e3, fast.unoptimized.outcome.peak,
                      fast.name.empty() ? "own order" : fast.name};
    const MemoryPlan *known = beginning.from ? beginning.from->memory.get() : nullptr;
    if (known && known->device == device.name && known->rewritten.ms > 0 &&
        known->rewritten.ms < point.ms)
        point = known->rewritten;
    return point;
}

/// The front with one plan more, where none is better in both.
std::vector<MemoryPoint> frontWith(std::vector<MemoryPoint> front, const MemoryPoint &added)
{
    ParetoArchive<MemoryPoint> all;
    front.push_back(added);
    for (const MemoryPoint &point : front)
        all.add(point.ms, double(point.peakBytes), point);
    front.clear();
    for (const auto &entry : all.entries())
        front.push_back(entry.state);
    return front;
}

/// The variant that the decisions are of takes their locks; its place and the decisions.
Result<std::pair<std::size_t, Decisions>> takeDecisions(std::vector<Variant> &variants,
                                                        const Beginning &beginning)
{
    const auto name = variantIn(beginning.state);
    auto at = std::ranges::find_if(variants, [&](const Variant &one) { return one.name == name; });
    if (at == variants.end()) // as it would be refused for its graph
        at = variants.begin();
    GL_TRY_RESULT(decisions, readDecisions(beginning.state, *at, beginning.where));
    for (std::size_t f = 0; f < decisions->tree.size(); ++f)
        if (decisions->locked[f])
            at->locks.push_back(decisions->tree[f]);
    return std::pair(std::size_t(at - variants.begin()), *std::move(decisions));
}

/// A state as it comes into the plan, with what is locked in it.
Decisions decisionsOf(const Variant &variant, const State &state)
{
    Decisions decisions{variant.name, state, treeOf(*variant.space, state, variant.candidates), {}};
    for (const EnabledFission &enabled : decisions.tree)
        decisions.locked.push_back(
            std::ranges::count(variant.locks, enabled.fission, &EnabledFission::fission) > 0);
    return decisions;
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

bool MagisPass::measures(const Settings &settings) const
{
    return !describedDevice(settings) && settings.real("measure-seconds") > 0;
}

Result<Plan> MagisPass::run(Plan plan, const Context &context) const
{
    const Settings &settings = context.settings;
    const TimeBudget budget(context.clock, settings.real("seconds"));
    context.progress(0, "looking at memory");
    const Opsets opsets = opsetsOf(*plan.model);
    GL_TRY_RESULT(pricing, pricingOf(context));
    const double latencyLimit = context.objective.latencyLimit.value_or(usualLatency);
    const Beginning beginning(context);
    if (context.edit && beginning.state.empty())
        return fail(Error::Kind::Usage,
                    "the plan has no fission tree that could be changed; run the pass first");
    VariantOptions wanted{&pricing->device, countsWeights(settings, plan),
                          int(settings.integer("levels")), std::max(0., latencyLimit - 1),
                          pricing->measuring.get()};
    wanted.isLate = [&] { return budget.isLateToPrepare(); };
    wanted.clock = context.clock;
    wanted.stop = context.stop;
    if (context.edit || beginning.locks) // of other graphs nothing can have what is locked
        wanted.only = variantIn(beginning.state);
    GL_TRY_RESULT(variants, variantsOf(plan, settings, opsets, wanted));
    const Outcome before = variants->front().unoptimized.outcome;
    const MemoryPoint rewritten = rewrittenOf(*variants, beginning, pricing->device);
    const double reference = settings.integer("limit-of") == 0
                                 ? std::min(before.seconds, rewritten.ms / 1e3)
                                 : before.seconds;
    const Limits limits = limitsOf(context.objective, before, reference);
    SearchOptions options = searchOptionsOf(context);
    const double prepared = budget.elapsed();
    options.seconds = budget.toSearch(prepared, 0);
    options.expanded = std::uint64_t(settings.integer("states"));
    options.batch = 16; // fewer wait for each other, more know less of what others have found
    options.observe = [&](const SearchRecord &) { context.observe(recordOf(*variants)); };
    std::optional<std::pair<std::size_t, Decisions>> decided; // and the variant's place
    if (!beginning.state.empty()) {
        GL_TRY_RESULT(taken, takeDecisions(*variants, beginning));
        decided = *std::move(taken);
    }
    constexpr double mostForSeeds = 0.25; // of the seconds
    for (std::size_t v = 0; v < variants->size(); ++v) {
        Variant &variant = (*variants)[v];
        const bool left = wanted.only && v != decided->first; // what the other is made of
        prepareSearch(variant, before, interestsOf(context.objective, limits, before, reference),
                      context.seed, options, {.levels = wanted.levels, .stop = context.stop});
        if (!context.edit && !left && !(context.resume && context.resume->only))
            addSeeds(variant, options,
                     options.seconds * mostForSeeds * double(v + 1) / double(variants->size()));
    }
    if (context.resume && !context.edit) {
        GL_TRY(readCheckpoint(*context.resume, *variants));
        if (decided)
            (*variants)[decided->first].search->seed(decided->second.state);
        if (context.resume->only &&
            (*variants)[best(*variants)].search->archive().entries().empty())
            return fail(Error::Kind::Usage, "there is no plan in it that could be taken",
                        context.resume->where);
    }
    const auto addReferences = [&](MemoryPlan &described) {
        addUnoptimized(*variants->front().space, variants->front().unoptimized, described);
        described.rewritten = rewritten;
        described.referenceMs = reference * 1e3;
    };
    const auto describe = [&](const Variant &variant, const State &state) {
        MemoryPlan described = magis::described(*variant.space, state, variant.candidates);
        addReferences(described);
        described.front = frontOf(*variants);
        return described;
    };
    const auto choose = [&](const Variant &variant, const ParetoArchive<State> &archive,
                            MemoryPlan &described) {
        bool met = false;
        const State &best = chosen(archive, context.objective.mode, limits, met);
        described = describe(variant, best);
        described.limitsMet = met;
        return best;
    };
    // What all plans have in the end.
    const auto finished = [&](Plan made, const std::vector<Variant> &all, const Variant &variant,
                              const Decisions &decisions, MemoryPlan result) -> Result<Plan> {
        result.times = timesOf(*variant.space, variant.times.get(), decisions.state);
        result.times.shareBefore =
            measuredShare(*all.front().space, all.front().times.get(), all.front().unoptimized);
        result.changes = variant.changes;
        addChoices(variant, decisions, result);
        result.state = textOf(variant, decisions);
        GL_TRY(realize(made, variant, decisions.state, settings, opsets, context.stop, result));
        PassRecord pass;
        pass.summary = summaryOf(result, made.schedule.get());
        const double searching = made.search && !context.edit ? made.search->seconds : 0;
        pass.summary.push_back({"seconds_preparing", prepared});
        pass.summary.push_back({"seconds_searching", searching});
        pass.summary.push_back({"seconds_finishing", budget.elapsed() - prepared - searching});
        made.history.push_back(std::move(pass));
        made.memory = std::make_shared<const MemoryPlan>(std::move(result));
        return made;
    };
    double published = -1, kept = 0;
    Result<void> checkpoint;
    const auto keep = [&] {
        if (!context.checkpoint.empty() && checkpoint)
            checkpoint = writeFileAtomically(context.checkpoint, checkpointOf(*variants));
        kept = options.clock();
    };
    double behind = 0; // seconds that making the plan takes, as estimated
    const auto improved = [&](const Variant &variant, const ParetoArchive<State> &found) {
        constexpr double interval = 0.2; // seconds; describing takes milliseconds
        if (const double now = options.clock(); now - published >= interval) {
            published = now;
            auto described = std::make_shared<MemoryPlan>();
            const State best = choose(variant, found, *described);
            behind = secondsToFinish(variant, best, settings.integer("largest-graph"));
            Plan snapshot = plan;
            snapshot.memory = std::move(described);
            snapshot.search = std::make_shared<const SearchRecord>(recordOf(*variants));
            context.publish(std::make_shared<const Plan>(std::move(snapshot)));
        }
        constexpr double keepInterval = 10; // seconds
        if (options.clock() - kept >= keepInterval)
            keep();
        return budget.toSearch(prepared, behind);
    };
    if (context.edit) {
        const Variant &variant = (*variants)[decided->first];
        GL_TRY_RESULT(changed, edited(variant, std::move(decided->second), *context.edit));
        std::vector<FissionIndex> tree;
        for (const EnabledFission &enabled : changed->tree)
            tree.push_back(enabled.fission);
        MemoryPlan result = described(*variant.space, changed->state, tree);
        addReferences(result);
        result.after.origin = "by hand";
        result.front = frontWith(beginning.from->memory->front, result.after);
        result.baselines = beginning.from->memory->baselines;
        result.limitsMet = isWithin(limits, result.after.ms / 1e3, double(result.after.peakBytes));
        plan.search = beginning.from->search;
        return finished(std::move(plan), *variants, variant, *std::move(changed),
                        std::move(result));
    }
    const std::size_t winner = context.resume && context.resume->only
                                   ? best(*variants)
                                   : searched(*variants, options, improved);
    keep();
    if (!checkpoint)
        return tl::unexpected(checkpoint.error());
    const Variant &variant = (*variants)[winner];
    MemoryPlan result;
    State best = choose(variant, variant.search->archive(), result);
    if (variant.times) {
        best = measured(variant, best, *pricing->measuring, context.objective.mode, limits,
                        context.stop);
        result = describe(variant, best);
        result.limitsMet = isWithin(limits, best.outcome.seconds, double(best.outcome.peak));
    }
    result.baselines = baselinesOf(*variants, limits, context.stop);
    SearchRecord record = recordOf(*variants);
    record.state = std::make_shared<const std::string>(checkpointOf(*variants));
    plan.search = std::make_shared<const SearchRecord>(std::move(record));
    return finished(std::move(plan), *variants, variant, decisionsOf(variant, best),
                    std::move(result));
}

} // namespace graphloom::magis
