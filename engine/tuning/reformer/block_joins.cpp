// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/block_joins.h"

#include "engine/base/stop_after.h"
#include "engine/tuning/algorithm_space.h"
#include "engine/tuning/reformer/merged_state.h"

#include <algorithm>
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

/// Names the kernels of a pair.
std::string keyOf(const TuningState &state, const BlockPair &pair)
{
    const BlockKernel *writer = state.kernelOf(pair.writer);
    const BlockKernel *reader = state.kernelOf(pair.reader);
    return writer && reader ? symbolsOf(*writer) + " >" + symbolsOf(*reader) : std::string();
}

/// Returns the kernels of `a` that `b` has not, in order.
KernelSequence differing(const TuningState &a, const TuningState &b)
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

class Joiner {
public:
    Joiner(const JoinContext &context, const BlockMarks &marks)
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

    BlockJoins result() { return std::move(m_result); }

private:
    bool isLocked(Block block) const
    {
        const auto mark = m_result.marks.find(block);
        return mark != m_result.marks.end() && mark->second.locked;
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
            !mayJoin(state.blocks, pair, m_result.borders))
            return false;
        m_tried.insert(key);
        GL_TRY_RESULT(one, merged(state, {&pair, 1}, {}));
        if (!*one)
            return false;
        JoinTrial trial{state.blocks.nodes(pair.writer), state.blocks.nodes(pair.reader)};
        GL_TRY_RESULT(algorithm, fasterAlgorithm(state, **one, pair, trial));
        if (!*algorithm) {
            m_result.trials.push_back(std::move(trial));
            return false;
        }
        MovedBorders borders = m_result.borders;
        const std::vector<BlockPair> alike = alikePairs(state, pair, key, pairs, borders);
        GL_TRY_RESULT(all, merged(state, alike, **algorithm));
        if (!*all)
            return false; // out of time
        m_result.borders = std::move(borders);
        for (const BlockPair &each : alike) {
            m_result.marks.erase(each.writer);
            m_result.marks.erase(each.reader);
        }
        state = std::move((*all)->state);
        m_result.initial.merge((*all)->initial);
        trial.uses = int(alike.size());
        trial.joined = true;
        m_result.trials.push_back(std::move(trial));
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
            const bool isApart = std::ranges::all_of(
                other.groups, [](const GroupChoice &group) { return group.count == 1; });
            if (isApart)
                continue; // as the two one after the other
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
        GL_TRY_CONST(times, m_timer.compare(before, after, place));
        trial.apart = times->first.least;
        trial.together = times->second.least;
        if (trial.apart.seconds <= 0 || trial.together.seconds <= 0)
            return false;
        const BlockSeconds compared[] = {trial.together, trial.apart};
        trial.reason = comparisonOf(compared, m_facts.merger().cost().device());
        return trial.together.seconds < joinedShare * trial.apart.seconds;
    }

    const Plan &m_plan;
    const FusionFacts &m_facts;
    const StateGenerator &m_generator;
    const PlanTunerOptions &m_options;
    TuningBudget &m_budget;
    SequenceTimer &m_timer;
    Steps m_steps;
    std::set<std::string> m_tried; // pairs, by their kernels
    BlockJoins m_result;
};

} // namespace

Result<BlockJoins> joinBlocks(const JoinContext &context, const BlockMarks &marks,
                              TuningState &state)
{
    Joiner joiner(context, marks);
    GL_TRY(joiner.run(state));
    return joiner.result();
}

} // namespace graphloom
