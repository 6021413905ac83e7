// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/magis_pass.h"

#include "engine/ops/derive/infer.h"
#include "engine/pass/device_parameter.h"
#include "engine/pass/plan_parts.h"
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

/// Returns the most calls that the plan of a variant may have, which may always keep those that it
/// has; 0: the plan is only described.
std::int64_t mostCalls(const Settings &settings, const Variant &variant)
{
    const std::int64_t wanted = settings.integer("largest-graph");
    return wanted > 0 ? std::max(wanted, std::int64_t(variant.graph.nodeCount())) : 0;
}

/// Estimates the time to create the plan of a state from the time that analysing the graph took:
/// distinct calls are analysed and cut once; the other nodes are only written.
double secondsToFinish(const Variant &variant, const State &state, const Settings &settings)
{
    const std::int64_t nodes = state.arrangement->calls();
    const auto looked = double(std::max<std::size_t>(1, variant.graph.nodeCount()));
    return variant.seconds *
           (0.6 + (nodes <= mostCalls(settings, variant) ? 0.25 * double(nodes) / looked : 0));
}

/// Stores the graph of the state in the plan. If that is impossible, or would delay the end of a
/// stopped run, the plan holds everything else and gives the reason.
Result<void> realize(Plan &plan, const Variant &variant, const State &state,
                     const Settings &settings, const Opsets &opsets, const std::stop_token &stop,
                     MemoryPlan &described)
{
    plan.schedule = nullptr;
    const Arrangement &arrangement = *state.arrangement;
    const std::int64_t calls = arrangement.calls();
    if (calls > mostCalls(settings, variant)) {
        described.unrealized =
            "its graph would have " + std::to_string(calls) +
            " calls; to create it, raise Largest graph (magis.largest-graph) to that number";
        return {};
    }
    constexpr std::int64_t mostWhenStopped = 8000; // a few tenths of a second
    if (stop.stop_requested() && calls > mostWhenStopped) {
        described.unrealized = "the run was stopped before it created its graph of " +
                               std::to_string(calls) +
                               " calls; a search that continues from this plan creates it";
        return {};
    }
    Trace trace;
    Simulator(*variant.memory, variant.space->evictions()).run(arrangement, state.policies, &trace);
    auto realized =
        magis::realized(*variant.memory, variant.space->fissions(), arrangement, trace, opsets);
    if (!realized) { // the plan is still reported
        described.unrealized =
            realized.error().text() + "; try another seed, latency limit or memory limit";
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

/// Describes the plan that is resumed or edited.
struct Beginning {
    const Plan *from = nullptr;
    std::string state; // MemoryPlan::state; empty if there is none
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

/// Returns the fastest graph that rewriting alone yields. If only the variant of a resumed plan was
/// built, that plan may know a faster one.
MemoryPoint rewrittenOf(const std::vector<Variant> &variants, const Beginning &beginning,
                        const Device &device)
{
    const Variant &fast = variants[fastest(variants)];
    MemoryPoint point{fast.unoptimized.outcome.seconds * 1e3, fast.unoptimized.outcome.peak,
                      fast.name.empty() ? "unchanged order" : fast.name};
    const MemoryPlan *known = beginning.from ? beginning.from->memory.get() : nullptr;
    if (known && known->device == device.name && known->rewritten.ms > 0 &&
        known->rewritten.ms < point.ms)
        point = known->rewritten;
    return point;
}

/// Adds a plan to the front and removes dominated plans.
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

/// Applies the locks of the decisions to their variant; returns its place and the decisions.
Result<std::pair<std::size_t, Decisions>> takeDecisions(std::vector<Variant> &variants,
                                                        const Beginning &beginning)
{
    const auto name = variantIn(beginning.state);
    auto at = std::ranges::find_if(variants, [&](const Variant &one) { return one.name == name; });
    if (at == variants.end()) // readDecisions() refuses it for its graph
        at = variants.begin();
    GL_TRY_RESULT(decisions, readDecisions(beginning.state, *at, beginning.where));
    for (std::size_t f = 0; f < decisions->tree.size(); ++f)
        if (decisions->locked[f])
            at->locks.push_back(decisions->tree[f]);
    return std::pair(std::size_t(at - variants.begin()), *std::move(decisions));
}

/// Returns the decisions of a state, with what is locked in it.
Decisions decisionsOf(const Variant &variant, const State &state)
{
    Decisions decisions{variant.name, state, treeOf(*variant.space, state, variant.candidates), {}};
    for (const EnabledFission &enabled : decisions.tree)
        decisions.locked.push_back(
            std::ranges::count(variant.locks, enabled.fission, &EnabledFission::fission) > 0);
    return decisions;
}

/// Runs the pass once, in the steps of Algorithm 3.
class MagisRun {
public:
    MagisRun(Plan plan, const Context &context)
        : m_plan(std::move(plan)), m_context(context),
          m_budget(context.clock, context.settings.real("seconds")), m_beginning(context)
    {
        m_context.progress = [this, progress = context.progress](double done,
                                                                 std::string_view what) {
            progress(fractionDone(done), what);
        };
    }

    /// Builds the graphs to search, and derives the limits from their costs (InitState).
    Result<void> prepare()
    {
        const Settings &settings = m_context.settings;
        m_context.progress(0, "analysing memory");
        m_opsets = opsetsOf(*m_plan.model);
        GL_TRY_RESULT(pricing, pricingOf(m_plan, m_context));
        m_pricing = *std::move(pricing);
        const double latencyLimit =
            m_context.objective.latencyLimit.value_or(Objective::usualLatency);
        if (m_context.edit && m_beginning.state.empty())
            return fail(Error::Kind::Usage, "the plan has no F-Tree to change; run the pass first");
        m_wanted = {&m_pricing.device, countsWeights(settings, m_plan),
                    int(settings.integer("levels"))};
        m_wanted.usesTree = settings.integer("regions") == 0;
        m_wanted.seed = m_context.seed;
        m_wanted.moreLatency = std::max(0., latencyLimit - 1);
        m_wanted.measuring = m_pricing.measuring.get();
        m_wanted.isLate = [this] { return m_budget.isLateToPrepare(); };
        m_wanted.clock = m_context.clock;
        m_wanted.stop = m_context.stop;
        // No other graph has the locked fissions, or the only plan that is asked for.
        if (m_context.edit || m_beginning.locks || realizesOnly())
            m_wanted.only = variantIn(m_beginning.state);
        GL_TRY_RESULT(variants, variantsOf(m_plan, settings, m_opsets, m_wanted));
        m_variants = *std::move(variants);
        m_before = m_variants.front().unoptimized.outcome;
        m_rewritten = rewrittenOf(m_variants, m_beginning, m_pricing.device);
        m_reference = settings.integer("limit-of") == 0
                          ? std::min(m_before.seconds, m_rewritten.ms / 1e3)
                          : m_before.seconds;
        m_limits = limitsOf(m_context.objective, m_before, m_reference);
        m_options = searchOptionsOf(m_context);
        m_prepared = m_budget.elapsed();
        m_options.seconds = m_budget.toSearch(m_prepared, 0);
        m_options.expanded = std::uint64_t(settings.integer("states"));
        m_options.batch = 16; // fewer would wait for each other, more would miss results of others
        m_options.observe = [this](const SearchRecord &) {
            m_context.observe(recordOf(m_variants));
        };
        return {};
    }

    /// Seeds each search with its initial states (the queue of Algorithm 3).
    Result<void> seed()
    {
        if (!m_beginning.state.empty()) {
            GL_TRY_RESULT(taken, takeDecisions(m_variants, m_beginning));
            m_decided = *std::move(taken);
        }
        const auto interests = interestsOf(m_context.objective, m_limits, m_before, m_reference);
        constexpr double mostForSeeds = 0.25; // of the search's seconds
        for (std::size_t v = 0; v < m_variants.size(); ++v) {
            Variant &variant = m_variants[v];
            const bool left = m_wanted.only && v != m_decided->first; // a base of the wanted one
            SearchMoves moves{.levels = m_wanted.levels,
                              .choosesRegions = m_wanted.usesTree,
                              .choosesEvictions = m_context.settings.integer("evictions") == 0,
                              .stop = m_context.stop};
            if (const std::int64_t most = mostCalls(m_context.settings, variant); most > 0)
                moves.mostCalls = most;
            prepareSearch(variant, m_before, interests, m_context.seed, m_options, moves);
            if (!m_context.edit && !left && !takesOnly())
                addSeeds(variant, m_options,
                         m_options.seconds * mostForSeeds * double(v + 1) /
                             double(m_variants.size()));
        }
        if (!m_context.resume || m_context.edit)
            return {};
        if (!realizesOnly())
            GL_TRY(readCheckpoint(*m_context.resume, m_variants));
        if (m_decided)
            m_variants[m_decided->first].search->seed(m_decided->second.state);
        if (takesOnly() && m_variants[best(m_variants)].search->archive().entries().empty())
            return fail(Error::Kind::Usage, "it contains no plan that could be applied",
                        m_context.resume->where);
        return {};
    }

    /// Returns the given plan, as edited by hand.
    Result<Plan> edit()
    {
        const Variant &variant = m_variants[m_decided->first];
        GL_TRY_RESULT(changed, edited(variant, std::move(m_decided->second), *m_context.edit));
        std::vector<FissionIndex> tree;
        for (const EnabledFission &enabled : changed->tree)
            tree.push_back(enabled.fission);
        MemoryPlan result = described(*variant.space, changed->state, tree);
        addReferences(result);
        result.after.origin = "by hand";
        const Plan &from = *m_beginning.from;
        result.front = frontWith(from.memory->front, result.after);
        result.baselines = from.memory->baselines;
        result.limitsMet =
            isWithin(m_limits, result.after.ms / 1e3, double(result.after.peakBytes));
        m_plan.search = from.search;
        return finish(variant, *changed, std::move(result));
    }

    /// Searches, and returns the plan of the best state.
    Result<Plan> search()
    {
        m_isSearching = true;
        const auto onImproved = [this](const Variant &variant, const ParetoArchive<State> &found) {
            return improved(variant, found);
        };
        const std::size_t winner =
            takesOnly() ? best(m_variants) : searched(m_variants, m_options, onImproved);
        keep();
        if (!m_checkpoint)
            return tl::unexpected(m_checkpoint.error());
        const Variant &variant = m_variants[winner];
        MemoryPlan result;
        State best = choose(variant, variant.search->archive(), result);
        if (variant.times) {
            best = measured(variant, best, *m_pricing.measuring, m_context.objective.mode, m_limits,
                            m_context.stop);
            result = describe(variant, best);
            result.limitsMet = isWithin(m_limits, best.outcome.seconds, double(best.outcome.peak));
        }
        result.baselines = baselinesOf(m_variants, m_limits, m_context.stop);
        SearchRecord record = recordOf(m_variants);
        record.state = std::make_shared<const std::string>(checkpointOf(m_variants));
        m_plan.search = std::make_shared<const SearchRecord>(std::move(record));
        return finish(variant, decisionsOf(variant, best), std::move(result));
    }

private:
    /// Returns the fraction of the whole run, given that of its current part.
    double fractionDone(double ofPart) const
    {
        constexpr double preparing = 0.1; // where no time is given
        const bool isTimed = m_context.settings.real("seconds") > 0;
        const double known = m_isSearching ? (isTimed ? 0 : preparing + (1 - preparing) * ofPart)
                             : isTimed     ? 0
                                           : preparing * ofPart;
        return std::max(m_budget.fractionSpent(), known);
    }
    /// Tells whether the state of a published plan is to be realized, and nothing else.
    bool realizesOnly() const
    {
        return takesOnly() && m_context.resume->state.empty() && !m_beginning.state.empty();
    }
    bool takesOnly() const { return m_context.resume && m_context.resume->only; }
    void addReferences(MemoryPlan &plan) const
    {
        addUnoptimized(*m_variants.front().space, m_variants.front().unoptimized, plan);
        plan.rewritten = m_rewritten;
        plan.referenceMs = m_reference * 1e3;
    }
    MemoryPlan describe(const Variant &variant, const State &state) const
    {
        MemoryPlan plan = described(*variant.space, state, variant.candidates);
        addReferences(plan);
        plan.front = frontOf(m_variants);
        return plan;
    }
    State choose(const Variant &variant, const ParetoArchive<State> &archive,
                 MemoryPlan &plan) const
    {
        bool met = false;
        const State &best = chosen(archive, m_context.objective.mode, m_limits, met);
        plan = describe(variant, best);
        plan.limitsMet = met;
        return best;
    }
    /// Writes the checkpoint, if one is wanted.
    void keep()
    {
        if (!m_context.checkpoint.empty() && m_checkpoint)
            m_checkpoint = writeFileAtomically(m_context.checkpoint, checkpointOf(m_variants));
        m_kept = m_options.clock();
    }
    /// Publishes the best plan so far; returns the seconds that the search may take.
    double improved(const Variant &variant, const ParetoArchive<State> &found)
    {
        constexpr double interval = 0.2; // seconds; describing takes milliseconds
        if (const double now = m_options.clock(); now - m_published >= interval) {
            m_published = now;
            auto plan = std::make_shared<MemoryPlan>();
            const State best = choose(variant, found, *plan);
            plan->state = textOf(variant, decisionsOf(variant, best));
            m_behind = secondsToFinish(variant, best, m_context.settings);
            Plan snapshot = m_plan;
            snapshot.memory = std::move(plan);
            snapshot.search = std::make_shared<const SearchRecord>(recordOf(m_variants));
            m_context.publish(std::make_shared<const Plan>(std::move(snapshot)));
        }
        constexpr double keepInterval = 10; // seconds
        if (m_options.clock() - m_kept >= keepInterval)
            keep();
        return m_budget.toSearch(m_prepared, m_behind);
    }
    /// Completes a plan that was found or edited: creates its graph and its report.
    Result<Plan> finish(const Variant &variant, const Decisions &decisions, MemoryPlan result)
    {
        const Variant &own = m_variants.front();
        result.times = timesOf(*variant.space, variant.times.get(), decisions.state);
        result.times.shareBefore = measuredShare(*own.space, own.times.get(), own.unoptimized);
        result.changes = variant.changes;
        addChoices(variant, decisions, result);
        result.state = textOf(variant, decisions);
        GL_TRY(realize(m_plan, variant, decisions.state, m_context.settings, m_opsets,
                       m_context.stop, result));
        PassRecord pass;
        pass.summary = summaryOf(result, m_plan.schedule.get());
        const double searching = m_plan.search && !m_context.edit ? m_plan.search->seconds : 0;
        pass.summary.push_back({"seconds_preparing", m_prepared});
        pass.summary.push_back({"seconds_searching", searching});
        pass.summary.push_back({"seconds_finishing", m_budget.elapsed() - m_prepared - searching});
        addPartTimes(pass.summary);
        m_plan.history.push_back(std::move(pass));
        m_plan.memory = std::make_shared<const MemoryPlan>(std::move(result));
        return std::move(m_plan);
    }

    /// Adds what the parts of the searches took, on all threads together (MAGIS Fig. 15).
    void addPartTimes(std::vector<SummaryEntry> &summary) const
    {
        constexpr std::pair<SearchPart, const char *> parts[] = {
            {SearchPart::Transforming, "thread_seconds_transforming"},
            {SearchPart::Scheduling, "thread_seconds_scheduling"},
            {SearchPart::Simulating, "thread_seconds_simulating"},
            {SearchPart::Hashing, "thread_seconds_hashing"},
        };
        for (const auto &[part, name] : parts) {
            double seconds = 0;
            for (const Variant &variant : m_variants)
                if (variant.optimization)
                    seconds += variant.optimization->times().seconds(part);
            summary.push_back({name, seconds});
        }
    }

    Plan m_plan;
    Context m_context; // with the progress of the whole run
    TimeBudget m_budget;
    Beginning m_beginning;
    Opsets m_opsets;
    Pricing m_pricing;
    VariantOptions m_wanted{};
    std::vector<Variant> m_variants;
    Outcome m_before;
    MemoryPoint m_rewritten;
    double m_reference = 0; // seconds that latency limits are relative to
    Limits m_limits;
    SearchOptions m_options;
    std::optional<std::pair<std::size_t, Decisions>> m_decided; // with the variant's place
    bool m_isSearching = false;
    double m_prepared = 0;               // seconds spent preparing
    double m_published = -1, m_kept = 0; // times on the search's clock
    Result<void> m_checkpoint;
    double m_behind = 0; // estimated seconds to create the plan
};

} // namespace

std::string_view MagisPass::help() const
{
    return "Trades latency for peak memory in one search: splits regions of the graph into parts "
           "that run one after the other (fission), recomputes tensors or swaps them to the host's "
           "memory, and reorders steps. MAGIS: Memory Optimization via Coordinated Graph "
           "Transformation and Scheduling for DNN (ASPLOS 2024), extended by sliding windows, "
           "nested fissions and an archive over both costs. --objective, --memory-limit and "
           "--latency-limit state the goal; the default is the lowest peak at 10 % more latency.";
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
    return mayTime(settings) && settings.real("measure-seconds") > 0;
}

std::vector<std::string_view> MagisPass::creates(const Settings &) const
{
    return {plan_parts::memory, plan_parts::schedule};
}

Result<Plan> MagisPass::run(Plan plan, const Context &context) const
{
    MagisRun run(std::move(plan), context);
    GL_TRY(run.prepare());
    GL_TRY(run.seed());
    return context.edit ? run.edit() : run.search();
}

} // namespace graphloom::magis
