// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/phase_tuner.h"

#include "engine/base/hash.h"
#include "engine/search/best_first.h"
#include "engine/tuning/block_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphloom {

namespace {

/// Measures candidates of one phase, several in one compilation.
class PhaseTrials {
public:
    PhaseTrials(const BlockKernel &kernel, PhaseIndex phase, const ScheduleTarget &target,
                const PhaseTunerOptions &options)
        : m_kernel(kernel), m_phase(phase), m_space(kernel, phase, target), m_target(target),
          m_options(options)
    {
    }

    const PhaseSpace &space() const { return m_space; }
    int count() const { return m_count; } // candidates that were measured or failed
    /// Returns the time left for further candidates, 0 if stopped.
    double secondsLeft() const
    {
        return m_options.stop.stop_requested() ? 0 : m_end - m_options.clock();
    }
    /// Returns how many candidates can be compiled and measured in that time, estimated from those
    /// before; at least one.
    std::size_t room() const
    {
        constexpr double share = 0.8; // some take longer
        const double most = share * secondsLeft() / std::max(m_secondsEach, 1e-3);
        return std::size_t(std::clamp(most, 1.0, 1e6));
    }

    /// Measures candidates; known schedules get their time from the options.
    Result<std::vector<TunedCandidate>> measure(const std::vector<PhaseChoice> &choices)
    {
        const double begin = m_options.clock();
        std::vector<TunedCandidate> candidates;
        std::vector<BlockKernel::Phase> phases;
        std::vector<std::size_t> of;         // the candidate of each phase
        std::vector<std::size_t> isMeasured; // candidates
        TrialJob job;
        for (const PhaseChoice &choice : choices) {
            TunedCandidate candidate;
            candidate.choice = choice;
            const IndexedVector<MemberIndex, Schedule> schedules = m_space.schedules(choice);
            candidate.schedule = textOf(schedules.span());
            if (takeKnown(candidate)) {
                candidates.push_back(std::move(candidate));
                continue;
            }
            isMeasured.push_back(candidates.size());
            if (m_options.times) {
                setTime(candidate, m_options.times(m_kernel, m_phase, schedules.span()));
                candidates.push_back(std::move(candidate));
                continue;
            }
            auto phase = phaseOf(m_kernel, m_phase, schedules.span(), m_target);
            if (phase) {
                addBuffers(job, *phase, schedules.span());
                of.push_back(candidates.size());
                phases.push_back(std::move(*phase));
            } else {
                candidate.problem = phase.error().text();
            }
            candidates.push_back(std::move(candidate));
        }
        if (!phases.empty())
            GL_TRY(run(std::move(job), phases, of, candidates));
        if (!isMeasured.empty())
            m_secondsEach = (m_options.clock() - begin) / double(isMeasured.size());
        for (const std::size_t c : isMeasured) {
            const TunedCandidate &candidate = candidates[c];
            if (candidate.problem.empty() && candidate.samples > 0)
                m_best = std::min(m_best, candidate.seconds);
            else if (candidate.problem.empty())
                continue; // cut off
            ++m_count;
            m_options.measured(candidate);
        }
        return candidates;
    }

private:
    bool takeKnown(TunedCandidate &candidate)
    {
        const auto known = m_options.known.find(candidate.schedule);
        if (known == m_options.known.end())
            return false;
        candidate.seconds = known->second.seconds;
        candidate.least = known->second.least;
        candidate.samples = known->second.samples;
        if (candidate.samples > 0)
            m_best = std::min(m_best, candidate.seconds);
        else
            candidate.problem = "failed before";
        return true;
    }

    void addBuffers(TrialJob &job, const BlockKernel::Phase &phase, GroupSchedules schedules) const
    {
        const NestGroup &group = m_kernel.groups[m_phase];
        TrialCandidate candidate;
        candidate.phases = {{phase.symbol, phase.tasks}};
        for (std::uint32_t number = 0; const KernelBuffer &buffer : phase.buffers) {
            // Packed operands differ between candidates by their padding.
            const bool isPacked = buffer.kind == KernelBuffer::Kind::Packed;
            const TrialBuffer made = trialBufferOf(
                m_kernel, buffer, isPacked ? &schedules[group.memberOf(buffer.nest)] : nullptr);
            if (number == job.buffers.size())
                job.buffers.push_back(made);
            job.buffers[number].bytes = std::max(job.buffers[number].bytes, made.bytes);
            candidate.buffers.push_back(number++);
        }
        job.scratchBytes = std::max(job.scratchBytes, phase.scratchBytes);
        job.candidates.push_back(std::move(candidate));
    }

