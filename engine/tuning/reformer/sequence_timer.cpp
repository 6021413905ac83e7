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

Result<SequenceTimer::Time> SequenceTimer::time(const KernelSequence &kernels,
                                                const KernelPlace &place, bool again)
{
    const ProfileKey key = keyOf(kernels, m_options);
    Time time;
    BlockSeconds &least = time.least;
    least.provenance = m_target.provenance;
    if (const auto found = m_options.database->lookup(key); found && !found->empty()) {
        least.seconds = found->front().minNs * 1e-9;
        least.runs = found->front().count;
    }
    time.known = least.seconds > 0 && !again;
    if (time.known || m_options.seconds <= 0 || m_budget.isOver())
        return time;
    PhaseTunerOptions options;
    options.compiler = m_options.compiler;
    options.cache = m_options.cache;
    options.threads = m_options.threads;
    options.compilers = m_options.compilers;
    options.seconds = m_budget.secondsLeft();
    options.stop = m_options.stop;
    options.clock = m_options.clock;
    options.otherBytes = std::max<std::int64_t>(m_bytesOfOneRun - bytesOf(kernels), 0);
    options.measured = [&](const TunedCandidate &candidate) {
        if (m_options.stop.stop_requested())
            return;
        m_budget.count();
        keepMeasured(m_options, key, candidate);
        m_options.measured(place, candidate);
        if (!candidate.problem.empty() || candidate.samples <= 0)
            return;
        least.seconds =
            least.seconds > 0 ? std::min(least.seconds, candidate.least) : candidate.least;
        least.runs += candidate.samples;
    };
    auto measured = measureSequences({kernels}, m_target.schedules, options, 0);
    if (!measured && !m_options.stop.stop_requested())
        return tl::unexpected(measured.error());
    return time;
}

} // namespace graphloom
