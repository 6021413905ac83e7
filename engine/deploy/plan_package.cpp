// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/plan_package.h"

#include "engine/deploy/kernel_choices.h"
#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"

namespace graphloom {

Result<PackageFacts> packagePlan(const Plan &plan, const ScheduleTarget &target,
                                 PackageContent content, const PackageOptions &options,
                                 const std::filesystem::path &folder)
{
    const std::int64_t alignment = content.opencl ? openclAlignment : std::int64_t(bufferAlignment);
    const bool isPartial = options.partial && !content.opencl;
    GL_TRY_CONST(steps, executionPlanFor(plan, target, options, isPartial, alignment));
    GL_TRY(checkPackage(*steps, isPartial)); // before its test is computed
    content.partial = isPartial;
    content.model = options.model;
    options.progress(0.5, "computing the outputs of its test");
    GL_TRY_RESULT(inputs, randomInputs(plan.graph, options.seed));
    GL_TRY_RESULT(expected, interpret(plan.graph, opsetsOf(*plan.model), *inputs));
    content.inputs = *std::move(inputs);
    content.expected = *std::move(expected);
    options.progress(0.8, "writing the package");
    return writePackage(*steps, content, folder);
}

} // namespace graphloom
