// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/phase_program.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/emit/block_kernel.h"
#include "engine/deploy/package_program.h"
#include "engine/package/package_texts.h"
#include "engine/package/plan_source.h"
#include "engine/runtime/aligned_bytes.h"
#include "engine/system/write_fully.h"
#include "engine/tuning/block_trial.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

constexpr const char *trialName = "trial"; // the same for all, so that most objects are cached

/// Returns the tables of a plan that runs tasks of one phase, with all buffers in the arena.
std::string planOf(const BlockKernel &kernel, PhaseIndex number, const BlockKernel::Phase &phase,
                   GroupSchedules schedules, std::int64_t tasks)
{
    const PackageNames names(trialName);
    const NestGroup &group = kernel.groups[number];
    std::string places;
    std::int64_t bytes = 0;
    for (const KernelBuffer &buffer : phase.buffers) {
        const bool isPacked = buffer.kind == KernelBuffer::Kind::Packed;
        const TrialBuffer needed = trialBufferOf(
            kernel, buffer, isPacked ? &schedules[group.memberOf(buffer.nest)] : nullptr);
        places += "    {GL_ARENA, " + std::to_string(bytes) + "},\n";
        bytes += roundUp(needed.bytes, bufferAlignment) + std::int64_t(bufferAlignment);
    }
    const std::string function = names.kernel(phase.symbol);
    return "#include \"graphloom_runtime.h\"\n\nextern gl_kernel " + function +
           ";\nstatic const gl_place buffers[] = {\n" + places +
           "};\nstatic const gl_step steps[] = {{.name = \"" + phase.symbol +
           "\", .kernel = " + function + ", .tasks = " + std::to_string(tasks) +
           ", .buffers = buffers, .buffer_count = " + std::to_string(phase.buffers.size()) +
           "}};\nstatic const gl_wave waves[] = {{0, 1}};\nconst gl_plan " + names.prefix +
           "_plan = {.name = \"" + trialName +
           "\", .steps = steps, .step_count = 1, .waves = waves, .wave_count = 1, .arena_bytes = " +
           std::to_string(bytes) + ", .scratch_bytes = " + std::to_string(phase.scratchBytes) +
           "};\n";
}

Result<void> writeSources(const fs::path &folder, const BlockKernel::Phase &phase, int lanes,
                          const std::string &plan)
{
    for (const PackageText &text : packageTexts)
        if (text.name.starts_with("src/") || text.name.starts_with("include/"))
            GL_TRY(writeFile(folder / text.name, text.content));
    GL_TRY(writeFile(folder / "src" / "plan.c", plan));
    const std::string function = PackageNames(trialName).kernel(phase.symbol);
    return writeFile(folder / "src" / "kernels" / "phase.c",
                     "#define " + phase.symbol + " " + function + "\n" +
                         translationUnit({&phase}, lanes).text);
}

} // namespace

Result<PhaseProgram> buildPhase(const BlockKernel &kernel, PhaseIndex number,
                                GroupSchedules schedules, const DeployedBuild &build, double share,
                                std::stop_token stop)
{
    GL_TRY_CONST(phase, phaseOf(kernel, number, schedules, build.schedules));
    if (phase->scratchBytes > build.schedules.taskMemory)
        return fail(Error::Kind::Missing, "the device does not have the memory for a task");
    constexpr double fewest = 8;
    const auto tasks =
        std::int64_t(std::clamp(std::ceil(share * double(phase->tasks)),
                                std::min(fewest, double(phase->tasks)), double(phase->tasks)));
    GL_TRY_RESULT(folder, Temporary::folder(temporaryFolder()));
    GL_TRY(writeSources(folder->path(), *phase, build.content.instructions->lanes,
                        planOf(kernel, number, *phase, schedules, tasks)));
    ProgramOptions program;
    program.compiler = &build.toolchain.compiler;
    program.cache = &build.toolchain.cache;
    program.instructions = build.content.instructions;
    program.processorFlags = build.content.processorFlags;
    program.stop = std::move(stop);
    GL_TRY_RESULT(runner, buildRunner(folder->path(), trialName, program));

    PackagedPlan made(*std::move(folder));
    made.program = *std::move(runner);
    made.model = trialName;
    made.isTrial = true;
    PlanStep &step = made.steps.emplace_back();
    step.symbol = phase->symbol;
    made.device = build.device;
    made.tasks = {tasks};
    made.modelledSeconds = {0};
    made.threads = made.runningThreads = unsigned(build.schedules.threads);
    made.toolchain = build.toolchain.compiler.version;
    made.instructionSet = build.content.instructions->title;
    return PhaseProgram{std::make_shared<DeployedPlan>(std::move(made), build.connection),
                        phase->tasks, tasks};
}

} // namespace graphloom
