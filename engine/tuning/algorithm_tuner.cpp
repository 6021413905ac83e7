// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/algorithm_tuner.h"

#include "engine/base/stop_after.h"
#include "engine/tuning/algorithm_space.h"
#include "engine/tuning/algorithm_task.h"
#include "engine/tuning/block_trial.h"
#include "engine/tuning/tuned_profile.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// Algorithms estimated to take more than this many times as long as the best are not tried.
constexpr double hopeless = 1.5;
/// Limits the algorithms that are tried for a block.
constexpr int mostWays = 24;
/// Trials of the final comparison of the best algorithm with the estimated one.
constexpr std::int64_t finalTrials = 2;
/// Trials that may find something: the estimated algorithm, another one, and the comparison.
constexpr std::int64_t leastTrials = 2 + finalTrials;

class AlgorithmTuner {
public:
    AlgorithmTuner(const PlanKernels &estimated, const ScheduleTarget &target,
                   const PlanTunerOptions &options, TuningBudget budget,
                   const CompiledKernels *built,
                   const std::function<void(PartIndex, const TunedCandidate &)> &measured)
        : m_kernels(&estimated), m_target(target), m_options(options), m_budget(std::move(budget)),
          m_built(built), m_measured(measured), m_bytesOfOneRun(bytesOfOneRun(estimated))
    {
        m_algorithms.resize(std::size_t(estimated.given().size()));
    }

    Result<AlgorithmTuning> run()
    {
        m_tasks = algorithmTasksOf(*m_kernels);
        GL_TRY(readDatabase());
        const bool possible = isKnownPossible();
        std::ranges::stable_sort(m_tasks, std::greater(), &AlgorithmTask::weight);
        double left = 0;
        for (const AlgorithmTask &task : m_tasks)
            left += task.weight;
        for (AlgorithmTask &task : m_tasks) {
            const double share = task.weight / std::max(left, 1e-12);
            left -= task.weight;
            if (m_options.generate && !possible)
                forgetImpossible(task);
            GL_TRY(tune(task, untilOf(share)));
        }
        return result();
    }

private:
    /// Holds the total seconds and trials at which the next task begins.
    struct Until {
        double seconds;
        std::int64_t trials;
    };
    /// Returns the end of a task that gets `share` of what is left, but at least a minimum.
    Until untilOf(double share) const
    {
        const std::int64_t left = m_budget.trialsLeft();
        const auto trials = std::max(std::int64_t(share * double(left)), leastTrials);
        return {m_budget.secondsSpent() + std::max(0.5, share * m_budget.secondsLeft()),
                m_budget.trials() + std::min(trials, left)};
    }
    bool isOver(const Until &until) const
    {
        return m_budget.isOver() || m_budget.secondsSpent() >= until.seconds ||
               m_budget.trials() + finalTrials >= until.trials;
    }
    const BlockKernel &kernelOf(const AlgorithmTask &task) const
    {
        return *m_kernels->kernels[task.block];
    }

    ProfileKey keyOf(const AlgorithmTask &task, const std::string &algorithm) const
    {
        const BlockKernel &kernel = kernelOf(task);
        std::vector<const BlockTensor *> tensors;
        for (const BlockTensor &tensor : kernel.block.tensors)
            if (tensor.role == BlockTensor::Role::Input || tensor.role == BlockTensor::Role::Output)
                tensors.push_back(&tensor);
        return tunedKey(task.result.structure, tensors, m_options, algorithm);
    }

    Result<void> readDatabase()
    {
        if (!m_options.database)
            return {};
        std::map<std::string, AlgorithmTask *> byStructure;
        for (AlgorithmTask &task : m_tasks)
            byStructure[task.result.structure] = &task;
        return m_options.database->forEach(
            [&](const ProfileKey &key, const std::vector<ProfiledLatency> &latencies) {
                const auto found = byStructure.find(key.structure);
                if (found != byStructure.end() && !latencies.empty() &&
                    keyOf(*found->second, key.schedule) == key)
                    found->second->times[key.schedule] = latencies.front().minNs * 1e-9;
            });
    }

