// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/sequence_timer.h"

#include "engine/tuning/reformer/tuning_state.h"
#include "engine/tuning/tuned_profile.h"

#include <algorithm>

namespace graphloom {

namespace {

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

ProfileKey keyOf(const KernelSequence &kernels, const PlanTunerOptions &options)
{
    std::vector<const BlockTensor *> tensors;
    for (const BlockKernel *kernel : kernels)
        for (const BlockTensor &tensor : kernel->block.tensors)
            if (tensor.role == BlockTensor::Role::Input || tensor.role == BlockTensor::Role::Output)
                tensors.push_back(&tensor);
    return tunedKey(structureOf(kernels), tensors, options, "");
}

} // namespace

SequenceTimer::SequenceTimer(const TuningTarget &target, const PlanTunerOptions &options,
                             TuningBudget &budget)
    : m_target(target), m_options(options), m_budget(budget)
{
}

Result<void> SequenceTimer::readDatabase()
{
    return m_options.database->forEach([&](const ProfileKey &key, const auto &) {
        if (key.structure.starts_with(runPrefix))
            m_known.insert(key.structure);
    });
}

bool SequenceTimer::mayKnow(const KernelSequence &kernels) const
{
    const std::string begin = structureOf(kernels);
    const auto known = m_known.lower_bound(begin);
    return known != m_known.end() && known->starts_with(begin);
}

Result<SequenceTimer::Time> SequenceTimer::known(const KernelSequence &kernels) const
{
    Time time;
    time.least.provenance = m_target.provenance;
    const auto found = m_options.database->lookup(keyOf(kernels, m_options));
    if (!found || found->empty())
        return time; // is timed
    time.least.seconds = found->front().minNs * 1e-9;
    time.least.runs = found->front().count;
    time.known = time.least.seconds > 0;
    return time;
}

Result<std::pair<SequenceTimer::Time, SequenceTimer::Time>>
SequenceTimer::compare(const KernelSequence &first, const KernelSequence &second,
                       const KernelPlace &place)
{
    GL_TRY_RESULT(one, known(first));
    GL_TRY_RESULT(other, known(second));
    std::pair<Time, Time> times(*std::move(one), *std::move(other));
    const bool areFew = m_budget.hasTrialLimit() && m_budget.trialsLeft() < 2;
    if ((times.first.known && times.second.known) || m_options.seconds <= 0 || m_budget.isOver() ||
        areFew)
        return times;
    PhaseTunerOptions options = trialOptions(m_options, m_budget.secondsLeft());
    options.otherBytes =
        std::max<std::int64_t>(m_bytesOfOneRun - std::max(bytesOf(first), bytesOf(second)), 0);
    const std::vector<KernelSequence> both{first, second};
    const auto measured = measureInTurns(both, m_target.schedules, options);
    if (!measured && m_options.stop.stop_requested())
        return std::pair<Time, Time>();
    if (!measured)
        return tl::unexpected(measured.error());
    for (std::size_t s = 0; s < both.size(); ++s) {
        const TunedCandidate &candidate = (*measured)[s];
        Time &time = s == 0 ? times.first : times.second;
        time = {};
        time.least.provenance = m_target.provenance;
        if (m_options.stop.stop_requested() ||
            (candidate.problem.empty() && candidate.samples <= 0))
            continue; // cut off
        m_budget.count();
        keepMeasured(m_options, keyOf(both[s], m_options), candidate);
        m_options.measured(place, candidate);
        if (!candidate.problem.empty())
            continue;
        time.least.seconds = candidate.least;
        time.least.runs = candidate.samples;
    }
    return times;
}

} // namespace graphloom
