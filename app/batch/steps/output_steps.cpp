// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/output_steps.h"

#include "app/batch/report/junit.h"
#include "app/batch/report/summary.h"
#include "app/batch/state/batch_diagnostics.h"
#include "app/batch/steps/verify_steps.h"
#include "app/html/html_report.h"
#include "engine/session/session_file.h"
#include "engine/system/atomic_file.h"
#include "engine/system/json_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

/// Holds an option such as "--export", its path, and whether the file is a product of the plan or a
/// report on the run.
struct NamedOutput {
    const char *option;
    const std::optional<fs::path> &path;
    bool product;
};

std::vector<NamedOutput> namedOutputs(const BatchOptions &options)
{
    std::vector<NamedOutput> wanted;
    for (const NamedOutput &output : {NamedOutput{"--export", options.exportTo, true},
                                      {"--emit-kernels", options.emitKernels, true},
                                      {"--emit-package", options.emitPackage, true},
                                      {"--trace", options.trace, true},
                                      {"--save", options.save, true},
                                      {"--report", options.report, false},
                                      {"--html", options.html, false}})
        if (output.path)
            wanted.push_back(output);
    return wanted;
}

/// Returns why products must not be written; empty if they may.
std::string reasonToWithhold(const BatchState &batch)
{
    const auto &verification = batch.content.verification;
    if (verification && !verification->passed)
        return "verification failed";
    for (const TestDataOutcome &outcome : batch.content.testData)
        if (!outcome.result.passed)
            return "test data failed";
    // A cancelled run lacks figures, and its results so far are written.
    if (batch.gatesFailed && !batch.interrupt.requested())
        return "an assertion or baseline comparison failed";
    return {};
}

void tellOutput(BatchState &batch, const char *option, const fs::path &path)
{
    const std::string name = std::string(option).substr(2);
    batch.log.record({"output", name, Check::Outcome::Passed, {}, 0});
    batch.log.tell("output", {{"option", option}, {"path", path.string()}, {"written", true}});
    batch.log.print(summaryLine(name, path.string()));
}

void withhold(BatchState &batch, const NamedOutput &output, const std::string &reason)
{
    batch.withheld.push_back(std::string(output.option) + " " + output.path->string());
    batch.log.record({"output", std::string(output.option).substr(2), Check::Outcome::Skipped,
                      "not written: " + reason, 0});
    batch.log.tell("output", {{"option", output.option},
                              {"path", output.path->string()},
                              {"written", false},
                              {"reason", reason}});
}

std::string listed(const std::vector<std::string> &texts)
{
    std::string list;
    for (const std::string &text : texts)
        list += (list.empty() ? "" : ", ") + text;
    return list;
}

Result<void> placeKernels(BatchState &batch)
{
    GL_TRY(TargetRun::placeKernels(batch.kernelTexts, *batch.options.emitKernels));
    batch.log.record({"output", "emit-kernels", Check::Outcome::Passed, {}, 0});
    batch.log.tell("output", {{"option", "--emit-kernels"},
                              {"path", batch.options.emitKernels->string()},
                              {"written", true}});
    batch.log.print(summaryLine("kernels", std::to_string(batch.kernelTexts.size()) + " files in " +
                                               batch.options.emitKernels->string()));
    return {};
}

Result<void> placePackage(BatchState &batch)
{
    GL_TRY(batch.package->place());
    const PackageFacts &facts = batch.package->facts();
    batch.report["package"] = {{"files", facts.files}, {"bytes", facts.bytes}};
    if (!facts.missing.empty()) {
        batch.report["package"]["missing"] = facts.missing;
        batch.log.warn("the package lacks code for " + listed(facts.missing));
    }
    tellOutput(batch, "--emit-package", *batch.options.emitPackage);
    return {};
}

/// Returns the environment of a run, for readers of its results in a CI system.
std::vector<std::pair<std::string, std::string>> propertiesOf(const BatchState &batch)
{
    std::vector<std::pair<std::string, std::string>> properties = {
        {"graphloom.version", GRAPHLOOM_VERSION}, {"model.path", batch.options.model.string()}};
    if (batch.plan) {
        char hash[17]; // in the format of the report, which may be missing
        std::snprintf(hash, sizeof hash, "%016llx",
                      static_cast<unsigned long long>(batch.plan->model->graph.hash()));
        properties.emplace_back("model.hash", hash);
        properties.emplace_back("model.nodes",
                                std::to_string(batch.plan->model->graph.nodeCount()));
    }
    const Environment &environment = batch.content.environment;
    properties.emplace_back("environment.cpu", environment.cpu);
    properties.emplace_back("environment.threads", std::to_string(environment.threads));
    properties.emplace_back("environment.compiler", environment.compiler);
    properties.emplace_back("environment.device", environment.device);
    properties.emplace_back("seed", std::to_string(batch.options.seed));
    if (!batch.options.passes.empty())
        properties.emplace_back("passes", listed(batch.options.passes));
    return properties;
}

