// SPDX-License-Identifier: Apache-2.0
#include "engine/target/plan_measurement.h"

#include "tests/support/made_measurement.h"
#include "tests/support/sample_plan.h"
#include "tests/support/test_program.h"

#include <limits>

namespace graphloom::test::plan_measurement_test {

namespace {

using Change = std::function<void(PlanMeasurement &)>;
using ChangeTrials = std::function<void(TuningTrials &)>;

} // namespace

} // namespace graphloom::test::plan_measurement_test

Q_DECLARE_METATYPE(graphloom::test::plan_measurement_test::Change)
Q_DECLARE_METATYPE(graphloom::test::plan_measurement_test::ChangeTrials)

namespace graphloom::test::plan_measurement_test {

class PlanMeasurementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plan = std::make_shared<const Plan>(test::planOfSample("bert_tiny.onnx"));
    }

    void possibleMeasurementsAreTaken()
    {
        const auto checked = checkMeasurement(test::madeMeasurement(m_plan));
        QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
    }

    void aPlanMeasuredAloneIsTaken()
    {
        PlanMeasurement alone = test::madeMeasurement(m_plan);
        alone.outcome.before.reset();
        alone.outcome.memoryBefore.reset();
        alone.outcome.stepsBefore.clear();
        alone.outcome.traceBefore.clear();
        const auto checked = checkMeasurement(alone);
        QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
    }

    void impossibleMeasurementsAreRefused_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char *name, Change change, const char *named) {
            QTest::newRow(name) << std::move(change) << QString(named);
        };
        row(
            "no plan", [](auto &of) { of.plan = nullptr; }, "plan that was measured is missing");
        row(
            "no times", [](auto &of) { of.outcome.after.reset(); }, "has no times");
        row(
            "no threads", [](auto &of) { of.outcome.threads = 0; }, "threads, 0");
        row(
            "too many threads", [](auto &of) { of.outcome.threads = 1025; }, "threads, 1025");
        row(
            "steps before without times", [](auto &of) { of.outcome.before.reset(); },
            "steps have no times");
        row(
            "a trace before without steps",
            [](auto &of) {
                of.outcome.before.reset();
                of.outcome.stepsBefore.clear();
            },
            "impossible slice");
        row(
            "memory below zero", [](auto &of) { of.outcome.memory.peak = -1; }, "size of memory");
        row(
            "too much memory before",
            [](auto &of) {
                of.outcome.memoryBefore->arena = std::numeric_limits<std::int64_t>::max();
            },
            "size of memory");
        row(
            "a time too few", [](auto &of) { of.outcome.after->steps.pop_back(); },
            "differ in number");
        row(
            "no runs", [](auto &of) { of.outcome.after->runs = 0; }, "impossible time");
        row(
            "an infinite time",
            [](auto &of) {
                of.outcome.after->steps[0].median = std::numeric_limits<double>::infinity();
            },
            "impossible time");
        row(
            "work below zero", [](auto &of) { of.outcome.steps[0].flops = -1; }, "amount of work");
        row(
            "a block that is not there", [](auto &of) { of.outcome.steps[0].block = 1'000'000; },
            "block 1000000");
        row(
            "a slice of no step", [](auto &of) { of.outcome.trace[0].step = 1'000'000; },
            "impossible slice");
        row(
            "a slice of no thread", [](auto &of) { of.outcome.trace[0].thread = 1'000'000; },
            "impossible slice");
        row(
            "a device without speed", [](auto &of) { of.device->peakFlops = 0; },
            "impossible figure");
    }

    void impossibleMeasurementsAreRefused()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        PlanMeasurement made = test::madeMeasurement(m_plan);
        change(made);
        const auto checked = checkMeasurement(made);
        QVERIFY(!checked);
        const QString error = QString::fromStdString(checked.error().text());
        QVERIFY2(error.contains(named), qPrintable(error));
    }

    void impossibleTrialsAreRefused_data()
    {
        QTest::addColumn<ChangeTrials>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char *name, ChangeTrials change, const char *named) {
            QTest::newRow(name) << std::move(change) << QString(named);
        };
        row(
            "no plan", [](auto &of) { of.plan = nullptr; }, "plan that was tuned is missing");
        row(
            "a time below zero", [](auto &of) { of.trials[0].milliseconds = -1; },
            "impossible figure");
        row(
            "a kernel without uses", [](auto &of) { of.trials[0].uses = 0; }, "impossible figure");
    }

    void impossibleTrialsAreRefused()
    {
        QFETCH(ChangeTrials, change);
        QFETCH(QString, named);
        TuningTrials made = test::madeTuning(m_plan);
        QVERIFY(checkTrials(made));
        change(made);
        const auto checked = checkTrials(made);
        QVERIFY(!checked);
        const QString error = QString::fromStdString(checked.error().text());
        QVERIFY2(error.contains(named), qPrintable(error));
    }

private:
    std::shared_ptr<const Plan> m_plan;
};

GRAPHLOOM_TESTS(PlanMeasurementTest)

} // namespace graphloom::test::plan_measurement_test

#include "plan_measurement_test.moc"
