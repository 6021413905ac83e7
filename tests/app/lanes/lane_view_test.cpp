// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_view.h"

#include "app/lanes/lane_text.h"
#include "tests/support/app/made_lanes.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QBuffer>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QWheelEvent>

namespace graphloom::test::lane_view_test {

/// Of madeLanes(): 40 slices on each of two threads, and of madeTracedRun().
class LaneViewTest : public QObject {
    Q_OBJECT

private:
    static constexpr double us = 1e-6;

    const LanePicture &picture() const { return m_view->picture(); }
    double from() const { return m_view->scene().from; }
    double to() const { return m_view->scene().to; }
    double width() const { return to() - from(); }
    QPoint placeOf(std::uint32_t lane, double time) const
    {
        return QPointF(picture().xOf(time), picture().rowOf(lane)->rect.center().y()).toPoint();
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(m_view.get(), key, modifiers);
    }
    void wheel(const QPoint &place, int by, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event(place, m_view->viewport()->mapToGlobal(place), {}, {0, by}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &event);
    }
    void click(const QPoint &place)
    {
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, place);
    }
    std::optional<std::uint32_t> current() const { return m_view->marks().current; }
    QStringList legend() const
    {
        QStringList texts;
        for (const LaneLegendEntry &entry : legendOf(m_view->scene(), *m_theme))
            texts << entry.text;
        return texts;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(theme);
        m_theme = *theme;
        m_traced = lanesOf(test::madeTracedRun(test::fusedSample("mobilenet_v2_224.onnx")), {});
        QVERIFY(m_traced);
    }

    void init()
    {
        m_view = std::make_unique<LaneView>();
        m_view->setTheme(*m_theme);
        m_view->resize(760, 260);
        m_view->QWidget::show();
        m_view->setLanes(test::madeLanes(80, 2));
        QTest::qWait(0);
    }

    void theWholeRunIsShownAtFirst()
    {
        QCOMPARE(from(), 0.0);
        QCOMPARE(to(), m_view->scene().lanes->seconds);
        QCOMPARE(m_view->horizontalScrollBar()->maximum(), 0);
    }

    void theWheelZoomsAtThePointer()
    {
        const QPoint place = placeOf(0, 20 * us);
        const double there = picture().timeOf(place.x());
        for (int i = 0; i < 6; ++i)
            wheel(place, 120);
        QVERIFY(width() < 16 * us);
        QVERIFY(std::abs(picture().timeOf(place.x()) - there) < 1e-9);
        for (int i = 0; i < 10; ++i)
            wheel(place, -120);
        QCOMPARE(width(), m_view->scene().lanes->seconds);
    }

    void theWheelWithShiftScrolls()
    {
        m_view->showRange(10 * us, 20 * us);
        wheel(placeOf(0, 15 * us), -120, Qt::ShiftModifier);
        QVERIFY(from() > 10 * us);
        QVERIFY(std::abs(width() - 10 * us) < 1e-12);
    }