    Result<void> run(TrialJob job, const std::vector<BlockKernel::Phase> &phases,
                     const std::vector<std::size_t> &of, std::vector<TunedCandidate> &candidates)
    {
        std::vector<const BlockKernel::Phase *> unique;
        for (const BlockKernel::Phase &phase : phases)
            unique.push_back(&phase);
        if (secondsLeft() <= 0)
            return {};
        const auto libraries = librariesFor(unique, m_target, m_options, secondsLeft());
        if (!libraries) {
            if (libraries.error().kind == Error::Kind::Missing)
                return tl::unexpected(libraries.error());
            if (secondsLeft() <= 0)
                return {}; // stopped or out of time
            for (const std::size_t c : of)
                candidates[c].problem = libraries.error().text();
            return {};
        }
        job.libraries = *libraries;
        job.threads = m_options.threads;
        job.otherBytes = m_options.otherBytes;
        job.rounds = 40;
        job.seconds = m_options.sampleSeconds;
        job.limitSeconds = 5;
        job.totalSeconds = secondsLeft();
        if (job.totalSeconds <= 0)
            return {};
        job.hopeless = 1.5;
        job.bestSeconds = m_best == std::numeric_limits<double>::infinity() ? 0 : m_best;
        return runTrials(
            job, [&](const TrialResult &row) { take(row, candidates[of[row.candidate]]); },
            m_options.stop);
    }

    const BlockKernel &m_kernel;
    PhaseIndex m_phase;
    PhaseSpace m_space;
    ScheduleTarget m_target;
    const PhaseTunerOptions &m_options;
    const double m_end = m_options.clock() + m_options.seconds;
    double m_secondsEach = 0; // of the candidates that were measured last
    double m_best = std::numeric_limits<double>::infinity();
    int m_count = 0;
};

/// Adapts the space to engine/search. Expanding measures, so only one state is expanded at a time.
class PhaseProblem {
public:
    struct State {
        TunedCandidate candidate;
    };

    explicit PhaseProblem(PhaseTrials &trials, const PhaseTunerOptions &options)
        : m_trials(trials), m_options(options)
    {
    }

    /// Returns the minimum time, which the machine's noise disturbs least.
    double cost(const State &state) const
    {
        return state.candidate.problem.empty() && state.candidate.samples > 0
                   ? state.candidate.least
                   : std::numeric_limits<double>::infinity();
    }
    std::uint64_t hash(const State &state) const { return hashText(state.candidate.schedule); }

    std::vector<State> expand(const State &state)
    {
        std::vector<PhaseChoice> choices;
        for (PhaseChoice &choice :
             m_trials.space().neighbours(state.candidate.choice, registersWorthTrying))
            if (const std::string text = textOf(m_trials.space().schedules(choice).span());
                m_count < m_options.trials && m_seen.insert(hashText(text)).second) {
                m_count += m_options.known.contains(text) ? 0 : 1;
                choices.push_back(std::move(choice));
            }
        std::vector<State> states;
        if (!std::isfinite(cost(state)))
            return states;
        // Compiles as many at once as the time left suffices for.
        for (std::span<const PhaseChoice> rest = choices;
             !rest.empty() && m_trials.secondsLeft() > 0;) {
            const auto some = rest.first(std::min(rest.size(), m_trials.room()));
            auto measured = m_trials.measure({some.begin(), some.end()});
            if (!measured) {
                m_error = measured.error();
                return states;
            }
            for (TunedCandidate &candidate : *measured)
                if (candidate.problem.empty() && candidate.samples > 0)
                    states.push_back({std::move(candidate)});
            rest = rest.subspan(some.size());
        }
        return states;
    }

    const std::optional<Error> &error() const { return m_error; }
    /// Notes the choice that the search starts from. Several choices give the same schedules if
    /// axes are short.
    void note(const PhaseChoice &choice)
    {
        m_seen.insert(hashText(textOf(m_trials.space().schedules(choice).span())));
    }

private:
    /// Compilers sometimes do well with a few more accumulators than registers.
    static constexpr double registersWorthTrying = 1.1;

    PhaseTrials &m_trials;
    const PhaseTunerOptions &m_options;
    std::unordered_set<std::uint64_t> m_seen;
    std::optional<Error> m_error;
    int m_count = 0;
};

} // namespace

Result<PhaseTuning> tunePhase(const BlockKernel &kernel, PhaseIndex phase,
                              const ScheduleTarget &target, const PhaseTunerOptions &options)
{
    PhaseTrials trials(kernel, phase, target, options);
    PhaseTuning tuning;
    GL_TRY_RESULT(first, trials.measure({trials.space().start()}));
    tuning.start = tuning.best = first->front();
    tuning.trials = trials.count();
    if (trials.space().isTrivial() || tuning.start.samples == 0)
        return tuning;
    PhaseProblem problem(trials, options);
    problem.note(trials.space().start());
    const bool hasInitial = !options.initial.empty() && options.initial != tuning.start.schedule;
    if (const auto initial = hasInitial ? trials.space().find(options.initial) : std::nullopt) {
        problem.note(*initial);
        GL_TRY_RESULT(measured, trials.measure({*initial}));
        if (problem.cost({measured->front()}) < problem.cost({tuning.start}))
            tuning.best = measured->front();
    }
    SearchOptions search;
    search.seconds = std::max(trials.secondsLeft(), 1e-9); // 0 would mean no limit
    search.batch = 1;
    search.threads = 1;
    search.stop = options.stop;
    search.clock = [&options, start = options.clock()] { return options.clock() - start; };
    BestFirstSearch<PhaseProblem> searching(problem, search);
    tuning.best = searching.run({tuning.best}).candidate;
    tuning.search = searching.record();
    tuning.trials = trials.count();
    if (problem.error() && !options.stop.stop_requested())
        return tl::unexpected(*problem.error());
    return tuning;
}

} // namespace graphloom
