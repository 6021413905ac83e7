// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_plan.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::measure_test {

using test::FakePlan;

class MeasureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantilesAreSamples();
    void noiseIsTheQuartilesDistance();
    void plansRunInTurns();
    void stepsAreTimed();
    void provenanceIsThePlans();
    void stoppedEarlyHasFewerRuns();
    void stoppedBeforeWarmingUpRunsOnce();
    void outOfTimeRunsOnce();
    void failuresArePassedOn();
};

void MeasureTest::quantilesAreSamples()
{
    std::vector<double> samples;
    for (int i = 100; i >= 1; --i)
        samples.push_back(i);
    const Times times = timesOf(samples);
    QCOMPARE(times.min, 1.0);
    QCOMPARE(times.median, 50.0);
    QCOMPARE(times.p95, 95.0);
}

void MeasureTest::noiseIsTheQuartilesDistance()
{
    QCOMPARE(timesOf({1, 2, 3, 4}).noise, 1.0); // (3 - 1) / 2
    QCOMPARE(timesOf({7}).noise, 0.0);
}

void MeasureTest::plansRunInTurns()
{
    std::vector<std::string> log;
    const std::vector<std::shared_ptr<BuiltPlan>> plans = {std::make_shared<FakePlan>("a", log),
                                                           std::make_shared<FakePlan>("b", log)};
    MeasureOptions options;
    options.runs = 2;
    options.warmup = 1;
    const auto measured = measureInTurns(plans, options);
    QVERIFY(measured);
    // The second of two runs is timed.
    QCOMPARE(log, (std::vector<std::string>{"a", "b", "a", "a", "b", "b", "a", "a", "b", "b"}));
    QCOMPARE((*measured)[0].runs, 2); // the warm-up is none
}

void MeasureTest::stepsAreTimed()
{
    std::vector<std::string> log;
    const std::shared_ptr<BuiltPlan> plan = std::make_shared<FakePlan>("a", log);
    const auto measured = measureInTurns({&plan, 1}, {});
    QVERIFY(measured);
    QCOMPARE((*measured)[0].steps.size(), std::size_t(2));
    QCOMPARE((*measured)[0].steps[1].median, 2.0);
}

void MeasureTest::provenanceIsThePlans()
{
    std::vector<std::string> log;
    const std::shared_ptr<BuiltPlan> plan = std::make_shared<FakePlan>("a", log);
    const auto measured = measureInTurns({&plan, 1}, {});
    QVERIFY(measured);
    QCOMPARE(int((*measured)[0].provenance), int(Provenance::Emulated));
}

void MeasureTest::stoppedEarlyHasFewerRuns()
{
    std::vector<std::string> log;
    const std::shared_ptr<BuiltPlan> plan = std::make_shared<FakePlan>("a", log);
    std::stop_source source;
    MeasureOptions options;
    options.runs = 1000;
    options.stop = source.get_token();
    options.progress = [&](double fraction, std::string_view) {
        if (fraction > 0.01)
            source.request_stop();
    };
    const auto measured = measureInTurns({&plan, 1}, options);
    QVERIFY(measured);
    QVERIFY((*measured)[0].runs >= 1 && (*measured)[0].runs < 1000);
}

void MeasureTest::stoppedBeforeWarmingUpRunsOnce()
{
    std::vector<std::string> log;
    const std::shared_ptr<BuiltPlan> plan = std::make_shared<FakePlan>("a", log);
    std::stop_source source;
    source.request_stop();
    MeasureOptions options;
    options.warmup = 100;
    options.stop = source.get_token();
    const auto measured = measureInTurns({&plan, 1}, options);
    QVERIFY(measured);
    QCOMPARE((*measured)[0].runs, 1);
    QCOMPARE(log.size(), std::size_t(1));
}

void MeasureTest::outOfTimeRunsOnce()
{
    std::vector<std::string> log;
    const std::shared_ptr<BuiltPlan> plan = std::make_shared<FakePlan>("a", log);
    MeasureOptions options;
    options.seconds = 0;
    const auto measured = measureInTurns({&plan, 1}, options);
    QVERIFY(measured);
    QCOMPARE((*measured)[0].runs, 1);
    QCOMPARE(log.size(), std::size_t(2)); // what comes before the timed one, but no warm-up
}

void MeasureTest::failuresArePassedOn()
{
    std::vector<std::string> log;
    const auto plan = std::make_shared<FakePlan>("a", log);
    plan->fails = true;
    const std::shared_ptr<BuiltPlan> base = plan;
    const auto measured = measureInTurns({&base, 1}, {});
    QVERIFY(!measured);
    QCOMPARE(int(measured.error().kind), int(Error::Kind::Model));
}

GRAPHLOOM_TESTS(MeasureTest)

} // namespace graphloom::test::measure_test

#include "measure_test.moc"
