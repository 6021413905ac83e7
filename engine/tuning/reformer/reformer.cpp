// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/reformer.h"

#include "engine/base/stop_after.h"
#include "engine/fusion/blocks/block_growth.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/ops/derive/infer.h"
#include "engine/tuning/algorithm_space.h"
#include "engine/tuning/block_trial.h"
#include "engine/tuning/reformer/composed_schedules.h"
#include "engine/tuning/reformer/moved_borders.h"
#include "engine/tuning/tuned_profile.h"
#include "engine/tuning/tuning_budget.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace graphloom {

namespace {

using Block = BlockGraph::Block;

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

/// Holds blocks, how their kernels compute, and these kernels.
struct Stage {
    BlockGraph blocks;
    std::vector<std::vector<NodeId>> parts; // of `blocks`, in the order of the kernels
    IndexedVector<Block, PartIndex> partOf;
    PartAlgorithms algorithms;
    PartSchedules schedules;
    PlanKernels kernels;

    BlockIndex indexOf(Block block) const { return kernels.blockOf(partOf[block]); }
    const BlockKernel *kernelOf(Block block) const
    {
        const auto &kernel = kernels.kernels[indexOf(block)];
        return kernel ? &*kernel : nullptr;
    }
    bool has(Block block) const { return !blocks.nodes(block).empty(); }
};

std::vector<std::vector<NodeId>> partsOf(const BlockGraph &blocks)
{
    std::vector<std::vector<NodeId>> parts;
    for (Subgraph &part : blocks.partition({}).subgraphs)
        parts.push_back(std::move(part.nodes));
    return parts;
}

std::string symbolsOf(const BlockKernel &kernel)
{
    std::string symbols;
    for (const BlockKernel::Phase &phase : kernel.phases)
        symbols += " " + phase.symbol;
    return symbols;
}

/// Begins the structure by which the database knows kernels that run one after the other.
constexpr std::string_view runPrefix = "run";

std::string structureOf(const KernelSequence &kernels)
{
    std::string structure(runPrefix);
    for (const BlockKernel *kernel : kernels)
        structure += symbolsOf(*kernel) + ";";
    return structure;
}

std::int64_t bytesOf(const KernelSequence &kernels)
{
    double bytes = 0;
    for (const BlockKernel *kernel : kernels)
        for (const PhaseIndex p : kernel->phases.indices())
            bytes += workOf(*kernel, p).bytes;
    return std::int64_t(std::min(bytes, 1e12));
}

std::string milliseconds(double seconds)
{
    const double ms = 1e3 * seconds;
    const int digits = ms >= 1 ? 2 : 3;
    const double scale = std::pow(10, digits);
    std::string text = std::to_string(std::round(ms * scale) / scale);
    text.resize(text.find('.') + 1 + std::size_t(digits));
    return text + " ms";
}

class Reformer {
public:
    Reformer(const Plan &plan, const FusionFacts &facts, const FusionFacts &conventional,
             const GenerateOptions &generate, const PlanTunerOptions &options)
        : m_plan(plan), m_facts(facts), m_conventional(conventional), m_generate(generate),
          m_options(options), m_steps(options.stop),
          m_budget(options.seconds, options.trials, options.stop, options.clock),
          m_borders(plan.graph, plan.fusion->within)
    {
        m_generate.algorithms = {};
        m_generate.schedules = {};
        m_generate.only = std::nullopt;
    }