    /// Measures kernels of the task's block; unless `again`, only those not measured before.
    Result<void> measure(AlgorithmTask &task, std::vector<const BlockKernel *> kernels,
                         bool again = false)
    {
        std::erase_if(kernels, [&](const BlockKernel *kernel) {
            return !again && task.times.contains(kernel->algorithm.text());
        });
        if (kernels.empty())
            return {};
        PhaseTunerOptions options = trialOptions(m_options, m_budget.secondsLeft());
        options.otherBytes = m_bytesOfOneRun;
        for (const PhaseIndex p : kernelOf(task).phases.indices())
            options.otherBytes -= std::int64_t(workOf(kernelOf(task), p).bytes);
        options.built = m_built;
        options.measured = [&](const TunedCandidate &candidate) {
            if (m_options.stop.stop_requested())
                return; // cancelled before it was measured
            m_budget.count();
            ++task.result.trials;
            double &seconds = task.times[candidate.schedule];
            if (candidate.problem.empty() && candidate.samples > 0) {
                seconds = seconds > 0 ? std::min(seconds, candidate.least) : candidate.least;
                keepMeasured(m_options, keyOf(task, candidate.schedule), candidate);
            }
            TunedCandidate told = candidate;
            told.byDefault = candidate.schedule == task.start;
            told.uses = task.result.uses;
            m_measured(task.result.block, told);
        };
        auto measured = measureBlocks(kernels, m_target, options, task.bestTime());
        if (!measured && !m_options.stop.stop_requested())
            return tl::unexpected(measured.error());
        return {};
    }

    /// Generates the plan's kernels, with this algorithm for the task and those chosen before.
    Result<PlanKernels> generated(const AlgorithmTask &task, const std::string &algorithm,
                                  std::stop_token stop = {}) const
    {
        PartAlgorithms algorithms = m_algorithms;
        for (const PartIndex part : task.parts)
            algorithms[part] = algorithm;
        return m_options.generate(algorithms, std::move(stop));
    }
    /// Generates the same within the budget; returns none if time runs out.
    Result<std::optional<PlanKernels>> generatedInTime(const AlgorithmTask &task,
                                                       const std::string &algorithm) const
    {
        const StopAfter cut(m_options.stop, m_budget.secondsLeft());
        auto made = generated(task, algorithm, cut.token());
        if (made)
            return std::optional(*std::move(made));
        if (cut.token().stop_requested())
            return std::nullopt;
        return tl::unexpected(made.error());
    }

    /// Tries one algorithm; skips it if it is impossible.
    Result<void> attempt(AlgorithmTask &task, const std::string &algorithm)
    {
        auto made = generatedInTime(task, algorithm);
        if (!made)
            return made.error().kind == Error::Kind::Usage ? Result<void>()
                                                           : tl::unexpected(made.error());
        if (!*made)
            return {};
        const auto &kernel = (*made)->kernels[task.block];
        return kernel ? measure(task, {&*kernel}) : Result<void>();
    }

    /// Tells whether the best algorithms in the database are possible for all tasks together;
    /// checking them one by one takes as many times as long.
    bool isKnownPossible() const
    {
        PartAlgorithms algorithms = m_algorithms;
        bool changes = false;
        for (const AlgorithmTask &task : m_tasks)
            if (const std::string way = task.bestWay(); way != task.start) {
                changes = true;
                for (const PartIndex part : task.parts)
                    algorithms[part] = way;
            }
        if (!changes || !m_options.generate)
            return true;
        const auto made = m_options.generate(algorithms, {});
        return made && std::ranges::all_of(m_tasks, [&](const AlgorithmTask &task) {
                   return task.bestWay() == task.start || made->kernels[task.block];
               });
    }

    /// Forgets the best algorithms in the database as long as they are impossible here.
    void forgetImpossible(AlgorithmTask &task) const
    {
        for (std::string way = task.bestWay(); way != task.start; way = task.bestWay()) {
            const auto made = generated(task, way);
            if (made && made->kernels[task.block])
                return;
            task.times.erase(way);
        }
    }

