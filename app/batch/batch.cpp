// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"

#include "app/batch/baseline.h"
#include "app/batch/interrupt.h"
#include "app/batch/junit.h"
#include "app/batch/profile.h"
#include "app/batch/progress.h"
#include "app/batch/setup.h"
#include "app/batch/staged_export.h"
#include "app/batch/summary.h"
#include "app/batch/target_run.h"
#include "app/batch/test_data.h"
#include "engine/base/atomic_file.h"
#include "engine/onnx/export.h"
#include "engine/onnx/import.h"
#include "engine/onnx/mapped_file.h"
#include "engine/ops/infer.h"
#include "engine/runtime/rehearsal.h"
#include "engine/runtime/verify.h"

#include <chrono>
#include <iostream>
#include <limits>
#include <unistd.h>

namespace graphloom {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Not being able to compare is no proof: it counts as failed.
Verification notComparable(const Error &error, double tolerance)
{
    Verification verification;
    verification.maxAbsError = verification.maxRelError = std::numeric_limits<double>::infinity();
    verification.tolerance = tolerance;
    verification.message = "cannot be compared: " + error.text();
    return verification;
}

/// A plan of the same calls with the schedules that were chosen for the other.
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

/// One run of --batch: what is known so far, and its steps in their order.
class Batch {
public:
    Batch(const BatchOptions &options, const BatchPlugins &plugins, std::ostream &out,
          std::ostream &err)
        : m_options(options), m_plugins(plugins), m_out(out),
          m_progress(options.progress.value_or(ProgressStyle::Bar), err,
                     &err == &std::cerr && ::isatty(STDERR_FILENO))
    {
    }

    int run();

private:
    Result<void> steps();
    Result<void> open();
    Result<void> runPasses();
    Result<void> unlessCancelled(const Error &error);
    bool needsBuilding() const;
    bool tunes() const
    {
        return m_setup.target && m_options.budget && m_options.budget->amount > 0;
    }
    Result<void> tuneForTarget();
    Result<void> buildForTarget();
    Result<void> verifyAndExport();
    Result<void> measureOnTarget();
    Result<Plan> applied(Plan plan, bool rehearsing);
    Result<void> verifyAgainstOriginal(const std::optional<StagedExport> &exported);
    Result<std::vector<Runnable>> runnables(const std::optional<StagedExport> &exported);
    Result<void> runTestData();
    Result<void> checkIntact() const;
    Result<void> report();
    std::vector<Gate> checkGates(const nlohmann::ordered_json &report) const;
    Result<void> writeJunit();

    void begin(std::string_view stage)
    {
        m_stageStart = Clock::now();
        m_stage = stage;
        m_progress.begin(stage);
    }
    void record(Check check) { m_checks.push_back(std::move(check)); }
    void print(const std::string &line)
    {
        m_progress.end();
        m_out << line << '\n' << std::flush;
    }
    void warn(const std::string &text) { m_progress.say("graphloom: warning: " + text); }
    VerifyOptions verifyOptions();