    void draggingScrollsAndIsNoClick()
    {
        m_view->showRange(10 * us, 20 * us);
        QSignalSpy chosen(m_view.get(), &LaneView::chosen);
        const QPoint place = placeOf(0, 15 * us);
        const double held = picture().timeOf(place.x());
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, place);
        QTest::mouseMove(m_view->viewport(), place + QPoint(30, 0));
        QTest::mouseMove(m_view->viewport(), place + QPoint(60, 0));
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, place + QPoint(60, 0));
        QVERIFY(std::abs(picture().timeOf(place.x() + 60) - held) < 1e-9);
        QVERIFY(chosen.isEmpty());
    }

    void manyThreadsAreScrolledVertically()
    {
        m_view->setLanes(test::madeLanes(4000, 40));
        QVERIFY(m_view->verticalScrollBar()->maximum() > 0);
        const double top = picture().rows().front().rect.top();
        m_view->verticalScrollBar()->setValue(50);
        QCOMPARE(picture().rows().front().rect.top(), top - 50);
        const QPoint place = m_view->viewport()->rect().center();
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, place);
        QTest::mouseMove(m_view->viewport(), place - QPoint(0, 30));
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, place - QPoint(0, 30));
        QCOMPARE(m_view->verticalScrollBar()->value(), 80);
    }

    void keysZoomAndScrollAsInPerfetto()
    {
        const double whole = width();
        key(Qt::Key_W);
        const double once = width();
        QVERIFY(once < whole);
        key(Qt::Key_Plus);
        QVERIFY(width() < once);
        const double start = from();
        key(Qt::Key_D);
        QVERIFY(from() > start);
        key(Qt::Key_A);
        QVERIFY(std::abs(from() - start) < 1e-12);
        key(Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(from() > start);
        key(Qt::Key_Left, Qt::ShiftModifier);
        key(Qt::Key_S);
        QVERIFY(std::abs(width() - once) < 1e-12);
        key(Qt::Key_Minus);
        QVERIFY(std::abs(width() - whole) < 1e-12);
    }

    void fShowsTheWholeRun()
    {
        m_view->showRange(10 * us, 12 * us);
        key(Qt::Key_F);
        QCOMPARE(width(), m_view->scene().lanes->seconds);
    }

    void zZoomsToTheSlice()
    {
        click(placeOf(1, 7.4 * us));
        key(Qt::Key_Z);
        QVERIFY(width() < 2 * us);
        QVERIFY(from() < 7 * us && to() > 7.8 * us);
    }

    void itZoomsNoFurtherThanClocksAreFine()
    {
        for (int i = 0; i < 60; ++i)
            key(Qt::Key_W);
        QVERIFY(width() >= 0.99e-7);
    }

    void aClickChoosesASlice()
    {
        QSignalSpy chosen(m_view.get(), &LaneView::chosen);
        click(placeOf(1, 7.4 * us));
        QCOMPARE(chosen.size(), qsizetype(1));
        QCOMPARE(chosen[0][0].toUInt(), 40U + 7U);
        QCOMPARE(current(), std::optional(47U));
        QVERIFY(m_view->accessibleDescription().startsWith(QStringLiteral("step 15\n")));
    }

    void aClickOnIdleTimeChoosesNothing()
    {
        m_view->showRange(7 * us, 9 * us);
        QSignalSpy chosen(m_view.get(), &LaneView::chosen);
        click(placeOf(0, 7.9 * us));
        QVERIFY(chosen.isEmpty());
    }

    void aDoubleClickActivates()
    {
        QSignalSpy activated(m_view.get(), &LaneView::activated);
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, placeOf(0, 7.4 * us));
        QCOMPARE(activated.size(), qsizetype(1));
        QCOMPARE(activated[0][0].toUInt(), 7U);
    }

    void aDoubleClickOfAnotherButtonDoesNot()
    {
        QSignalSpy activated(m_view.get(), &LaneView::activated);
        QTest::mouseDClick(m_view->viewport(), Qt::RightButton, {}, placeOf(0, 7.4 * us));
        QVERIFY(activated.isEmpty());
    }

    void nothingIsUnderThePointerInOtherLanes()
    {
        const QPointF place = placeOf(0, 7.4 * us);
        QMouseEvent move(QEvent::MouseMove, place, m_view->viewport()->mapToGlobal(place),
                         Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(m_view->viewport(), &move);
        QVERIFY(m_view->marks().hovered);
        m_view->setLanes(test::madeLanes(10, 1));
        QVERIFY(!m_view->marks().hovered);
    }

    void picturesOfManyThreadsHaveEveryLane()
    {
        LaneScene scene{test::madeLanes(4000, 500)};
        scene.leastHeight = 0;
        const LanePicture all(scene, QRectF(0, 0, 600, 300), QFont());
        QVERIFY(all.rows().back().rect.bottom() <= all.chart().bottom() + 1e-6);
    }

    void arrowsWalkThroughTheSlices()
    {
        key(Qt::Key_Right); // the first slice
        QCOMPARE(current(), std::optional(0U));
        key(Qt::Key_Right);
        QCOMPARE(current(), std::optional(1U));
        key(Qt::Key_Down);
        QCOMPARE(current(), std::optional(41U));
        key(Qt::Key_Left);
        QCOMPARE(current(), std::optional(40U));
        key(Qt::Key_Left); // no further
        QCOMPARE(current(), std::optional(40U));
        key(Qt::Key_End);
        QCOMPARE(current(), std::optional(79U));
        key(Qt::Key_Up);
        QCOMPARE(current(), std::optional(39U));
        key(Qt::Key_Home);
        QCOMPARE(current(), std::optional(0U));
        QSignalSpy activated(m_view.get(), &LaneView::activated);
        key(Qt::Key_Return);
        QCOMPARE(activated.size(), qsizetype(1));
    }

    void theCurrentSliceIsKeptInView()
    {
        m_view->showRange(0, 5 * us);
        key(Qt::Key_Right);
        key(Qt::Key_End);
        QVERIFY(to() >= 39.8 * us && from() < 39 * us);
        QVERIFY(std::abs(width() - 5 * us) < 1e-12);
        m_view->setLanes(test::madeLanes(4000, 40));
        m_view->setCurrent(3999); // of the last thread
        const QRectF row = picture().rowOf(39)->rect;
        QVERIFY(row.bottom() <= picture().chart().bottom() + 1);
    }

    void thePointerIsTold()
    {
        m_view->setLanes(m_traced);
        const Lanes::Run &plan = m_traced->runs.back();
        const QString kernel = textOf(*m_traced, plan.steps[2].slice);
        for (const char *part : {"nest of 1", "Thread 0 · 800 µs", "on 2 threads", "of the run",
                                 "median of all runs 2.00 ms", "2.500 GFLOP/s", "0.1250 GB/s",
                                 "idle for 200 µs before it"})
            QVERIFY2(kernel.contains(QString::fromUtf8(part)), qPrintable(kernel));
        const QString interpreted = textOf(*m_traced, plan.steps[1].slice);
        QVERIFY(interpreted.contains(QStringLiteral("Interpreted: for a test")));
        QVERIFY(!interpreted.contains(QStringLiteral("GFLOP/s")));
    }

    void idleTimeIsTold()
    {
        m_view->showRange(7 * us, 9 * us);
        const QString text = textOf(picture().lanes(), picture().at(placeOf(0, 7.9 * us)));
        QCOMPARE(text, QStringLiteral("Thread 0 · idle for 200 ns\nafter step 14\nbefore step 16"));
    }

    void slicesTooNarrowAreCounted()
    {
        m_view->setLanes(test::madeLanes(50'000, 1));
        const QString text = textOf(picture().lanes(), picture().at(placeOf(0, 25'000 * us)));
        QVERIFY2(text.contains(QStringLiteral(" slices, ")), qPrintable(text));
    }

    void beforeAndAfterAreOnOneScale()
    {
        m_view->setLanes(m_traced);
        QCOMPARE(picture().headers().size(), std::size_t(2));
        QCOMPARE(to(), m_traced->runs.front().seconds); // the longer one
        m_view->setBefore(false);
        QCOMPARE(picture().headers().size(), std::size_t(1));
        QCOMPARE(to(), m_traced->runs.back().seconds);
        QCOMPARE(picture().rows().front().lane, m_traced->runs.back().firstLane);
    }

    void aCurrentSliceOfAHiddenRunIsForgotten()
    {
        m_view->setLanes(m_traced);
        m_view->setCurrent(0);
        m_view->setBefore(false);
        QVERIFY(!current());
    }

    void theLegendNamesEveryColour()
    {
        m_view->setLanes(m_traced);
        QVERIFY(legend().contains(fromUtf8(nameOf(OperatorClass::Contraction))));
        QVERIFY(legend().contains(QStringLiteral("interpreted")));
        QCOMPARE(legend().last(), QStringLiteral("idle"));
        m_view->setColours(LaneColours::Mappings);
        QVERIFY(legend().contains(fromUtf8(nameOf(MappingType::ManyToMany))));
        m_view->setLanes(test::madeLanes(10, 1));
        QCOMPARE(legend(),
                 (QStringList{fromUtf8(nameOf(MappingType::OneToOne)), QStringLiteral("idle")}));
    }

    void slicesHaveTheColourOfTheLegend()
    {
        const QImage image = m_view->grab().toImage();
        const QPoint place =
            QPointF(picture().xOf(7.4 * us), picture().rows()[0].rect.top() + 2).toPoint();
        QCOMPARE(image.pixelColor(place), m_theme->of(OperatorClass::Elementwise));
    }

    void stepsOfTheSelectionAreOutlined()
    {
        m_view->showRange(7 * us, 9 * us);
        const QRectF rect = picture().rectOf(picture().rows()[0], picture().rows()[0].bars[0]);
        const QPoint edge(int(rect.center().x()), int(rect.top()) + 1);
        const QColor plain = m_view->grab().toImage().pixelColor(edge);
        std::vector<bool> steps(80);
        steps[14] = true; // the slice at 7 µs of thread 0
        m_view->setSelected({steps});
        QVERIFY(m_view->grab().toImage().pixelColor(edge) != plain);
        m_view->setSelected({});
        QCOMPARE(m_view->grab().toImage().pixelColor(edge), plain);
    }

    void picturesHaveEveryLaneAndAreText()
    {
        m_view->setLanes(m_traced);
        QBuffer buffer;
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setViewBox(QRectF(0, 0, 900, 300));
        {
            QPainter painter(&svg);
            lanesPicture(m_view->scene(), {}).paint(painter, QRectF(0, 0, 900, 300), {*m_theme});
        }
        QVERIFY(!buffer.data().contains("<image"));
        QCOMPARE(buffer.data().count(">Thread "), qsizetype(4));
        QVERIFY(buffer.data().contains(
            m_theme->of(OperatorClass::Contraction).name(QColor::HexRgb).toLatin1()));
    }

    void aFewPixelsAreEnough()
    {
        m_view->resize(160, 90);
        QVERIFY(!m_view->grab().isNull());
        m_view->setLanes(nullptr);
        QVERIFY(!m_view->grab().isNull());
        key(Qt::Key_W); // nothing to zoom
    }

private:
    std::optional<Theme> m_theme;
    LanesPointer m_traced;
    std::unique_ptr<LaneView> m_view;
};

GRAPHLOOM_WINDOW_TESTS(LaneViewTest)

} // namespace graphloom::test::lane_view_test

#include "lane_view_test.moc"
