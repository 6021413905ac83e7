// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/reformer.h"

#include "engine/base/stop_after.h"
#include "engine/fusion/blocks/block_growth.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/ops/derive/infer.h"
#include "engine/tuning/algorithm_space.h"
#include "engine/tuning/reformer/merged_state.h"
#include "engine/tuning/reformer/moved_borders.h"
#include "engine/tuning/reformer/sequence_timer.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

using Block = TuningState::Block;

/// The share of time and trials for tuning blocks before they are joined; what they leave, as all
/// are stable, is for joins.
constexpr double splitShare = 0.6;
/// The share of the rest for joins; what they leave is for tuning the joined blocks.
constexpr double joinShare = 0.6;
/// A joined kernel must take less than this share of the time of its parts, more than the noise of
/// two measurements.
constexpr double joinedShare = 0.98;
/// A joined kernel that takes more than this share with the schedules of its parts is given up;
/// otherwise so many other groups and tiles of its nests are tried.
constexpr double hopelessShare = 1.15;
constexpr int mostGroups = 6;
/// Stands for no limit of time.
constexpr double mostSeconds = 1e6;

class Reformer {
public:
    Reformer(const Plan &plan, const FusionFacts &facts, const FusionFacts &conventional,
             const TuningTarget &target, const PlanTunerOptions &options)
        : m_plan(plan), m_facts(facts), m_conventional(conventional), m_options(options),
          m_generator(plan, target.schedules), m_steps(options.stop),
          m_budget(options.seconds, options.trials, options.stop, options.clock),
          m_timer(target, options, m_budget), m_borders(plan.graph, plan.fusion->within)
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
        if (!m_split.empty() && m_plan.layouts)
            layOut(blocks);
        GL_TRY_RESULT(first, m_generator.state(std::move(blocks), {}, {}, nullptr, m_options.stop));
        TuningState state = std::move(*first);
        m_timer.setBytesOfOneRun(bytesOfOneRun(state.kernels));
        GL_TRY_RESULT(tuned, tune(state, splitShare));
        m_isPrepared = true;
        GL_TRY_RESULT(next, withTuning(std::move(state), *tuned));
        state = std::move(*next);
        GL_TRY(join(state));
        GL_TRY(restore(state));
        if (m_changes > 0 || !m_budget.isOver()) {
            GL_TRY_RESULT(again, tune(state, 1));
            tuned = std::move(again);
        }
        return finished(std::move(state), *std::move(tuned));
    }

