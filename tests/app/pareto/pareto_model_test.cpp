// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pareto/pareto_model.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/test_program.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace graphloom::test::pareto_model_test {

Plan planWith(const MemoryPlan &memory)
{
    Plan plan;
    plan.memory = std::make_shared<const MemoryPlan>(memory);
    return plan;
}

/// Three plans of the front, two points of a baseline, before and after.
class ParetoModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fused(test::rewritten());
        QVERIFY(m_fused);
        MemoryPlan memory;
        memory.before = {10, 400, "unchanged order"};
        memory.rewritten = {8, 420, "with merged calls"};
        memory.after = {12, 300, "search"};
        memory.front = {{20, 200, "search"}, {12, 300, "search"}, {10, 390, "order"}};
        memory.baselines = {{"micro-batching", {{25, 280, "4"}, {15, 350, "2"}}, {}},
                            {"micro-batching", {{18, 260, "4"}}, {}, true}};
        auto data = std::make_shared<ParetoData>();
        data->series = paretoOf(planWith(memory));
        for (ParetoSeries &series : paretoOf({test::madeRun(m_fused)}))
            data->series.push_back(series);
        m_data = data;
        m_model.setData(m_data);
    }

    void behavesAsAModel()
    {
        ParetoModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setData(m_data);
        model.setData(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void provenancesAreApart()
    {
        QCOMPARE(m_data->series.size(), std::size_t(7));
        for (std::size_t s = 0; s < 6; ++s)
            QCOMPARE(m_data->series[s].provenance, Provenance::Modelled);
        const ParetoSeries &measured = m_data->series[6];
        QVERIFY(measured.provenance != Provenance::Modelled);
        QVERIFY(!measured.before);
        QCOMPARE(m_model.rowCount(), 10);
    }

    void runsWithWeightsAreASeriesOfTheirOwn()
    {
        const PlanRunPointer without = test::madeRun(m_fused);
        PlanRun run = *without;
        Plan plan = *run.plan;
        MemoryPlan memory;
        memory.residentBytes = 100;
        plan.memory = std::make_shared<const MemoryPlan>(std::move(memory));
        run.plan = std::make_shared<const Plan>(std::move(plan));
        const auto series = paretoOf({without, std::make_shared<const PlanRun>(std::move(run))});
        QCOMPARE(series.size(), std::size_t(2));
        QVERIFY(series[0].name != series[1].name);
    }

    void theFrontIsInTheOrderOfLatencies()
    {
        const auto &points = m_data->series[0].points;
        QCOMPARE(points[0].ms, 10.0);
        QCOMPARE(points[0].front, 2); // its place in the plan
        QCOMPARE(points[2].ms, 20.0);
        QCOMPARE(*m_data->numberOfFront(0), std::size_t(2));
        QVERIFY(!m_data->numberOfFront(3));
    }

    void baselinesKeepTheirOrder() { QCOMPARE(m_data->series[1].points[0].ms, 25.0); }

    void numbersFindTheirPoints()
    {
        QCOMPARE(m_data->size(), std::size_t(10));
        QCOMPARE(m_data->placeOf(4).series, std::size_t(1));
        QCOMPARE(m_data->placeOf(4).point, std::size_t(1));
        QCOMPARE(m_data->seriesOf(8).kind, ParetoSeries::Kind::After);
    }

    void theRewrittenGraphIsBesideTheOriginal()
    {
        QCOMPARE(m_data->series[1].name, QStringLiteral("micro-batching"));
        QCOMPARE(m_data->series[2].name, QStringLiteral("micro-batching, rewritten"));
        QVERIFY(m_data->hasTwin(m_data->series[1]));
        QVERIFY(!m_data->hasTwin(m_data->series[2]));
        QCOMPARE(m_data->meansOf(2), m_data->meansOf(1));
        QCOMPARE(m_data->seriesOf(6).kind, ParetoSeries::Kind::Before);
        QCOMPARE(m_data->seriesOf(7).kind, ParetoSeries::Kind::Rewritten);
        QCOMPARE(m_data->point(7).origin, QStringLiteral("with merged calls"));
    }

    void rowsTellRatiosToBefore()
    {
        const auto text = [&](int row, int column) {
            return m_model.index(row, column).data().toString();
        };
        QCOMPARE(text(2, ParetoModel::Series), QStringLiteral("front"));
        QCOMPARE(text(2, ParetoModel::Slower), QStringLiteral("2.000"));
        QCOMPARE(text(2, ParetoModel::SlowerThanRewritten), QStringLiteral("2.500"));
        QCOMPARE(text(2, ParetoModel::Smaller), QStringLiteral("0.500"));
        QCOMPARE(text(2, ParetoModel::Obtained), QStringLiteral("modelled"));
        QCOMPARE(text(9, ParetoModel::Slower), QString()); // measured: of nothing measured before
        QVERIFY(m_model.isLess(0, 2, ParetoModel::Latency));
        QVERIFY(m_model.isLess(2, 0, ParetoModel::Memory));
        QVERIFY(m_model.isLess(9, 0, ParetoModel::Slower));
    }

    void otherPlansHaveTheirNames()
    {
        MemoryPlan memory;
        memory.after = {12, 300, "search"};
        const auto series = paretoOf(planWith(memory), QStringLiteral("run 2"));
        QCOMPARE(series.size(), std::size_t(1));
        QCOMPARE(series[0].name, QStringLiteral("run 2: this plan"));
        QVERIFY(!series[0].before);
    }

private:
    SnapshotPointer m_fused;
    ParetoPointer m_data;
    ParetoModel m_model;
};

GRAPHLOOM_TESTS(ParetoModelTest)

} // namespace graphloom::test::pareto_model_test

#include "pareto_model_test.moc"
