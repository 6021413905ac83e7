// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/dry_run.h"

#include "app/batch/steps/compare_step.h"

#include "app/batch/report/summary.h"
#include "app/batch/steps/open_step.h"
#include "app/batch/steps/test_data.h"
#include "engine/profile/user_profile.h"

#include <cstdio>
#include <map>

namespace graphloom {

namespace {

void tellStep(BatchState &batch, const std::string &what, const std::string &text)
{
    batch.log.print(summaryLine(what, text));
}

/// Returns only the settings that differ from the defaults.
std::string changedSettings(const ChosenPass &chosen)
{
    const Settings initial(chosen.pass->parameters(), chosen.pass->rules());
    std::map<std::string, double> before(initial.values().begin(), initial.values().end());
    std::string text;
    for (const auto &[name, value] : chosen.settings.values()) {
        if (const auto found = before.find(name); found != before.end() && found->second == value)
            continue;
        char number[32];
        std::snprintf(number, sizeof number, "%.6g", value);
        text += (text.empty() ? "" : ", ") + name + " " + number;
    }
    return text.empty() ? "default" : text;
}

Result<void> checkTarget(BatchState &batch)
{
    const ChosenTarget &chosen = *batch.setup.target;
    const bool tunesOnly =
        !buildsPlan(batch.options) && !batch.options.emitKernels && !batch.options.emitPackage;
    tellStep(batch, tunesOnly ? "tune" : "build",
             "for " + std::string(chosen.target->name()) + ":" + chosen.device);
    if (!buildsPlan(batch.options))
        return {};
    for (const Finding &finding : chosen.target->probe()) {
        if (!finding.found)
            return fail(Error::Kind::Missing, finding.what + ": " + finding.detail,
                        "--target " + std::string(chosen.target->name()));
        tellStep(batch, "", finding.what + ": " + finding.detail);
    }
    if (batch.options.measure)
        tellStep(batch, "measure", std::to_string(*batch.options.measure) + " runs in alternation");
    for (const ChosenTarget &other : batch.setup.otherTargets)
        tellStep(batch, "measure",
                 "on " + std::string(other.target->name()) + ":" + other.device + ", too");
    return {};
}

Result<void> checkTestData(BatchState &batch)
{
    for (const std::filesystem::path &folder : batch.options.testData) {
        GL_TRY_CONST(data, readTestData(folder, batch.plan->graph));
        tellStep(batch, "test-data",
                 folder.string() + ": " + std::to_string(data->inputs.size()) + " inputs, " +
                     std::to_string(data->outputs.size()) + " outputs");
    }
    return {};
}

void tellOutputs(BatchState &batch)
{
    const BatchOptions &options = batch.options;
    for (const auto &[option, path] : {std::pair{"--export", options.exportTo},
                                       {"--emit-kernels", options.emitKernels},
                                       {"--emit-package", options.emitPackage},
                                       {"--trace", options.trace},
                                       {"--save", options.save},
                                       {"--report", options.report},
                                       {"--html", options.html},
                                       {"--junit", options.junit},
                                       {"--sarif", options.sarif}}) {
        if (!path)
            continue;
        tellStep(batch, "write", path->string() + " (" + option + ")");
        batch.log.tell("output", {{"option", option},
                                  {"path", path->string()},
                                  {"written", false},
                                  {"reason", "dry run"}});
    }
}

} // namespace

Result<void> rehearseBatch(BatchState &batch)
{
    GL_TRY(openModel(batch));
    batch.log.begin("dry run");
    if (!batch.setup.passes.empty() || batch.setup.target) {
        // A database that a run would create is not created here.
        if (!batch.fillsProfile() ||
            (batch.options.profile && std::filesystem::exists(*batch.options.profile)))
            GL_TRY(openProfile(batch.options.profile));
    }
    for (const ChosenPass &chosen : batch.setup.passes)
        tellStep(batch, "pass",
                 std::string(chosen.pass->name()) + ", settings " + changedSettings(chosen));
    if (batch.setup.target)
        GL_TRY(checkTarget(batch));
    if (batch.options.verify) {
        char number[32];
        std::snprintf(number, sizeof number, "%g", *batch.options.verify);
        tellStep(batch, "verify", std::string("relative error up to ") + number);
    }
    GL_TRY(checkTestData(batch));
    for (const Expression &assertion : batch.setup.assertions)
        tellStep(batch, "assert", assertion.text());
    if (batch.setup.baseline) {
        const auto compared = compareWithBaseline(*batch.setup.baseline, *batch.setup.baseline,
                                                  batch.options.tolerances);
        tellStep(batch, "baseline",
                 batch.options.baseline->string() + ", " + std::to_string(compared.size()) +
                     " figures");
    }
    GL_TRY(openCompared(batch));
    if (batch.compared)
        tellStep(batch, "compare", batch.options.compare->string());
    tellOutputs(batch);
    tellStep(batch, "dry run", "completed, nothing was run or written");
    return {};
}

} // namespace graphloom