    Result<ReformedPlan> run()
    {
        std::vector<Block> names;
        BlockGraph blocks(m_plan.graph, m_plan.fusion->partition, names);
        for (std::size_t b = 0; b < names.size(); ++b)
            m_marks[names[b]] = {m_plan.fusion->blocks[b].pattern, m_plan.fusion->blocks[b].locked};
        GL_TRY(readDatabase());
        if (m_options.seconds > 0 || !m_knownRuns.empty())
            split(blocks);
        if (!m_split.empty() && m_plan.layouts)
            layOut(blocks);
        GL_TRY_RESULT(first, generated(std::move(blocks), {}, {}, nullptr, m_options.stop));
        Stage stage = std::move(*first);
        m_bytesOfOneRun = bytesOfOneRun(stage.kernels);
        GL_TRY_RESULT(tuned, tune(stage, splitShare));
        m_isPrepared = true;
        GL_TRY_RESULT(next, withTuning(std::move(stage), *tuned));
        stage = std::move(*next);
        GL_TRY(join(stage));
        GL_TRY(restore(stage));
        if (m_changes > 0 || !m_budget.isOver()) {
            GL_TRY_RESULT(again, tune(stage, 1));
            tuned = std::move(again);
        }
        return finished(std::move(stage), *std::move(tuned));
    }

private:
    /// Finds out what was measured, so that without time only that is looked at.
    Result<void> readDatabase()
    {
        return m_options.database->forEach([&](const ProfileKey &key, const auto &) {
            if (key.structure.starts_with(runPrefix))
                m_knownRuns.insert(key.structure);
        });
    }

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
            m_marks.erase(name);
            m_split.push_back(nodes);
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
        m_generate.layouts = m_layouts.tensors;
    }

    bool isLocked(Block block) const
    {
        const auto mark = m_marks.find(block);
        return mark != m_marks.end() && mark->second.locked;
    }

    Result<Stage> generated(BlockGraph blocks, PartAlgorithms algorithms, PartSchedules schedules,
                            const PlanKernels *known, std::stop_token stop) const
    {
        Stage stage{std::move(blocks), {}, {}, std::move(algorithms), std::move(schedules), {}};
        stage.parts = partsOf(stage.blocks);
        stage.partOf.resize(stage.blocks.names().size());
        for (std::size_t p = 0; p < stage.parts.size(); ++p)
            stage.partOf[stage.blocks.blockOf(stage.parts[p].front())] = PartIndex(p);
        GenerateOptions options = m_generate;
        options.algorithms = stage.algorithms;
        options.schedules = stage.schedules;
        options.stop = std::move(stop);
        options.known = known;
        GL_TRY_RESULT(kernels,
                      generateKernels(m_plan.graph, opsetsOf(*m_plan.model), stage.parts, options));
        stage.kernels = std::move(*kernels);
        return stage;
    }

    /// Tunes the kernels of a stage by default with a share of what is left of the budget.
    Result<PlanTuning> tune(const Stage &stage, double share)
    {
        GenerateOptions plain = m_generate;
        const TuningBudget part = m_budget.shareOfRest(share);
        GL_TRY_CONST(kernels, generated(stage.blocks, {}, {}, &stage.kernels, {}));
        plain.known = &kernels->kernels;
        PlanTunerOptions options = m_options;
        const double done = m_budget.fractionSpent();
        const double seconds = part.secondsLeft();
        options.seconds = m_options.seconds > 0 ? std::max(seconds, 1e-9) : 0;
        if (m_budget.hasTrialLimit())
            options.trials = part.trialsLeft();
        if (m_budget.hasTrialLimit() && options.trials == 0)
            options.seconds = 0; // 0 trials would mean no limit
        options.generate = [&](const PartAlgorithms &algorithms, std::stop_token stop) {
            plain.algorithms = algorithms;
            plain.stop = std::move(stop);
            return generateKernels(m_plan.graph, opsetsOf(*m_plan.model), stage.parts, plain);
        };
        options.progress = [&, done](double fraction, std::string_view what) {
            m_options.progress(done + (1 - done) * share * fraction, what);
        };
        if (m_isPrepared)
            options.prepared = [] {};
        options.initial = m_initial;
        options.measured = [&](const KernelPlace &place, const TunedCandidate &candidate) {
            m_budget.count();
            m_options.measured(placeOf(stage, place), candidate);
        };
        return tunePlan(kernels->kernels, m_generate.target, options);
    }

