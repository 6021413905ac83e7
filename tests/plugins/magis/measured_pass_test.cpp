// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/c_compiler.h"
#include "engine/ops/derive/call_part.h"
#include "engine/plan/report/memory_report.h"
#include "engine/target/call_timing.h"
#include "plugins/magis/magis_pass.h"
#include "plugins/magis/parameters.h"
#include "tests/plugins/magis/fake_timer.h"
#include "tests/plugins/magis/magis_run.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::measured_pass_test {

using magis::MagisPass;
using test::FakeTimer;
using test::optimized;
using test::Sketch;

namespace {

/// Two layers whose rows can be cut; their middle is four times as wide as their ends.
Plan layers(std::int64_t rows, std::int64_t width)
{
    Sketch s;
    TensorId x = s.input("x", {rows, width});
    x = s.call("Relu", {s.call("MatMul", {x, s.weight({width, 4 * width}, 0.01f)})});
    x = s.call("Relu", {s.call("MatMul", {x, s.weight({4 * width, width}, 0.01f)})});
    auto plan = initialPlan(test::modelOf(s.finish({x})));
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return *std::move(plan);
}

Context contextOf(CallTimers timers, double seconds = 1000)
{
    Context context;
    context.settings = Settings(MagisPass().parameters());
    const auto set = [&](std::string_view name, std::string_view value) {
        if (auto done = context.settings.set(name, value); !done)
            qFatal("%s", done.error().text().c_str());
    };
    set("device", "host");
    set("states", "40");
    set("seconds", "0");
    set("measure-seconds", std::to_string(seconds));
    context.objective = {Objective::Mode::Memory, {}, 1.5};
    context.threads = 1;
    context.timers = std::move(timers);
    return context;
}

CallTimers timersOf(const std::shared_ptr<CallTimer> &timer)
{
    return [timer](std::string_view) { return Result<std::shared_ptr<CallTimer>>(timer); };
}

/// Without what a launch takes: it would make parts dear.
Device phoneWithoutLaunches()
{
    Device device = *findDevice("phone-cpu");
    device.name = "host";
    device.target = "host:cpu";
    device.launchSeconds = 1e-9;
    return device;
}

} // namespace

class MeasuredPassTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void latenciesAreSumsOfMeasuredOnes();
    void theReportCountsWhatWasMeasured();
    void whatHasNoTimeIsModelledAndCounted();
    void thePartsOfThePlanAreMeasured();
    void aPlanWhosePartsAreSlowIsNotTaken();
    void describedDevicesMeasureNothing();
    void describedDevicesCannotBeMeasured();
    void withoutATimerItSaysSo();
    void theHostMeasuresItsKernels();
};

void MeasuredPassTest::latenciesAreSumsOfMeasuredOnes()
{
    const auto timer = std::make_shared<FakeTimer>(phoneWithoutLaunches());
    const Plan once = optimized(layers(64, 64), contextOf(timersOf(timer)));
    timer->factor = [](const CallPart &) { return 6.0; };
    const Plan twice = optimized(layers(64, 64), contextOf(timersOf(timer)));
    QCOMPARE(twice.memory->before.ms, 2 * once.memory->before.ms);
    QCOMPARE(twice.memory->after.ms, 2 * once.memory->after.ms);
    QCOMPARE(once.memory->device, std::string("host"));
}

void MeasuredPassTest::theReportCountsWhatWasMeasured()
{
    const auto timer = std::make_shared<FakeTimer>(phoneWithoutLaunches());
    const Plan plan = optimized(layers(64, 64), contextOf(timersOf(timer)));
    nlohmann::ordered_json report;
    addMemorySections(*plan.memory, peakBytesOf(plan), report);
    const auto &times = report["memory"]["times"];
    QCOMPARE(times["measured"].get<int>(), 4);
    QCOMPARE(times["modelled"].get<int>(), 0);
    QCOMPARE(times["measured_share_before"].get<double>(), 1.0);
    QVERIFY(times["not_measured"].empty());
    // A sum over calls is still no run of the model.
    QCOMPARE(report["memory"]["provenance"].get<std::string>(), std::string("modelled"));
}

void MeasuredPassTest::whatHasNoTimeIsModelledAndCounted()
{
    const auto timer = std::make_shared<FakeTimer>(phoneWithoutLaunches());
    timer->untimed = "MatMul";
    const Plan some = optimized(layers(64, 64), contextOf(timersOf(timer)));
    QCOMPARE(some.memory->times.measured, 2U);
    QCOMPARE(some.memory->times.modelled, 2U);
    QVERIFY(some.memory->times.shareBefore > 0 && some.memory->times.shareBefore < 1);
    QVERIFY(!some.memory->times.problems.empty());
    QVERIFY(some.memory->times.problems[0].node.find("MatMul") != std::string::npos);

    const Plan none = optimized(layers(64, 64), contextOf(timersOf(timer), 0));
    QCOMPARE(none.memory->times.measured, 0U);
    QCOMPARE(none.memory->times.modelled, 4U);
    QCOMPARE(none.memory->times.share, 0.0);
}

