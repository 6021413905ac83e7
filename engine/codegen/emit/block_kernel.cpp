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

/// Returns the job of a nest; its new buffers are appended to those of its phase.
NestJob jobOf(const BlockKernel &kernel, NestIndex number, const Schedule &schedule,
              const ScratchOffsets &scratch, const KernelLanguage &language,
              IndexedVector<BufferIndex, KernelBuffer> &buffers)
{
    const Nest &nest = kernel.block.nests[number];
    NestJob job;
    job.nest = &nest;
    job.schedule = &schedule;
    job.tensors = &kernel.block.tensors;
    job.storages = &kernel.storages;
    job.buffers.resize(kernel.block.tensors.size());
    job.scratch = scratch;
    for (const BufferIndex buffer : buffers.indices()) // of earlier nests in the phase
        if (buffers[buffer].kind != KernelBuffer::Kind::Packed && !buffers[buffer].isImage)
            job.buffers[buffers[buffer].tensor] = buffer;
    const PackedOperands packed = packedOperandsOf(nest, *job.schedule);
    const auto isImage = [&](ReadIndex read) {
        return language.hasImages() && schedule.images().contains(read);
    };
    const auto kindOf = [&](BlockTensorIndex tensor) {
        return kernel.block.tensors[tensor].role == BlockTensor::Role::Constant
                   ? KernelBuffer::Kind::Constant
                   : KernelBuffer::Kind::Tensor;
    };
    const auto use = [&](BlockTensorIndex tensor) {
        if (!job.buffers[tensor].isValid() && scratch[tensor] < 0)
            job.buffers[tensor] = buffers.append({kindOf(tensor), tensor});
    };
    for (const ReadIndex read : nest.reads.indices()) {
        const BlockTensorIndex tensor = nest.reads[read].tensor;
        if (std::ranges::count(packed, read, &PackedOperand::read))
            continue;
        if (isImage(read))
            job.images[read] =
                buffers.append({.kind = kindOf(tensor), .tensor = tensor, .isImage = true});
        else
            use(tensor);
    }
    for (const NestStore &store : nest.stores)
        use(store.tensor);
    for (const PackedIndex p : packed.indices()) {
        const bool is = isImage(packed[p].read);
        job.packedBuffers.push_back(
            buffers.append({KernelBuffer::Kind::Packed, packed[p].tensor, number, p, is}));
        if (is)
            job.images[packed[p].read] = job.packedBuffers.back();
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

/// Tells whether a schedule has the group's shared loops outermost and no other parallel ones.
bool sharesLoops(const Schedule &schedule, const Nest &nest, const std::vector<SharedLoop> &shared)
{
    const auto slides = std::ranges::count(schedule.loops(), Loop::Kind::Sliding, &Loop::kind);
    if (slides != std::ranges::count(shared, true, &SharedLoop::slides))
        return false;
    if (shared.empty())
        return true;
    LoopIndex next(0);
    for (const SharedLoop &loop : shared) {
        if (loop.slides) {
            const auto has = std::ranges::find(schedule.loops(), loop.axis, &Loop::axis);
            if (has == schedule.loops().end() || has->kind != Loop::Kind::Sliding)
                return false;
            continue;
        }
        if (loop.tile >= nest.axes[loop.axis].extent)
            continue; // one tile covers the axis
        if (!schedule.loops().contains(next))
            return false;
        const Loop &has = schedule.loops()[next++];
        if (has.axis != loop.axis || has.step != loop.tile || has.kind != Loop::Kind::Parallel)
            return false;
    }
    return next ==
           LoopIndex(std::ranges::count(schedule.loops(), Loop::Kind::Parallel, &Loop::kind));
}

} // namespace

std::vector<SharedLoop> sharedLoopsOf(const NestGroup &group, MemberIndex member)
{
    std::vector<SharedLoop> loops;
    for (const NestGroup::Shared &shared : group.shared)
        loops.push_back({shared.axes[member], shared.tile, shared.slides()});
    return loops;
}

Result<BlockKernel::Phase> phaseOf(const BlockKernel &kernel, PhaseIndex number,
                                   GroupSchedules schedules, const ScheduleTarget &target,
                                   Steps *steps)
{
    const NestGroup &group = kernel.groups[number];
    const KernelLanguage &language = target.language ? *target.language : cLanguage();
    BlockKernel::Phase phase;
    ScratchOffsets scratch(kernel.block.tensors.size(), -1);
    for (const BlockTensorIndex tensor : group.local) {
        scratch[tensor] = phase.scratchBytes;
        const auto bytes = std::int64_t(bytesOf(kernel.block.tensors[tensor].type,
                                                std::uint64_t(kernel.storages[tensor].elements)));
        phase.scratchBytes += roundUp(bytes, 64);
    }
    std::vector<NestJob> jobs;
    std::optional<SlidingRows> rows;
    for (const MemberIndex member : group.members()) {
        NestJob &job = jobs.emplace_back(jobOf(kernel, group.nestOf(member), schedules[member],
                                               scratch, language, phase.buffers));
        for (const NestGroup::Shared &shared : group.shared)
            if (shared.slides()) {
                rows = {group.extentOf(shared, kernel.block), shared.tile, shared.strip};
                job.window = shared.windows[member];
            }
    }
    GL_TRY_RESULT(code, emitPhase(jobs, rows, std::string(placeholder),
                                  {target.lanes, target.byElement, steps, &language, target.group,
                                   target.halves}));
    phase.tasks = kernel.block.inPlace.contains(group.first) ? 0 : code->tasks;
    phase.items = code->items;
    phase.symbol = symbolOf(code->text);
    phase.code = std::move(code->text);
    phase.code.replace(phase.code.find(placeholder), placeholder.size(), phase.symbol);
    return phase;
}

GroupSchedules schedulesOf(const BlockKernel &kernel, PhaseIndex phase)
{
    const NestGroup &group = kernel.groups[phase];
    return GroupSchedules({&kernel.schedules[group.first], std::size_t(group.count)});
}

Result<BlockKernel> kernelOf(BlockNests block, BlockStorages storages,
                             const NestSchedules &schedules, const ScheduleTarget &target,
                             BlockAlgorithm algorithm, Steps *steps)
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
    for (const PhaseIndex number : kernel.groups.indices()) {
        const NestGroup &group = kernel.groups[number];
        for (const BlockTensorIndex tensor : group.local) {
            Storage &storage = kernel.storages[tensor];
            storage = localStorage(kernel.block, group, tensor, storage);
        }
        for (const NestIndex n : group.nests()) {
            if (steps && steps->stopped())
                return stoppedError();
            Nest &nest = kernel.block.nests[n];
            const std::vector<SharedLoop> shared = sharedLoopsOf(group, group.memberOf(n));
            if (std::ranges::all_of(group.shared, &NestGroup::Shared::isLane)) {
                std::vector<AxisIndex> kept;
                for (const SharedLoop &loop : shared)
                    kept.push_back(loop.axis);
                nest = withJoinedAxes(nest, kernel.block.tensors, kernel.storages, kept);
            }
            if (schedules.contains(n) && !schedules[n].empty()) {
                Schedule schedule(nest);
                GL_TRY(schedule.apply(schedules[n]));
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
        GL_TRY_RESULT(phase, phaseOf(kernel, number, schedulesOf(kernel, number), target, steps));
        kernel.phases.push_back(std::move(*phase));
    }
    return kernel;
}

namespace {

const std::vector<std::string> commonFlags{"-std=gnu11",
                                           "-O2",
                                           "-fPIC",
                                           "-fno-math-errno",
                                           "-fno-trapping-math",
                                           "-ffp-contract=fast",
                                           "-fwrapv",
                                           "-fno-strict-aliasing",
                                           "-w"};

} // namespace

std::vector<std::string> kernelFlags(const InstructionSet &set)
{
    std::vector<std::string> flags = commonFlags;
    flags.insert(flags.end(), set.flags.begin(), set.flags.end());
    return flags;
}

std::vector<std::string> kernelFlags(int lanes)
{
    const InstructionSet *set = findInstructionSet(lanes);
    return set ? kernelFlags(*set) : commonFlags;
}

KernelSource translationUnit(const std::vector<const BlockKernel::Phase *> &phases, int lanes)
{
    KernelSource source;
    source.common = "#define GL_LANES " + std::to_string(lanes) + "\n";
    source.common += cPrelude();
    source.text = source.common;
    std::set<std::string> written;
    for (const BlockKernel::Phase *phase : phases)
        if (written.insert(phase->symbol).second) {
            source.text += "\n" + phase->code;
            source.symbols.push_back(phase->symbol);
        }
    return source;
}

} // namespace graphloom
