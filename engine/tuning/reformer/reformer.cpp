// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/reformer.h"

#include "engine/fusion/blocks/block_growth.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/ops/derive/infer.h"
#include "engine/tuning/reformer/block_joins.h"
#include "engine/tuning/reformer/layout_moves.h"
#include "engine/tuning/reformer/tuned_kernels.h"
#include "engine/tuning/reformer/whole_runs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace graphloom {

namespace {

using Block = TuningState::Block;

/// The share of time and trials for tuning blocks before they are joined; what they leave, as all
/// are stable, is for joins.
constexpr double splitShare = 0.45;
/// What is left of the time for running the whole plan with joined blocks and without, if any were
/// joined: this share of all, but so many seconds at most.
constexpr double wholeShare = 0.15;
constexpr double mostWhole = 15;

/// Adds the trials of an earlier tuning to those of the same kernels.
void addTrials(PlanTuning &tuning, const PlanTuning &earlier)
{
    std::map<std::string, int> ofPhases, ofBlocks;
    for (const TunedPhase &phase : earlier.phases)
        ofPhases[phase.symbol] += phase.trials;
    for (const TunedBlock &block : earlier.blocks)
        ofBlocks[block.structure] += block.trials;
    for (TunedPhase &phase : tuning.phases)
        phase.trials += ofPhases[phase.symbol];
    for (TunedBlock &block : tuning.blocks)
        block.trials += ofBlocks[block.structure];
    tuning.trials += earlier.trials;
}

class Reformer {
public:
    Reformer(const Plan &plan, const FusionFacts &facts, const FusionFacts &conventional,
             const TuningTarget &target, const PlanTunerOptions &options)
        : m_plan(plan), m_facts(facts), m_conventional(conventional), m_target(target),
          m_options(options), m_generator(plan, target.schedules), m_steps(options.stop),
          m_budget(options.seconds, options.trials, options.stop, options.clock),
          m_timer(target, options, m_budget)
    {
    }

    Result<ReformedPlan> run()
    {
        std::vector<Block> names;
        BlockGraph blocks(m_plan.graph, m_plan.fusion->partition, names);
        for (std::size_t b = 0; b < names.size(); ++b)
            m_marks[names[b]] = {m_plan.fusion->blocks[b].pattern, m_plan.fusion->blocks[b].locked};
        GL_TRY(m_timer.readDatabase());
        if (m_options.seconds > 0 || m_timer.knowsAny())
            split(blocks);
        if (m_plan.layouts)
            layOut(blocks);
        GL_TRY_RESULT(first, m_generator.state(std::move(blocks), {}, {}, nullptr, m_options.stop));
        TuningState state = std::move(*first);
        m_timer.setBytesOfOneRun(bytesOfOneRun(state.kernels));
        const ReformContext context{m_facts, m_generator, m_options, m_budget, m_timer};
        if (m_plan.layouts) {
            GL_TRY_CONST(moves,
                         moveLayouts(context, m_generator, blocksWithLayouts(), m_layouts, state));
            m_hasMoved = *moves > 0;
        }
        GL_TRY_RESULT(tuned, tune(state, splitShare));
        m_isPrepared = true;
        GL_TRY_RESULT(next, withTuning(std::move(state), *tuned));
        state = std::move(*next);
        const Candidate apart{
            state, *std::move(tuned), {{}, {m_plan.graph, m_plan.fusion->within}, {}, m_marks}};
        Candidate joined = apart;
        GL_TRY_RESULT(joins, joinBlocks(context, m_marks, joined.state));
        joined.joins = *std::move(joins);
        const bool hasJoined = std::ranges::any_of(joined.joins.trials, &JoinTrial::joined);
        GL_TRY_RESULT(restored, restore(joined));
        if (hasJoined || *restored || !m_budget.isOver()) {
            const double whole =
                hasJoined && m_options.wholeRuns
                    ? std::min({wholeShare * m_options.seconds, mostWhole, m_budget.secondsLeft()})
                    : 0;
            const double share = 1 - whole / std::max(m_budget.secondsLeft(), 1e-9);
            m_initial = joined.joins.initial;
            GL_TRY_RESULT(again, tune(joined.state, share));
            joined.tuning = *std::move(again);
            addTrials(joined.tuning, apart.tuning);
        }
        return hasJoined ? fasterOf(std::move(joined), apart) : finished(joined);
    }

private:
    /// Blocks, how they compute, and why they are as they are.
    struct Candidate {
        TuningState state;
        PlanTuning tuning;
        BlockJoins joins;
    };