private:
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
    /// Chooses layouts for the parts of blocks that were taken apart: what is between them has none
    /// in the plan. All other blocks keep theirs.
    void layOut(const BlockGraph &blocks)
    {
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

    bool isLocked(Block block) const
    {
        const auto mark = m_marks.find(block);
        return mark != m_marks.end() && mark->second.locked;
    }

    /// Tunes the kernels of a state by default with a share of what is left of the budget.
    Result<PlanTuning> tune(const TuningState &state, double share)
    {
        const TuningBudget part = m_budget.shareOfRest(share);
        GL_TRY_CONST(plain, m_generator.kernels(state.parts, {}, {}, &state.kernels, {}));
        PlanTunerOptions options = m_options;
        const double done = m_budget.fractionSpent();
        const double seconds = part.secondsLeft();
        options.seconds = m_options.seconds > 0 ? std::max(seconds, 1e-9) : 0;
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

    std::vector<BlockPair> pairsOf(const TuningState &state) const
    {
        std::vector<BlockPair> pairs;
        for (const Block writer : state.blocks.names()) {
            if (!state.has(writer))
                continue;
            for (const Block reader : state.blocks.successors(writer)) {
                const auto read = interfaceOf(m_plan.graph, state.blocks.nodes(reader)).inputs;
                BlockPair pair{writer, reader};
                for (const TensorId id :
                     interfaceOf(m_plan.graph, state.blocks.nodes(writer)).outputs)
                    if (std::ranges::count(read, id))
                        pair.bytes += m_facts.ecg().estimatedBytes(id);
                pairs.push_back(pair);
            }
        }
        std::ranges::stable_sort(pairs, std::greater(), &BlockPair::bytes);
        return pairs;
    }

    /// JOIN: merges neighbours as long as that is measured to be faster.
    Result<void> join(TuningState &state)
    {
        const double until = m_budget.secondsLeft() * (1 - joinShare);
        const auto untilTrials = std::int64_t(double(m_budget.trialsLeft()) * (1 - joinShare));
        const auto isOver = [&] {
            return m_options.seconds > 0 && (m_budget.isOver() || m_budget.secondsLeft() < until ||
                                             m_budget.trialsLeft() < untilTrials);
        };
        bool changes = true;
        while (changes && !m_options.stop.stop_requested()) {
            changes = false;
            const std::vector<BlockPair> pairs = pairsOf(state);
            for (std::size_t p = 0; p < pairs.size(); ++p) {
                if (isOver())
                    return {};
                m_options.progress(m_budget.fractionSpent(), "joining blocks");
                if (!state.has(pairs[p].writer) || !state.has(pairs[p].reader))
                    continue; // merged with another block meanwhile
                GL_TRY_RESULT(joined, attempt(state, pairs[p], pairs));
                changes = changes || *joined;
            }
        }
        return {};
    }

    /// Puts blocks together again that were taken apart, as far as it was not measured that they
    /// are faster apart.
    Result<void> restore(TuningState &state)
    {
        const auto wasMeasured = [&](const std::vector<NodeId> &nodes) {
            return std::ranges::any_of(m_trials, [&](const JoinTrial &trial) {
                return !trial.joined && trial.together.seconds > 0 &&
                       std::ranges::count(nodes, trial.writer.front()) > 0 &&
                       std::ranges::count(nodes, trial.reader.front()) > 0;
            });
        };
        BlockGraph blocks = state.blocks;
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
            m_marks[parts.front()] = mark;
            changes = true;
        }
        if (!changes)
            return {};
        ++m_changes;
        GL_TRY_RESULT(restored, m_generator.state(std::move(blocks), {}, {}, &state.kernels, {}));
        state = std::move(*restored);
        return {};
    }

    /// Names the kernels of a pair.
    static std::string keyOf(const TuningState &state, const BlockPair &pair)
    {
        const BlockKernel *writer = state.kernelOf(pair.writer);
        const BlockKernel *reader = state.kernelOf(pair.reader);
        return writer && reader ? symbolsOf(*writer) + " >" + symbolsOf(*reader) : std::string();
    }

    /// Tells whether there is time to measure the two one after the other, or that may have been
    /// done before.
    bool mayBeKnown(const TuningState &state, const BlockPair &pair) const
    {
        if (m_options.seconds > 0)
            return true;
        return m_timer.mayKnow({state.kernelOf(pair.writer), state.kernelOf(pair.reader)});
    }

    bool mayJoin(const BlockGraph &blocks, const BlockPair &pair, const MovedBorders &borders)
    {
        return !isLocked(pair.writer) && !isLocked(pair.reader) &&
               !m_facts.merger().legality(blocks, pair.writer, pair.reader, &m_steps).refusal &&
               borders.canHold(blocks.joined(pair.writer, pair.reader));
    }

    /// Tries a pair, and if joining it is faster, joins it and all pairs like it.
    Result<bool> attempt(TuningState &state, const BlockPair &pair,
                         const std::vector<BlockPair> &pairs)
    {
        const std::string key = keyOf(state, pair);
        if (key.empty() || m_tried.contains(key) || !mayBeKnown(state, pair) ||
            !mayJoin(state.blocks, pair, m_borders))
            return false;
        m_tried.insert(key);
        GL_TRY_RESULT(one, merged(state, {&pair, 1}, {}));
        if (!*one)
            return false;
        JoinTrial trial{state.blocks.nodes(pair.writer), state.blocks.nodes(pair.reader)};
        GL_TRY_RESULT(algorithm, fasterAlgorithm(state, **one, pair, trial));
        if (!*algorithm) {
            m_trials.push_back(std::move(trial));
            return false;
        }
        MovedBorders borders = m_borders;
        const std::vector<BlockPair> alike = alikePairs(state, pair, key, pairs, borders);
        GL_TRY_RESULT(all, merged(state, alike, **algorithm));
        if (!*all)
            return false; // out of time
        m_borders = std::move(borders);
        for (const BlockPair &each : alike) {
            m_marks.erase(each.writer);
            m_marks.erase(each.reader);
        }
        state = std::move((*all)->state);
        m_initial.merge((*all)->initial);
        ++m_changes;
        trial.uses = int(alike.size());
        trial.joined = true;
        m_trials.push_back(std::move(trial));
        return true;
    }

    /// Returns the pair and those with equal kernels that can be joined as well, and moves the
    /// borders for all of them.
    std::vector<BlockPair> alikePairs(const TuningState &state, const BlockPair &pair,
                                      const std::string &key, const std::vector<BlockPair> &pairs,
                                      MovedBorders &borders)
    {
        std::vector<BlockPair> alike{pair};
        std::set<Block> taken{pair.writer, pair.reader};
        BlockGraph blocks = state.blocks;
        const auto take = [&](const BlockPair &one) {
            borders.hold(blocks.joined(one.writer, one.reader));
            blocks.merge(one.writer, one.reader);
        };
        take(pair);
        for (const BlockPair &other : pairs)
            if (!taken.contains(other.writer) && !taken.contains(other.reader) &&
                state.has(other.writer) && state.has(other.reader) && keyOf(state, other) == key &&
                mayJoin(blocks, other, borders)) {
                take(other);
                taken.insert({other.writer, other.reader});
                alike.push_back(other);
            }
        return alike;
    }

    /// Merges pairs as mergedState() does. Returns none, too, where that is not possible or there
    /// is no time for it.
    Result<std::optional<MergedState>> merged(const TuningState &state,
                                              std::span<const BlockPair> pairs,
                                              const std::string &algorithm) const
    {
        const StopAfter cut(m_options.stop,
                            m_options.seconds > 0 ? m_budget.secondsLeft() : mostSeconds);
        auto made = mergedState(m_generator, state, pairs, algorithm, cut.token());
        // A schedule that no longer fits, or out of time.
        if (!made && (made.error().kind == Error::Kind::Usage || cut.token().stop_requested()))
            return std::optional<MergedState>();
        return made;
    }

    /// Returns the algorithm, "" for the estimated one, by which the joined kernel is faster than
    /// the two one after the other; none if there is no such.
    Result<std::optional<std::string>> fasterAlgorithm(const TuningState &state,
                                                       const MergedState &one,
                                                       const BlockPair &pair, JoinTrial &trial)
    {
        GL_TRY_RESULT(faster, isFaster(state, one.state, pair, trial));
        if (*faster)
            return std::optional<std::string>(std::string());
        if (trial.together.seconds <= 0 ||
            trial.together.seconds > hopelessShare * trial.apart.seconds)
            return std::optional<std::string>();
        int tried = 0;
        for (const BlockAlgorithm &other :
             otherGroups(*one.state.kernelOf(pair.writer), m_generator.target().lanes)) {
            if (m_budget.isOver() || tried++ >= mostGroups)
                break;
            GL_TRY_RESULT(again, merged(state, {&pair, 1}, other.text()));
            if (!*again)
                continue;
            JoinTrial next{trial.writer, trial.reader};
            GL_TRY_RESULT(isBetter, isFaster(state, (*again)->state, pair, next));
            if (!*isBetter)
                continue;
            trial = next;
            return std::optional(other.text());
        }
        return std::optional<std::string>();
    }

    /// Returns the kernels of `a` that `b` has not, in order.
    static KernelSequence differing(const TuningState &a, const TuningState &b)
    {
        std::set<std::string> symbols;
        for (const auto &kernel : b.kernels.kernels)
            if (kernel)
                symbols.insert(symbolsOf(*kernel));
        KernelSequence sequence;
        for (const auto &kernel : a.kernels.kernels)
            if (kernel && !symbols.contains(symbolsOf(*kernel)))
                sequence.push_back(&*kernel);
        return sequence;
    }

    /// Measures the kernels of both states in which they differ. Kernels that both have, at other
    /// places, take the same time in both.
    Result<bool> isFaster(const TuningState &apart, const TuningState &joined,
                          const BlockPair &pair, JoinTrial &trial)
    {
        KernelSequence before{apart.kernelOf(pair.writer), apart.kernelOf(pair.reader)};
        for (const BlockKernel *kernel : differing(apart, joined))
            if (!std::ranges::count(before, kernel))
                before.push_back(kernel);
        KernelSequence after{joined.kernelOf(pair.writer)};
        for (const BlockKernel *kernel : differing(joined, apart))
            if (!std::ranges::count(after, kernel))
                after.push_back(kernel);
        const KernelPlace place{m_plan.fusion->blockOf(trial.writer.front()), std::nullopt};
        GL_TRY_RESULT(first, m_timer.time(before, place, false));
        GL_TRY_RESULT(second, m_timer.time(after, place, false));
        const auto isJoinedFaster = [&] {
            return first->least.seconds > 0 && second->least.seconds > 0 &&
                   second->least.seconds < joinedShare * first->least.seconds;
        };
        if (isJoinedFaster() && !(first->known && second->known)) {
            // Once more, side by side: the least of many times is also the luckiest.
            GL_TRY_RESULT(firstAgain, m_timer.time(before, place, true));
            GL_TRY_RESULT(secondAgain, m_timer.time(after, place, true));
            first = std::move(firstAgain);
            second = std::move(secondAgain);
        }
        trial.apart = first->least;
        trial.together = second->least;
        if (trial.apart.seconds <= 0 || trial.together.seconds <= 0)
            return false;
        const BlockSeconds compared[] = {trial.together, trial.apart};
        trial.reason = comparisonOf(compared, m_facts.merger().cost().device());
        return isJoinedFaster();
    }

    Result<ReformedPlan> finished(TuningState state, PlanTuning tuning)
    {
        ReformedPlan result{m_plan, tuning.kernels, std::move(tuning), std::move(m_trials)};
        if (!result.kernels) {
            GL_TRY_RESULT(plain, m_generator.state(state.blocks, {}, {}, &state.kernels, {}));
            result.kernels = std::make_shared<const PlanKernels>(std::move(plain->kernels));
        }
        if (!m_split.empty() || state.parts != kernelBlocksOf(m_plan)) // or perhaps other layouts
            takeBlocks(state.blocks, result);
        return result;
    }

    /// Makes these blocks those of the plan.
    void takeBlocks(const BlockGraph &blocks, ReformedPlan &result)
    {
        KeptApart apart;
        for (const JoinTrial &trial : result.joins) {
            const Block writer = blocks.blockOf(trial.writer.front());
            const Block reader = blocks.blockOf(trial.reader.front());
            if (writer != reader && trial.together.seconds > 0)
                apart[{writer, reader}] = {BlockBorder::Cause::Cost, trial.reason};
        }
        const auto partition = m_borders.partition();
        const BlockRules rules(m_facts.ecg(), m_plan.fusion->limits, partition);
        Steps steps; // finishes even if stopped: the best so far counts
        FusionPlan fusion = planOf({rules, m_facts.merger().cost()}, blocks,
                                   m_plan.fusion->partition.method, m_marks, apart, &steps);
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

    /// Notes at the edge between the two why they are one block.
    void addDecision(FusionPlan &fusion, const JoinTrial &trial) const
    {
        for (const NodeId producer : trial.writer)
            for (const NodeId consumer : m_plan.graph.successors(producer))
                if (std::ranges::count(trial.reader, consumer)) {
                    fusion.blocks[fusion.blockOf(producer)].decisions.push_back(
                        {producer, consumer, trial.reason});
                    return;
                }
    }

    /// Returns the layouts that kernels were measured with, for other blocks.
    std::shared_ptr<const LayoutPlan> sameLayouts(const FusionPlan &fusion) const
    {
        const bool wasSplit = !m_split.empty();
        const FusionPlan &blocks = wasSplit ? m_parts : *m_plan.fusion;
        const LayoutPlan &before = wasSplit ? m_layouts : *m_plan.layouts;
        std::vector<Layout> layouts;
        FixedLayouts fixed;
        for (const Subgraph &block : fusion.partition.subgraphs) {
            const auto &choice = before.blocks[blocks.blockOf(block.nodes.back())];
            layouts.push_back(choice.layout);
            fixed.push_back(choice.locked ? std::optional(choice.layout) : std::nullopt);
        }
        auto now = std::make_shared<LayoutPlan>(
            layoutsOf(m_facts.ecg(), fusion, m_facts.merger().cost().device(), layouts, fixed));
        for (auto &[tensor, layout] : now->tensors)
            if (const auto was = before.tensors.find(tensor); was != before.tensors.end())
                layout = was->second;
        return now;
    }

    const Plan &m_plan;
    const FusionFacts &m_facts;        // with the plan's limits, across the borders of subgraphs
    const FusionFacts &m_conventional; // at most one complex operator in a block
    const PlanTunerOptions &m_options;
    StateGenerator m_generator;
    Steps m_steps;
    TuningBudget m_budget;
    SequenceTimer m_timer;
    MovedBorders m_borders;
    BlockMarks m_marks;
    FusionPlan m_parts; // the blocks after SPLIT, and their layouts, if any was taken apart
    LayoutPlan m_layouts;
    struct SplitBlock {
        std::vector<NodeId> nodes;
        BlockMark mark;
    };
    std::vector<SplitBlock> m_split; // blocks that were taken apart
    std::set<std::string> m_tried;   // pairs, by their kernels
    std::vector<JoinTrial> m_trials;
    std::map<std::string, std::string> m_initial; // PlanTunerOptions::initial
    bool m_isPrepared = false;                    // kernels by default were compiled
    int m_changes = 0;
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
