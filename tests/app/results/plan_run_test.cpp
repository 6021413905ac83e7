// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/plan_run.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::test::plan_run_test {

/// Blocks of three nodes: steps are a copy of 1 ms and blocks of 1, 2, 3… ms.
class PlanRunTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        m_fused = test::fused(m_plain);
        QVERIFY(m_fused);
        m_run = test::madeRun(m_fused);
    }

    /// Where tuning has joined blocks, the others have other numbers than before.
    void timesBeforeAreThoseOfTheSameKernels()
    {
        PlanRun run = *test::madeTunedRun(m_fused);
        run.stepMs = 0; // planRunOf() adds them up
        for (PlanStep &step : run.outcome.stepsBefore)
            if (step.block)
                ++*step.block;
        const std::size_t joined = 3, same = 4;
        run.outcome.steps[joined].text += "; " + run.outcome.steps[2].text;
        const PlanRunPointer made = planRunOf(std::move(run));
        QVERIFY(!made->beforeOf(joined));
        QCOMPARE(made->beforeOf(same).value(), 2 * made->timesOf(same).median);
    }

    void sharesAddUpToOne()
    {
        double sum = 0;
        for (std::size_t step = 0; step < m_run->steps().size(); ++step)
            sum += m_run->shareOf(step);
        QVERIFY(std::abs(sum - 1) < 1e-9);
        QCOMPARE(m_run->shareOf(4), 4 / m_run->stepMs);
    }

    void speedsAreOfTheMedian()
    {
        QCOMPARE(m_run->flopsPerSecond(2), 1e9);
        QCOMPARE(m_run->bytesPerSecond(2), 5e7);
    }

    void whatIsInterpretedHasNoSpeed() { QCOMPARE(m_run->flopsPerSecond(1), 0.0); }

    void stepsBelongToBlocks()
    {
        QCOMPARE(m_run->itemOf(3), Item::block(2));
        QCOMPARE(m_run->itemOf(0), Item());
    }

    void withoutFusionStepsBelongToNodes()
    {
        const PlanRunPointer run = test::madeRun(m_plain);
        QCOMPARE(run->itemOf(3), Item::of(m_plain->graph().order()[2]));
    }

    void theCodeIsTheBlocks()
    {
        QCOMPARE(m_run->sourceOf(3)->name, std::string("block_2.c"));
        QCOMPARE(m_run->sourceOf(1), nullptr);
    }

    void anotherFusionIsAnotherPlan()
    {
        QVERIFY(m_run->isOf(*m_fused->plan));
        QVERIFY(!m_run->isOf(*m_plain->plan));
        QVERIFY(!m_run->isOf(*test::fused(m_plain, 2)->plan));
    }

    void whatKernelsDoNotDependOnMakesNoOther()
    {
        Plan partitioned = *m_fused->plan;
        partitioned.partition = std::make_shared<const Partition>();
        QVERIFY(m_run->isOf(partitioned));
    }

    void timesOfAnotherMachineNameIt()
    {
        QCOMPARE(at("Abacus 9, 8 cores")->provenance(), QStringLiteral("host, Abacus 9, 8 cores"));
        QCOMPARE(at(machineName())->provenance(), QStringLiteral("host"));
        QCOMPARE(at("")->provenance(), QStringLiteral("host")); // of an unknown machine
    }

    void aNoticeNamesTheOtherMachine()
    {
        QVERIFY(noticeOf(*at("Abacus 9, 8 cores"), false)
                    .contains(QStringLiteral("Abacus 9, 8 cores")));
        QVERIFY(noticeOf(*at(machineName()), false).isEmpty());
    }

    void kernelsTunedElsewhereAreTold_data()
    {
        QTest::addColumn<QString>("tuned");
        QTest::addColumn<QString>("measured");
        QTest::addColumn<bool>("elsewhere");
        QTest::newRow("here") << "Abacus 9, AVX2"
                              << "Abacus 9, 8 cores" << false;
        QTest::newRow("elsewhere") << "Abacus 90, AVX2"
                                   << "Abacus 9, 8 cores" << true;
        QTest::newRow("nowhere") << ""
                                 << "Abacus 9, 8 cores" << false;
        QTest::newRow("measured on an unknown machine") << "Abacus 9, AVX2"
                                                        << "" << false;
    }

    void kernelsTunedElsewhereAreTold()
    {
        QFETCH(QString, tuned);
        QFETCH(QString, measured);
        QFETCH(bool, elsewhere);
        PlanRun run = *test::madeTunedRun(m_fused);
        auto kernels = std::make_shared<KernelPlan>(*run.plan->kernels);
        kernels->device = tuned.toStdString();
        auto plan = std::make_shared<Plan>(*run.plan);
        plan->kernels = std::move(kernels);
        run.plan = std::move(plan);
        run.at.machine = measured.toStdString();
        QCOMPARE(run.tunedElsewhere(), elsewhere);
    }

    void heatOfANodeIsItsBlocks()
    {
        const Heat heat(m_run);
        const NodeId node = m_fused->graph().order()[4]; // of block 1
        QCOMPARE(heat.of(*m_fused, Item::of(node)).value_or(-1), m_run->shareOf(2));
        QCOMPARE(heat.of(*m_fused, Item::block(1)).value_or(-1), m_run->shareOf(2));
        QCOMPARE(heat.most(), m_run->shareOf(m_run->steps().size() - 1));
    }

    void heatOfSubgraphsCountsABlockOnce()
    {
        const SnapshotPointer both = test::fused(test::partitioned(m_plain));
        QVERIFY(both);
        const PlanRunPointer run = test::madeRun(both);
        const Heat heat(run);
        double sum = 0;
        for (std::uint32_t s = 0; s < both->partition->rows.size(); ++s)
            sum += heat.of(*both, Item::subgraph(s)).value_or(-1);
        QVERIFY(std::abs(sum - (1 - run->shareOf(0))) < 1e-9); // all but the copy
    }

    void heatKnowsNothingOfAnotherPlan()
    {
        QVERIFY(!Heat(m_run).of(*m_plain, Item::of(m_plain->graph().order()[0])));
    }

private:
    /// Returns the run as if it were of another machine.
    PlanRunPointer at(const std::string &machine) const
    {
        PlanRun run = *m_run;
        run.stepMs = 0; // planRunOf() adds them up
        run.at.machine = machine;
        return planRunOf(std::move(run));
    }

    SnapshotPointer m_plain, m_fused;
    PlanRunPointer m_run;
};

GRAPHLOOM_WINDOW_TESTS(PlanRunTest)

} // namespace graphloom::test::plan_run_test

#include "plan_run_test.moc"
