// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/plan_tuner.h"

#include "engine/tuning/algorithm_task.h"
#include "engine/tuning/algorithm_tuner.h"
#include "engine/tuning/block_trial.h"
#include "engine/tuning/default_kernels.h"
#include "engine/tuning/tuned_profile.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace graphloom {

namespace {

/// A kernel with this many measured schedules counts as tuned.
constexpr std::size_t tunedTrials = 12;

/// The share of the budget for compiling kernels by default.
constexpr double compilationShare = 0.3;

/// The share of the rest for choosing algorithms; what is not needed is left for schedules.
constexpr double algorithmShare = 0.35;

/// A schedule replaces the one by default if it takes at most this share of its time: the best of
/// many measurements is by a little too good.
constexpr double worthwhile = 0.98;

/// Describes phases with the same code by default.
struct Task {
    std::vector<std::pair<BlockIndex, PhaseIndex>> places;
    double cost = 0; // estimated, of all places
    TunedPhase result;
    std::map<std::string, KnownTime> known; // by the schedule's text
    GainCurve curve;
    double guess = 0;         // seconds, by the kernels measured, as long as there is no time
    bool isExhausted = false; // there is no further schedule

    /// Returns the seconds of all places that the next trial is expected to gain.
    double expectedGain(const StableTimes &stable) const
    {
        GainCurve guessed;
        guessed.note(0, guess);
        return double(places.size()) * (curve.trials() > 0 ? curve : guessed).expectedGain(stable);
    }
};

class PlanTuner {
public:
    PlanTuner(const PlanKernels &kernels, const ScheduleTarget &target,
              const PlanTunerOptions &options)
        : m_kernels(&kernels), m_target(target), m_options(options),
          m_bytesOfOneRun(bytesOfOneRun(kernels)),
          m_budget(options.seconds, options.trials, options.stop, options.clock)
    {
    }

    Result<PlanTuning> run()
    {
        GL_TRY(prepare());
        m_options.prepared();
        PlanTunerOptions first = m_options;
        first.progress = [this](double, std::string_view what) { report(what); };
        auto algorithms = tuneAlgorithms(
            *m_kernels, m_target, first, m_budget.shareOfRest(algorithmShare),
            m_built ? &*m_built : nullptr, [this](PartIndex part, const TunedCandidate &candidate) {
                m_budget.count();
                m_options.measured({std::uint32_t(part.number()), {}}, candidate);
            });
        if (!algorithms)
            return tl::unexpected(algorithms.error());
        PlanTuning tuning;
        tuning.algorithms = std::move(algorithms->algorithms);
        tuning.blocks = std::move(algorithms->blocks);
        if (algorithms->kernels) {
            tuning.kernels = std::make_shared<const PlanKernels>(*std::move(algorithms->kernels));
            m_kernels = tuning.kernels.get();
        }
        collect();
        GL_TRY(readDatabase());
        if (m_options.seconds > 0)
            GL_TRY(measureStarts());
        GL_TRY(tuneAll());
        std::ranges::stable_sort(m_tasks, std::greater(), &PlanTuner::weight);
        addPhases(tuning);
        return tuning;
    }

private:
    static double weight(const Task &task)
    {
        return task.result.startSeconds * double(task.places.size());
    }
    const BlockKernel &kernelOf(const Task &task) const
    {
        return *m_kernels->kernels[task.places.front().first];
    }

    void report(std::string_view what) { m_options.progress(m_budget.fractionSpent(), what); }