    /// SPLIT: takes blocks with several complex operators apart.
    void split(BlockGraph &blocks)
    {
        const auto isComplex = [&](NodeId id) {
            return m_facts.ecg().node(id).operatorClass == OperatorClass::Contraction;
        };
        for (const Block name : blocks.names()) {
            const std::vector<NodeId> nodes = blocks.nodes(name);
            if (isLocked(name) || std::ranges::count_if(nodes, isComplex) < 2 ||
                !m_conventional.merger().rules().check(nodes).refusal)
                continue;
            m_split.push_back({nodes, m_marks.extract(name).mapped()});
            for (std::size_t n = 1; n < nodes.size(); ++n)
                blocks.split({&nodes[n], 1});
            growBlocks(m_conventional.merger(), blocks, m_marks, nodes, m_steps, [](double) {});
        }
    }
    /// Takes the layouts of the plan. What is between the parts of blocks that were taken apart has
    /// none there: for these parts they are chosen. All other blocks keep theirs.
    void layOut(const BlockGraph &blocks)
    {
        if (m_split.empty()) {
            m_layouts = *m_plan.layouts;
            return;
        }
        m_parts = planOf(m_conventional.merger(), blocks, {}, m_marks, {}, &m_steps);
        FixedLayouts fixed;
        for (const Subgraph &part : m_parts.partition.subgraphs) {
            const std::uint32_t before = m_plan.fusion->blockOf(part.nodes.front());
            const bool isWhole =
                m_plan.fusion->partition.subgraphs[before].nodes.size() == part.nodes.size();
            const LayoutPlan::Choice &choice = m_plan.layouts->blocks[before];
            fixed.push_back(isWhole || choice.locked ? std::optional(choice.layout) : std::nullopt);
        }
        m_layouts = chooseLayouts(m_facts.ecg(), m_parts, m_facts.merger().cost().device(), fixed);
        for (std::size_t b = 0; b < m_layouts.blocks.size(); ++b) {
            const NodeId any = m_parts.partition.subgraphs[b].nodes.front();
            m_layouts.blocks[b].locked = m_plan.layouts->blocks[m_plan.fusion->blockOf(any)].locked;
        }
        m_generator.setLayouts(m_layouts.tensors);
    }

    /// Returns the blocks that `m_layouts` describes.
    const FusionPlan &blocksWithLayouts() const
    {
        return m_split.empty() ? *m_plan.fusion : m_parts;
    }

    bool isLocked(Block block) const
    {
        const auto mark = m_marks.find(block);
        return mark != m_marks.end() && mark->second.locked;
    }

    /// Tunes the kernels of a state by default with a share of what is left of the budget; with
    /// none, takes what the database knows.
    Result<PlanTuning> tune(const TuningState &state, double share)
    {
        const TuningBudget part = m_budget.shareOfRest(share);
        GL_TRY_CONST(plain, m_generator.kernels(state.parts, {}, {}, &state.kernels, {}));
        PlanTunerOptions options = m_options;
        const double done = m_budget.fractionSpent();
        const double seconds = part.secondsLeft();
        options.seconds = m_options.seconds > 0 && share > 0 ? std::max(seconds, 1e-9) : 0;
        if (m_budget.hasTrialLimit())
            options.trials = part.trialsLeft();
        if (m_budget.hasTrialLimit() && options.trials == 0)
            options.seconds = 0; // 0 trials would mean no limit
        options.generate = [&](const PartAlgorithms &algorithms, std::stop_token stop) {
            return m_generator.kernels(state.parts, algorithms, {}, &*plain, std::move(stop));
        };
        options.progress = [&, done](double fraction, std::string_view what) {
            m_options.progress(done + (1 - done) * share * fraction, what);
        };
        if (m_isPrepared)
            options.prepared = [] {};
        options.initial = m_initial;
        options.measured = [&](const KernelPlace &place, const TunedCandidate &candidate) {
            m_budget.count();
            m_options.measured(placeOf(state, place), candidate);
        };
        return tunePlan(*plain, m_generator.target(), options);
    }

    /// Returns the place in the plan as it was given: that of the block with the first of the
    /// nodes.
    KernelPlace placeOf(const TuningState &state, KernelPlace place) const
    {
        const auto &nodes = state.parts[place.block];
        const std::uint32_t block = m_plan.fusion->blockOf(nodes.front());
        if (m_plan.fusion->partition.subgraphs[block].nodes != nodes)
            place.nest = std::nullopt; // it has other nests there
        place.block = block;
        return place;
    }

    Result<TuningState> withTuning(TuningState state, const PlanTuning &tuning) const
    {
        return m_generator.state(std::move(state.blocks), tuning.algorithms, tuning.schedules,
                                 tuning.kernels ? &*tuning.kernels : &state.kernels, {});
    }