    /// Returns the place in the plan as it was given: that of the block with the first of the
    /// nodes.
    KernelPlace placeOf(const Stage &stage, KernelPlace place) const
    {
        const auto &nodes = stage.parts[place.block];
        const std::uint32_t block = m_plan.fusion->blockOf(nodes.front());
        if (m_plan.fusion->partition.subgraphs[block].nodes != nodes)
            place.nest = std::nullopt; // it has other nests there
        place.block = block;
        return place;
    }

    Result<Stage> withTuning(Stage stage, const PlanTuning &tuning) const
    {
        return generated(std::move(stage.blocks), tuning.algorithms, tuning.schedules,
                         tuning.kernels ? &*tuning.kernels : &stage.kernels, {});
    }

    /// Names two neighbouring blocks; `reader` reads what `writer` computes.
    struct Pair {
        Block writer, reader;
        double bytes = 0; // between them
    };

    std::vector<Pair> pairsOf(const Stage &stage) const
    {
        std::vector<Pair> pairs;
        for (const Block writer : stage.blocks.names()) {
            if (!stage.has(writer))
                continue;
            for (const Block reader : stage.blocks.successors(writer)) {
                const auto read = interfaceOf(m_plan.graph, stage.blocks.nodes(reader)).inputs;
                Pair pair{writer, reader};
                for (const TensorId id :
                     interfaceOf(m_plan.graph, stage.blocks.nodes(writer)).outputs)
                    if (std::ranges::count(read, id))
                        pair.bytes += m_facts.ecg().estimatedBytes(id);
                pairs.push_back(pair);
            }
        }
        std::ranges::stable_sort(pairs, std::greater(), &Pair::bytes);
        return pairs;
    }