/// Returns the content of pictures; measures the device's peaks for the roofline.
PictureContent pictureContentOf(const BatchState &batch)
{
    PictureContent content{*batch.plan};
    if (!batch.target || !batch.target->outcome().after)
        return content;
    content.outcome = &batch.target->outcome();
    const ChosenTarget &chosen = *batch.setup.target;
    if (auto device = chosen.target->describe(chosen.device, batch.interrupt.stop()))
        content.device = *std::move(device);
    else
        content.noDevice = device.error().text();
    return content;
}

} // namespace

Result<void> placeProducts(BatchState &batch)
{
    const std::string reason = reasonToWithhold(batch);
    if (!reason.empty()) {
        for (const NamedOutput &output : namedOutputs(batch.options))
            if (output.product)
                withhold(batch, output, reason);
        if (batch.withheld.empty() && !batch.failed)
            batch.log.warn(reason);
        else if (!batch.withheld.empty())
            batch.log.warn(reason + (batch.options.exportTo ? ": nothing is exported" : "") +
                           "; not written: " + listed(batch.withheld));
        return {};
    }
    GL_TRY(checkIntact(batch));
    if (batch.options.verify && !batch.content.verification) {
        batch.log.warn("the outputs are not verified: the run was cancelled before verification");
        batch.log.record({"verify", "original and result agree", Check::Outcome::Skipped,
                          "cancelled before it finished", 0});
    }
    if (batch.exported) {
        GL_TRY(batch.exported->place());
        tellOutput(batch, "--export", *batch.options.exportTo);
    }
    if (!batch.kernelTexts.empty())
        GL_TRY(placeKernels(batch));
    if (batch.package)
        GL_TRY(placePackage(batch));
    if (batch.trace) {
        GL_TRY(writeFileAtomically(*batch.options.trace, *batch.trace));
        tellOutput(batch, "--trace", *batch.options.trace);
    }
    if (batch.options.save) {
        batch.session.current = batch.session.states.size() - 1;
        batch.session.view["model"] = fs::absolute(batch.options.model).string();
        GL_TRY(saveSession(*batch.options.save, batch.session));
        tellOutput(batch, "--save", *batch.options.save);
    }
    return {};
}

Result<void> writeAccounts(BatchState &batch)
{
    if (batch.options.report) {
        // Names in models may contain any bytes; the report stays valid.
        const std::string text = jsonText(batch.report, 2) + "\n";
        GL_TRY(writeFileAtomically(*batch.options.report, text));
        tellOutput(batch, "--report", *batch.options.report);
    }
    if (!batch.options.html)
        return {};
    batch.log.begin("html");
    HtmlContent content{batch.report,
                        batch.options.model.string(),
                        GRAPHLOOM_VERSION,
                        batch.log.start(),
                        batch.log.checks(),
                        batch.log.messages(),
                        {}};
    content.withheld = batch.withheld;
    if (batch.drawPictures) {
        GL_TRY_RESULT(pictures,
                      batch.drawPictures(pictureContentOf(batch), batch.interrupt.stop()));
        content.pictures = std::move(*pictures);
    }
    GL_TRY(writeFileAtomically(*batch.options.html, htmlOf(content)));
    tellOutput(batch, "--html", *batch.options.html);
    return {};
}

void tellUnwritten(BatchState &batch)
{
    std::vector<std::string> unwritten;
    for (const NamedOutput &output : namedOutputs(batch.options)) {
        const std::string name = std::string(output.option).substr(2);
        const bool known = std::ranges::any_of(batch.log.checks(), [&](const Check &check) {
            return check.group == "output" && check.name == name;
        });
        if (known)
            continue;
        unwritten.push_back(std::string(output.option) + " " + output.path->string());
        batch.log.record(
            {"output", name, Check::Outcome::Skipped, "not written: the run ended before", 0});
        batch.log.tell("output", {{"option", output.option},
                                  {"path", output.path->string()},
                                  {"written", false},
                                  {"reason", "the run ended before"}});
    }
    if (!unwritten.empty())
        batch.log.say("graphloom: not written: " + listed(unwritten), "warning");
}

Result<void> writeVerdicts(BatchState &batch, int exitCode)
{
    Result<void> outcome;
    const auto write = [&](const std::optional<fs::path> &path, const char *option,
                           const std::string &content) {
        auto written = writeFileAtomically(*path, content);
        batch.log.tell("output",
                       {{"option", option}, {"path", path->string()}, {"written", bool(written)}});
        if (!written && outcome)
            outcome = tl::unexpected(written.error());
    };
    if (batch.options.sarif)
        write(batch.options.sarif, "--sarif", sarifOf(batch, exitCode));
    if (batch.options.junit)
        write(batch.options.junit, "--junit",
              junitOf({batch.options.model.filename().string(), propertiesOf(batch),
                       batch.log.printed(), batch.log.start(), batch.log.totalSeconds()},
                      batch.log.checks()));
    return outcome;
}

} // namespace graphloom
