// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/block_joins.h"

#include "engine/base/stop_after.h"
#include "engine/tuning/algorithm_space.h"
#include "engine/tuning/reformer/merged_state.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace graphloom {

namespace {

using Block = TuningState::Block;

/// The share of the rest for joins; what they leave is for tuning the joined blocks.
constexpr double joinShare = 0.6;
/// A joined kernel must take less than this share of the time of its parts, more than the noise of
/// two measurements.
constexpr double joinedShare = 0.98;
/// A joined kernel that takes more than this share with the schedules of its parts is given up;
/// otherwise so many other groups and tiles of its nests are tried.
constexpr double hopelessShare = 1.08;
constexpr int mostGroups = 4;
/// Stands for no limit of time.
constexpr double mostSeconds = 1e6;

/// A block and all its readers, or siblings, are tried as one kernel if there are at most so many.
constexpr std::size_t mostReaders = 4;

/// Returns the kernels of neighbours, in their order; none if one has no kernel.
KernelSequence kernelsOf(const TuningState &state, const Neighbours &neighbours)
{
    KernelSequence kernels;
    for (const Block block : neighbours.all()) {
        kernels.push_back(state.kernelOf(block));
        if (!kernels.back())
            return {};
    }
    return kernels;
}

/// Names the kernels of neighbours; "" if one has no kernel.
std::string keyOf(const TuningState &state, const Neighbours &neighbours)
{
    std::string key;
    for (const BlockKernel *kernel : kernelsOf(state, neighbours))
        key += (key.empty() ? "" : neighbours.siblings ? " |" : " >") + symbolsOf(*kernel);
    return key;
}

class Joiner {
public:
    Joiner(const ReformContext &context, const BlockMarks &marks)
        : m_plan(context.generator.plan()), m_facts(context.facts), m_generator(context.generator),
          m_options(context.options), m_budget(context.budget), m_timer(context.timer),
          m_steps(context.options.stop), m_result{{},
                                                  MovedBorders(m_plan.graph, m_plan.fusion->within),
                                                  {},
                                                  marks}
    {
    }

    Result<void> run(TuningState &state)
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
            const std::vector<Neighbours> all = neighboursIn(state);
            for (const Neighbours &neighbours : all) {
                if (isOver())
                    return {};
                m_options.progress(m_budget.fractionSpent(), "joining blocks");
                if (!has(state, neighbours))
                    continue; // one was merged with another block meanwhile
                GL_TRY_RESULT(joined, attempt(state, neighbours, all));
                changes = changes || *joined;
            }
        }
        return {};
    }

    BlockJoins result() { return std::move(m_result); }

