// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/block_kernel.h"

#include "engine/base/hash.h"
#include "engine/base/integer_division.h"
#include "engine/codegen/emit/prelude.h"
#include "engine/codegen/nests/joined_axes.h"
#include "engine/codegen/schedule/default_schedule.h"
#include "engine/codegen/schedule/group_tiles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace graphloom {

namespace {

/// Gives the buffers of a nest their numbers.
NestJob jobOf(const BlockKernel &kernel, std::size_t number, const Schedule &schedule,
              const std::vector<std::int64_t> &scratch, std::vector<KernelBuffer> &buffers)
{
    const Nest &nest = kernel.block.nests[number];
    NestJob job;
    job.nest = &nest;
    job.schedule = &schedule;
    job.tensors = &kernel.block.tensors;
    job.storages = kernel.storages;
    job.buffers.assign(kernel.block.tensors.size(), -1);
    job.scratch = scratch;
    for (std::size_t b = 0; b < buffers.size(); ++b) // of nests before in the same phase
        if (buffers[b].kind != KernelBuffer::Kind::Packed)
            job.buffers[std::size_t(buffers[b].tensor)] = int(b);
    const auto packed = packedOperandsOf(nest, *job.schedule);
    const auto use = [&](int tensor) {
        if (job.buffers[std::size_t(tensor)] >= 0 || scratch[std::size_t(tensor)] >= 0)
            return;
        job.buffers[std::size_t(tensor)] = int(buffers.size());
        const bool constant =
            kernel.block.tensors[std::size_t(tensor)].role == BlockTensor::Role::Constant;
        buffers.push_back(
            {constant ? KernelBuffer::Kind::Constant : KernelBuffer::Kind::Tensor, tensor, 0, 0});
    };
    for (std::size_t r = 0; r < nest.reads.size(); ++r)
        if (!std::ranges::count(packed, int(r), &PackedOperand::read))
            use(nest.reads[r].tensor);
    for (const NestStore &store : nest.stores)
        use(store.tensor);
    for (std::size_t p = 0; p < packed.size(); ++p) {
        job.packedBuffers.push_back(int(buffers.size()));
        buffers.push_back({KernelBuffer::Kind::Packed, packed[p].tensor, int(number), int(p)});
    }
    return job;
}

std::string symbolOf(const std::string &code)
{
    std::array<char, 16> digits{};
    const std::uint64_t hash = hashText(code);
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    return "kernel_" + std::string(digits.data(), end.ptr);
}

constexpr std::string_view placeholder = "KERNEL";

/// Loops of a group are the outermost of each of its nests, and the only parallel ones.
bool sharesLoops(const Schedule &schedule, const Nest &nest, const std::vector<SharedLoop> &shared)
{
    if (shared.empty())
        return true;
    std::size_t next = 0;
    for (const SharedLoop &loop : shared) {
        if (loop.tile >= nest.axes[std::size_t(loop.axis)].extent)
            continue; // all of the axis is one tile
        if (next == schedule.loops().size())
            return false;
        const Loop &has = schedule.loops()[next++];
        if (has.axis != loop.axis || has.step != loop.tile || has.kind != Loop::Kind::Parallel)
            return false;
    }
    return next ==
           std::size_t(std::ranges::count(schedule.loops(), Loop::Kind::Parallel, &Loop::kind));
}

} // namespace

std::vector<SharedLoop> sharedLoopsOf(const NestGroup &group, int nest)
{
    std::vector<SharedLoop> loops;
    for (const NestGroup::Shared &shared : group.shared)
        loops.push_back({shared.axes[std::size_t(nest - group.first)], shared.tile});
    return loops;
}

Result<BlockKernel::Phase> phaseOf(const BlockKernel &kernel, std::size_t number,
                                   std::span<const Schedule> schedules,
                                   const ScheduleTarget &target, Steps *steps)
{
    const NestGroup &group = kernel.groups[number];
    BlockKernel::Phase phase;
    std::vector<std::int64_t> scratch(kernel.block.tensors.size(), -1);
    for (const int tensor : group.local) {
        scratch[std::size_t(tensor)] = phase.scratchBytes;
        const auto bytes =
            std::int64_t(bytesOf(kernel.block.tensors[std::size_t(tensor)].type,
                                 std::uint64_t(kernel.storages[std::size_t(tensor)].elements)));
        phase.scratchBytes += roundUp(bytes, 64);
    }
    std::vector<NestJob> jobs;
    for (int n = 0; n < group.count; ++n)
        jobs.push_back(jobOf(kernel, std::size_t(group.first + n), schedules[std::size_t(n)],
                             scratch, phase.buffers));
    GL_TRY_RESULT(code, emitC(jobs, std::string(placeholder), {target.lanes, steps}));
    phase.tasks = code->tasks;
    phase.symbol = symbolOf(code->text);
    phase.code = std::move(code->text);
    phase.code.replace(phase.code.find(placeholder), placeholder.size(), phase.symbol);
    return phase;
}