    /// Compiles the default kernels to be measured, the costliest first, as many units at once as
    /// there are threads.
    Result<void> prepare()
    {
        collect();
        GL_TRY(readDatabase());
        const bool compiles = m_options.seconds > 0 && !m_options.times &&
                              !m_options.stop.stop_requested() &&
                              !std::ranges::all_of(m_tasks, isKnown);
        std::vector<BlockIndex> blocks;
        for (const Task &task : m_tasks)
            if (const BlockIndex block = task.places.front().first;
                std::ranges::find(blocks, block) == blocks.end())
                blocks.push_back(block);
        m_tasks.clear();
        if (!compiles)
            return {};
        report("compiling kernels");
        auto built = compileInTime(m_kernels->kernels, blocks,
                                   {.lanes = m_target.lanes,
                                    .compiler = m_options.compiler,
                                    .cache = m_options.cache,
                                    .threads = m_options.compilers,
                                    .stop = m_options.stop},
                                   compilationShare * m_budget.secondsLeft(), m_options.clock);
        if (built)
            m_built = *std::move(built);
        else if (!m_options.stop.stop_requested())
            return tl::unexpected(built.error());
        return {};
    }
    static bool isKnown(const Task &task) { return task.result.known; }

    void collect()
    {
        std::map<std::string, std::size_t> known;
        for (const BlockIndex b : m_kernels->given()) {
            if (!m_kernels->kernels[b])
                continue;
            const BlockKernel &kernel = *m_kernels->kernels[b];
            for (const PhaseIndex p : kernel.phases.indices()) {
                if (kernel.phases[p].tasks == 0 || PhaseSpace(kernel, p, m_target).isTrivial())
                    continue;
                const auto [at, isNew] = known.try_emplace(kernel.phases[p].symbol, m_tasks.size());
                if (isNew) {
                    Task task;
                    task.result.block = b;
                    task.result.phase = p;
                    task.result.symbol = kernel.phases[p].symbol;
                    m_tasks.push_back(std::move(task));
                }
                Task &task = m_tasks[at->second];
                task.places.emplace_back(b, p);
                task.cost += roughCost(kernel, p);
                task.result.uses = int(task.places.size());
            }
        }
        std::ranges::stable_sort(m_tasks, std::greater(), &Task::cost);
    }

    ProfileKey keyOf(const Task &task, const std::string &schedule) const
    {
        const BlockKernel &kernel = kernelOf(task);
        std::vector<const BlockTensor *> tensors;
        for (const KernelBuffer &buffer : kernel.phases[task.places.front().second].buffers)
            tensors.push_back(&kernel.block.tensors[buffer.tensor]);
        return tunedKey(task.result.symbol, tensors, m_options, schedule);
    }

    Result<void> readDatabase()
    {
        if (!m_options.database)
            return {};
        std::map<std::string, Task *> bySymbol;
        for (Task &task : m_tasks)
            bySymbol[task.result.symbol] = &task;
        auto visited = m_options.database->forEach(
            [&](const ProfileKey &key, const std::vector<ProfiledLatency> &latencies) {
                const auto found = bySymbol.find(key.structure);
                if (found == bySymbol.end() || latencies.empty())
                    return;
                Task &task = *found->second;
                const ProfileKey ours = keyOf(task, key.schedule);
                if (!(ours == key))
                    return;
                const double least = latencies.front().minNs * 1e-9;
                TunedPhase &result = task.result;
                task.known[key.schedule] = {
                    latencies.front().medianNs * 1e-9, least,
                    int(std::clamp<std::int64_t>(latencies.front().count, 1, 1000))};
                if (result.bestSeconds == 0 || least < result.bestSeconds) {
                    result.bestSeconds = least;
                    result.schedule = key.schedule;
                }
                if (key.schedule == defaultText(task))
                    result.startSeconds = least;
            });
        for (Task &task : m_tasks) {
            task.result.known = task.known.size() >= tunedTrials && task.result.startSeconds > 0;
            if (task.result.startSeconds > 0) {
                task.curve.note(1, task.result.startSeconds);
                task.curve.note(std::int64_t(task.known.size()), task.result.bestSeconds);
            }
        }
        return visited;
    }

    std::string defaultText(const Task &task) const
    {
        return textOf(schedulesOf(kernelOf(task), task.places.front().second));
    }

