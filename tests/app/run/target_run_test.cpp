// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"
#include "engine/codegen/build/c_compiler.h"
#include "engine/ops/describe/stage.h"
#include "engine/profile/profile_database.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/own_folders.h"
#include "tests/support/app/program.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace graphloom::test::target_run_test {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// The host, whose measuring somebody cancels.
class InterruptedTarget final : public Target {
public:
    explicit InterruptedTarget(std::shared_ptr<const Target> host) : m_host(std::move(host)) {}
    std::string_view name() const override { return m_host->name(); }
    bool isThisMachine() const override { return true; }
    std::string_view help() const override { return m_host->help(); }
    std::vector<std::string> devices() const override { return m_host->devices(); }
    Result<Device> describe(const std::string &device, std::stop_token stop) const override
    {
        return m_host->describe(device, stop);
    }
    std::vector<Finding> probe() const override { return m_host->probe(); }
    std::string fingerprint(const std::string &device) const override
    {
        return m_host->fingerprint(device);
    }
    Result<std::vector<SourceFile>> generate(const Plan &plan,
                                             const BuildOptions &options) const override
    {
        return m_host->generate(plan, options);
    }
    Result<Plan> tune(const Plan &plan, const TuneOptions &options) const override
    {
        return m_host->tune(plan, options);
    }
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &plan,
                                             const BuildOptions &options) const override
    {
        return m_host->build(plan, options);
    }
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                             const MeasureOptions &options) const override
    {
        std::raise(SIGINT);
        while (!options.stop.stop_requested())
            std::this_thread::yield();
        return m_host->measure(plans, options);
    }

private:
    std::shared_ptr<const Target> m_host;
};

/// A product with weights: unlike the tiny model's kernel, its own has register tiles to choose.
void writeProduct(const fs::path &path)
{
    using namespace graphloom::test;
    onnx::ModelProto model = emptyModel();
    onnx::GraphProto &graph = *model.mutable_graph();
    addInput(graph, "x", {48, 64});
    addOutput(graph, "y", {48, 64});
    std::vector<float> weights(std::size_t(64) * 64);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = float(i % 7) - 3;
    addFloats(graph, "w", {64, 64}, weights);
    addNode(graph, "MatMul", {"x", "w"}, {"y"}, "product");
    std::ofstream stream(path, std::ios::binary);
    model.SerializeToOstream(&stream);
}

/// Counts its runs, and changes nothing.
class CountedPass final : public Pass {
public:
    explicit CountedPass(int &runs) : m_runs(runs) {}
    std::string_view name() const override { return "counted"; }
    std::string_view help() const override { return "For tests."; }
    std::span<const Parameter> parameters() const override { return {}; }
    Result<Plan> run(Plan plan, const Context &) const override
    {
        ++m_runs;
        return plan;
    }

private:
    int &m_runs;
};

} // namespace

/// --target and what belongs to it, with a real compiler on a model of two nodes.
class TargetRunTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void buildsAndReports();
    void measuresBeforeAndAfter();
    void assertionsSeeTheFigures();
    void verifiesTheKernels();
    void testDataRunsOnTheTarget();
    void emitsKernels();
    void writesATrace();
    void budgetsTuneKernels();
    void aBudgetOfNothingTunesNothing();
    void withoutABudgetWhatIsKnownIsTaken();
    void threadsAreThoseAskedFor();
    void interruptsEndMeasuring();
    void whatCannotRunHereIsSaidBeforeThePasses();

private:
    int run()
    {
        m_out.str({});
        m_err.str({});
        return runBatch(m_options, {m_passes, m_targets}, m_out, m_err);
    }
    Json report() const { return test::readJson(file("r.json")); }
    fs::path file(const char *name) const
    {
        return fs::path(m_folder->path().toStdString()) / name;
    }

    test::OwnFolders m_own;
    std::vector<PassPlugin> m_passes;
    std::vector<TargetPlugin> m_targets;
    std::unique_ptr<QTemporaryDir> m_folder;
    BatchOptions m_options;
    std::ostringstream m_out, m_err;
};