std::span<const Schedule> schedulesOf(const BlockKernel &kernel, std::size_t phase)
{
    const NestGroup &group = kernel.groups[phase];
    return std::span(kernel.schedules).subspan(std::size_t(group.first), std::size_t(group.count));
}

Result<BlockKernel> kernelOf(BlockNests block, std::vector<Storage> storages,
                             const std::vector<std::string> &schedules,
                             const ScheduleTarget &target, BlockAlgorithm algorithm, Steps *steps)
{
    BlockKernel kernel{std::move(block), std::move(storages), {}, {}, std::move(algorithm), {}};
    if (kernel.algorithm.groups.empty()) {
        kernel.groups = groupsOf(kernel.block, kernel.storages, target);
    } else {
        GL_TRY_RESULT(groups,
                      groupsOf(kernel.block, kernel.storages, target, kernel.algorithm.groups));
        kernel.groups = std::move(*groups);
    }
    if (kernel.block.nests.size() > 1)
        kernel.algorithm.groups = choicesOf(kernel.block, kernel.groups);
    for (std::size_t g = 0; g < kernel.groups.size(); ++g) {
        const NestGroup &group = kernel.groups[g];
        for (const int tensor : group.local) {
            Storage &storage = kernel.storages[std::size_t(tensor)];
            storage = localStorage(kernel.block, group, tensor, storage);
        }
        for (int n = group.first; n < group.first + group.count; ++n) {
            if (steps && steps->stopped())
                return stoppedError();
            Nest &nest = kernel.block.nests[std::size_t(n)];
            const std::vector<SharedLoop> shared = sharedLoopsOf(group, n);
            if (shared.empty())
                nest = withJoinedAxes(nest, kernel.block.tensors, kernel.storages);
            if (std::size_t(n) < schedules.size() && !schedules[std::size_t(n)].empty()) {
                Schedule schedule(nest);
                GL_TRY(schedule.apply(schedules[std::size_t(n)]));
                if (!sharesLoops(schedule, nest, shared))
                    return fail(Error::Kind::Usage, "the schedule \"" + schedule.text() + "\" of " +
                                                        nest.name +
                                                        " does not have the loops outermost and "
                                                        "parallel that its group shares");
                kernel.schedules.push_back(std::move(schedule));
            } else {
                kernel.schedules.push_back(
                    defaultSchedule(nest, kernel.block.tensors, kernel.storages, target, shared));
            }
        }
        GL_TRY_RESULT(phase, phaseOf(kernel, g,
                                     std::span(kernel.schedules).subspan(std::size_t(group.first)),
                                     target, steps));
        kernel.phases.push_back(std::move(*phase));
    }
    return kernel;
}

std::vector<std::string> kernelFlags(int lanes)
{
    std::vector<std::string> flags{"-std=gnu11",
                                   "-O2",
                                   "-fPIC",
                                   "-shared",
                                   "-fno-math-errno",
                                   "-fno-trapping-math",
                                   "-ffp-contract=fast",
                                   "-fwrapv",
                                   "-fno-strict-aliasing",
                                   "-w",
                                   "-lm"};
    if (const InstructionSet *set = findInstructionSet(lanes))
        flags.insert(flags.end(), set->flags.begin(), set->flags.end());
    return flags;
}

KernelSource translationUnit(const std::vector<const BlockKernel::Phase *> &phases, int lanes)
{
    KernelSource source{"#define GL_LANES " + std::to_string(lanes) + "\n"};
    source.text += cPrelude();
    std::set<std::string> written;
    for (const BlockKernel::Phase *phase : phases)
        if (written.insert(phase->symbol).second) {
            source.text += "\n" + phase->code;
            source.symbols.push_back(phase->symbol);
        }
    return source;
}

} // namespace graphloom