    /// Returns the options for `trials` trials in addition to that of the start.
    PhaseTunerOptions phaseOptions(Task &task, int trials, double seconds)
    {
        PhaseTunerOptions options = trialOptions(m_options, seconds);
        options.trials = trials;
        options.built = m_built ? &*m_built : nullptr;
        options.otherBytes = m_bytesOfOneRun -
                             std::int64_t(workOf(kernelOf(task), task.places.front().second).bytes);
        options.known = task.known;
        if (const auto initial = m_options.initial.find(task.result.symbol);
            initial != m_options.initial.end())
            options.initial = initial->second;
        options.measured = [this, &task](const TunedCandidate &candidate) {
            m_budget.count();
            ++task.result.trials;
            keepMeasured(m_options, keyOf(task, candidate.schedule), candidate);
            task.known[candidate.schedule] =
                candidate.problem.empty()
                    ? KnownTime{candidate.seconds, candidate.least, candidate.samples}
                    : KnownTime();
            const NestGroup &group = kernelOf(task).groups[task.result.phase];
            TunedCandidate told = candidate;
            told.byDefault = candidate.schedule == defaultText(task);
            told.uses = task.result.uses;
            m_options.measured({std::uint32_t(m_kernels->part(task.result.block).number()),
                                std::uint32_t(group.first.number())},
                               told);
        };
        return options;
    }

    void take(Task &task, const PhaseTuning &tuning)
    {
        TunedPhase &result = task.result;
        if (tuning.start.samples > 0)
            result.startSeconds = tuning.start.least;
        if (tuning.best.samples > 0 &&
            (result.bestSeconds == 0 || tuning.best.least < result.bestSeconds)) {
            result.bestSeconds = tuning.best.least;
            result.schedule = tuning.best.schedule;
        }
        if (result.bestSeconds > 0)
            task.curve.note(std::int64_t(task.known.size()), result.bestSeconds);
    }

    /// Measures each phase by default, to distribute the rest of the budget. Takes at most half of
    /// the trials and of the time, the costliest phases first.
    Result<void> measureStarts()
    {
        std::int64_t left = (m_budget.trialsLeft() + 1) / 2;
        const double until = m_budget.secondsLeft() / 2;
        const double each = until / double(std::max<std::size_t>(m_tasks.size(), 1));
        for (Task &task : m_tasks) {
            if (m_budget.isOver() || m_budget.secondsLeft() < until)
                break;
            if (task.result.known || left-- <= 0)
                continue;
            report("measuring kernels");
            PhaseTunerOptions options = phaseOptions(task, 0, m_budget.secondsLeft());
            options.sampleSeconds = std::clamp(each / 2, 0.01, options.sampleSeconds);
            GL_TRY_RESULT(tuned,
                          tunePhase(kernelOf(task), task.places.front().second, m_target, options));
            take(task, *tuned);
        }
        guessOthers();
        return {};
    }
    void guessOthers()
    {
        double seconds = 0, cost = 0;
        for (const Task &task : m_tasks)
            if (task.result.startSeconds > 0) {
                seconds += weight(task);
                cost += task.cost;
            }
        for (Task &task : m_tasks)
            task.guess = seconds * task.cost / std::max(cost, 1e-12) / double(task.places.size());
    }

    /// Tunes in rounds, each of the kernel that is expected to gain most by a trial, until there is
    /// nothing left to expect or the budget is spent.
    Result<void> tuneAll()
    {
        while (!m_budget.isOver()) {
            Task *next = nullptr;
            double best = 0;
            for (Task &task : m_tasks)
                if (const double gain = isOpen(task) ? task.expectedGain(m_options.stable) : 0;
                    gain > best) {
                    best = gain;
                    next = &task;
                }
            if (!next)
                break;
            report("tuning kernels");
            const std::size_t before = next->known.size();
            const int trials = trialsOfRound(*next);
            GL_TRY_RESULT(tuned, tunePhase(kernelOf(*next), next->places.front().second, m_target,
                                           phaseOptions(*next, trials, m_budget.secondsLeft())));
            take(*next, *tuned);
            // All schedules that the search reaches have been tried; they may be fewer than
            // `tunedTrials`.
            next->isExhausted =
                next->known.size() < before + std::size_t(trials) && !m_budget.isOver();
        }
        // What is exhausted without a trial was known before.
        for (Task &task : m_tasks)
            task.result.known = task.result.known || (task.isExhausted && task.result.trials == 0);
        return {};
    }

