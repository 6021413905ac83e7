// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/block_trial.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace graphloom {

namespace {

/// Builds a job with sequences of kernels as its candidates.
class SequenceJob {
public:
    void add(const KernelSequence &kernels)
    {
        TrialCandidate candidate;
        for (const BlockKernel *kernel : kernels) {
            for (const BlockKernel::Phase &phase : kernel->phases) {
                TrialPhase run{phase.symbol, phase.tasks, {}};
                for (const KernelBuffer &buffer : phase.buffers)
                    run.buffers.push_back(numberOf(m_kernels, *kernel, buffer));
                m_job.scratchBytes = std::max(m_job.scratchBytes, phase.scratchBytes);
                candidate.phases.push_back(std::move(run));
            }
            ++m_kernels;
        }
        m_job.candidates.push_back(std::move(candidate));
    }
    TrialJob take(std::vector<std::filesystem::path> libraries, const PhaseTunerOptions &options)
    {
        m_job.libraries = std::move(libraries);
        m_job.threads = options.threads;
        m_job.otherBytes = options.otherBytes;
        m_job.limitSeconds = 10;
        return std::move(m_job);
    }

private:
    /// Returns the number of the job's buffer for one of the k-th kernel's: the same for a tensor
    /// of the graph in all kernels, which one writes for another.
    std::uint32_t numberOf(std::size_t k, const BlockKernel &kernel, const KernelBuffer &buffer)
    {
        const bool isPacked = buffer.kind == KernelBuffer::Kind::Packed;
        const TrialBuffer made =
            trialBufferOf(kernel, buffer, isPacked ? &kernel.schedules[buffer.nest] : nullptr);
        const TensorId id = kernel.block.tensors[buffer.tensor].id;
        const std::uint32_t number =
            buffer.kind == KernelBuffer::Kind::Tensor && id.valid()
                ? m_shared.try_emplace(id, count()).first->second
                : m_own
                      .try_emplace({k, buffer.kind, buffer.tensor, buffer.nest, buffer.packed},
                                   count())
                      .first->second;
        if (number == count())
            m_job.buffers.push_back(made);
        m_job.buffers[number].bytes = std::max(m_job.buffers[number].bytes, made.bytes);
        return number;
    }
    std::uint32_t count() const { return std::uint32_t(m_job.buffers.size()); }

    TrialJob m_job;
    std::size_t m_kernels = 0; // so far
    std::map<TensorId, std::uint32_t> m_shared;
    std::map<std::tuple<std::size_t, KernelBuffer::Kind, BlockTensorIndex, NestIndex, PackedIndex>,
             std::uint32_t>
        m_own;
};

std::vector<const BlockKernel::Phase *> phasesOf(const std::vector<KernelSequence> &sequences)
{
    std::vector<const BlockKernel::Phase *> phases;
    for (const KernelSequence &sequence : sequences)
        for (const BlockKernel *kernel : sequence)
            for (const BlockKernel::Phase &phase : kernel->phases)
                phases.push_back(&phase);
    return phases;
}

/// Returns a candidate for each sequence, not measured yet.
std::vector<TunedCandidate> candidatesOf(const std::vector<KernelSequence> &sequences)
{
    std::vector<TunedCandidate> candidates;
    for (const KernelSequence &sequence : sequences) {
        std::string &text = candidates.emplace_back().schedule;
        for (const BlockKernel *kernel : sequence)
            text += (kernel == sequence.front() ? "" : " + ") + kernel->algorithm.text();
    }
    return candidates;
}

/// Returns the sum of the times of all phases.
PhaseTime timeOf(const KernelSequence &sequence, const PhaseTimes &times)
{
    PhaseTime sum;
    bool isFirst = true;
    for (const BlockKernel *kernel : sequence)
        for (const PhaseIndex phase : kernel->phases.indices()) {
            const PhaseTime time = times(*kernel, phase, schedulesOf(*kernel, phase));
            if (!time.problem.empty())
                return time;
            sum.seconds += time.seconds;
            sum.least += time.least;
            sum.samples = isFirst ? time.samples : std::min(sum.samples, time.samples);
            isFirst = false;
        }
    return sum;
}

} // namespace

