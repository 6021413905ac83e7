// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/block_kernel.h"

#include "engine/base/hash.h"
#include "engine/codegen/prelude.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace graphloom {

namespace {

/// Gives the buffers of a nest their numbers.
NestJob jobOf(const BlockKernel &kernel, std::size_t number, std::vector<KernelBuffer> &buffers)
{
    const Nest &nest = kernel.block.nests[number];
    NestJob job;
    job.nest = &nest;
    job.schedule = &kernel.schedules[number];
    job.tensors = &kernel.block.tensors;
    job.storages = kernel.storages;
    job.buffers.assign(kernel.block.tensors.size(), -1);
    const auto packed = packedOperandsOf(nest, *job.schedule);
    const auto use = [&](int tensor) {
        if (job.buffers[std::size_t(tensor)] >= 0)
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

} // namespace

Result<BlockKernel> kernelOf(BlockNests block, std::vector<Storage> storages,
                             const std::vector<std::string> &schedules,
                             const ScheduleTarget &target)
{
    BlockKernel kernel{std::move(block), std::move(storages), {}, {}};
    for (std::size_t n = 0; n < kernel.block.nests.size(); ++n) {
        Nest &nest = kernel.block.nests[n];
        nest = withJoinedAxes(nest, kernel.block.tensors, kernel.storages);
        if (n < schedules.size() && !schedules[n].empty()) {
            Schedule schedule(nest);
            if (auto applied = schedule.apply(schedules[n]); !applied)
                return tl::unexpected(applied.error());
            kernel.schedules.push_back(std::move(schedule));
        } else {
            kernel.schedules.push_back(
                defaultSchedule(nest, kernel.block.tensors, kernel.storages, target));
        }
    }
    for (std::size_t n = 0; n < kernel.block.nests.size(); ++n) {
        kernel.phases.emplace_back();
        std::vector<KernelBuffer> buffers;
        const NestJob job = jobOf(kernel, n, buffers);
        auto code = emitC(job, std::string(placeholder), {target.lanes});
        if (!code)
            return tl::unexpected(code.error());
        BlockKernel::Phase &phase = kernel.phases.back();
        phase.tasks = code->tasks;
        phase.symbol = symbolOf(code->text);
        phase.code = std::move(code->text);
        phase.code.replace(phase.code.find(placeholder), placeholder.size(), phase.symbol);
        phase.buffers = std::move(buffers);
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
#if defined(__x86_64__)
    if (lanes == 16)
        for (const char *feature : {"-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mavx2",
                                    "-mfma", "-mf16c", "-mprefer-vector-width=512"})
            flags.push_back(feature);
    else if (lanes == 8)
        for (const char *feature : {"-mavx2", "-mfma", "-mf16c"})
            flags.push_back(feature);
#endif
    return flags;
}

std::string translationUnit(const std::vector<const BlockKernel::Phase *> &phases, int lanes)
{
    std::string text = "#define GL_LANES " + std::to_string(lanes) + "\n";
    text += cPrelude();
    std::set<std::string> written;
    for (const BlockKernel::Phase *phase : phases)
        if (written.insert(phase->symbol).second)
            text += "\n" + phase->code;
    return text;
}

} // namespace graphloom
