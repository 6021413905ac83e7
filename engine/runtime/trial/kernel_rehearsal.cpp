// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial/kernel_rehearsal.h"

#include "engine/codegen/build/sealed_file.h"
#include "engine/runtime/trial/trial.h"
#include "engine/system/atomic_file.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace graphloom {

namespace {

/// What is known of kernels that were tried, by symbol: the problem, or "" if there was none.
using Outcomes = std::map<std::string, std::string>;

/// Limits the bytes of all buffers in one child process.
constexpr std::int64_t mostBytes = std::int64_t{256} << 20;

std::int64_t bytesOf(const BlockKernel &kernel, const KernelBuffer &buffer)
{
    const BlockTensor &tensor = kernel.block.tensors[buffer.tensor];
    switch (buffer.kind) {
    case KernelBuffer::Kind::Constant:
        return std::int64_t(bytesOf(tensor.type, std::uint64_t(tensor.elements())));
    case KernelBuffer::Kind::Packed: {
        const PackedOperands operands =
            packedOperandsOf(kernel.block.nests[buffer.nest], kernel.schedules[buffer.nest]);
        return bytesOf(operands[buffer.packed], kernel.block.tensors);
    }
    case KernelBuffer::Kind::Tensor:
        break;
    }
    return kernel.storages[buffer.tensor].elements * std::max(bitsOf(tensor.type) / 8, 1);
}

/// Returns what earlier rehearsals of a library found; nothing if there were none, or their record
/// is damaged or of another library.
Outcomes readOutcomes(const std::filesystem::path &file, const std::string &library)
{
    Outcomes outcomes;
    const auto sealed = readSealed(file);
    if (!sealed)
        return outcomes;
    std::istringstream stream(sealed->content);
    std::string line;
    if (!std::getline(stream, line) || line != library)
        return outcomes;
    while (std::getline(stream, line)) {
        const auto space = std::min(line.find(' '), line.size());
        outcomes.emplace(line.substr(0, space), line.substr(std::min(space + 1, line.size())));
    }
    return outcomes;
}

/// Records what is known of a library. If that fails, it is rehearsed again the next time.
void keepOutcomes(const std::filesystem::path &file, const std::string &library,
                  const Outcomes &outcomes)
{
    std::string text = library + '\n';
    for (const auto &[symbol, problem] : outcomes)
        text += symbol + (problem.empty() ? "" : ' ' + problem) + '\n';
    (void)fillFileAtomically(file, [&](const std::filesystem::path &temporary) -> Result<void> {
        if (!(std::ofstream(temporary, std::ios::binary) << text << std::flush))
            return fail(Error::Kind::Missing, "cannot be written", temporary.string());
        return sealFile(temporary, text, file.stem().native());
    });
}

/// Collects the phases of a library in a few jobs. Buffers hold zeros, valid indices everywhere.
class Jobs {
public:
    Jobs(std::filesystem::path library, double limitSeconds)
        : m_library(std::move(library)), m_limit(limitSeconds)
    {
    }
    void add(const BlockKernel &kernel, const BlockKernel::Phase &phase)
    {
        if (!m_symbols.insert(phase.symbol).second)
            return;
        std::vector<std::int64_t> sizes;
        std::int64_t sum = 0;
        for (const KernelBuffer &buffer : phase.buffers)
            sum += sizes.emplace_back(bytesOf(kernel, buffer));
        if (jobs.empty() || m_bytes + sum > mostBytes) {
            jobs.emplace_back();
            jobs.back().libraries = {m_library};
            jobs.back().rounds = 1;
            jobs.back().seconds = 0;
            jobs.back().limitSeconds = m_limit;
            m_bytes = 0;
        }
        m_bytes += sum;
        TrialJob &job = jobs.back();
        job.scratchBytes = std::max(job.scratchBytes, phase.scratchBytes);
        TrialCandidate &candidate = job.candidates.emplace_back();
        candidate.phases.push_back({phase.symbol, phase.tasks});
        for (const std::int64_t size : sizes) {
            candidate.buffers.push_back(std::uint32_t(job.buffers.size()));
            job.buffers.emplace_back().bytes = size;
        }
    }

    std::vector<TrialJob> jobs;

private:
    std::filesystem::path m_library;
    double m_limit;
    std::set<std::string> m_symbols;
    std::int64_t m_bytes = 0;
};

/// Runs the jobs and adds what comes of them.
Result<void> rehearse(const std::vector<TrialJob> &jobs, Outcomes &outcomes, std::stop_token stop)
{
    for (const TrialJob &job : jobs) {
        const auto note = [&](const TrialResult &result) {
            outcomes.emplace(job.candidates[result.candidate].phases.front().symbol,
                             result.problem);
        };
        GL_TRY(runTrials(job, note, stop));
        if (stop.stop_requested())
            return fail(Error::Kind::Stopped, "cancelled while kernels were tried");
    }
    return {};
}

} // namespace

Result<RefusedBlocks> rehearseKernels(const BlockKernels &kernels, const CompiledKernels &compiled,
                                      const RehearsalOptions &options)
{
    RefusedBlocks failed;
    for (std::size_t l = 0; l < compiled.libraries.size(); ++l) {
        const KernelLibrary &library = compiled.libraries[l];
        const auto eachPhase = [&](const auto &visit) {
            for (const BlockIndex block : kernels.indices())
                if (kernels[block])
                    for (const BlockKernel::Phase &phase : kernels[block]->phases)
                        if (phase.tasks > 0 && library.kernel(phase.symbol))
                            visit(block, phase);
        };
        const auto file = std::filesystem::path(library.file()).replace_extension(".ran");
        Outcomes outcomes = readOutcomes(file, library.checksum());
        Jobs jobs(library.file(), options.limitSeconds);
        eachPhase([&](BlockIndex block, const BlockKernel::Phase &phase) {
            if (!outcomes.contains(phase.symbol))
                jobs.add(*kernels[block], phase);
        });
        if (!jobs.jobs.empty()) {
            GL_TRY(rehearse(jobs.jobs, outcomes, options.stop));
            keepOutcomes(file, library.checksum(), outcomes);
        }
        eachPhase([&](BlockIndex block, const BlockKernel::Phase &phase) {
            if (const std::string &problem = outcomes[phase.symbol]; !problem.empty())
                failed.emplace(block,
                               "its kernel " + phase.symbol + " " + problem + " when it was tried");
        });
    }
    return failed;
}

} // namespace graphloom
