// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/roofline_view.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QChart>
#include <QScatterSeries>

#include <set>

namespace graphloom::test::roofline_view_test {

/// Of madeRun(): legend and plot agree.
class RooflineViewTest : public QObject {
    Q_OBJECT

private:
    /// Returns the series that have points, which are those that the chart draws.
    std::set<const QXYSeries *> drawn() const
    {
        std::set<const QXYSeries *> series;
        for (const QAbstractSeries *any : m_view->chart()->series())
            if (const auto *of = qobject_cast<const QXYSeries *>(any); of && of->count() > 0)
                series.insert(of);
        return series;
    }
    std::set<const QXYSeries *> explained() const
    {
        std::set<const QXYSeries *> series;
        for (const RooflineEntry &entry : m_view->legend())
            series.insert(entry.series);
        return series;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_fused);
    }

    void init()
    {
        m_view = std::make_unique<RooflineView>();
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        m_view->setTheme(*theme);
        m_view->resize(900, 420);
        m_view->show();
        m_view->setRun(test::madeRun(m_fused));
        QTest::qWait(0);
    }

    void whatIsDrawnIsInTheLegendAndViceVersa()
    {
        QVERIFY(drawn().size() > 4); // three roofs, and kernels of different shares
        QCOMPARE(explained(), drawn());
    }

    void theSelectedPointIsExplainedWhileThereIsOne()
    {
        const std::size_t before = explained().size();
        m_view->mark(5);
        QCOMPARE(explained().size(), before + 1);
        QCOMPARE(explained(), drawn());
        m_view->mark(-1);
        QCOMPARE(explained().size(), before);
    }

    void withoutPeaksThereAreNoRoofsInTheLegend()
    {
        PlanRun run = *test::madeRun(m_fused);
        run.stepMs = 0; // planRunOf() adds them up
        run.device.reset();
        m_view->setRun(planRunOf(std::move(run)));
        QCOMPARE(explained(), drawn());
        for (const RooflineEntry &entry : m_view->legend())
            QVERIFY(qobject_cast<const QScatterSeries *>(entry.series));
    }

    void entriesHaveDifferentNames()
    {
        std::set<QString> names;
        for (const RooflineEntry &entry : m_view->legend())
            QVERIFY(names.insert(entry.series->name()).second);
    }

    void samplesAreDrawnLikeTheirPoints()
    {
        const QImage image = m_view->grab().toImage();
        for (const RooflineEntry &entry : m_view->legend())
            if (const auto *points = qobject_cast<const QScatterSeries *>(entry.series)) {
                QCOMPARE(image.pixelColor(entry.sample.center().toPoint()), points->color());
                QCOMPARE(entry.sample.width(), points->markerSize() + 2);
            }
    }

    void linesOfDifferentRoofsDiffer()
    {
        std::set<Qt::PenStyle> styles;
        for (const RooflineEntry &entry : m_view->legend())
            if (!qobject_cast<const QScatterSeries *>(entry.series))
                QVERIFY(styles.insert(entry.series->pen().style()).second);
        QCOMPARE(styles.size(), std::size_t(3));
    }

    void aNarrowViewHasSeveralRowsAboveThePlot()
    {
        m_view->resize(300, 300);
        QTest::qWait(0);
        const auto legend = m_view->legend();
        QVERIFY(legend.back().text.top() > legend.front().text.top());
        for (const RooflineEntry &entry : legend) {
            QVERIFY(entry.text.right() <= m_view->width());
            QVERIFY(entry.text.bottom() <= m_view->chart()->plotArea().top());
        }
    }

private:
    SnapshotPointer m_fused;
    std::unique_ptr<RooflineView> m_view;
};

GRAPHLOOM_WINDOW_TESTS(RooflineViewTest)

} // namespace graphloom::test::roofline_view_test

#include "roofline_view_test.moc"