    /// JOIN: merges neighbours as long as that is measured to be faster.
    Result<void> join(Stage &stage)
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
            const std::vector<Pair> pairs = pairsOf(stage);
            for (std::size_t p = 0; p < pairs.size(); ++p) {
                if (isOver())
                    return {};
                m_options.progress(m_budget.fractionSpent(), "joining blocks");
                if (!stage.has(pairs[p].writer) || !stage.has(pairs[p].reader))
                    continue; // merged with another block meanwhile
                GL_TRY_RESULT(joined, attempt(stage, pairs[p], pairs));
                changes = changes || *joined;
            }
        }
        return {};
    }

    /// Puts blocks together again that were taken apart, as far as it was not measured that they
    /// are faster apart.
    Result<void> restore(Stage &stage)
    {
        const auto wasMeasured = [&](const std::vector<NodeId> &nodes) {
            return std::ranges::any_of(m_trials, [&](const JoinTrial &trial) {
                return !trial.joined && trial.joinedSeconds > 0 &&
                       std::ranges::count(nodes, trial.writer.front()) > 0 &&
                       std::ranges::count(nodes, trial.reader.front()) > 0;
            });
        };
        BlockGraph blocks = stage.blocks;
        bool changes = false;
        for (const std::vector<NodeId> &nodes : m_split) {
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
            changes = true;
        }
        if (!changes)
            return {};
        ++m_changes;
        GL_TRY_RESULT(restored, generated(std::move(blocks), {}, {}, &stage.kernels, {}));
        stage = std::move(*restored);
        return {};
    }

    /// Names the kernels of a pair.
    static std::string keyOf(const Stage &stage, const Pair &pair)
    {
        const BlockKernel *writer = stage.kernelOf(pair.writer);
        const BlockKernel *reader = stage.kernelOf(pair.reader);
        return writer && reader ? symbolsOf(*writer) + " >" + symbolsOf(*reader) : std::string();
    }

    /// Tells whether there is time to measure the two one after the other, or that may have been
    /// done before.
    bool mayBeKnown(const Stage &stage, const Pair &pair) const
    {
        if (m_options.seconds > 0)
            return true;
        const std::string begin =
            structureOf({stage.kernelOf(pair.writer), stage.kernelOf(pair.reader)});
        const auto known = m_knownRuns.lower_bound(begin);
        return known != m_knownRuns.end() && known->starts_with(begin);
    }

    bool mayJoin(const BlockGraph &blocks, const Pair &pair, const MovedBorders &borders)
    {
        return !isLocked(pair.writer) && !isLocked(pair.reader) &&
               !m_facts.merger().legality(blocks, pair.writer, pair.reader, &m_steps).refusal &&
               borders.canHold(blocks.joined(pair.writer, pair.reader));
    }

    /// Tries a pair, and if joining it is faster, joins it and all pairs like it.
    Result<bool> attempt(Stage &stage, const Pair &pair, const std::vector<Pair> &pairs)
    {
        const std::string key = keyOf(stage, pair);
        if (key.empty() || m_tried.contains(key) || !mayBeKnown(stage, pair) ||
            !mayJoin(stage.blocks, pair, m_borders))
            return false;
        m_tried.insert(key);
        GL_TRY_RESULT(one, merged(stage, {&pair, 1}, {}));
        if (!*one)
            return false;
        JoinTrial trial{stage.blocks.nodes(pair.writer), stage.blocks.nodes(pair.reader)};
        GL_TRY_RESULT(algorithm, fasterAlgorithm(stage, **one, pair, trial));
        if (!*algorithm) {
            m_trials.push_back(std::move(trial));
            return false;
        }
        MovedBorders borders = m_borders;
        const std::vector<Pair> alike = alikePairs(stage, pair, key, pairs, borders);
        GL_TRY_RESULT(all, merged(stage, alike, **algorithm));
        if (!*all)
            return false; // out of time
        m_borders = std::move(borders);
        for (const Pair &each : alike) {
            m_marks.erase(each.writer);
            m_marks.erase(each.reader);
        }
        stage = std::move((*all)->stage);
        m_initial.merge((*all)->initial);
        ++m_changes;
        trial.uses = int(alike.size());
        trial.joined = true;
        m_trials.push_back(std::move(trial));
        return true;
    }

    /// Returns the pair and those with equal kernels that can be joined as well, and moves the
    /// borders for all of them.
    std::vector<Pair> alikePairs(const Stage &stage, const Pair &pair, const std::string &key,
                                 const std::vector<Pair> &pairs, MovedBorders &borders)
    {
        std::vector<Pair> alike{pair};
        std::set<Block> taken{pair.writer, pair.reader};
        BlockGraph blocks = stage.blocks;
        const auto take = [&](const Pair &one) {
            borders.hold(blocks.joined(one.writer, one.reader));
            blocks.merge(one.writer, one.reader);
        };
        take(pair);
        for (const Pair &other : pairs)
            if (!taken.contains(other.writer) && !taken.contains(other.reader) &&
                stage.has(other.writer) && stage.has(other.reader) && keyOf(stage, other) == key &&
                mayJoin(blocks, other, borders)) {
                take(other);
                taken.insert({other.writer, other.reader});
                alike.push_back(other);
            }
        return alike;
    }

    /// Holds a stage with merged blocks, and the schedules that their kernels began with
    /// (PlanTunerOptions::initial).
    struct Merged {
        Stage stage;
        std::map<std::string, std::string> initial;
    };

    /// Merges pairs and composes their schedules. The merged blocks compute as `algorithm` says, or
    /// as estimated. Returns none where a merged block gets no kernel, one that runs the loop nests
    /// of the two one after the other, or there is no time to generate it.
    Result<std::optional<Merged>> merged(const Stage &stage, std::span<const Pair> pairs,
                                         const std::string &algorithm) const
    {
        const StopAfter cut(m_options.stop,
                            m_options.seconds > 0 ? m_budget.secondsLeft() : mostSeconds);
        auto made = mergedInTime(stage, pairs, algorithm, cut.token());
        // A schedule that no longer fits, or out of time.
        if (!made && (made.error().kind == Error::Kind::Usage || cut.token().stop_requested()))
            return std::optional<Merged>();
        return made;
    }

    Result<std::optional<Merged>> mergedInTime(const Stage &stage, std::span<const Pair> pairs,
                                               const std::string &algorithm,
                                               const std::stop_token &stop) const
    {
        BlockGraph blocks = stage.blocks;
        for (const Pair &pair : pairs)
            blocks.merge(pair.writer, pair.reader);
        const auto parts = partsOf(blocks);
        PartAlgorithms algorithms(parts.size());
        PartSchedules schedules(parts.size());
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const PartIndex part(p), before = stage.partOf[stage.blocks.blockOf(parts[p].front())];
            if (stage.parts[std::size_t(before.number())] != parts[p]) {
                algorithms[part] = algorithm;
                continue;
            }
            if (stage.algorithms.contains(before))
                algorithms[part] = stage.algorithms[before];
            if (stage.schedules.contains(before))
                schedules[part] = stage.schedules[before];
        }
        GL_TRY_RESULT(plain, generated(blocks, algorithms, schedules, &stage.kernels, stop));
        if (algorithm.empty())
            if (const std::string composed = composedAlgorithm(stage, pairs.front(), *plain);
                !composed.empty())
                return mergedInTime(stage, pairs, composed, stop);
        for (const Pair &pair : pairs) {
            const BlockKernel *joined = plain->kernelOf(pair.writer);
            const BlockKernel *writer = stage.kernelOf(pair.writer);
            const BlockKernel *reader = stage.kernelOf(pair.reader);
            if (!joined || joined->phases.size() >= writer->phases.size() + reader->phases.size())
                return std::optional<Merged>();
            const BlockKernel *const both[] = {writer, reader};
            schedules[plain->partOf[pair.writer]] =
                composedSchedules(both, *joined, m_generate.target);
        }
        GL_TRY_RESULT(composed, generated(std::move(blocks), std::move(algorithms),
                                          std::move(schedules), &plain->kernels, stop));
        std::map<std::string, std::string> initial;
        for (const Pair &pair : pairs) {
            const BlockKernel &byDefault = *plain->kernelOf(pair.writer);
            const BlockKernel &begun = *composed->kernelOf(pair.writer);
            for (const PhaseIndex p : byDefault.phases.indices())
                initial.emplace(byDefault.phases[p].symbol, textOf(schedulesOf(begun, p)));
        }
        return Merged{*std::move(composed), std::move(initial)};
    }

    /// Returns which convolutions of a joined block use Winograd's algorithm: those that did in its
    /// parts. Returns "" if that is as estimated.
    static std::string composedAlgorithm(const Stage &stage, const Pair &pair, const Stage &joined)
    {
        const BlockKernel *kernel = joined.kernelOf(pair.writer);
        if (!kernel)
            return {};
        const auto nodesOf = [](const Stage &of, Block block, NestIndex nest) {
            return (*of.kernels.nests[of.indexOf(block)]).nests[nest].nodes;
        };
        BlockAlgorithm algorithm{kernel->algorithm.winograd, {}};
        for (auto &[nest, m] : algorithm.winograd)
            for (const Block part : {pair.writer, pair.reader})
                for (const auto &[before, known] : stage.kernelOf(part)->algorithm.winograd)
                    if (const auto same = nodesOf(stage, part, before);
                        std::ranges::any_of(nodesOf(joined, pair.writer, nest), [&](NodeId id) {
                            return std::ranges::count(same, id) > 0;
                        }))
                        m = known;
        return algorithm.winograd == kernel->algorithm.winograd ? std::string() : algorithm.text();
    }

    /// Returns the algorithm, "" for the estimated one, by which the joined kernel is faster than
    /// the two one after the other; none if there is no such.
    Result<std::optional<std::string>> fasterAlgorithm(const Stage &stage, const Merged &one,
                                                       const Pair &pair, JoinTrial &trial)
    {
        GL_TRY_RESULT(faster, isFaster(stage, one.stage, pair, trial));
        if (*faster)
            return std::optional<std::string>(std::string());
        if (trial.joinedSeconds <= 0 || trial.joinedSeconds > hopelessShare * trial.apartSeconds)
            return std::optional<std::string>();
        int tried = 0;
        for (const BlockAlgorithm &other :
             otherGroups(*one.stage.kernelOf(pair.writer), m_generate.target.lanes)) {
            if (m_budget.isOver() || tried++ >= mostGroups)
                break;
            GL_TRY_RESULT(again, merged(stage, {&pair, 1}, other.text()));
            if (!*again)
                continue;
            JoinTrial next{trial.writer, trial.reader};
            GL_TRY_RESULT(isBetter, isFaster(stage, (*again)->stage, pair, next));
            if (!*isBetter)
                continue;
            trial = next;
            return std::optional(other.text());
        }
        return std::optional<std::string>();
    }

    /// Returns the kernels of `a` that `b` has not, in order.
    static KernelSequence differing(const Stage &a, const Stage &b)
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

    /// Measures the kernels of both stages in which they differ. Kernels that both have, at other
    /// places, take the same time in both.
    Result<bool> isFaster(const Stage &apart, const Stage &joined, const Pair &pair,
                          JoinTrial &trial)
    {
        KernelSequence before{apart.kernelOf(pair.writer), apart.kernelOf(pair.reader)};
        for (const BlockKernel *kernel : differing(apart, joined))
            if (!std::ranges::count(before, kernel))
                before.push_back(kernel);
        KernelSequence after{joined.kernelOf(pair.writer)};
        for (const BlockKernel *kernel : differing(joined, apart))
            if (!std::ranges::count(after, kernel))
                after.push_back(kernel);
        GL_TRY_RESULT(first, secondsOf(before, trial.writer.front(), false));
        GL_TRY_RESULT(second, secondsOf(after, trial.writer.front(), false));
        if (*first > 0 && *second > 0 && *second < joinedShare * *first && !m_wasKnown) {
            // Once more, side by side: the least of many times is also the luckiest.
            GL_TRY_RESULT(firstAgain, secondsOf(before, trial.writer.front(), true));
            GL_TRY_RESULT(secondAgain, secondsOf(after, trial.writer.front(), true));
            first = std::move(firstAgain);
            second = std::move(secondAgain);
        }
        trial.apartSeconds = *first;
        trial.joinedSeconds = *second;
        if (*first <= 0 || *second <= 0) {
            trial.reason = "was not measured";
            return false;
        }
        const bool faster = *second < joinedShare * *first;
        trial.reason = "together " + milliseconds(*second) + ", apart " + milliseconds(*first) +
                       " (measured here)";
        return faster;
    }

    /// Returns the least time of the kernels one after the other; 0 if there is none.
    Result<double> secondsOf(const KernelSequence &kernels, NodeId place, bool again)
    {
        std::vector<const BlockTensor *> tensors;
        for (const BlockKernel *kernel : kernels)
            for (const BlockTensor &tensor : kernel->block.tensors)
                if (tensor.role == BlockTensor::Role::Input ||
                    tensor.role == BlockTensor::Role::Output)
                    tensors.push_back(&tensor);
        const ProfileKey key = tunedKey(structureOf(kernels), tensors, m_options, "");
        double known = 0;
        if (const auto found = m_options.database->lookup(key); found && !found->empty())
            known = found->front().minNs * 1e-9;
        m_wasKnown = known > 0 && !again;
        if ((known > 0 && !again) || m_options.seconds <= 0 || m_budget.isOver())
            return known;
        PhaseTunerOptions options;
        options.compiler = m_options.compiler;
        options.cache = m_options.cache;
        options.threads = m_options.threads;
        options.seconds = m_budget.secondsLeft();
        options.stop = m_options.stop;
        options.clock = m_options.clock;
        options.otherBytes = std::max<std::int64_t>(m_bytesOfOneRun - bytesOf(kernels), 0);
        options.measured = [&](const TunedCandidate &candidate) {
            if (m_options.stop.stop_requested())
                return;
            m_budget.count();
            keepMeasured(m_options, key, candidate);
            m_options.measured({m_plan.fusion->blockOf(place), std::nullopt}, candidate);
            if (candidate.problem.empty() && candidate.samples > 0)
                known = known > 0 ? std::min(known, candidate.least) : candidate.least;
        };
        auto measured = measureSequences({kernels}, m_generate.target, options, 0);
        if (!measured && !m_options.stop.stop_requested())
            return tl::unexpected(measured.error());
        return known;
    }

    Result<ReformedPlan> finished(Stage stage, PlanTuning tuning)
    {
        ReformedPlan result{m_plan, tuning.kernels, std::move(tuning), std::move(m_trials)};
        if (!result.kernels) {
            GL_TRY_RESULT(plain, generated(stage.blocks, {}, {}, &stage.kernels, {}));
            result.kernels = std::make_shared<const PlanKernels>(std::move(plain->kernels));
        }
        if (!m_split.empty() || stage.parts != kernelBlocksOf(m_plan)) // or perhaps other layouts
            takeBlocks(stage.blocks, result);
        return result;
    }

    /// Makes these blocks those of the plan.
    void takeBlocks(const BlockGraph &blocks, ReformedPlan &result)
    {
        KeptApart apart;
        for (const JoinTrial &trial : result.joins) {
            const Block writer = blocks.blockOf(trial.writer.front());
            const Block reader = blocks.blockOf(trial.reader.front());
            if (writer != reader && trial.joinedSeconds > 0)
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
        std::vector<bool> locked;
        for (const Subgraph &block : fusion.partition.subgraphs) {
            const auto &choice = before.blocks[blocks.blockOf(block.nodes.back())];
            layouts.push_back(choice.layout);
            locked.push_back(choice.locked);
        }
        auto now = std::make_shared<LayoutPlan>(
            layoutsOf(m_facts.ecg(), fusion, m_facts.merger().cost().device(), layouts));
        for (std::size_t b = 0; b < now->blocks.size(); ++b)
            now->blocks[b].locked = locked[b];
        for (auto &[tensor, layout] : now->tensors)
            if (const auto was = before.tensors.find(tensor); was != before.tensors.end())
                layout = was->second;
        return now;
    }

    const Plan &m_plan;
    const FusionFacts &m_facts;        // with the plan's limits, across the borders of subgraphs
    const FusionFacts &m_conventional; // at most one complex operator in a block
    GenerateOptions m_generate;
    const PlanTunerOptions &m_options;
    Steps m_steps;
    TuningBudget m_budget;
    MovedBorders m_borders;
    BlockMarks m_marks;
    std::int64_t m_bytesOfOneRun = 0;
    std::set<std::string> m_knownRuns; // structures in the database
    FusionPlan m_parts; // the blocks after SPLIT, and their layouts, if any was taken apart
    LayoutPlan m_layouts;
    std::vector<std::vector<NodeId>> m_split; // blocks that were taken apart
    std::set<std::string> m_tried;            // pairs, by their kernels
    std::vector<JoinTrial> m_trials;
    std::map<std::string, std::string> m_initial; // PlanTunerOptions::initial
    bool m_isPrepared = false;                    // kernels by default were compiled
    int m_changes = 0;
    bool m_wasKnown = false; // the last time came from the database
};

} // namespace

Result<ReformedPlan> reformedPlan(const Plan &plan, const GenerateOptions &generate,
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
        return Reformer(plan, **facts, **parts, generate, options).run();
    // Rounds of tuning know from the database what was measured before.
    GL_TRY_RESULT(database, ProfileDatabase::inMemory());
    PlanTunerOptions own = options;
    own.database = &*database;
    return Reformer(plan, **facts, **parts, generate, own).run();
}

} // namespace graphloom
