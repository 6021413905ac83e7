// SPDX-License-Identifier: Apache-2.0
#include "engine/target/target_report.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace graphloom::test::target_report_test {

using Json = nlohmann::ordered_json;

namespace {

/// A kernel and an interpreted block.
TargetOutcome built()
{
    TargetOutcome outcome;
    outcome.target = "host";
    outcome.device = "cpu";
    outcome.instructionSet = "AVX2";
    outcome.threads = 2;
    outcome.memory = {4096, 2048, 64, 1024};
    outcome.steps.push_back({3, 1, "kernel_1", "", false, "y = relu(x)", "vectorize i", 2e6, 1e6});
    outcome.steps.push_back({4, 0, "", "it is opaque", false, "NonZero", "", 0, 0});
    return outcome;
}

/// The same, measured: 2 MFLOP in 1 ms; the whole takes half of the time that it took before.
TargetOutcome outcome()
{
    TargetOutcome outcome = built();
    outcome.after.emplace(
        Measurement{{4, 4.5, 5, 0.1}, {{0.5, 1, 2, 0}, {3, 3, 3, 0}}, 50, Provenance::Host});
    outcome.before.emplace(Measurement{{8, 9, 10, 0.2}, {}, 50, Provenance::Host});
    outcome.memoryBefore = PlanMemory{8192, 4096, 64, 1024};
    return outcome;
}

Json reported(const TargetOutcome &outcome)
{
    Json report = Json::object();
    addTargetSections(report, outcome);
    return report;
}

} // namespace

class TargetReportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void buildCountsWhatIsInterpreted();
    void theInstructionSetIsSaidWhereThereIsAChoice();
    void latencyComparesMedians();
    void whatWasMeasuredBesideIsNamed();
    void memoryOfBoth();
    void whatAPassSaidOfMemoryStays();
    void kernelsHaveRates();
    void interpretedBlocksSayWhy();
    void withoutMeasurementThereIsNoLatency();
    void eachDeviceHasARow();
    void devicesTellTheirState();
    void bracketsHaveBounds();
    void traceHasASliceForEachThread();
    void runsOfATraceAreProcesses();
    void traceKeepsToJsonWhateverNamesHold();
};

void TargetReportTest::buildCountsWhatIsInterpreted()
{
    const Json build = reported(built())["build"];
    QCOMPARE(build["kernels"], Json(1));
    QCOMPARE(build["interpreted"], Json(1));
    QCOMPARE(build["threads"], Json(2));
}

void TargetReportTest::theInstructionSetIsSaidWhereThereIsAChoice()
{
    TargetOutcome one = outcome();
    for (const char *section : {"build", "latency"})
        QCOMPARE(reported(one)[section]["instruction_set"], Json("AVX2"));
    one.instructionSet.clear();
    for (const char *section : {"build", "latency"})
        QVERIFY(reported(one)[section]["instruction_set"].is_null());
}

void TargetReportTest::latencyComparesMedians()
{
    const Json latency = reported(outcome())["latency"];
    QCOMPARE(latency["before_ms"], Json(9.0));
    QCOMPARE(latency["after_ms"], Json(4.5));
    QCOMPARE(latency["ratio"], Json(0.5));
    QCOMPARE(latency["runs"], Json(50));
    QCOMPARE(latency["provenance"], Json("host"));
    QCOMPARE(latency["after"]["min_ms"], Json(4.0));
    QCOMPARE(latency["before"]["noise"], Json(0.2));
}

void TargetReportTest::whatWasMeasuredBesideIsNamed()
{
    TargetOutcome compared = outcome();
    for (const char *section : {"latency", "memory"})
        QCOMPARE(reported(compared)[section]["compared_with"], Json("before tuning"));
    compared.besideOriginal = true;
    for (const char *section : {"latency", "memory"})
        QCOMPARE(reported(compared)[section]["compared_with"], Json("original"));
}

void TargetReportTest::whatAPassSaidOfMemoryStays()
{
    Json report = {{"memory", {{"latency_ms_before", 3}}}};
    addTargetSections(report, outcome());
    QCOMPARE(report["memory"]["arena_bytes"], Json(4096));
    QCOMPARE(report["memory"]["plan"]["latency_ms_before"], Json(3));
}

void TargetReportTest::eachDeviceHasARow()
{
    TargetOutcome other = outcome();
    other.target = "opencl";
    other.device = "0";
    TargetOutcome notMeasured = built();
    Json report = Json::object();
    addDevices(report, outcome(), std::array{other, notMeasured});
    QCOMPARE(report["devices"].size(), std::size_t(2));
    QCOMPARE(report["devices"][0]["target"], Json("host"));
    QCOMPARE(report["devices"][1]["target"], Json("opencl"));
    QCOMPARE(report["devices"][1]["provenance"], Json("host"));
    QCOMPARE(report["devices"][1]["latency"]["median_ms"], Json(4.5));
    QVERIFY(!report["devices"][1].contains("low_ms"));
    // The original and the result on the first device, and the result on the other one.
    QCOMPARE(report["pareto"].size(), std::size_t(3));
    QCOMPARE(report["pareto"][0]["plan"], Json("before tuning"));
    QCOMPARE(report["pareto"][2]["plan"], Json("result"));
    QCOMPARE(report["pareto"][2]["device"], Json("opencl:0"));
    QCOMPARE(report["pareto"][2]["latency_ms"], Json(4.5));
}

