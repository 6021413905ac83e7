// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_build.h"

#include "engine/codegen/emit/prelude.h"
#include "engine/deploy/kernel_choices.h"

namespace graphloom::opencl {

namespace {

/// Holds programs, and blocks with a kernel that does not compile.
struct Compiled {
    Programs programs;
    RefusedBlocks failed;
};

Result<Compiled> compile(const PlanKernels &kernels, const OpenclQueue &queue, int lanes,
                         const std::filesystem::path &folder, const BuildOptions &options)
{
    Compiled compiled;
    std::map<std::string, std::string> failed; // symbols
    for (const BlockIndex block : kernels.blocks.indices()) {
        if (!kernels.kernels[block])
            continue;
        for (const BlockKernel::Phase &phase : kernels.kernels[block]->phases) {
            if (options.stop.stop_requested())
                return stoppedError();
            if (!compiled.programs.contains(phase.symbol) && !failed.contains(phase.symbol)) {
                auto program = queue.program(programOf(phase, lanes), folder);
                if (program)
                    compiled.programs.emplace(phase.symbol, *std::move(program));
                else
                    failed.emplace(phase.symbol, program.error().text());
            }
            if (const auto why = failed.find(phase.symbol); why != failed.end())
                compiled.failed.emplace(block, why->second);
        }
        options.progress(0.5 + 0.4 * double(block.number() + 1) / double(kernels.blocks.size()),
                         "compiling kernels");
    }
    return compiled;
}

} // namespace

std::string programOf(const BlockKernel::Phase &phase, int lanes)
{
    return "#define GL_LANES " + std::to_string(lanes) + "\n" + std::string(openclPrelude()) +
           "\n" + phase.code;
}

Result<std::shared_ptr<OpenclPlan>> buildPlan(const Plan &plan, const ChosenDevice &device,
                                              const std::filesystem::path &folder,
                                              const BuildOptions &options)
{
    // What is described runs somewhere else, on all units there.
    GL_TRY_RESULT(queue, OpenclQueue::open(*device.runs, device.described ? 0 : options.threads));
    const ScheduleTarget target = device.schedules(options.threads);
    GenerateOptions generate{kernelChoicesOf(plan, target)};
    generate.stop = options.stop;
    generate.progress = [&](double done) { options.progress(0.5 * done, "generating kernels"); };
    const Opsets opsets = opsetsOf(*plan.model);
    for (;;) {
        GL_TRY_RESULT(kernels, generateKernels(plan.graph, opsets, kernelBlocksOf(plan), generate));
        GL_TRY_CONST(compiled, compile(*kernels, **queue, target.lanes, folder, options));
        if (compiled->failed.empty()) {
            GL_TRY_RESULT(steps, executionPlanOf(*std::move(kernels),
                                                 {.failed = generate.refused,
                                                  .alignment = std::int64_t(std::max<std::uint64_t>(
                                                      device.runs->alignment, 64))}));
            options.progress(0.95, "writing weights");
            return OpenclPlan::make(*std::move(steps), opsets, compiled->programs,
                                    *std::move(queue), device.described, target.threads);
        }
        // Storages depend on which blocks are interpreted, so the build starts over.
        const std::size_t before = generate.refused.size();
        for (const auto &[block, reason] : compiled->failed)
            if (const PartIndex part = kernels->part(block); part.isValid())
                generate.refused.emplace(part, reason);
        if (generate.refused.size() == before)
            return fail(Error::Kind::Missing, compiled->failed.begin()->second, "copy of an input");
    }
}

} // namespace graphloom::opencl
