// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/report/model_facts.h"
#include "engine/plan/report/report.h"
#include "tests/support/graph_maker.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

namespace graphloom::test::report_test {

namespace testing = graphloom::test;
using Json = nlohmann::ordered_json;

namespace {

/// Of x[batch,8]: a product with an 8x4 weight, a bias, and an operator that nobody knows.
class Sample {
public:
    explicit Sample(const Dim &batch)
    {
        const TensorId input = m_maker.input("x", {batch, 8});
        const TensorId weight =
            m_maker.constant("w", test::floats({8, 4}, std::vector<float>(32, 1.5f)));
        const TensorId bias = m_maker.constant("b", test::splat(0.5f, {4}));
        m_maker.constant("axes", TensorData::fromInt64s({1, 2, 3}));
        const TensorId product = m_maker.call("MatMul", {input, weight}, {batch, 4});
        const TensorId sum = m_maker.call("Add", {product, bias}, {batch, 4});
        const Graph graph =
            m_maker.finish({m_maker.call("com.example.NoSuchOp", {sum}, {batch, 4})});
        auto model = std::make_shared<Model>();
        model->graph = graph;
        model->opsets = {{"", 17}, {"com.example", 1}};
        m_plan.model = std::move(model);
        m_plan.graph = m_plan.original = graph;
    }

    const Plan &plan() const { return m_plan; }
    const std::vector<NodeId> &nodes() const { return m_maker.nodes; }

private:
    test::GraphMaker m_maker;
    Plan m_plan;
};

ReportContent content()
{
    ReportContent result;
    result.environment = {"cpu name", 2, "compiler name", "device name"};
    return result;
}

} // namespace

class ReportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlySectionsWithContent();
    void modelFacts();
    void symbolicMacsAreUnknown();
    void passes();
    void partitionAndItsBaseline();
    void latencyAsPriced();
    void latencyOfAMemoryPlan();
    void chosenSchedules();
    void verification();
    void errorsWithoutANumberAreNull();
    void gates();
    void hostEnvironmentIsFilledIn();
};

void ReportTest::onlySectionsWithContent()
{
    const auto report = reportOf(Sample(3).plan(), content());
    QVERIFY(report.has_value());
    QStringList keys;
    for (const auto &[key, value] : report->items())
        keys << QString::fromStdString(key);
    QCOMPARE(keys, (QStringList{"schema", "model", "environment"}));
    QCOMPARE((*report)["schema"], Json(1));
    QCOMPARE((*report)["environment"], (Json{{"cpu", "cpu name"},
                                             {"threads", 2},
                                             {"compiler", "compiler name"},
                                             {"device", "device name"}}));
}

void ReportTest::modelFacts()
{
    const auto report = reportOf(Sample(3).plan(), content());
    QVERIFY(report.has_value());
    const Json &model = (*report)["model"];
    QCOMPARE(model["nodes"], Json(3));
    QCOMPARE(model["operators"], (Json{{"Add", 1}, {"MatMul", 1}, {"com.example.NoSuchOp", 1}}));
    QCOMPARE(model["opaque_nodes"], Json(1));
    QCOMPARE(model["parameters"], Json(36)); // without the integers
    QCOMPARE(model["macs"], Json(3 * 8 * 4));
    QCOMPARE(model["opset"], Json(17));
    QCOMPARE(model["provenance"], Json("modelled"));
}

void ReportTest::symbolicMacsAreUnknown()
{
    const auto plan = Sample(Dim::symbol("batch")).plan();
    const auto facts = factsOf(*plan.model);
    QVERIFY(facts.has_value());
    QVERIFY(!facts->macs);
    QVERIFY((*reportOf(plan, content()))["model"]["macs"].is_null());
}

void ReportTest::passes()
{
    Plan plan = Sample(3).plan();
    plan.history.push_back({"ago",
                            0.25,
                            {{"threshold", 600}},
                            {{"subgraphs", std::int64_t(82)},
                             {"jain", 0.5},
                             {"acyclic", true},
                             {"note", std::string("text")}}});
    const auto report = reportOf(plan, content());
    QVERIFY(report.has_value());
    QCOMPARE((*report)["passes"],
             Json::parse(R"([{"name": "ago", "seconds": 0.25, "provenance": "host",
                              "settings": {"threshold": 600.0},
                              "summary": {"subgraphs": 82, "jain": 0.5, "acyclic": true,
                                          "note": "text"}}])"));
}

