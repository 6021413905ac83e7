// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lanes_maker.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::test::lanes_maker_test {

class LanesMakerTest : public QObject {
    Q_OBJECT

private:
    bool settle() const
    {
        return QTest::qWaitFor([this] { return !m_maker->isRunning(); }, patience);
    }

    /// Cancels the work as soon as it is listed.
    void cancel()
    {
        connect(&m_jobs, &JobList::rowsInserted, m_maker.get(), [this] { m_jobs.cancel(0); });
        m_maker->setRun(m_traced);
        QObject::disconnect(&m_jobs, nullptr, m_maker.get(), nullptr);
        QVERIFY(settle());
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_fused);
        m_traced = test::madeTracedRun(m_fused);
    }

    void init()
    {
        m_maker = std::make_unique<LanesMaker>();
        m_maker->setJobs(&m_jobs);
        m_made.clear();
        connect(m_maker.get(), &LanesMaker::ready, this,
                [this](const LanesPointer &lanes) { m_made.push_back(lanes); });
    }

    void lanesAreMadeInTheBackground()
    {
        m_maker->setRun(m_traced);
        QVERIFY(m_maker->isRunning());
        QVERIFY(m_made.empty());
        QCOMPARE(m_jobs.jobs().size(), std::size_t(1));
        QVERIFY(settle());
        QCOMPARE(m_made.size(), std::size_t(1));
        QCOMPARE(m_made.front()->of, m_traced);
        QVERIFY(m_jobs.jobs().empty());
    }

    void thoseOfTheSameRunAreNotMadeAgain()
    {
        m_maker->setRun(m_traced);
        QVERIFY(settle());
        m_maker->setRun(m_traced);
        QVERIFY(!m_maker->isRunning());
        QCOMPARE(m_made.size(), std::size_t(1));
    }

    void aRunWithoutTraceHasNoneAtOnce()
    {
        m_maker->setRun(test::madeRun(m_fused));
        QVERIFY(!m_maker->isRunning());
        QCOMPARE(m_made, std::vector<LanesPointer>{nullptr});
    }

    void anotherRunSupersedesTheOneBefore()
    {
        m_maker->setRun(m_traced);
        const PlanRunPointer other = test::madeTracedRun(m_fused);
        m_maker->setRun(other);
        QVERIFY(settle());
        QCOMPARE(m_made.size(), std::size_t(1));
        QCOMPARE(m_made.front()->of, other);
    }

    void thoseThatWereCancelledAreMissing()
    {
        cancel();
        QVERIFY(m_maker->isMissing());
        QCOMPARE(m_made, std::vector<LanesPointer>{nullptr});
    }

    void thoseThatWereCancelledCanBeMade()
    {
        cancel();
        m_maker->setRun(m_traced);
        QVERIFY(settle());
        QVERIFY(!m_maker->isMissing());
        QVERIFY(m_made.back());
    }

    void withoutARunThereAreNone()
    {
        m_maker->setRun(m_traced);
        m_maker->setRun(nullptr);
        QVERIFY(!m_maker->isRunning());
        QCOMPARE(m_made, std::vector<LanesPointer>{nullptr});
        QVERIFY(m_jobs.jobs().empty());
    }

private:
    SnapshotPointer m_fused;
    PlanRunPointer m_traced;
    JobList m_jobs;
    std::vector<LanesPointer> m_made;
    std::unique_ptr<LanesMaker> m_maker;
};

GRAPHLOOM_WINDOW_TESTS(LanesMakerTest)

} // namespace graphloom::test::lanes_maker_test

#include "lanes_maker_test.moc"
