// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/drawing_controller.h"
#include "tests/support/app/window_driver.h"

#include <QSignalSpy>
#include <QTest>
#include <QTimer>

namespace graphloom::test::drawing_controller_test {

class DrawingControllerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_partitioned = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_partitioned);
        Plan plan = *m_partitioned->plan;
        plan.partition.reset();
        m_plain = snapshotOf(std::make_shared<const Plan>(std::move(plan)), m_partitioned, {});
        QVERIFY(m_plain);
    }

    void snapshotsInQuickSuccessionAreDrawn()
    {
        DrawingController drawings;
        QSignalSpy ready(&drawings, &DrawingController::ready);
        QTimer live;
        bool partitioned = false;
        connect(&live, &QTimer::timeout, [&] {
            drawings.setSnapshot((partitioned = !partitioned) ? m_partitioned : m_plain);
        });
        live.start(0);
        QVERIFY(QTest::qWaitFor([&] { return ready.size() >= 3; }, 20'000));
    }

    void theLastSnapshotIsDrawn()
    {
        DrawingController drawings;
        DrawingPointer last;
        connect(&drawings, &DrawingController::ready,
                [&](const DrawingPointer &drawing) { last = drawing; });
        for (int i = 0; i < 5; ++i)
            drawings.setSnapshot(i % 2 ? m_partitioned : m_plain);
        QVERIFY(drawings.isBusy());
        QVERIFY(QTest::qWaitFor([&] { return !drawings.isBusy(); }, 20'000));
        QCOMPARE(last->snapshot, m_plain);
    }

    void whatTheUserWantsToSeeIsDrawnAtOnce()
    {
        DrawingController drawings;
        QSignalSpy ready(&drawings, &DrawingController::ready);
        drawings.setSnapshot(m_partitioned);
        drawings.setGrouping(Grouping::None);
        QVERIFY(QTest::qWaitFor([&] { return !drawings.isBusy(); }, 20'000));
        QCOMPARE(ready.size(), 1);
        QVERIFY(ready[0][0].value<DrawingPointer>()->groups.empty());
    }

private:
    SnapshotPointer m_partitioned, m_plain;
};

GRAPHLOOM_WINDOW_TESTS(DrawingControllerTest)

} // namespace graphloom::test::drawing_controller_test

#include "drawing_controller_test.moc"