    bool isOpen(const Task &task) const
    {
        return !task.result.known && !task.isExhausted && !task.curve.isStable(m_options.stable) &&
               (m_budget.hasTrialLimit() || leftOf(task) > 0);
    }
    /// Returns how many trials of a phase are left, without a limit for all together.
    int leftOf(const Task &task) const
    {
        return m_options.trialsPerPhase - int(task.known.size()) + 1;
    }

    /// Returns the trials of a round, besides that of the start if it has not been measured: fewer
    /// if few are left, so that several kernels get some.
    int trialsOfRound(const Task &task) const
    {
        const auto tasks = std::int64_t(m_tasks.size());
        const std::int64_t mostTrials =
            std::clamp<std::int64_t>(m_budget.trialsLeft() / (2 * tasks), 2, 16);
        const std::int64_t left = m_budget.hasTrialLimit()
                                      ? m_budget.trialsLeft() - (task.known.empty() ? 1 : 0)
                                      : leftOf(task);
        return int(std::clamp<std::int64_t>(left, 0, mostTrials));
    }

    void addPhases(PlanTuning &tuning)
    {
        tuning.trials = int(m_budget.trials());
        for (Task &task : m_tasks) {
            TunedPhase &phase = task.result;
            const bool isWorthwhile =
                phase.bestSeconds > 0 && phase.bestSeconds <= worthwhile * phase.startSeconds;
            if (!isWorthwhile && phase.startSeconds > 0) {
                phase.bestSeconds = phase.startSeconds;
                phase.schedule = defaultText(task);
            }
            tuning.startSeconds += weight(task);
            tuning.bestSeconds += phase.bestSeconds * double(task.places.size());
            for (const auto &[block, number] : task.places)
                if (isWorthwhile)
                    setSchedules(tuning, block, number, phase.schedule);
            tuning.phases.push_back(phase);
        }
    }

    void setSchedules(PlanTuning &tuning, BlockIndex block, PhaseIndex phase,
                      const std::string &text)
    {
        const PartIndex part = m_kernels->part(block);
        const BlockKernel &kernel = *m_kernels->kernels[block];
        if (!tuning.schedules.contains(part))
            tuning.schedules.resize(std::size_t(part.number()) + 1);
        NestSchedules &nests = tuning.schedules[part];
        nests.resize(kernel.block.nests.size());
        const NestGroup &group = kernel.groups[phase];
        const IndexedVector<MemberIndex, std::string> found = schedulesIn(text);
        for (const MemberIndex member : group.members())
            if (found.contains(member))
                nests[group.nestOf(member)] = found[member];
    }

    const PlanKernels *m_kernels;
    ScheduleTarget m_target;
    const PlanTunerOptions &m_options;
    std::vector<Task> m_tasks;
    const std::int64_t m_bytesOfOneRun;
    TuningBudget m_budget;
    std::optional<CompiledKernels> m_built; // with default schedules
};

} // namespace

PhaseTunerOptions trialOptions(const PlanTunerOptions &options, double seconds)
{
    PhaseTunerOptions made;
    made.compiler = options.compiler;
    made.cache = options.cache;
    made.times = options.times;
    made.threads = options.threads;
    made.compilers = options.compilers;
    made.seconds = seconds;
    made.stop = options.stop;
    made.clock = options.clock;
    return made;
}

Result<PlanTuning> tunePlan(const PlanKernels &kernels, const ScheduleTarget &target,
                            const PlanTunerOptions &options)
{
    return PlanTuner(kernels, target, options).run();
}

} // namespace graphloom