    const BatchOptions &m_options;
    const BatchPlugins &m_plugins;
    std::ostream &m_out;
    Progress m_progress;
    Interrupt m_interrupt;
    Setup m_setup;
    std::optional<Plan> m_plan;
    std::optional<TargetRun> m_target;
    ReportContent m_content;
    std::vector<Check> m_checks;
    std::shared_ptr<ProfileDatabase> m_profile;
    std::size_t m_filledWeights = 0; // in a rehearsal
    bool m_failed = false;
    std::string m_stage = "set up"; // for the JUnit error when it fails
    Clock::time_point m_stageStart = Clock::now();
};

int Batch::run()
{
    const auto done = steps();
    if (!done) {
        m_progress.say(textForUser(done.error()));
        record({"batch", m_stage, Check::Outcome::Error, done.error().text(),
                secondsSince(m_stageStart)});
    }
    if (auto written = writeJunit(); !written) {
        m_progress.say(textForUser(written.error()));
        if (done)
            return exitCodeOf(written.error().kind);
    }
    if (m_interrupt.requested()) {
        m_progress.say("graphloom: cancelled");
        return exitCancelled;
    }
    if (!done)
        return exitCodeOf(done.error().kind);
    return m_failed ? exitFailed : exitDone;
}

Result<void> Batch::steps()
{
    auto setup = setUp(m_options, m_plugins.passes, m_plugins.targets);
    if (!setup)
        return tl::unexpected(setup.error());
    m_setup = std::move(*setup);
    m_content.environment = hostEnvironment(m_options.threads);
    for (const auto step :
         {&Batch::open, &Batch::runPasses, &Batch::buildForTarget, &Batch::verifyAndExport,
          &Batch::runTestData, &Batch::measureOnTarget, &Batch::report})
        if (auto done = (this->*step)(); !done)
            return done;
    return {};
}

Result<void> Batch::open()
{
    begin("open");
    ImportOptions import;
    import.inputShapes = m_options.inputShapes;
    import.batchSize = m_options.batchSize;
    import.stop = m_interrupt.passes();
    auto model = importOnnx(m_options.model, import);
    if (!model)
        return tl::unexpected(model.error());
    for (const std::string &warning : model->warnings)
        warn(warning);
    auto plan = importPlan(std::make_shared<const Model>(std::move(*model)));
    if (!plan)
        return tl::unexpected(plan.error());
    m_plan = std::move(*plan);
    record({"batch", "open", Check::Outcome::Passed, {}, secondsSince(m_stageStart)});
    print(summaryOf(*m_plan->model, *m_plan));
    return {};
}

Result<void> Batch::runPasses()
{
    if (!m_setup.passes.empty() || m_setup.target) {
        auto opened =
            tunes() ? openOrMakeProfile(m_options.profile) : openProfile(m_options.profile);
        if (!opened)
            return tl::unexpected(opened.error());
        m_profile = std::move(*opened);
    }
    auto plan = applied(*m_plan, false);
    if (!plan)
        return tl::unexpected(plan.error());
    m_plan = *std::move(plan);
    if (m_interrupt.requested())
        return {};
    for (const auto &partition : {m_plan->partition, m_plan->baselinePartition})
        if (partition)
            print(summaryOf(*partition, statisticsOf(m_plan->graph, *partition)));
    return {};
}

/// What the passes make of a plan; as far as they get before they are cancelled. Nothing is said
/// of a rehearsal, which belongs to the verification.
Result<Plan> Batch::applied(Plan plan, bool rehearsing)
{
    for (const ChosenPass &chosen : m_setup.passes) {
        if (m_interrupt.requested())
            return plan;
        if (!rehearsing)
            begin(chosen.pass->name());
        Context context;
        context.stop = m_interrupt.passes();
        context.seed = m_options.seed;
        context.threads = m_options.threads;
        context.settings = chosen.settings;
        context.profile = m_profile;
        context.progress = [this](double fraction, std::string_view text) {
            m_progress.update(fraction, text);
        };
        auto better = runPass(*chosen.pass, plan, context);
        if (!better)
            return tl::unexpected(better.error());
        plan = *std::move(better);
        if (rehearsing)
            continue;
        record({"pass",
                std::string(chosen.pass->name()),
                Check::Outcome::Passed,
                {},
                secondsSince(m_stageStart)});
        print(summaryOf(plan.history.back()));
    }
    return plan;
}

/// What does not come to its end because it was cancelled is no error; the target is done with.
Result<void> Batch::unlessCancelled(const Error &error)
{
    if (!m_interrupt.requested())
        return tl::unexpected(error);
    m_target.reset();
    return {};
}

/// Texts of kernels alone need no compiler.
bool Batch::needsBuilding() const
{
    return !m_options.emitKernels || m_options.measure || m_options.trace || m_options.verify ||
           !m_options.testData.empty();
}

/// --budget 0 is for default schedules; without a budget those are taken that were found before.
Result<void> Batch::tuneForTarget()
{
    if (m_options.budget ? !tunes() : !m_profile || !needsBuilding())
        return {};
    begin("tune");
    TuneOptions options = tuneOptionsOf(m_options.budget);
    options.database = m_profile;
    if (auto done = m_target->tune(*m_plan, std::move(options)); !done)
        return done;
    if (tunes())
        record({"target", "tune", Check::Outcome::Passed, {}, secondsSince(m_stageStart)});
    print(TargetRun::summaryOfTuning(*m_plan->kernels));
    return {};
}

Result<void> Batch::buildForTarget()
{
    if (!m_setup.target || m_interrupt.requested())
        return {};
    m_target.emplace(
        *m_setup.target, m_options,
        TargetRun::Stops{m_interrupt.passes(), m_interrupt.everything()},
        [this](double fraction, std::string_view text) { m_progress.update(fraction, text); });
    if (auto done = tuneForTarget(); !done)
        return unlessCancelled(done.error());
    if (m_options.emitKernels) {
        begin("emit kernels");
        const auto files = m_target->emitKernels(*m_plan, *m_options.emitKernels);
        if (!files)
            return unlessCancelled(files.error());
        print(summaryLine("kernels",
                          std::to_string(*files) + " files in " + m_options.emitKernels->string()));
        if (!needsBuilding()) {
            m_target.reset();
            return {};
        }
    }
    begin("build");
    if (auto done = m_target->build(*m_plan); !done)
        return unlessCancelled(done.error());
    record({"target", "build", Check::Outcome::Passed, {}, secondsSince(m_stageStart)});
    print(m_target->summaryOfBuild());
    return {};
}

Result<void> Batch::measureOnTarget()
{
    if (!m_target || m_interrupt.requested())
        return {};
    if (m_options.measure) {
        begin("measure");
        if (auto done = m_target->measure(*m_plan, *m_options.measure); !done)
            return unlessCancelled(done.error());
        record({"target", "measure", Check::Outcome::Passed, {}, secondsSince(m_stageStart)});
        print(m_target->summaryOfMeasurement());
    }
    if (m_options.trace) {
        begin("trace");
        if (auto done = m_target->writeTrace(*m_options.trace, m_options.model.filename().string());
            !done)
            return done;
        print(summaryLine("trace", m_options.trace->string()));
    }
    return {};
}

Result<void> Batch::verifyAndExport()
{
    std::optional<StagedExport> exported;
    if (m_options.exportTo) {
        begin("export");
        ExportOptions options;
        options.flat = m_options.exportFlat;
        auto staged = StagedExport::write(*m_plan, *m_options.exportTo, options);
        if (!staged)
            return tl::unexpected(staged.error());
        exported.emplace(std::move(*staged));
    }
    if (m_options.verify) {
        begin("verify");
        if (auto done = verifyAgainstOriginal(exported); !done)
            return done;
        if (!m_content.verification) {
            warn("cancelled while verifying" +
                 std::string(exported ? ": nothing is exported" : ""));
            return {};
        }
        if (exported && !m_content.verification->passed) {
            warn("verification failed: nothing is exported");
            return {};
        }
    }
    if (!exported)
        return {};
    if (auto intact = checkIntact(); !intact)
        return intact;
    if (auto placed = exported->place(); !placed)
        return placed;
    record({"batch", "export", Check::Outcome::Passed, {}, 0});
    print(summaryLine("export", m_options.exportTo->string()));
    return {};
}

/// What is run: the model as opened, the result and, if there is one, the exported file itself.
/// Weights that the passes have changed are filled in by a rehearsal (rehearsal.h).
Result<std::vector<Runnable>> Batch::runnables(const std::optional<StagedExport> &exported)
{
    const Model &model = *m_plan->model;
    const Opsets opsets = opsetsOf(model);
    std::vector<Runnable> all = {{"the model as opened", model.graph, opsets},
                                 {"the result", m_plan->graph, opsets}};
    if (exported) {
        auto again = importOnnx(exported->path());
        if (!again)
            return fail(Error::Kind::Fault,
                        "the exported model cannot be read back: " + again.error().text());
        all.push_back({"the exported model", again->graph, opsetsOf(*again)});
    }
    // The kernels last: what comes before is by position.
    const auto addKernels = [&](const Plan &plan) {
        if (m_target)
            all.push_back(
                {"the kernels on the target", plan.graph, opsets, m_target->runner(plan)});
    };
    if (!hasChangedSplats(model.graph, m_plan->graph)) {
        addKernels(*m_plan);
        return all;
    }
    auto rehearsal = rehearse(model, m_options.seed,
                              [this](Plan plan) { return applied(std::move(plan), true); });
    if (!rehearsal)
        return tl::unexpected(rehearsal.error());
    const Graph &filled = rehearsal->plan.graph;
    if (!sameCalls(filled, m_plan->graph)) {
        if (!m_interrupt.requested())
            warn("the passes decide otherwise once weights are filled in: the result is compared "
                 "with all elements of its weights alike");
        addKernels(*m_plan);
        return all;
    }
    m_filledWeights = rehearsal->filledWeights;
    all[0].graph = rehearsal->plan.model->graph;
    all[1].graph = filled;
    if (exported) {
        auto graph = withFilledConstants(all[2].graph, m_plan->graph, filled);
        if (!graph)
            return tl::unexpected(graph.error());
        all[2].graph = *std::move(graph);
    }
    addKernels(withKernelsOf(*m_plan, rehearsal->plan));
    return all;
}

Result<void> Batch::verifyAgainstOriginal(const std::optional<StagedExport> &exported)
{
    auto compared = runnables(exported);
    if (!compared)
        return tl::unexpected(compared.error());
    auto verified = verify(*std::move(compared), verifyOptions());
    if (!verified && verified.error().kind != Error::Kind::Model)
        return tl::unexpected(verified.error());
    if (verified && *verified)
        (*verified)->filledWeights += m_filledWeights;
    m_content.verification =
        verified ? *verified : notComparable(verified.error(), *m_options.verify);
    if (!m_content.verification)
        return {};
    const Verification &result = *m_content.verification;
    for (const std::string &warning : result.warnings)
        warn(warning);
    m_failed |= !result.passed;
    record({"verify", "original and result agree",
            result.passed ? Check::Outcome::Passed : Check::Outcome::Failed, result.message,
            secondsSince(m_stageStart)});
    print(summaryOf("verify", result));
    return {};
}

VerifyOptions Batch::verifyOptions()
{
    VerifyOptions options;
    options.tolerance = m_options.verify.value_or(options.tolerance);
    options.seed = m_options.seed;
    options.threads = m_options.threads;
    options.stop = m_interrupt.everything();
    options.progress = [this](double fraction, std::string_view text) {
        m_progress.update(fraction, text);
    };
    return options;
}

Result<void> Batch::runTestData()
{
    Runnable runnable{m_options.passes.empty() ? "the model" : "the result", m_plan->graph,
                      opsetsOf(*m_plan->model)};
    if (m_target) {
        runnable.name += " on the target";
        runnable.run = m_target->runner(*m_plan);
    }
    for (const std::filesystem::path &folder : m_options.testData) {
        if (m_interrupt.requested())
            return {};
        begin("test data " + folder.string());
        const auto data = readTestData(folder, m_plan->graph);
        if (!data)
            return tl::unexpected(data.error());
        const auto verified = verifyOutputs(runnable, data->inputs, data->outputs, verifyOptions());
        if (!verified && verified.error().kind != Error::Kind::Model)
            return tl::unexpected(verified.error());
        if (verified && !*verified)
            return {};
        const Verification result =
            verified ? **verified : notComparable(verified.error(), backendTolerance);
        m_content.testData.push_back({folder.string(), result});
        m_failed |= !result.passed;
        record({"test-data", folder.string(),
                result.passed ? Check::Outcome::Passed : Check::Outcome::Failed, result.message,
                secondsSince(m_stageStart)});
        print(summaryOf("test-data", result));
    }
    return {};
}

/// Weights in a file that was cut short while it was mapped read as zeros from there on.
Result<void> Batch::checkIntact() const
{
    const Graph &graph = m_plan->model->graph;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant ||
            !graph.tensor(id).constant->isMapped())
            continue;
        if (const auto file = shrunkFileOf(graph.tensor(id).constant->bytes()))
            return fail(Error::Kind::Model, "was cut short while it was read", file->string());
    }
    return {};
}