TrialBuffer trialBufferOf(const BlockKernel &kernel, const KernelBuffer &buffer,
                          const Schedule *schedule)
{
    const BlockTensor &tensor = kernel.block.tensors[buffer.tensor];
    TrialBuffer made;
    // Integers are positions in other tensors; 0 is valid in all of them.
    made.fill =
        tensor.type == DataType::Float ? TrialBuffer::Fill::Floats : TrialBuffer::Fill::Zeros;
    std::int64_t elements = tensor.elements();
    if (buffer.kind == KernelBuffer::Kind::Packed) {
        const Nest &nest = kernel.block.nests[buffer.nest];
        elements = packedOperandsOf(nest, *schedule)[buffer.packed].elements();
    } else if (buffer.kind == KernelBuffer::Kind::Tensor) {
        elements = kernel.storages[buffer.tensor].elements;
    }
    made.bytes = std::int64_t(bytesOf(tensor.type, std::uint64_t(elements)));
    made.isRecent = buffer.kind == KernelBuffer::Kind::Tensor;
    return made;
}

void take(const TrialResult &row, TunedCandidate &candidate)
{
    candidate.problem = row.problem;
    candidate.seconds = row.median;
    candidate.least = row.least;
    candidate.samples = row.samples;
}

void setTime(TunedCandidate &candidate, const PhaseTime &time)
{
    candidate.seconds = time.seconds;
    candidate.least = time.least;
    candidate.samples = time.problem.empty() ? time.samples : 0;
    candidate.problem = time.problem;
}

std::int64_t bytesOfOneRun(const PlanKernels &kernels)
{
    struct Life {
        BlockIndex first, last;
        double bytes = 0;
    };
    std::map<TensorId, Life> lives;
    std::map<const TensorData *, double> constants; // of other sizes where Winograd transforms them
    double scratch = 0;
    for (const BlockIndex b : kernels.kernels.indices()) {
        if (!kernels.kernels[b])
            continue;
        double own = 0;
        for (const BlockTensor &tensor : kernels.kernels[b]->block.tensors) {
            const double bytes = double(bytesOf(tensor.type, std::uint64_t(tensor.elements())));
            if (tensor.role == BlockTensor::Role::Scratch) {
                own += bytes;
            } else if (tensor.role == BlockTensor::Role::Constant) {
                double &most = constants[tensor.constant.get()];
                most = std::max(most, bytes);
            } else {
                const auto [life, isNew] = lives.try_emplace(tensor.id, Life{b, b, bytes});
                life->second.last = b;
            }
        }
        scratch = std::max(scratch, own);
    }
    IndexedVector<BlockIndex, double> change(kernels.kernels.size() + 1, 0.0);
    for (const auto &[id, life] : lives) {
        change[life.first] += life.bytes;
        change[life.last + 1] -= life.bytes;
    }
    double live = 0, most = 0;
    for (const double bytes : change) {
        live += bytes;
        most = std::max(most, live);
    }
    for (const auto &[data, bytes] : constants)
        most += bytes;
    return std::int64_t(std::min(most + scratch, 1e12));
}

Result<std::vector<std::filesystem::path>>
librariesFor(const std::vector<const BlockKernel::Phase *> &phases, const ScheduleTarget &target,
             const PhaseTunerOptions &options, double seconds)
{
    constexpr double longest = 60;
    std::vector<std::filesystem::path> files;
    if (options.built)
        for (const KernelLibrary &library : options.built->libraries)
            if (std::ranges::all_of(phases, [&](const BlockKernel::Phase *phase) {
                    return library.kernel(phase->symbol).has_value();
                }))
                return std::vector{library.file()};
    for (auto &file : options.cache->libraries(
             *options.compiler, translationUnits(phases, target.lanes, options.compilers),
             kernelFlags(target.lanes), options.compilers, options.stop,
             std::min(longest, seconds))) {
        if (!file)
            return tl::unexpected(file.error());
        files.push_back(*std::move(file));
    }
    return files;
}