void TargetRunTest::initTestCase()
{
    if (!findCCompiler())
        QSKIP("needs gcc or clang");
    m_targets = loadTargetPlugins(GRAPHLOOM_TARGETS);
    m_passes = loadPassPlugins(GRAPHLOOM_PLUGINS);
}

void TargetRunTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_options = {};
    m_options.model = file("m.onnx");
    m_options.batchSize = 5;
    m_options.passes = {"dnnfusion"};
    m_options.target = BatchOptions::TargetName{"host", ""};
    m_options.threads = 1;
    m_options.budget = Budget{}; // whatever the database knows, nothing is tuned
    m_options.report = file("r.json");
    m_options.progress = ProgressStyle::None;
    test::writeTinyModel(m_options.model);
}

void TargetRunTest::buildsAndReports()
{
    QCOMPARE(run(), 0);
    const Json report = this->report();
    QCOMPARE(report["kernels"].size(), std::size_t(1)); // both nodes in one block
    QCOMPARE(report["kernels"][0]["block"], Json(0));
    QVERIFY(report["memory"]["arena_bytes"].is_number());
    QCOMPARE(report["latency"]["provenance"], Json("modelled")); // nothing was measured
    QVERIFY2(m_out.str().find("kernels 1, interpreted blocks 0") != std::string::npos,
             m_out.str().c_str());
}

void TargetRunTest::measuresBeforeAndAfter()
{
    m_options.measure = 7;
    QCOMPARE(run(), 0);
    const Json latency = report()["latency"];
    QCOMPARE(latency["runs"], Json(7));
    QCOMPARE(latency["provenance"], Json("host"));
    QVERIFY(latency["before_ms"].get<double>() > 0 && latency["after_ms"].get<double>() > 0);
    QVERIFY(latency["after"]["min_ms"] <= latency["after"]["median_ms"]);
    QVERIFY(latency["after"]["median_ms"] <= latency["after"]["p95_ms"]);
    QVERIFY(report()["kernels"][0]["ms"].get<double>() > 0);
    // The unfused plan keeps the sum in memory, the fused one nothing.
    QVERIFY(report()["memory"]["peak_bytes_before"] > report()["memory"]["peak_bytes_after"]);
}

void TargetRunTest::assertionsSeeTheFigures()
{
    m_options.measure = 1;
    m_options.assertions = {"latency.ratio > 0", "kernels[0].ms < 1000"};
    QCOMPARE(run(), 0);
    m_options.assertions = {"latency.ratio < 0"};
    QCOMPARE(run(), 1);
}

void TargetRunTest::verifiesTheKernels()
{
    m_options.verify = 1e-6;
    QCOMPARE(run(), 0);
    QCOMPARE(report()["verify"]["passed"], Json(true));
    QCOMPARE(report()["verify"]["target"], Json("host"));
}

void TargetRunTest::testDataRunsOnTheTarget()
{
    fs::create_directory(file("data"));
    std::vector<float> x(20, -3.0F), y(20, 0.0F);
    x[7] = 1.5F;
    y[7] = 2.5F;
    test::writeTensor(file("data/input_0.pb"), {5, 4}, x);
    test::writeTensor(file("data/output_0.pb"), {5, 4}, y);
    m_options.testData = {file("data")};
    QCOMPARE(run(), 0);
    y[7] = 2.6F;
    test::writeTensor(file("data/output_0.pb"), {5, 4}, y);
    QCOMPARE(run(), 1);
    QVERIFY2(m_out.str().find("on the target") != std::string::npos, m_out.str().c_str());
}

void TargetRunTest::emitsKernels()
{
    m_options.emitKernels = file("kernels");
    QCOMPARE(run(), 0);
    QVERIFY(fs::exists(file("kernels/graphloom_kernels.h")));
    std::ifstream stream(file("kernels/block_000_add_relu.c"));
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    QVERIFY2(text.find("Relu") != std::string::npos, text.c_str());
}

