// SPDX-License-Identifier: Apache-2.0
#include "app/batch/batch.h"
#include "tests/support/app/program.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace graphloom::test::batch_test {

using test::readJson;
using Json = nlohmann::ordered_json;

namespace {

namespace fs = std::filesystem;

/// A pass that does what it is told.
class FakePass : public Pass {
public:
    using Body = std::function<Result<Plan>(Plan, const Context &)>;

    explicit FakePass(Body body, bool usesObjective = false)
        : m_body(std::move(body)), m_usesObjective(usesObjective)
    {
    }
    bool usesObjective() const override { return m_usesObjective; }
    std::string_view name() const override { return "fake"; }
    std::string_view help() const override { return "For tests."; }
    std::span<const Parameter> parameters() const override { return table; }
    Result<Plan> run(Plan plan, const Context &context) const override
    {
        return m_body(std::move(plan), context);
    }

    static constexpr std::array<Parameter, 2> table = {{
        {.name = "depth",
         .help = "A number.",
         .kind = Parameter::Kind::Integer,
         .initial = 3,
         .least = 1,
         .most = 9},
        {.name = "trials",
         .help = "A budget.",
         .kind = Parameter::Kind::Integer,
         .initial = 10,
         .least = 1,
         .most = 100000},
    }};

private:
    Body m_body;
    bool m_usesObjective;
};

class MeasuringPass final : public FakePass {
public:
    using FakePass::FakePass;
    bool measures(const Settings &) const override { return true; }
};

std::vector<PassPlugin> plugins(FakePass::Body body, bool usesObjective = false)
{
    return {{"fake.so", std::make_shared<FakePass>(std::move(body), usesObjective), {}},
            {"broken.so", nullptr, "was built for another version"}};
}

Result<Plan> nothing(Plan plan, const Context &)
{
    return plan;
}

/// Replaces the model's Relu by another operator: a result that differs.
Result<Plan> breakModel(Plan plan, const Context &)
{
    for (const NodeId id : plan.graph.order()) {
        Node node = plan.graph.node(id);
        if (node.op != "Relu")
            continue;
        node.op = "Neg";
        auto graph = plan.graph.with(id, std::move(node));
        if (!graph)
            return tl::unexpected(graph.error());
        plan.graph = std::move(*graph);
        return plan;
    }
    return fail(Error::Kind::Fault, "no Relu found");
}

} // namespace

/// runBatch() with passes made for the purpose; batch_program_test.cpp runs the program itself.
class BatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void goodPassIsExported();
    void wrongPassExportsNothing();
    void wrongPassWithoutVerifyIsExported();
    void errorsAndExceptionsOfPasses();
    void settingsReachThePass();
    void budgetReachesThePass();
    void objectiveReachesThePass();
    void objectiveThatNoPassHas();
    void whatMeasuresMakesTheProfile();
    void unknownPassNamesWhatThereIs();
    void cancelledPassStillWrites();
    void cancelledPassThatFails();
    void comparisonThatCannotBeDoneFails();
    void unsupportedOperatorsAreNoFailedComparison();
    void passesThatBreakAModelFailItsTestData();
    void randomNumbersAreNotComparable();
    void exhaustedMemoryIsReported_data();
    void exhaustedMemoryIsReported();
    void symbolicInputsAreNamed();
    void testDataDecides();
    void outputsAreChecked();
    void nothingTemporaryIsLeft();