    /// Puts blocks together again that were taken apart, as far as it was not measured that they
    /// are faster apart. Returns whether there was any.
    Result<bool> restore(Candidate &candidate)
    {
        const auto wasMeasured = [&](const std::vector<NodeId> &nodes) {
            return std::ranges::any_of(candidate.joins.trials, [&](const JoinTrial &trial) {
                return !trial.joined && trial.together.seconds > 0 &&
                       std::ranges::count(nodes, trial.first.front()) > 0 &&
                       std::ranges::count(nodes, trial.others.front()) > 0;
            });
        };
        BlockGraph blocks = candidate.state.blocks;
        bool changes = false;
        for (const auto &[nodes, mark] : m_split) {
            std::vector<Block> parts;
            for (const NodeId id : nodes)
                if (const Block part = blocks.blockOf(id); !std::ranges::count(parts, part))
                    parts.push_back(part);
            const bool isInside = std::ranges::all_of(parts, [&](Block part) {
                return std::ranges::all_of(blocks.nodes(part), [&](NodeId id) {
                    return std::ranges::count(nodes, id) > 0;
                });
            });
            if (parts.size() < 2 || !isInside || wasMeasured(nodes) || blocks.wouldCycle(parts))
                continue;
            for (std::size_t p = 1; p < parts.size(); ++p)
                blocks.merge(parts.front(), parts[p]);
            candidate.joins.marks[parts.front()] = mark;
            changes = true;
        }
        if (!changes)
            return false;
        GL_TRY_RESULT(restored,
                      m_generator.state(std::move(blocks), {}, {}, &candidate.state.kernels, {}));
        candidate.state = std::move(*restored);
        return true;
    }

    /// Runs the whole plan with joined blocks and without, in turns, and returns the faster one: a
    /// kernel that is faster alone may leave less in the caches for the others.
    Result<ReformedPlan> fasterOf(Candidate joined, Candidate apart)
    {
        m_options.progress(m_budget.fractionSpent(), "running the whole plan");
        apart.joins.trials = joined.joins.trials;
        for (JoinTrial &trial : apart.joins.trials)
            trial.joined = false;
        GL_TRY(restore(apart));
        GL_TRY_RESULT(known, tune(apart.state, 0)); // what was measured of its kernels meanwhile
        addTrials(*known, apart.tuning);
        apart.tuning = *std::move(known);
        GL_TRY_RESULT(with, finished(joined));
        GL_TRY_RESULT(without, finished(apart));
        const WholePlan plans[] = {whole(*with), whole(*without)};
        const std::vector<WholeTime> times = wholeTimesOf(plans, m_options, m_budget.secondsLeft());
        if (times.empty())
            return with; // the trials decide
        const WholeTime &together = times.front(), &separate = times.back();
        // Medians and least times are noisy in different ways: both count. Without a gain, the
        // plan keeps its own blocks.
        const bool areApart = separate.median * separate.least <= together.median * together.least;
        Candidate &faster = areApart ? apart : joined;
        for (std::size_t t = 0; t < joined.joins.trials.size(); ++t)
            if (joined.joins.trials[t].joined)
                faster.joins.trials[t].reason += wholeReason(times);
        return finished(faster);
    }
    WholePlan whole(const ReformedPlan &reformed) const
    {
        WholePlan made{reformed.plan, reformed.kernels.get()};
        made.plan.kernels =
            tunedKernels(made.plan, *reformed.kernels, reformed.tuning, m_target, m_options);
        return made;
    }
    std::string wholeReason(const std::vector<WholeTime> &times) const
    {
        std::vector<BlockSeconds> compared;
        for (const WholeTime &time : times) {
            BlockSeconds &seconds = compared.emplace_back();
            seconds.seconds = time.median;
            seconds.runs = time.runs;
            seconds.provenance = m_target.provenance;
        }
        return "; all joins in the whole plan: " +
               comparisonOf(compared, m_facts.merger().cost().device());
    }

    Result<ReformedPlan> finished(const Candidate &candidate) const
    {
        ReformedPlan result{m_plan, candidate.tuning.kernels, candidate.tuning,
                            candidate.joins.trials};
        const TuningState &state = candidate.state;
        if (!result.kernels) {
            GL_TRY_RESULT(plain, m_generator.state(state.blocks, {}, {}, &state.kernels, {}));
            result.kernels = std::make_shared<const PlanKernels>(std::move(plain->kernels));
        }
        if (!m_split.empty() || m_hasMoved || state.parts != kernelBlocksOf(m_plan))
            takeBlocks(candidate, result);
        return result;
    }