void TargetRunTest::writesATrace()
{
    m_options.trace = file("t.json");
    QCOMPARE(run(), 0);
    const Json trace = test::readJson(file("t.json"));
    QCOMPARE(std::ranges::count(trace["traceEvents"], Json("X"),
                                [](const Json &event) { return event["ph"]; }),
             std::ptrdiff_t(1));
}

void TargetRunTest::budgetsTuneKernels()
{
    m_options.profile = file("profile.db");
    m_options.budget = Budget{1, Budget::Unit::Seconds};
    QCOMPARE(run(), 0);
    QVERIFY(fs::exists(file("profile.db")));
    QCOMPARE(report()["tuning"]["target"], Json("host"));
    QCOMPARE(report()["tuning"]["kernels"].size(), std::size_t(1));
}

void TargetRunTest::aBudgetOfNothingTunesNothing()
{
    m_options.profile = file("profile.db");
    QVERIFY(ProfileDatabase::open(*m_options.profile)); // there is one to be asked
    m_options.budget = Budget{0, Budget::Unit::Seconds};
    QCOMPARE(run(), 0);
    QVERIFY(!report().contains("tuning"));
}

void TargetRunTest::withoutABudgetWhatIsKnownIsTaken()
{
    writeProduct(m_options.model);
    m_options.batchSize.reset();
    m_options.profile = file("profile.db");
    m_options.budget = Budget{6, Budget::Unit::Trials};
    QCOMPARE(run(), 0);
    QVERIFY(report()["tuning"]["trials"].get<int>() > 0);
    m_options.budget.reset(); // init() says that nothing is tuned
    QCOMPARE(run(), 0);
    const Json tuning = report()["tuning"];
    QCOMPARE(tuning["trials"], Json(0));
    QVERIFY2(tuning["kernels"][0].contains("ms"), tuning.dump().c_str()); // of the run before
}

void TargetRunTest::threadsAreThoseAskedFor()
{
    m_options.threads = 2;
    m_options.measure = 1;
    QCOMPARE(run(), 0);
    QCOMPARE(report()["latency"]["threads"], Json(2));
}

void TargetRunTest::interruptsEndMeasuring()
{
    const auto host = m_targets.front().target;
    m_targets = {{"host.so", std::make_shared<InterruptedTarget>(host), {}}};
    m_options.measure = 1'000'000;
    const int code = run();
    m_targets.front().target = host;
    QCOMPARE(code, exitCancelled);
    QCOMPARE(report()["latency"]["runs"], Json(1));
}

void TargetRunTest::whatCannotRunHereIsSaidBeforeThePasses()
{
    int runs = 0;
    const BatchPlugins plugins{
        {{"counted.so", std::make_shared<CountedPass>(runs), {}}},
        test::scripted([](const BuildOptions &) -> Result<std::shared_ptr<BuiltPlan>> {
            return fail(Error::Kind::Fault, "was built");
        })};
    auto target = std::const_pointer_cast<Target>(plugins.targets.front().target);
    static_cast<test::ScriptedTarget &>(*target).refusal =
        fail(Error::Kind::Missing, "this processor cannot execute it", "host:cpu");
    m_options.passes = {"counted"};
    m_options.report.reset();
    const auto outcome = [&] {
        m_err.str({});
        return runBatch(m_options, plugins, m_out, m_err);
    };
    for (const bool dry : {false, true}) {
        m_options.dryRun = dry;
        QCOMPARE(outcome(), 4);
        QVERIFY2(m_err.str().find("host:cpu: this processor cannot execute it") !=
                     std::string::npos,
                 m_err.str().c_str());
    }
    QCOMPARE(runs, 0);

    // Texts of kernels can be had all the same, but for tuning them.
    m_options.dryRun = false;
    m_options.emitKernels = file("kernels");
    QCOMPARE(outcome(), 0);
    QCOMPARE(runs, 1);
    m_options.budget = Budget{1, Budget::Unit::Trials};
    QCOMPARE(outcome(), 4);
    QCOMPARE(runs, 1);
}

GRAPHLOOM_TESTS(TargetRunTest)

} // namespace graphloom::test::target_run_test

#include "target_run_test.moc"
