// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/verify_steps.h"

#include "app/batch/report/summary.h"
#include "app/batch/state/staged_export.h"
#include "app/batch/steps/pass_steps.h"
#include "app/batch/steps/test_data.h"
#include "engine/onnx/files/mapped_file.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/ops/derive/infer.h"
#include "engine/verify/rehearsal.h"
#include "engine/verify/verify.h"

namespace graphloom {

namespace {

/// Reports the result of a comparison in the log, the summary and the exit code.
void tell(BatchState &batch, const std::string &what, const std::string &check,
          const Verification &result)
{
    for (const std::string &warning : result.warnings)
        batch.log.warn(warning);
    batch.failed |= !result.passed;
    batch.log.record(what, check,
                     !result.passed      ? Check::Outcome::Failed
                     : result.comparable ? Check::Outcome::Passed
                                         : Check::Outcome::Skipped,
                     result.message);
    batch.log.print(summaryOf(what, result));
}

/// Returns a plan of the same calls with the schedules of the other plan.
Plan withKernelsOf(const Plan &chosen, Plan same)
{
    const KernelPlan *kernels = kernelsOf(chosen);
    if (!kernels || kernelsOf(same) || !same.fusion ||
        same.fusion->blocks.size() != chosen.fusion->blocks.size())
        return same;
    auto moved = std::make_shared<KernelPlan>(*kernels);
    moved->fusion = same.fusion;
    same.kernels = std::move(moved);
    return same;
}

VerifyOptions verifyOptions(BatchState &batch)
{
    VerifyOptions options;
    options.tolerance = batch.options.verify.value_or(options.tolerance);
    options.seed = batch.options.seed;
    options.threads = batch.options.threads;
    options.stop = batch.interrupt.stop();
    options.progress = [&batch](double fraction, std::string_view text) {
        batch.log.update(fraction, text);
    };
    return options;
}

struct Compared {
    std::vector<Runnable> all;
    std::size_t filledWeights = 0; // in the rehearsal
};

/// Returns what is run: the original model, the result and the exported file, if there is one.
/// Weights that the passes have changed are filled in by a rehearsal (rehearsal.h).
Result<Compared> runnables(BatchState &batch, const std::optional<StagedExport> &exported)
{
    const Model &model = *batch.plan->model;
    const Opsets opsets = opsetsOf(model);
    Compared compared;
    std::vector<Runnable> &all = compared.all;
    all = {{"the original model", model.graph, opsets}, {"the result", batch.plan->graph, opsets}};
    if (exported) {
        ImportOptions import;
        import.stop = batch.interrupt.stop();
        auto again = importOnnx(exported->path(), import);
        if (!again)
            return fail(Error::Kind::Fault,
                        "the exported model cannot be read back: " + again.error().text());
        all.push_back({"the exported model", again->graph, opsetsOf(*again)});
    }
    // The kernels come last, as the others are accessed by position.
    const auto addKernels = [&](const Plan &plan) {
        if (batch.target)
            all.push_back(
                {"the kernels on the target", plan.graph, opsets, batch.target->runner(plan)});
    };
    if (!hasChangedSplats(model.graph, batch.plan->graph)) {
        addKernels(*batch.plan);
        return compared;
    }
    auto rehearsal = rehearse(model, batch.options.seed, [&batch](Plan plan) {
        return applied(batch, std::move(plan), true);
    });
    if (!rehearsal)
        return tl::unexpected(rehearsal.error());
    const Graph &filled = rehearsal->plan.graph;
    if (!sameCalls(filled, batch.plan->graph)) {
        if (!batch.interrupt.requested())
            batch.log.warn(
                "the passes decide differently if weights are filled in: the result is compared "
                "with weights whose elements are all equal");
        addKernels(*batch.plan);
        return compared;
    }
    compared.filledWeights = rehearsal->filledWeights;
    all[0].graph = rehearsal->plan.model->graph;
    all[1].graph = filled;
    if (exported) {
        GL_TRY_RESULT(graph, withFilledConstants(all[2].graph, batch.plan->graph, filled));
        all[2].graph = *std::move(graph);
    }
    addKernels(withKernelsOf(*batch.plan, rehearsal->plan));
    return compared;
}

Result<void> verifyAgainstOriginal(BatchState &batch, const std::optional<StagedExport> &exported)
{
    GL_TRY_RESULT(compared, runnables(batch, exported));
    GL_TRY_RESULT(verified, verify(std::move(compared->all), verifyOptions(batch)));
    if (*verified)
        (*verified)->filledWeights += compared->filledWeights;
    batch.content.verification = *verified;
    if (*verified)
        tell(batch, "verify", "original and result agree", **verified);
    return {};
}

/// Runs test data. A model that cannot be run is an error; if the original model can be run, it is
/// a failure of the passes.
Result<std::optional<Verification>> testedOn(const TestData &data, const Runnable &runnable,
                                             BatchState &batch)
{
    const VerifyOptions options = verifyOptions(batch);
    auto verified = verifyOutputs(runnable, data.inputs, data.outputs, options);
    if (verified || verified.error().kind != Error::Kind::Model || batch.options.passes.empty())
        return verified;
    const Model &model = *batch.plan->model;
    auto original = verifyOutputs({"the original model", model.graph, opsetsOf(model)}, data.inputs,
                                  data.outputs, options);
    if (!original || !*original)
        return original;
    (*original)->passed = false;
    (*original)->message = "the original model can be run, but the result of the passes cannot: " +
                           verified.error().text();
    return original;
}

} // namespace

Result<void> checkIntact(const BatchState &batch)
{
    const Graph &graph = batch.plan->model->graph;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant ||
            !graph.tensor(id).constant->isMapped())
            continue;
        if (const auto file = shrunkFileOf(graph.tensor(id).constant->bytes()))
            return fail(Error::Kind::Model, "was truncated while it was being read",
                        file->string());
    }
    return {};
}

Result<void> stageAndVerify(BatchState &batch)
{
    if (batch.options.exportTo) {
        batch.log.begin("export");
        ExportOptions options;
        options.flat = batch.options.exportFlat;
        GL_TRY_RESULT(staged, StagedExport::write(*batch.plan, *batch.options.exportTo, options));
        batch.exported.emplace(std::move(*staged));
    }
    if (!batch.options.verify || batch.interrupt.requested())
        return {};
    batch.log.begin("verify");
    return verifyAgainstOriginal(batch, batch.exported);
}

Result<void> runTestData(BatchState &batch)
{
    Runnable runnable{batch.options.passes.empty() ? "the model" : "the result", batch.plan->graph,
                      opsetsOf(*batch.plan->model)};
    if (batch.target) {
        runnable.name += " on the target";
        runnable.run = batch.target->runner(*batch.plan);
    }
    for (const std::filesystem::path &folder : batch.options.testData) {
        if (batch.interrupt.requested())
            return {};
        batch.log.begin("test data " + folder.string());
        GL_TRY_CONST(data, readTestData(folder, batch.plan->graph));
        GL_TRY_CONST(verified, testedOn(*data, runnable, batch));
        if (!*verified)
            return {};
        batch.content.testData.push_back({folder.string(), **verified});
        tell(batch, "test-data", folder.string(), **verified);
    }
    return {};
}

} // namespace graphloom