Result<void> Batch::report()
{
    if (auto intact = checkIntact(); !intact)
        return intact;
    begin("report");
    auto report = reportOf(*m_plan, m_content);
    if (!report)
        return tl::unexpected(report.error());
    if (m_target) {
        addTargetSections(*report, m_target->outcome());
        if (m_content.verification)
            (*report)["verify"]["target"] = m_target->outcome().target;
    }
    if (m_setup.baseline) {
        const std::string differences = modelDifferences(*m_setup.baseline, *report);
        if (!differences.empty())
            warn("the baseline is of another model: " + differences);
    }
    const std::vector<Gate> gates = checkGates(*report);
    for (const Gate &gate : gates) {
        m_failed |= !gate.passed;
        record({gate.kind, gate.text, gate.passed ? Check::Outcome::Passed : Check::Outcome::Failed,
                gate.message, 0});
        print(summaryOf(gate));
    }
    if (!gates.empty())
        (*report)["gates"] = reportOf(gates);
    if (m_options.report) {
        // Names in models may hold any bytes; the report stays readable.
        const std::string text =
            report->dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        if (auto written = writeFileAtomically(*m_options.report, text); !written)
            return written;
        print(summaryLine("report", m_options.report->string()));
    }
    return {};
}

std::vector<Gate> Batch::checkGates(const nlohmann::ordered_json &report) const
{
    std::vector<Gate> gates;
    for (const Expression &assertion : m_setup.assertions) {
        Gate gate{"assert", assertion.text(), false, {}};
        if (const auto outcome = assertion.evaluate(report)) {
            gate.passed = outcome->holds;
            gate.message = outcome->values;
        } else {
            gate.message = outcome.error().message;
        }
        gates.push_back(std::move(gate));
    }
    if (m_setup.baseline) {
        auto compared = compareWithBaseline(*m_setup.baseline, report);
        gates.insert(gates.end(), compared.begin(), compared.end());
    }
    return gates;
}

Result<void> Batch::writeJunit()
{
    if (!m_options.junit)
        return {};
    return writeFileAtomically(*m_options.junit,
                               junitOf(m_options.model.filename().string(), m_checks));
}

} // namespace

int exitCodeOf(Error::Kind kind)
{
    switch (kind) {
    case Error::Kind::Usage:
        return 2;
    case Error::Kind::Model:
        return 3;
    case Error::Kind::Missing:
        return 4;
    case Error::Kind::Fault:
        break;
    }
    return 5;
}

std::string textForUser(const Error &error)
{
    std::string text = "graphloom: " + error.text();
    if (error.kind == Error::Kind::Fault) {
        const std::string file = error.raised.file_name();
        text += " (a fault of the program, at " + file.substr(file.rfind('/') + 1) + ":" +
                std::to_string(error.raised.line()) + ")";
    }
    return text;
}

int runBatch(const BatchOptions &options, const BatchPlugins &plugins, std::ostream &out,
             std::ostream &err)
{
    return Batch(options, plugins, out, err).run();
}

} // namespace graphloom