void MeasuredPassTest::thePartsOfThePlanAreMeasured()
{
    const auto timer = std::make_shared<FakeTimer>(phoneWithoutLaunches());
    const Plan plan = optimized(layers(96, 64), contextOf(timersOf(timer)));
    QVERIFY(plan.memory->after.peakBytes < plan.memory->before.peakBytes);
    QVERIFY(plan.memory->times.partsMeasured > 0);
    QCOMPARE(plan.memory->times.partsScaled, 0U);
    QCOMPARE(plan.memory->times.share, 1.0);
}

/// Parts of sizes that are not among those measured before the search take much longer.
void MeasuredPassTest::aPlanWhosePartsAreSlowIsNotTaken()
{
    const auto timer = std::make_shared<FakeTimer>(phoneWithoutLaunches());
    constexpr std::int64_t rows = 96;
    timer->factor = [](const CallPart &call) {
        const std::int64_t extent = (*call.operands[0]->shape)[0].value();
        const bool likely = rows % extent == 0 && (rows / extent & (rows / extent - 1)) == 0;
        return likely ? 1.0 : 100.0;
    };
    Context context = contextOf(timersOf(timer));
    const Plan plan = optimized(layers(rows, 64), context);
    QVERIFY(plan.memory->limitsMet);
    QVERIFY(plan.memory->after.ms <= 1.5 * plan.memory->before.ms);
    QCOMPARE(plan.memory->times.partsScaled, 0U);
}

void MeasuredPassTest::describedDevicesMeasureNothing()
{
    const auto timer = std::make_shared<FakeTimer>(phoneWithoutLaunches());
    Context context = contextOf(timersOf(timer), 0);
    QVERIFY(context.settings.set("device", "phone-cpu"));
    const Plan plan = optimized(layers(64, 64), context);
    QVERIFY(timer->asked.empty());
    QCOMPARE(plan.memory->times.measured, 0U);
    QCOMPARE(plan.memory->times.modelled, 4U);
    QVERIFY(plan.memory->times.problems.empty());
}

void MeasuredPassTest::describedDevicesCannotBeMeasured()
{
    Context context = contextOf(timersOf(std::make_shared<FakeTimer>(phoneWithoutLaunches())));
    QVERIFY(context.settings.set("device", "phone-cpu"));
    const auto result = runPass(MagisPass(), layers(8, 8), context);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, Error::Kind::Usage);
    QVERIFY(result.error().text().find("phone-cpu is only described") != std::string::npos);
}

void MeasuredPassTest::withoutATimerItSaysSo()
{
    const auto result = runPass(MagisPass(), layers(8, 8), contextOf(Context().timers));
    QVERIFY(!result);
    QCOMPARE(result.error().kind, Error::Kind::Missing);
    QCOMPARE(result.error().message, std::string("calls cannot be timed here"));
}

void MeasuredPassTest::theHostMeasuresItsKernels()
{
    if (!findCCompiler())
        QSKIP("there is no C compiler");
    QTemporaryDir folder;
    auto opened = ProfileDatabase::inMemory();
    QVERIFY(opened);
    const auto database = std::make_shared<ProfileDatabase>(*std::move(opened));
    CallTimingOptions options;
    options.threads = 1;
    options.cache = folder.path().toStdString();
    const CallTimers timers =
        timersOn([] { return loadTargetPlugins(GRAPHLOOM_TARGETS); }, options,
                 [&] { return Result<std::shared_ptr<ProfileDatabase>>(database); });
    const Plan plan = optimized(layers(64, 32), contextOf(timers));
    QCOMPARE(plan.memory->times.measured, 4U);
    QCOMPARE(plan.memory->times.modelled, 0U);
    QCOMPARE(plan.memory->times.shareBefore, 1.0);
    QVERIFY(plan.memory->before.ms > 0);

    double seconds = 0;
    std::size_t known = 0;
    const auto read = database->forEach([&](const ProfileKey &, const auto &latencies) {
        QCOMPARE(latencies.front().provenance, Provenance::Host);
        QVERIFY(latencies.front().minNs > 0);
        seconds += latencies.front().minNs * 1e-9;
        ++known;
    });
    QVERIFY(read);
    QVERIFY(known >= 4);
    QVERIFY(plan.memory->before.ms <= 1.001e3 * seconds); // which has parts, too

    // What is known is enough another time.
    const Plan again = optimized(layers(64, 32), contextOf(timers, 0));
    QCOMPARE(again.memory->times.measured, 4U);
    QCOMPARE(again.memory->before.ms, plan.memory->before.ms);
}

GRAPHLOOM_TESTS(MeasuredPassTest)

} // namespace graphloom::test::measured_pass_test

#include "measured_pass_test.moc"
