// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/deployed_build.h"

#include "engine/cost/host.h"
#include "engine/deploy/deployed_plan.h"
#include "engine/deploy/kernel_choices.h"
#include "engine/deploy/package_program.h"
#include "engine/target/plan_steps.h"

namespace graphloom {

namespace {

constexpr const char *modelName = "model"; // in the package; the same for all, as caches like it

std::vector<TensorDeclaration> declarationsOf(const Graph &graph, std::span<const TensorId> tensors)
{
    std::vector<TensorDeclaration> declarations;
    for (const TensorId id : tensors) {
        const Tensor &tensor = graph.tensor(id);
        TensorDeclaration &of = declarations.emplace_back();
        of.name = tensor.name;
        of.type = tensor.type;
        for (const Dim &dim : *tensor.shape) // static: checkPackage()
            of.extents.push_back(*dim.constant());
    }
    return declarations;
}

} // namespace

Result<std::shared_ptr<BuiltPlan>> buildDeployed(const Plan &plan, const DeployedBuild &build,
                                                 const BuildOptions &options)
{
    if (!build.connection->isEmulated()) { // before much work is done for it
        constexpr double loginPatience = 30;
        GL_TRY(build.connection->run({"true"}, options.stop, loginPatience));
    }
    GL_TRY_CONST(steps, executionPlanFor(plan, build.schedules, options));
    GL_TRY(checkPackage(*steps, false));
    GL_TRY_RESULT(folder, Temporary::folder(temporaryFolder()));
    PackageContent content = build.content;
    content.model = modelName;
    content.partial = false;
    content.inputs = content.expected = {};
    options.progress(0.5, "writing the package");
    GL_TRY(writePackage(*steps, content, folder->path()));
    options.progress(0.6, "compiling kernels");
    ProgramOptions program;
    program.compiler = &build.toolchain.compiler;
    program.cache = &build.toolchain.cache;
    program.instructions = content.instructions;
    program.processorFlags = content.processorFlags;
    program.compilers = unsigned(hostFacts().cores);
    program.stop = options.stop;
    GL_TRY_RESULT(runner, buildRunner(folder->path(), modelName, program));

    PackagedPlan made(*std::move(folder));
    made.program = *std::move(runner);
    made.model = modelName;
    made.inputs = declarationsOf(steps->graph, steps->graph.inputs());
    made.outputs = declarationsOf(steps->graph, steps->graph.outputs());
    made.steps = planStepsOf(steps->steps, steps->kernels);
    made.device = build.device;
    for (const ExecutionStep &step : steps->steps) {
        made.tasks.push_back(step.tasks);
        made.modelledSeconds.push_back(
            kernelSeconds(build.device, workOf(*steps->kernels[step.block], step.phase)));
    }
    made.memory = {steps->arenaBytes, steps->leastArenaBytes, steps->borderBytes(),
                   steps->constantBytes()};
    made.threads = made.runningThreads = unsigned(build.schedules.threads);
    if (build.connection->isEmulated())
        made.runningThreads = std::min(made.threads, unsigned(hostFacts().cores));
    made.toolchain = build.toolchain.compiler.version;
    made.instructionSet = content.instructions->title;
    made.hasWeights = !steps->constants.empty();
    return std::make_shared<DeployedPlan>(std::move(made), build.connection);
}

} // namespace graphloom