void ReportTest::partitionAndItsBaseline()
{
    const Sample sample(3);
    const auto &nodes = sample.nodes();
    Plan plan = sample.plan();
    const auto partition = [&](std::string method, std::vector<Subgraph> subgraphs) {
        auto result = std::make_shared<Partition>();
        result->method = std::move(method);
        result->threshold = 500;
        result->subgraphs = std::move(subgraphs);
        result->index(plan.graph);
        return result;
    };
    plan.partition = partition("ago", {{{nodes[0], nodes[1]}, 300}, {{nodes[2]}, 100}});
    plan.baselinePartition =
        partition("relay-like", {{{nodes[0]}, 290}, {{nodes[1]}, 10}, {{nodes[2]}, 100}});
    const auto report = reportOf(plan, content());
    QVERIFY(report.has_value());
    const Json &section = (*report)["partition"];
    QCOMPARE(section["method"], Json("ago"));
    QCOMPARE(section["subgraphs"], Json(2));
    QCOMPARE(section["acyclic"], Json(true));
    QCOMPARE(section["weights"], Json::parse("[300.0, 100.0]"));
    QCOMPARE(section["mean"].get<double>(), 200.0);
    QCOMPARE(section["median"].get<double>(), 200.0);
    QCOMPARE(section["trivial"], Json(0));
    // (300 + 100)^2 / (2 * (300^2 + 100^2))
    QVERIFY(std::abs(section["jain"].get<double>() - 0.8) < 1e-12);
    QCOMPARE(section["provenance"], Json("modelled"));
    QCOMPARE(section["baseline"]["subgraphs"], Json(3));
    QCOMPARE(section["baseline"]["trivial"], Json(1));
}

void ReportTest::latencyAsPriced()
{
    Plan plan = Sample(3).plan();
    auto fusion = std::make_shared<FusionPlan>();
    fusion->costMs = 2;
    fusion->unfusedMs = 8;
    fusion->device = "phone-cpu";
    plan.fusion = fusion;
    const Json report = *reportOf(plan, content());
    QCOMPARE(report["latency"], (Json{{"before_ms", 8.0},
                                      {"after_ms", 2.0},
                                      {"ratio", 0.25},
                                      {"device", "phone-cpu"},
                                      {"provenance", "modelled"}}));
}

void ReportTest::latencyOfAMemoryPlan()
{
    Plan plan = Sample(3).plan();
    auto memory = std::make_shared<MemoryPlan>();
    memory->device = "gpu";
    memory->before = {10, 400, "unchanged order"};
    memory->rewritten = {8, 420, "with merged calls"};
    memory->after = {9, 200, "search"};
    memory->referenceMs = 8;
    memory->workspaceBytes = 16;
    memory->front = {memory->after};
    memory->baselines = {{"micro-batching", {{12, 210, "4 parts"}}, {}},
                         {"micro-batching", {{9, 220, "4 parts"}}, {9, 220, "4 parts"}, true}};
    plan.memory = memory;
    const Json report = *reportOf(plan, content());
    QCOMPARE(report["latency"], (Json{{"before_ms", 10.0},
                                      {"rewritten_ms", 8.0},
                                      {"after_ms", 9.0},
                                      {"ratio", 0.9},
                                      {"ratio_to_rewritten", 1.125},
                                      {"device", "gpu"},
                                      {"provenance", "modelled"}}));
    const Json &section = report["memory"];
    QCOMPARE(section["latency_ratio"], Json(0.9)); // as before
    QCOMPARE(section["latency_ratio_to_rewritten"], Json(1.125));
    QCOMPARE(section["latency_ms_reference"], Json(8.0));
    QCOMPARE(section["workspace_bytes"], Json(16));
    QCOMPARE(section["rewritten"]["peak_bytes"], Json(420));
    QCOMPARE(section["baselines"][0]["graph"], Json("original"));
    QCOMPARE(section["baselines"][1]["graph"], Json("rewritten"));
    QCOMPARE(section["baselines"][1]["best"]["latency_ratio_to_rewritten"], Json(1.125));
    QCOMPARE(report["pareto"][0]["latency_ratio_to_rewritten"], Json(1.125));
}