    /// Measures the neighbours of the best algorithm as long as that improves it.
    Result<void> climb(AlgorithmTask &task, const Until &until)
    {
        // Contractions of the same shape in another block reuse the best algorithm from there.
        if (const auto known = m_ways.find(task.shape); known != m_ways.end())
            return attempt(task, known->second);
        std::set<std::string> seen; // as requested: completed, they may differ
        for (bool better = true; better;) {
            better = false;
            const std::string from = task.bestWay();
            GL_TRY_RESULT(now, generatedInTime(task, from == task.start ? std::string() : from));
            if (!*now)
                return {};
            const PlanKernels &kernels = **now;
            std::vector<BlockAlgorithm> others = otherConvolutions(kernels, task.block, hopeless);
            std::ranges::move(otherGroups(*kernels.kernels[task.block], m_target.lanes),
                              std::back_inserter(others));
            for (const BlockAlgorithm &other : others) {
                if (isOver(until) || task.result.trials >= mostWays)
                    return {};
                const std::string text = other.text();
                if (task.times.contains(text) || !seen.insert(text).second)
                    continue;
                GL_TRY(attempt(task, text));
            }
            better = task.bestWay() != from;
        }
        return {};
    }

    Result<void> tune(AlgorithmTask &task, const Until &until)
    {
        m_options.progress(m_budget.fractionSpent(), "choosing algorithms");
        const bool tries =
            !m_budget.isOver() && m_budget.trialsLeft() >= leastTrials && m_options.generate;
        if (tries) {
            GL_TRY(measure(task, {&kernelOf(task)}));
            if (task.times[task.start] > 0)
                GL_TRY(climb(task, until));
        }
        std::string way = m_options.generate ? task.bestWay() : task.start;
        if (way != task.start) {
            if (tries && task.result.trials > 1) {
                // Measures again, side by side: the minimum of many times is also the luckiest.
                GL_TRY_CONST(made, generatedInTime(task, way));
                if (*made)
                    GL_TRY(measure(task, {&kernelOf(task), &*(*made)->kernels[task.block]}, true));
                way = task.bestWay() == way ? way : task.start;
            }
            if (way != task.start)
                for (const PartIndex part : task.parts)
                    m_algorithms[part] = way;
        }
        if (tries)
            m_ways.try_emplace(task.shape, way);
        if (const auto start = task.times.find(task.start); start != task.times.end())
            task.result.startSeconds = start->second;
        if (const auto best = task.times.find(way); best != task.times.end())
            task.result.bestSeconds = best->second;
        task.result.known = task.result.trials == 0 && task.result.startSeconds > 0;
        task.result.algorithm = way;
        return {};
    }

    Result<AlgorithmTuning> result()
    {
        AlgorithmTuning tuning;
        for (AlgorithmTask &task : m_tasks)
            tuning.blocks.push_back(std::move(task.result));
        if (std::ranges::all_of(m_algorithms, &std::string::empty))
            return tuning;
        // Finishes even if stopped: little is regenerated, and the best so far counts.
        GL_TRY_RESULT(kernels, m_options.generate(m_algorithms, {}));
        tuning.kernels = std::move(*kernels);
        tuning.algorithms = m_algorithms;
        return tuning;
    }

    const PlanKernels *m_kernels;
    ScheduleTarget m_target;
    const PlanTunerOptions &m_options;
    TuningBudget m_budget;
    const CompiledKernels *m_built; // may be null
    const std::function<void(PartIndex, const TunedCandidate &)> &m_measured;
    const std::int64_t m_bytesOfOneRun;
    std::vector<AlgorithmTask> m_tasks;
    PartAlgorithms m_algorithms;               // chosen so far
    std::map<std::string, std::string> m_ways; // chosen algorithms, by the shape of contractions
};

} // namespace

Result<AlgorithmTuning>
tuneAlgorithms(const PlanKernels &estimated, const ScheduleTarget &target,
               const PlanTunerOptions &options, TuningBudget budget, const CompiledKernels *built,
               const std::function<void(PartIndex, const TunedCandidate &)> &measured)
{
    return AlgorithmTuner(estimated, target, options, std::move(budget), built, measured).run();
}

} // namespace graphloom