void TargetReportTest::devicesTellTheirState()
{
    TargetOutcome warm = outcome();
    warm.after->megahertz = 2600;
    warm.after->celsius = 41.5;
    warm.after->joules = 0.25;
    warm.after->energyOf = "battery";
    Json report = Json::object();
    addDevices(report, warm, {});
    QCOMPARE(report["devices"][0]["clock_mhz"], Json(2600.0));
    QCOMPARE(report["devices"][0]["temperature_c"], Json(41.5));
    QCOMPARE(report["devices"][0]["energy_j"], Json(0.25));
    QCOMPARE(report["devices"][0]["energy_of"], Json("battery"));
}

void TargetReportTest::bracketsHaveBounds()
{
    TargetOutcome estimated = outcome();
    estimated.after->isBracket = true;
    Json report = Json::object();
    addDevices(report, estimated, {});
    QCOMPARE(report["devices"][0]["low_ms"], Json(4.0));
    QCOMPARE(report["devices"][0]["high_ms"], Json(5.0));
}

void TargetReportTest::memoryOfBoth()
{
    const Json memory = reported(outcome())["memory"];
    QCOMPARE(memory["arena_bytes"], Json(4096));
    QCOMPARE(memory["peak_bytes_before"], Json(4096));
    QCOMPARE(memory["peak_bytes_after"], Json(2048));
    QCOMPARE(memory["ratio"], Json(0.5));
}

void TargetReportTest::kernelsHaveRates()
{
    const Json kernel = reported(outcome())["kernels"][0];
    QCOMPARE(kernel["block"], Json(3));
    QCOMPARE(kernel["schedule"], Json("vectorize i"));
    QCOMPARE(kernel["ms"], Json(1.0));
    QCOMPARE(kernel["gflops"], Json(2.0));
    QCOMPARE(kernel["gb_per_s"], Json(1.0));
    QCOMPARE(kernel["provenance"], Json("host"));
    QVERIFY(kernel["interpreted"].is_null());
}

void TargetReportTest::interpretedBlocksSayWhy()
{
    const Json kernel = reported(outcome())["kernels"][1];
    QCOMPARE(kernel["interpreted"], Json("it is opaque"));
    QVERIFY(!kernel.contains("gflops"));
}

void TargetReportTest::withoutMeasurementThereIsNoLatency()
{
    const Json report = reported(built());
    QVERIFY(!report.contains("latency"));
    QVERIFY(!report["kernels"][0].contains("ms"));
    QVERIFY(!report["memory"].contains("ratio"));
}

void TargetReportTest::traceHasASliceForEachThread()
{
    const std::vector<TraceSlice> slices = {
        {0, 0, 0, 1e-3, 10}, {0, 1, 1e-4, 5e-4, 6}, {1, 0, 1e-3, 2e-3, 0}};
    const std::vector<PlanStep> steps = outcome().steps;
    const Json trace = Json::parse(traceJson({{"a model", steps, slices}}));
    std::vector<Json> shown;
    for (const Json &event : trace["traceEvents"])
        if (event["ph"] == "X")
            shown.push_back(event);
    QCOMPARE(shown.size(), std::size_t(3));
    QCOMPARE(shown[1]["tid"], Json(1));
    QCOMPARE(shown[1]["ts"], Json(100.0));
    QCOMPARE(shown[1]["dur"], Json(500.0));
    QCOMPARE(shown[1]["args"]["schedule"], Json("vectorize i"));
    QCOMPARE(shown[2]["cat"], Json("interpreted"));
}

void TargetReportTest::runsOfATraceAreProcesses()
{
    const std::vector<PlanStep> steps = outcome().steps;
    const std::vector<TraceSlice> slices = {{0, 0, 0, 1e-3, 10}}, other = {{1, 0, 0, 2e-3, 0}};
    const Json trace = Json::parse(traceJson({{"before", steps, other}, {"after", steps, slices}}));
    std::map<Json, std::pair<Json, Json>> processes; // by id: its name, and what it ran
    for (const Json &event : trace["traceEvents"]) {
        if (event["name"] == "process_name")
            processes[event["pid"]].first = event["args"]["name"];
        else if (event["ph"] == "X")
            processes[event["pid"]].second = event["name"];
    }
    QCOMPARE(processes.size(), std::size_t(2));
    QVERIFY(processes[1] == std::pair(Json("before"), Json("NonZero")));
    QVERIFY(processes[2] == std::pair(Json("after"), Json("y = relu(x)")));
}

void TargetReportTest::traceKeepsToJsonWhateverNamesHold()
{
    auto steps = outcome().steps;
    steps[0].text = "\xff\"\n";
    const std::vector<TraceSlice> slices = {{0, 0, 0, 1, 1}};
    const Json trace = Json::parse(traceJson({{"\xfe", steps, slices}}), nullptr, false);
    QVERIFY(!trace.is_discarded());
}

GRAPHLOOM_TESTS(TargetReportTest)

} // namespace graphloom::test::target_report_test

#include "target_report_test.moc"