Result<std::vector<TunedCandidate>> measureSequences(const std::vector<KernelSequence> &sequences,
                                                     const ScheduleTarget &target,
                                                     const PhaseTunerOptions &options,
                                                     double bestSeconds)
{
    const auto left = [&options, end = options.clock() + options.seconds] {
        return options.stop.stop_requested() ? 0 : end - options.clock();
    };
    std::vector<TunedCandidate> candidates = candidatesOf(sequences);
    if (left() <= 0)
        return candidates;
    if (options.times) {
        for (std::size_t s = 0; s < sequences.size() && left() > 0; ++s) {
            setTime(candidates[s], timeOf(sequences[s], options.times));
            options.measured(candidates[s]);
        }
        return candidates;
    }
    const auto libraries = librariesFor(phasesOf(sequences), target, options, left());
    if (!libraries && libraries.error().kind == Error::Kind::Missing)
        return tl::unexpected(libraries.error());
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        TunedCandidate &candidate = candidates[s];
        if (left() <= 0)
            break;
        if (libraries) {
            // Each sequence is a job, as their buffers together may be large.
            SequenceJob only;
            only.add(sequences[s]);
            TrialJob job = only.take(*libraries, options);
            job.rounds = 24;
            job.seconds = 0.2;
            job.totalSeconds = left();
            job.hopeless = 1.5;
            job.bestSeconds = bestSeconds;
            auto ran = runTrials(
                job, [&](const TrialResult &row) { take(row, candidate); }, options.stop);
            if (!ran)
                return tl::unexpected(ran.error());
        } else {
            candidate.problem = libraries.error().text();
        }
        if (!candidate.problem.empty() || candidate.samples > 0)
            options.measured(candidate);
    }
    return candidates;
}

Result<std::vector<TunedCandidate>> measureInTurns(const std::vector<KernelSequence> &sequences,
                                                   const ScheduleTarget &target,
                                                   const PhaseTunerOptions &options)
{
    constexpr int turns = 4;
    std::vector<TunedCandidate> candidates = candidatesOf(sequences);
    const double end = options.clock() + options.seconds;
    if (options.seconds <= 0 || options.stop.stop_requested())
        return candidates;
    if (options.times) {
        for (std::size_t s = 0; s < sequences.size(); ++s)
            setTime(candidates[s], timeOf(sequences[s], options.times));
        return candidates;
    }
    const auto libraries =
        librariesFor(phasesOf(sequences), target, options, end - options.clock());
    if (!libraries && libraries.error().kind == Error::Kind::Missing)
        return tl::unexpected(libraries.error());
    std::vector<std::vector<double>> medians(sequences.size());
    if (libraries) {
        SequenceJob all;
        for (const KernelSequence &sequence : sequences)
            all.add(sequence);
        TrialJob job = all.take(*libraries, options);
        const std::vector<TrialCandidate> once = job.candidates;
        for (int turn = 1; turn < turns; ++turn)
            job.candidates.insert(job.candidates.end(), once.begin(), once.end());
        job.rounds = 12;
        job.seconds = 0.08;
        job.totalSeconds = end - options.clock();
        const auto row = [&](const TrialResult &result) {
            TunedCandidate &candidate = candidates[result.candidate % sequences.size()];
            if (!result.problem.empty() || result.samples <= 0) {
                candidate.problem = result.problem;
                return;
            }
            candidate.least =
                candidate.samples > 0 ? std::min(candidate.least, result.least) : result.least;
            candidate.samples += result.samples;
            medians[result.candidate % sequences.size()].push_back(result.median);
        };
        if (job.totalSeconds > 0)
            GL_TRY(runTrials(job, row, options.stop));
    }
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        TunedCandidate &candidate = candidates[s];
        if (!libraries)
            candidate.problem = libraries.error().text();
        if (!candidate.problem.empty())
            candidate.samples = 0;
        std::ranges::sort(medians[s]);
        if (!medians[s].empty())
            candidate.seconds = medians[s][medians[s].size() / 2];
    }
    return candidates;
}

Result<std::vector<TunedCandidate>> measureBlocks(const std::vector<const BlockKernel *> &kernels,
                                                  const ScheduleTarget &target,
                                                  const PhaseTunerOptions &options,
                                                  double bestSeconds)
{
    std::vector<KernelSequence> sequences;
    for (const BlockKernel *kernel : kernels)
        sequences.push_back({kernel});
    return measureSequences(sequences, target, options, bestSeconds);
}

} // namespace graphloom