private:
    int run(const std::vector<PassPlugin> &passes)
    {
        m_out.str({});
        m_err.str({});
        m_options.progress = ProgressStyle::None;
        return runBatch(m_options, {passes, {}}, m_out, m_err);
    }
    fs::path file(const char *name) const
    {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    std::string err() const { return m_err.str(); }
    std::string textOf(const char *name) const
    {
        std::ifstream stream(file(name));
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    void write(const onnx::ModelProto &model) const
    {
        std::ofstream stream(m_options.model, std::ios::binary);
        QVERIFY(model.SerializeToOstream(&stream));
    }
    /// Stored values of the tiny model.
    fs::path dataFolder() const
    {
        fs::create_directory(file("data"));
        test::writeTensor(file("data") / "input_0.pb", {2, 4}, {-3, -2, -1, 0, 1, 2, 3, 4});
        test::writeTensor(file("data") / "output_0.pb", {2, 4}, {0, 0, 0, 1, 2, 3, 4, 5});
        return file("data");
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    BatchOptions m_options;
    std::ostringstream m_out, m_err;
};

void BatchTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_options = {};
    m_options.model = file("m.onnx");
    m_options.batchSize = 5;
    m_options.passes = {"fake"};
    m_options.report = file("r.json");
    test::writeTinyModel(m_options.model);
}

void BatchTest::goodPassIsExported()
{
    m_options.verify = 1e-6;
    m_options.exportTo = file("o.onnx");
    QCOMPARE(run(plugins(nothing)), 0);
    QVERIFY(fs::exists(file("o.onnx")));
    const Json report = readJson(file("r.json"));
    QCOMPARE(report["verify"]["passed"], Json(true));
    QCOMPARE(report["verify"]["max_abs_error"], Json(0.0));
    QCOMPARE(report["passes"][0]["name"], Json("fake"));
    QVERIFY(m_out.str().find("verify") != std::string::npos);
    QVERIFY2(err().empty(), err().c_str());
}

void BatchTest::wrongPassExportsNothing()
{
    m_options.verify = 1e-6;
    m_options.exportTo = file("o.onnx");
    std::ofstream(file("o.onnx")) << "what was there";
    QCOMPARE(run(plugins(breakModel)), 1);
    std::ifstream old(file("o.onnx"));
    QCOMPARE(std::string(std::istreambuf_iterator<char>(old), {}), std::string("what was there"));
    QVERIFY(err().find("nothing is exported") != std::string::npos);
    const Json verify = readJson(file("r.json"))["verify"];
    QCOMPARE(verify["passed"], Json(false));
    QVERIFY(verify["max_abs_error"].get<double>() > 0);
    QVERIFY(verify["message"].get<std::string>().find("\"y\"") != std::string::npos);
}

void BatchTest::wrongPassWithoutVerifyIsExported()
{
    m_options.exportTo = file("o.onnx");
    QCOMPARE(run(plugins(breakModel)), 0);
    QVERIFY(fs::exists(file("o.onnx")));
    QVERIFY(!readJson(file("r.json")).contains("verify"));
}

void BatchTest::errorsAndExceptionsOfPasses()
{
    m_options.junit = file("j.xml");
    m_options.exportTo = file("o.onnx");
    QCOMPARE(run(plugins([](Plan, const Context &) -> Result<Plan> {
                 throw std::runtime_error("it broke");
             })),
             5);
    QVERIFY2(err().find("it broke") != std::string::npos, err().c_str());
    QCOMPARE(run(plugins([](Plan, const Context &) -> Result<Plan> {
                 return fail(Error::Kind::Missing, "no such device", "somewhere");
             })),
             4);
    QVERIFY2(err().find("somewhere: no such device") != std::string::npos, err().c_str());
    QVERIFY(!fs::exists(file("o.onnx")) && !fs::exists(file("r.json")));
    std::ifstream junit(file("j.xml"));
    const std::string xml(std::istreambuf_iterator<char>(junit), {});
    QVERIFY(xml.find("errors=\"1\"") != std::string::npos);
    QVERIFY(xml.find("no such device") != std::string::npos);
}

void BatchTest::settingsReachThePass()
{
    std::int64_t depth = 0;
    std::uint64_t seed = 0;
    const auto passes = plugins([&](Plan plan, const Context &context) -> Result<Plan> {
        depth = context.settings.integer("depth");
        seed = context.seed;
        return plan;
    });
    m_options.seed = 42;
    QCOMPARE(run(passes), 0);
    QCOMPARE(depth, 3);
    QCOMPARE(seed, std::uint64_t(42));
    m_options.settings = {{"fake", "depth", "7"}};
    QCOMPARE(run(passes), 0);
    QCOMPARE(depth, 7);
    for (const auto &[pass, parameter, value] : {std::tuple{"fake", "depth", "10"},
                                                 {"fake", "depth", "many"},
                                                 {"fake", "width", "1"},
                                                 {"ago", "depth", "1"}}) {
        m_options.settings = {{pass, parameter, value}};
        QCOMPARE(run(passes), 2);
        QVERIFY2(err().find(pass) != std::string::npos &&
                     err().find(parameter) != std::string::npos,
                 err().c_str());
    }
}

void BatchTest::budgetReachesThePass()
{
    std::int64_t trials = 0;
    const auto passes = plugins([&](Plan plan, const Context &context) -> Result<Plan> {
        trials = context.settings.integer("trials");
        return plan;
    });
    m_options.budget = Budget{2000, Budget::Unit::Trials};
    QCOMPARE(run(passes), 0);
    QCOMPARE(trials, 2000);
    m_options.budget = Budget{3, Budget::Unit::Seconds};
    QCOMPARE(run(passes), 2);
    QVERIFY2(err().find("--budget") != std::string::npos, err().c_str());
}

void BatchTest::objectiveReachesThePass()
{
    m_options.passes = {"fake"};
    m_options.objective.objective = {Objective::Mode::Memory, MemoryLimit(0.6), 1.1};
    m_options.objective.checkpoint = file("state");
    m_options.objective.option = "--objective";
    Objective seen;
    std::filesystem::path checkpoint;
    const auto look = [&](Plan plan, const Context &context) -> Result<Plan> {
        seen = context.objective;
        checkpoint = context.checkpoint;
        return plan;
    };
    QCOMPARE(run(plugins(look, true)), 0);
    QVERIFY(seen == m_options.objective.objective);
    QCOMPARE(checkpoint, file("state"));
    m_options.objective.resume = file("nothing");
    QCOMPARE(run(plugins(look, true)), 4);
    QVERIFY2(err().find("--resume") != std::string::npos, err().c_str());
}

void BatchTest::objectiveThatNoPassHas()
{
    m_options.passes = {"fake"};
    m_options.objective.option = "--memory-limit";
    QCOMPARE(run(plugins(nothing)), 2);
    QVERIFY2(err().find("--memory-limit") != std::string::npos, err().c_str());
}

void BatchTest::whatMeasuresMakesTheProfile()
{
    m_options.profile = file("profile.db");
    QCOMPARE(run(plugins(nothing)), 4);
    QVERIFY(!fs::exists(file("profile.db")));
    QCOMPARE(run({{"fake.so", std::make_shared<MeasuringPass>(nothing), {}}}), 0);
    QVERIFY(fs::exists(file("profile.db")));
}

void BatchTest::unknownPassNamesWhatThereIs()
{
    m_options.passes = {"magis"};
    QCOMPARE(run(plugins(nothing)), 2);
    for (const char *word : {"magis", "fake", "broken.so", "was built for another version"})
        QVERIFY2(err().find(word) != std::string::npos, err().c_str());
}

void BatchTest::cancelledPassStillWrites()
{
    m_options.exportTo = file("o.onnx");
    m_options.verify = 1e-6;
    m_options.passes = {"fake", "fake"};
    int runs = 0;
    const int code = run(plugins([&](Plan plan, const Context &context) -> Result<Plan> {
        ++runs;
        std::raise(SIGTERM);
        while (!context.stop.stop_requested())
            std::this_thread::yield();
        return plan;
    }));
    QCOMPARE(code, 130);
    QCOMPARE(runs, 1); // the second pass is not begun
    QVERIFY(fs::exists(file("o.onnx")));
    const Json report = readJson(file("r.json"));
    QCOMPARE(report["passes"].size(), std::size_t(1));
    QVERIFY(!report.contains("verify")); // which would take its time
    QVERIFY(err().find("are not verified: the run was cancelled") != std::string::npos);
}

/// A pass that gives an error when it is cancelled loses its own work, not that of others.
void BatchTest::cancelledPassThatFails()
{
    m_options.exportTo = file("o.onnx");
    const int code = run(plugins([](Plan, const Context &context) -> Result<Plan> {
        std::raise(SIGINT);
        while (!context.stop.stop_requested())
            std::this_thread::yield();
        return fail(Error::Kind::Fault, "lost what it had");
    }));
    QCOMPARE(code, 130);
    QVERIFY(fs::exists(file("o.onnx")));
    QVERIFY(!readJson(file("r.json")).contains("passes"));
}

/// An operator that nobody can run makes the comparison impossible, which is no success.
void BatchTest::comparisonThatCannotBeDoneFails()
{
    m_options.exportTo = file("o.onnx");
    m_options.verify = 1e-6;
    QCOMPARE(run(plugins([](Plan plan, const Context &) -> Result<Plan> {
                 const NodeId id = plan.graph.order().back();
                 Node node = plan.graph.node(id);
                 node.op = "NoSuchOperator";
                 auto graph = plan.graph.with(id, std::move(node));
                 if (!graph)
                     return tl::unexpected(graph.error());
                 plan.graph = std::move(*graph);
                 return plan;
             })),
             1);
    QVERIFY(!fs::exists(file("o.onnx")));
    const Json verify = readJson(file("r.json"))["verify"];
    QCOMPARE(verify["passed"], Json(false));
    QVERIFY(verify["max_abs_error"].is_null());
    QVERIFY(verify["message"].get<std::string>().find("NoSuchOperator") != std::string::npos);
}

/// What is wrong is the model, not the comparison: its reader cannot run it.
void BatchTest::unsupportedOperatorsAreNoFailedComparison()
{
    auto model = test::emptyModel();
    test::addInput(*model.mutable_graph(), "x", {2, 4});
    test::addNode(*model.mutable_graph(), "NoSuchOperator", {"x"}, {"y"}, "odd");
    test::addOpenOutput(*model.mutable_graph(), "y");
    write(model);
    m_options.batchSize.reset();
    m_options.junit = file("j.xml");
    m_options.verify = 1e-6;
    QCOMPARE(run(plugins(nothing)), 3);
    QVERIFY2(err().find("NoSuchOperator") != std::string::npos, err().c_str());
    QVERIFY(m_out.str().find("FAILED") == std::string::npos);
    QVERIFY(textOf("j.xml").find("NoSuchOperator") != std::string::npos);

    m_options.verify.reset();
    m_options.testData = {dataFolder()};
    QCOMPARE(run(plugins(nothing)), 3);
    QVERIFY2(err().find("odd") != std::string::npos, err().c_str());
}

void BatchTest::passesThatBreakAModelFailItsTestData()
{
    m_options.batchSize.reset();
    m_options.testData = {dataFolder()};
    QCOMPARE(run(plugins(nothing)), 0);
    QCOMPARE(run(plugins([](Plan plan, const Context &) -> Result<Plan> {
                 const NodeId id = plan.graph.order().back();
                 Node node = plan.graph.node(id);
                 node.op = "NoSuchOperator";
                 plan.graph = *plan.graph.with(id, std::move(node));
                 return plan;
             })),
             1);
    const Json outcome = readJson(file("r.json"))["test_data"][0];
    QCOMPARE(outcome["passed"], Json(false));
    QVERIFY2(outcome["message"].get<std::string>().find("NoSuchOperator") != std::string::npos,
             outcome.dump().c_str());
}

void BatchTest::randomNumbersAreNotComparable()
{
    auto model = test::emptyModel();
    auto &graph = *model.mutable_graph();
    test::addInput(graph, "x", {2, 4});
    test::addNode(graph, "RandomNormalLike", {"x"}, {"r"}, "noise");
    test::addNode(graph, "Add", {"x", "r"}, {"y"});
    test::addOpenOutput(graph, "y");
    write(model);
    m_options.batchSize.reset();
    m_options.junit = file("j.xml");
    m_options.verify = 1e-6;
    m_options.testData = {dataFolder()};
    QCOMPARE(run(plugins(nothing)), 0);
    const Json report = readJson(file("r.json"));
    QCOMPARE(report["verify"]["passed"], Json(true)); // the same graph draws the same numbers
    const Json &section = report["test_data"][0];
    QCOMPARE(section["comparable"], Json(false));
    QVERIFY(section["passed"].is_null());
    QVERIFY2(section["message"].get<std::string>().find("noise") != std::string::npos,
             section.dump().c_str());
    QVERIFY2(m_out.str().find("not comparable") != std::string::npos, m_out.str().c_str());
    QVERIFY(textOf("j.xml").find("<skipped") != std::string::npos);
}

void BatchTest::exhaustedMemoryIsReported_data()
{
    QTest::addColumn<bool>("inAPass");
    QTest::newRow("in a pass") << true;
    QTest::newRow("elsewhere") << false;
}

void BatchTest::exhaustedMemoryIsReported()
{
    QFETCH(bool, inAPass);
    m_options.junit = file("j.xml");
    m_options.sarif = file("s.sarif");
    m_options.html = file("r.html");
    m_options.progress = ProgressStyle::None;
    BatchPlugins all{plugins([&](Plan plan, const Context &) -> Result<Plan> {
                         if (inAPass)
                             throw std::bad_alloc();
                         return plan;
                     }),
                     {}};
    all.drawPictures = [](const PictureContent &,
                          std::stop_token) -> Result<std::vector<HtmlPicture>> {
        throw std::bad_alloc();
    };
    QCOMPARE(runBatch(m_options, all, m_out, m_err), 4);
    QVERIFY2(err().find("not enough memory") != std::string::npos, err().c_str());
    QVERIFY(textOf("j.xml").find("not enough memory") != std::string::npos);
    QVERIFY(textOf("s.sarif").find("not enough memory") != std::string::npos);
}

void BatchTest::symbolicInputsAreNamed()
{
    m_options.batchSize.reset();
    m_options.verify = 1e-6;
    QVERIFY(run(plugins(nothing)) != 0);
    QVERIFY2(err().find("x") != std::string::npos || m_out.str().find("x") != std::string::npos,
             err().c_str());
    m_options.inputShapes = {{"x", {2, 4}}};
    QCOMPARE(run(plugins(nothing)), 0);
    m_options.inputShapes = {{"z", {2, 4}}};
    QCOMPARE(run(plugins(nothing)), 2);
    QVERIFY2(err().find("z") != std::string::npos && err().find("x") != std::string::npos,
             err().c_str());
}

void BatchTest::testDataDecides()
{
    m_options.passes.clear();
    m_options.batchSize.reset();
    const fs::path good = file("good"), bad = file("bad"), short_ = file("short"),
                   broken = file("broken");
    for (const fs::path &folder : {good, bad, short_, broken})
        fs::create_directory(folder);
    for (const fs::path &folder : {good, bad, broken}) {
        test::writeTensor(folder / "input_0.pb", {2, 4}, {-3, -2, -1, 0, 1, 2, 3, 4});
        test::writeTensor(folder / "output_0.pb", {2, 4},
                          {0, 0, 0, 1, 2, 3, 4, folder == good ? 5.0f : 5.5f});
    }
    test::writeTensor(short_ / "output_0.pb", {2, 4}, {0, 0, 0, 1, 2, 3, 4, 5});
    std::ofstream(broken / "input_0.pb") << "no tensor at all";

    m_options.testData = {good};
    QCOMPARE(run({}), 0);
    QCOMPARE(readJson(file("r.json"))["test_data"][0]["passed"], Json(true));
    m_options.testData = {good, bad};
    QCOMPARE(run({}), 1);
    const Json outcomes = readJson(file("r.json"))["test_data"];
    QCOMPARE(outcomes[0]["passed"], Json(true));
    QCOMPARE(outcomes[1]["passed"], Json(false));
    QCOMPARE(outcomes[1]["max_abs_error"], Json(0.5));
    m_options.testData = {short_};
    QCOMPARE(run({}), 2);
    m_options.testData = {file("nowhere")};
    QCOMPARE(run({}), 2);
    m_options.testData = {broken};
    QCOMPARE(run({}), 3);
    QVERIFY2(err().find("input_0.pb") != std::string::npos, err().c_str());
}

void BatchTest::outputsAreChecked()
{
    m_options.exportTo = m_options.model;
    QCOMPARE(run(plugins(nothing)), 2);
    m_options.exportTo = m_options.report;
    QCOMPARE(run(plugins(nothing)), 2);
    m_options.exportTo = file(".");
    QCOMPARE(run(plugins(nothing)), 2);
    m_options.exportTo = file("nowhere/o.onnx");
    QCOMPARE(run(plugins(nothing)), 4);
    m_options.exportTo.reset();
    std::ofstream(file("old.json")) << R"({"schema": 1, "model": {}})";
    m_options.baseline = m_options.report = file("old.json");
    QCOMPARE(run(plugins(nothing)), 2);
    QVERIFY2(err().find("--baseline") != std::string::npos, err().c_str());
}

void BatchTest::nothingTemporaryIsLeft()
{
    m_options.verify = 1e-6;
    m_options.exportTo = file("o.onnx");
    QCOMPARE(run(plugins(breakModel)), 1);
    QCOMPARE(run(plugins(nothing)), 0);
    const QStringList left =
        QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    QCOMPARE(left, (QStringList{"m.onnx", "o.onnx", "r.json"}));
}

GRAPHLOOM_TESTS(BatchTest)

} // namespace graphloom::test::batch_test

#include "batch_test.moc"