void ReportTest::chosenSchedules()
{
    Plan plan = Sample(3).plan();
    KernelPlan kernels;
    kernels.target = "host";
    kernels.threads = 2;
    NestKernel tuned, usual;
    tuned.schedule = "vectorize o";
    tuned.before = Figure{0.5, "ms", Provenance::Host};
    tuned.time = Figure{0.25, "ms", Provenance::Host};
    tuned.trials = 30;
    kernels.blocks = {{tuned}, {}, {usual}};
    kernels.algorithms = {"", "winograd 0 4x4"};
    plan.kernels = std::make_shared<const KernelPlan>(kernels);
    const auto report = reportOf(plan, content());
    QVERIFY(report);
    const Json &tuning = (*report)["tuning"];
    QCOMPARE(tuning["trials"], Json(30));
    QCOMPARE(tuning["kernels"].size(), std::size_t(2));
    QCOMPARE(tuning["kernels"][0]["default_ms"], Json(0.5));
    QCOMPARE(tuning["kernels"][0]["ms"], Json(0.25));
    QCOMPARE(tuning["kernels"][0]["provenance"], Json("host"));
    QCOMPARE(tuning["kernels"][1]["block"], Json(2));
    QVERIFY(!tuning["kernels"][1].contains("ms"));
    QCOMPARE(tuning["algorithms"].size(), std::size_t(1));
    QCOMPARE(tuning["algorithms"][0]["block"], Json(1));
    QCOMPARE(tuning["algorithms"][0]["algorithm"], Json("winograd 0 4x4"));
}

void ReportTest::verification()
{
    ReportContent all = content();
    Verification passed;
    passed.passed = true;
    passed.maxAbsError = 1e-6;
    passed.maxRelError = 1e-7;
    passed.tolerance = 1e-4;
    passed.inputs = 1;
    passed.filledWeights = 5;
    all.verification = passed;
    Verification failed = passed;
    failed.passed = false;
    failed.message = "output \"y\"";
    all.testData.push_back({"folder", failed});
    const auto report = reportOf(Sample(3).plan(), all);
    QVERIFY(report.has_value());
    const Json &verify = (*report)["verify"];
    QCOMPARE(verify["passed"], Json(true));
    QCOMPARE(verify["max_abs_error"], Json(1e-6));
    QCOMPARE(verify["max_rel_error"], Json(1e-7));
    QCOMPARE(verify["inputs"], Json(1));
    QCOMPARE(verify["filled_weights"], Json(5));
    QVERIFY(!verify.contains("message"));
    const Json &data = (*report)["test_data"][0];
    QCOMPARE(data["folder"], Json("folder"));
    QCOMPARE(data["passed"], Json(false));
    QCOMPARE(data["message"], Json("output \"y\""));
}

void ReportTest::errorsWithoutANumberAreNull()
{
    ReportContent all = content();
    all.verification.emplace();
    all.verification->maxAbsError = std::numeric_limits<double>::infinity();
    const auto report = reportOf(Sample(3).plan(), all);
    QVERIFY(report.has_value());
    QVERIFY(Json::parse(report->dump())["verify"]["max_abs_error"].is_null());
}

void ReportTest::gates()
{
    const Json section =
        reportOf(std::vector<Gate>{{"assert", "a < b", true, ""}, {"baseline", "c", false, "why"}});
    QCOMPARE(section, Json::parse(R"([{"kind": "assert", "text": "a < b", "passed": true},
                 {"kind": "baseline", "text": "c", "passed": false, "message": "why"}])"));
}

void ReportTest::hostEnvironmentIsFilledIn()
{
    const Environment environment = hostEnvironment(0);
    QVERIFY(!environment.cpu.empty());
    QVERIFY(environment.threads >= 1);
    QVERIFY(environment.device.starts_with("host: "));
    QVERIFY(environment.compiler.find(' ') != std::string::npos);
    QCOMPARE(hostEnvironment(3).threads, 3u);
}

GRAPHLOOM_TESTS(ReportTest)

} // namespace graphloom::test::report_test

#include "report_test.moc"