    /// Makes the candidate's blocks those of the plan.
    void takeBlocks(const Candidate &candidate, ReformedPlan &result) const
    {
        const BlockGraph &blocks = candidate.state.blocks;
        KeptApart apart;
        for (const JoinTrial &trial : result.joins) {
            const Block first = blocks.blockOf(trial.first.front());
            if (trial.together.seconds <= 0)
                continue;
            for (const NodeId id : trial.others)
                if (const Block other = blocks.blockOf(id); first != other)
                    apart[{first, other}] = {BlockBorder::Cause::Cost, trial.reason};
        }
        const auto partition = candidate.joins.borders.partition();
        const BlockRules rules(m_facts.ecg(), m_plan.fusion->limits, partition);
        Steps steps; // finishes even if stopped: the best so far counts
        FusionPlan fusion =
            planOf({rules, m_facts.merger().cost()}, blocks, m_plan.fusion->partition.method,
                   candidate.joins.marks, apart, &steps);
        fusion.statistics.before = m_plan.fusion->statistics.before;
        fusion.tuning = m_plan.fusion->tuning;
        for (const JoinTrial &trial : result.joins)
            if (trial.joined)
                addDecision(fusion, trial);
        result.plan.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
        if (partition)
            result.plan.partition = partition;
        if (m_plan.layouts)
            result.plan.layouts = sameLayouts(*result.plan.fusion);
    }

    /// Notes at the edge between the two, or at the two siblings, why they are one block.
    void addDecision(FusionPlan &fusion, const JoinTrial &trial) const
    {
        NodeId producer = trial.first.front(), consumer = trial.others.front();
        for (const NodeId id : trial.first)
            for (const NodeId next : m_plan.graph.successors(id))
                if (std::ranges::count(trial.others, next))
                    std::tie(producer, consumer) = std::pair(id, next);
        fusion.blocks[fusion.blockOf(producer)].decisions.push_back(
            {producer, consumer, trial.reason});
    }

    /// Returns the layouts that kernels were measured with, for other blocks.
    std::shared_ptr<const LayoutPlan> sameLayouts(const FusionPlan &fusion) const
    {
        const auto before = [&](const Subgraph &block) -> const LayoutPlan::Choice & {
            return m_layouts.blocks[blocksWithLayouts().blockOf(block.nodes.back())];
        };
        std::vector<Layout> layouts;
        FixedLayouts fixed;
        for (const Subgraph &block : fusion.partition.subgraphs) {
            const LayoutPlan::Choice &choice = before(block);
            layouts.push_back(choice.layout);
            fixed.push_back(choice.locked ? std::optional(choice.layout) : std::nullopt);
        }
        auto now = std::make_shared<LayoutPlan>(
            layoutsOf(m_facts.ecg(), fusion, m_facts.merger().cost().device(), layouts, fixed));
        for (std::size_t b = 0; b < now->blocks.size(); ++b)
            now->blocks[b].measured = before(fusion.partition.subgraphs[b]).measured;
        for (auto &[tensor, layout] : now->tensors)
            if (const auto was = m_layouts.tensors.find(tensor); was != m_layouts.tensors.end())
                layout = was->second;
        return now;
    }

    const Plan &m_plan;
    const FusionFacts &m_facts;        // with the plan's limits, across the borders of subgraphs
    const FusionFacts &m_conventional; // at most one complex operator in a block
    const TuningTarget &m_target;
    const PlanTunerOptions &m_options;
    StateGenerator m_generator;
    Steps m_steps;
    TuningBudget m_budget;
    SequenceTimer m_timer;
    BlockMarks m_marks;
    FusionPlan m_parts;      // the blocks after SPLIT, if any was taken apart
    LayoutPlan m_layouts;    // of these blocks or else of the plan's, if it has layouts
    bool m_hasMoved = false; // some layouts are not as they were chosen
    struct SplitBlock {
        std::vector<NodeId> nodes;
        BlockMark mark;
    };
    std::vector<SplitBlock> m_split;              // blocks that were taken apart
    std::map<std::string, std::string> m_initial; // PlanTunerOptions::initial
    bool m_isPrepared = false;                    // kernels by default were compiled
};

} // namespace

Result<ReformedPlan> reformedPlan(const Plan &plan, const TuningTarget &target,
                                  const PlanTunerOptions &options)
{
    const Opsets opsets = opsetsOf(*plan.model);
    const std::shared_ptr<const Device> device = plannedDevice(plan);
    GL_TRY_CONST(facts, FusionFacts::of(plan.graph, opsets, plan.fusion->limits, *device, {},
                                        nullptr, options.stop));
    BlockLimits conventional = plan.fusion->limits;
    conventional.contractions = BlockLimits::Contractions::One;
    GL_TRY_CONST(parts, FusionFacts::of(plan.graph, opsets, conventional, *device, {},
                                        plan.fusion->within, options.stop));
    if (options.database)
        return Reformer(plan, **facts, **parts, target, options).run();
    // Rounds of tuning know from the database what was measured before.
    GL_TRY_RESULT(database, ProfileDatabase::inMemory());
    PlanTunerOptions own = options;
    own.database = &*database;
    return Reformer(plan, **facts, **parts, target, own).run();
}

} // namespace graphloom