private:
    bool isLocked(Block block) const
    {
        const auto mark = m_result.marks.find(block);
        return mark != m_result.marks.end() && mark->second.locked;
    }

    static bool has(const TuningState &state, const Neighbours &neighbours)
    {
        return std::ranges::all_of(neighbours.all(), [&](Block block) { return state.has(block); });
    }

    /// Returns the blocks with each of their readers, and with all of them together, and siblings,
    /// those that exchange most bytes first.
    std::vector<Neighbours> neighboursIn(const TuningState &state) const
    {
        std::vector<Neighbours> found;
        for (const Block writer : state.blocks.names()) {
            if (!state.has(writer))
                continue;
            const auto written = interfaceOf(m_plan.graph, state.blocks.nodes(writer)).outputs;
            Neighbours all{writer, {}};
            for (const Block reader : inOrder(state, state.blocks.successors(writer))) {
                const auto read = interfaceOf(m_plan.graph, state.blocks.nodes(reader)).inputs;
                Neighbours pair{writer, {reader}};
                for (const TensorId id : written)
                    if (std::ranges::count(read, id))
                        pair.bytes += m_facts.ecg().estimatedBytes(id);
                all.others.push_back(reader);
                all.bytes += pair.bytes;
                found.push_back(std::move(pair));
            }
            if (all.others.size() > 1 && all.others.size() <= mostReaders)
                found.push_back(std::move(all));
        }
        addSiblings(state, found);
        std::ranges::stable_sort(found, std::greater(), &Neighbours::bytes);
        return found;
    }

    /// Adds blocks that read the same tensor and nothing from each other (AGO Fig. 1).
    void addSiblings(const TuningState &state, std::vector<Neighbours> &found) const
    {
        std::map<TensorId, std::vector<Block>> readers;
        for (const Block block : state.blocks.names())
            if (state.has(block))
                for (const TensorId id :
                     interfaceOf(m_plan.graph, state.blocks.nodes(block)).inputs)
                    readers[id].push_back(block);
        for (auto &[tensor, blocks] : readers) {
            if (blocks.size() < 2 || blocks.size() > mostReaders)
                continue;
            blocks = inOrder(state, std::move(blocks));
            const bool areSiblings = std::ranges::none_of(blocks, [&](Block block) {
                return std::ranges::any_of(state.blocks.successors(block), [&](Block next) {
                    return std::ranges::count(blocks, next) > 0;
                });
            });
            if (areSiblings)
                found.push_back({blocks.front(),
                                 {blocks.begin() + 1, blocks.end()},
                                 true,
                                 double(blocks.size() - 1) * m_facts.ecg().estimatedBytes(tensor)});
        }
    }

    /// Returns blocks in the order of their kernels, as one may read another.
    static std::vector<Block> inOrder(const TuningState &state, std::vector<Block> blocks)
    {
        std::ranges::sort(blocks, {}, [&](Block block) { return state.indexOf(block); });
        return blocks;
    }

    /// Tells whether there is time to measure them one after the other, or that may have been done
    /// before.
    bool mayBeKnown(const TuningState &state, const Neighbours &neighbours) const
    {
        return m_options.seconds > 0 || m_timer.mayKnow(kernelsOf(state, neighbours));
    }

    bool mayJoin(const BlockGraph &blocks, const Neighbours &neighbours,
                 const MovedBorders &borders)
    {
        const auto isFree = [this](Block block) { return !isLocked(block); };
        if (!std::ranges::all_of(neighbours.all(), isFree))
            return false;
        const auto isLegal = [&](const BlockGraph &in, Block other) {
            return !m_facts.merger().legality(in, neighbours.first, other, &m_steps).refusal;
        };
        const Block second = neighbours.others.front();
        if (!isLegal(blocks, second))
            return false;
        if (neighbours.others.size() == 1)
            return borders.canHold(blocks.joined(neighbours.first, second));
        BlockGraph merged = blocks;
        for (const Block other : neighbours.others) {
            if (other != second && !isLegal(merged, other))
                return false;
            merged.merge(neighbours.first, other);
        }
        return borders.canHold(merged.nodes(neighbours.first));
    }

    /// Tries neighbours, and if joining them is faster, joins them and all those like them.
    Result<bool> attempt(TuningState &state, const Neighbours &neighbours,
                         const std::vector<Neighbours> &others)
    {
        const std::string key = keyOf(state, neighbours);
        if (key.empty() || m_tried.contains(key) || !mayBeKnown(state, neighbours) ||
            !mayJoin(state.blocks, neighbours, m_result.borders))
            return false;
        m_tried.insert(key);
        GL_TRY_RESULT(one, merged(state, {&neighbours, 1}, {}));
        if (!*one)
            return false;
        JoinTrial trial{state.blocks.nodes(neighbours.first), {}};
        for (const Block other : neighbours.others)
            std::ranges::copy(state.blocks.nodes(other), std::back_inserter(trial.others));
        GL_TRY_RESULT(algorithm, fasterAlgorithm(state, **one, neighbours, trial));
        if (!*algorithm) {
            m_result.trials.push_back(std::move(trial));
            return false;
        }
        MovedBorders borders = m_result.borders;
        const std::vector<Neighbours> alike = alikeIn(others, state, neighbours, key, borders);
        GL_TRY_RESULT(all, merged(state, alike, **algorithm));
        if (!*all)
            return false; // out of time
        m_result.borders = std::move(borders);
        for (const Neighbours &each : alike)
            for (const Block block : each.all())
                m_result.marks.erase(block);
        state = std::move((*all)->state);
        m_result.initial.merge((*all)->initial);
        trial.uses = int(alike.size());
        trial.joined = true;
        m_result.trials.push_back(std::move(trial));
        return true;
    }

    /// Returns the neighbours and others with equal kernels that can be joined as well, and moves
    /// the borders for all of them.
    std::vector<Neighbours> alikeIn(const std::vector<Neighbours> &others, const TuningState &state,
                                    const Neighbours &first, const std::string &key,
                                    MovedBorders &borders)
    {
        std::vector<Neighbours> alike;
        std::set<Block> taken;
        BlockGraph blocks = state.blocks;
        const auto take = [&](const Neighbours &one) {
            for (const Block other : one.others)
                blocks.merge(one.first, other);
            borders.hold(blocks.nodes(one.first));
            for (const Block block : one.all())
                taken.insert(block);
            alike.push_back(one);
        };
        take(first);
        const auto isFree = [&taken](Block block) { return !taken.contains(block); };
        for (const Neighbours &other : others)
            if (std::ranges::all_of(other.all(), isFree) && has(state, other) &&
                keyOf(state, other) == key && mayJoin(blocks, other, borders))
                take(other);
        return alike;
    }

    /// Merges neighbours as mergedState() does. Returns none, too, where that is not possible or
    /// there is no time for it.
    Result<std::optional<MergedState>> merged(const TuningState &state,
                                              std::span<const Neighbours> neighbours,
                                              const std::string &algorithm) const
    {
        const StopAfter cut(m_options.stop,
                            m_options.seconds > 0 ? m_budget.secondsLeft() : mostSeconds);
        auto made = mergedState(m_generator, state, neighbours, algorithm, cut.token());
        // A schedule that no longer fits, or out of time.
        if (!made && (made.error().kind == Error::Kind::Usage || cut.token().stop_requested()))
            return std::optional<MergedState>();
        return made;
    }

    /// Returns the algorithm, "" for the estimated one, by which the joined kernel is faster than
    /// the kernels one after the other; none if there is no such.
    Result<std::optional<std::string>> fasterAlgorithm(const TuningState &state,
                                                       const MergedState &one,
                                                       const Neighbours &neighbours,
                                                       JoinTrial &trial)
    {
        GL_TRY_RESULT(faster, isFaster(state, one.state, neighbours, trial));
        if (*faster)
            return std::optional<std::string>(std::string());
        if (trial.together.seconds <= 0 ||
            trial.together.seconds > hopelessShare * trial.apart.seconds)
            return std::optional<std::string>();
        int tried = 0;
        for (const BlockAlgorithm &other :
             otherGroups(*one.state.kernelOf(neighbours.first), m_generator.target().lanes)) {
            const bool isApart = std::ranges::all_of(
                other.groups, [](const GroupChoice &group) { return group.count == 1; });
            if (isApart)
                continue; // as the kernels one after the other
            if (m_budget.isOver() || tried++ >= mostGroups)
                break;
            GL_TRY_RESULT(again, merged(state, {&neighbours, 1}, other.text()));
            if (!*again)
                continue;
            JoinTrial next{trial.first, trial.others};
            GL_TRY_RESULT(isBetter, isFaster(state, (*again)->state, neighbours, next));
            if (!*isBetter)
                continue;
            trial = next;
            return std::optional(other.text());
        }
        return std::optional<std::string>();
    }

    /// Measures the kernels of both states in which they differ.
    Result<bool> isFaster(const TuningState &apart, const TuningState &joined,
                          const Neighbours &neighbours, JoinTrial &trial)
    {
        KernelSequence before = kernelsOf(apart, neighbours);
        for (const BlockKernel *kernel : changedKernels(apart, joined))
            if (!std::ranges::count(before, kernel))
                before.push_back(kernel);
        KernelSequence after{joined.kernelOf(neighbours.first)};
        for (const BlockKernel *kernel : changedKernels(joined, apart))
            if (!std::ranges::count(after, kernel))
                after.push_back(kernel);
        const KernelPlace place{m_plan.fusion->blockOf(trial.first.front()), std::nullopt};
        GL_TRY_CONST(times, m_timer.compare(before, after, place));
        trial.apart = times->first.least;
        trial.together = times->second.least;
        if (trial.apart.seconds <= 0 || trial.together.seconds <= 0)
            return false;
        const BlockSeconds compared[] = {trial.together, trial.apart};
        trial.reason = std::string(neighbours.siblings            ? "readers of the same tensor: "
                                   : neighbours.others.size() > 1 ? "with all its readers: "
                                                                  : "") +
                       comparisonOf(compared, m_facts.merger().cost().device());
        return trial.together.seconds < joinedShare * trial.apart.seconds;
    }

    const Plan &m_plan;
    const FusionFacts &m_facts;
    const StateGenerator &m_generator;
    const PlanTunerOptions &m_options;
    TuningBudget &m_budget;
    SequenceTimer &m_timer;
    Steps m_steps;
    std::set<std::string> m_tried; // neighbours, by their kernels
    BlockJoins m_result;
};

} // namespace

Result<BlockJoins> joinBlocks(const ReformContext &context, const BlockMarks &marks,
                              TuningState &state)
{
    Joiner joiner(context, marks);
    GL_TRY(joiner.run(state));
    return joiner.result();
}

} // namespace graphloom
