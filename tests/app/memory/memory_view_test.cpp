// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory/memory_view.h"

#include "tests/support/app/made_timelines.h"
#include "tests/support/app/window_driver.h"

#include <QBuffer>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QToolTip>
#include <QWheelEvent>

namespace graphloom::test::memory_view_test {

/// Of smallTimeline(), and of random ones.
class MemoryViewTest : public QObject {
    Q_OBJECT

private:
    using Hit = TimelinePicture::Hit;

    QPoint placeOf(double step, double bytes) const
    {
        const TimelinePicture &picture = m_view->picture();
        return QPointF(picture.xOf(step), picture.yOf(bytes)).toPoint();
    }
    void wheel(const QPoint &place, int by, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event(place, m_view->viewport()->mapToGlobal(place), {}, {0, by}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &event);
    }
    double from() const { return m_view->scene().look.from; }
    double to() const { return m_view->scene().look.to; }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(m_view.get(), key, modifiers);
    }
    void showRandom(std::uint32_t tensors = 400, std::uint32_t steps = 300)
    {
        test::Random random(3);
        m_view->setTimeline(finished(test::randomTimeline(random, tensors, steps)));
    }

private Q_SLOTS:
    void init()
    {
        m_view = std::make_unique<MemoryView>();
        const auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(theme);
        m_view->setTheme(*theme);
        m_view->resize(700, 300);
        m_view->QWidget::show();
        m_view->setTimeline(finished(test::smallTimeline()));
        QTest::qWait(0);
    }

    void textsGrowWithTheFont()
    {
        const double before = m_view->picture().font().pointSizeF();
        QFont font = m_view->font();
        font.setPointSizeF(2 * font.pointSizeF());
        m_view->setFont(font);
        QCOMPARE(m_view->picture().font().pointSizeF(), 2 * before);
    }

    void allStepsAreShownAtFirst()
    {
        QCOMPARE(from(), 0.0);
        QCOMPARE(to(), 4.0);
        QCOMPARE(m_view->horizontalScrollBar()->maximum(), 0);
    }

    void whatIsAtAPlaceIsFound()
    {
        const auto at = [&](double step, double bytes) {
            return m_view->picture().at(placeOf(step, bytes));
        };
        QCOMPARE(at(0.5, 5).kind, Hit::Kind::Tensor);
        QCOMPARE(at(0.5, 5).index, 0U);
        QCOMPARE(at(1.5, 5).index, 1U); // what lives longest is at the bottom
        QCOMPARE(at(1.5, 25).index, 0U);
        QCOMPARE(at(2.5, 30).index, 2U);
        QCOMPARE(at(2.5, 41).kind, Hit::Kind::Step);
        QCOMPARE(at(2.5, 41).step, 2U);
        QCOMPARE(m_view->picture().at({1, 1}).kind, Hit::Kind::None);
    }

    void inTheArenaItIsAtItsOffset()
    {
        m_view->setArena(true);
        QCOMPARE(m_view->picture().at(placeOf(0.5, 5)).kind, Hit::Kind::Step); // a gap
        QCOMPARE(m_view->picture().at(placeOf(0.5, 25)).index, 0U);
        QCOMPARE(m_view->picture().at(placeOf(2.5, 25)).index, 2U);
    }

    void theWheelZoomsAroundThePointer()
    {
        showRandom();
        const QPoint place(400, 120);
        const double there = m_view->picture().placeOf(400);
        for (int i = 0; i < 5; ++i)
            wheel(place, 120);
        QVERIFY(to() - from() < 150);
        QVERIFY(std::abs(m_view->picture().placeOf(400) - there) < 1e-6);
        QVERIFY(m_view->horizontalScrollBar()->maximum() > 0);
        for (int i = 0; i < 12; ++i)
            wheel(place, -120);
        QCOMPARE(from(), 0.0);
        QCOMPARE(to(), 300.0);
    }

    void itZoomsNoFurtherThanAFewSteps()
    {
        showRandom();
        for (int i = 0; i < 80; ++i)
            wheel({400, 120}, 120);
        QVERIFY(to() - from() >= 1.9);
    }

    void draggingMovesIt()
    {
        showRandom();
        m_view->showRange(100, 200);
        QSignalSpy chosen(m_view.get(), &MemoryView::chosen);
        const double held = m_view->picture().placeOf(300);
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, {300, 150});
        QTest::mouseMove(m_view->viewport(), {330, 150});
        QTest::mouseMove(m_view->viewport(), {360, 150});
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, {360, 150});
        QVERIFY(std::abs(m_view->picture().placeOf(360) - held) < 0.01);
        QVERIFY(from() < 100);
        QVERIFY(chosen.isEmpty()); // it was no click
    }

    void theScrollBarMovesIt()
    {
        showRandom();
        m_view->showRange(100, 200);
        m_view->horizontalScrollBar()->setValue(0);
        QVERIFY(from() < 0.01);
        QVERIFY(std::abs(to() - 100) < 0.1);
    }

    void aClickChoosesATensor()
    {
        QSignalSpy chosen(m_view.get(), &MemoryView::chosen);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, placeOf(2.5, 30));
        QCOMPARE(chosen.size(), qsizetype(1));
        QCOMPARE(chosen[0][0].toInt(), 2);
        QCOMPARE(m_view->cursor(), std::optional(2U));
        QVERIFY(m_view->accessibleDescription().contains(QStringLiteral("top")));
    }

    void aDoubleClickActivatesIt()
    {
        QSignalSpy activated(m_view.get(), &MemoryView::activated);
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, placeOf(0.5, 5));
        QCOMPARE(activated.size(), qsizetype(1));
        QCOMPARE(activated[0][0].toInt(), 0);
    }

    void keysMoveTheCursor()
    {
        key(Qt::Key_Home);
        QCOMPARE(m_view->cursor(), std::optional(0U));
        key(Qt::Key_Right);
        QCOMPARE(m_view->cursor(), std::optional(1U));
        key(Qt::Key_Left);
        key(Qt::Key_Left);
        QCOMPARE(m_view->cursor(), std::optional(0U));
        key(Qt::Key_End);
        QCOMPARE(m_view->cursor(), std::optional(3U));
        key(Qt::Key_P);
        QCOMPARE(m_view->cursor(), std::optional(2U));
    }

    void keysWalkThroughWhatIsAlive()
    {
        QSignalSpy chosen(m_view.get(), &MemoryView::chosen);
        m_view->setCursorStep(2);
        for (int i = 0; i < 3; ++i)
            key(Qt::Key_Up); // kept, top, and no further
        key(Qt::Key_Down);
        QList<int> walked;
        for (const auto &arguments : chosen)
            walked << arguments[0].toInt();
        QCOMPARE(walked, (QList<int>{1, 2, 2, 1}));
        QSignalSpy activated(m_view.get(), &MemoryView::activated);
        key(Qt::Key_Return);
        QCOMPARE(activated[0][0].toInt(), 1);
    }

    void keysZoomAndFit()
    {
        showRandom();
        m_view->setCursorStep(150);
        key(Qt::Key_Plus);
        QVERIFY(to() - from() < 201);
        QVERIFY(from() < 150 && 150 < to());
        key(Qt::Key_Right, Qt::ShiftModifier);
        key(Qt::Key_Minus);
        key(Qt::Key_F);
        QCOMPARE(to() - from(), 300.0);
    }

    void theCursorIsKeptInView()
    {
        showRandom();
        m_view->showRange(0, 20);
        m_view->setCursorStep(250);
        QVERIFY(from() <= 250 && 251 <= to());
        QVERIFY(std::abs(to() - from() - 20) < 1e-9);
    }

    void thePointerIsTold()
    {
        const QString text = m_view->textOf(m_view->picture().at(placeOf(2.5, 5)));
        for (const char *part : {"kept", "20 B", "Op n1", "from step 1 to 3", "at 0 in the arena",
                                 "in memory at the peak", "Step 2: Op n2, 40 B"})
            QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
        QVERIFY(m_view->textOf({}).isEmpty());
    }

    void timeStretchesLongSteps()
    {
        m_view->setInTime(true);
        QCOMPARE(to(), 6.0);
        QCOMPARE(m_view->picture().at(placeOf(5.5, 5)).step, 3U);
        m_view->setInTime(false);
        QCOMPARE(to(), 4.0);
    }

    void whatIsInViewStaysWhenTheAxisChanges()
    {
        m_view->showRange(2, 4);
        m_view->setInTime(true);
        QCOMPARE(from(), 2.0);
        QCOMPARE(to(), 6.0);
    }

    void withoutTimesThereIsNoTime()
    {
        MemoryTimeline timeline = test::smallTimeline();
        timeline.timed = false;
        m_view->setTimeline(finished(std::move(timeline)));
        m_view->setInTime(true);
        QCOMPARE(m_view->picture().window().inTime, false);
    }

    void aComparedOneMakesRoom()
    {
        MemoryTimeline other = test::smallTimeline();
        for (int i = 0; i < 6; ++i)
            other.steps.push_back({QStringLiteral("more"), {}, 6.0 + i, 1, 90});
        const double most = m_view->picture().most();
        m_view->setCompared(finished(std::move(other)), QStringLiteral("other"));
        QCOMPARE(to(), 10.0);
        QVERIFY(m_view->picture().most() > most);
        QCOMPARE(m_view->picture().comparedSteps().back(), 9U);
        m_view->setCompared(nullptr, {});
        QCOMPARE(to(), 4.0);
    }

    void weightsAreUnderIt()
    {
        MemoryTimeline timeline = test::smallTimeline();
        timeline.residentBytes = 50;
        for (MemoryTimeline::Step &step : timeline.steps)
            step.bytes += 50;
        m_view->setTimeline(finished(std::move(timeline)));
        QCOMPARE(m_view->picture().at(placeOf(1.5, 25)).kind, Hit::Kind::Weights);
        QCOMPARE(m_view->picture().at(placeOf(1.5, 55)).index, 1U);
        m_view->setWeights(false);
        QCOMPARE(m_view->picture().at(placeOf(1.5, 5)).index, 1U);
    }

    void whatIsMarkedIsDrawnHoweverThin()
    {
        showRandom(3000, 200);
        const auto isDrawn = [&](std::uint32_t life) {
            return std::ranges::find(m_view->picture().bands().bands, life,
                                     &TimelineBands::Band::tensor) !=
                   m_view->picture().bands().bands.end();
        };
        std::uint32_t thin = 0;
        const auto &tensors = m_view->timeline()->tensors;
        while (isDrawn(thin) || tensors[thin].steps() < 5 || tensors[thin].bytes == 0)
            ++thin;
        m_view->setMarked({thin});
        QVERIFY(isDrawn(thin));
    }

    void transfersHaveLanes()
    {
        showRandom();
        const TimelinePicture &picture = m_view->picture();
        QVERIFY(!picture.stores().isEmpty() && !picture.loads().isEmpty());
        const auto &transfers = m_view->timeline()->transfers;
        const auto load = std::ranges::find(transfers, true, &MemoryTimeline::Transfer::load);
        const QPointF place(picture.xOf(load->first + 0.5), picture.loads().center().y());
        QCOMPARE(picture.at(place).kind, Hit::Kind::Transfer);
        QVERIFY(m_view->textOf(picture.at(place)).contains(QStringLiteral("is loaded")));
    }

    void aFewPixelsAreEnough()
    {
        showRandom();
        m_view->resize(160, 90);
        QTest::qWait(0);
        QVERIFY(!m_view->grab().isNull());
        m_view->setTimeline(nullptr);
        QVERIFY(!m_view->grab().isNull());
    }

    void picturesHaveTheSameAreas()
    {
        // In an SVG file they are paths, on pixels they are pixels.
        const auto theme = loadTheme(QStringLiteral("light"));
        QBuffer buffer;
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setViewBox(QRectF(0, 0, 600, 300));
        {
            QPainter painter(&svg);
            memoryPicture(m_view->scene(), {}).paint(painter, QRectF(0, 0, 600, 300), {*theme});
        }
        QVERIFY(!buffer.data().contains("<image"));
        QVERIFY(buffer.data().contains(
            colourOf(*theme, *m_view->timeline(), 1).name(QColor::HexRgb).toLatin1()));
        QImage image(600, 300, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        memoryPicture(m_view->scene(), {}).paint(painter, QRectF(0, 0, 600, 300), {*theme});
        painter.end();
        QFont font;
        font.setPixelSize(12);
        const TimelinePicture picture(m_view->scene(), QRectF(0, 0, 600, 300), font);
        QCOMPARE(image.pixel(QPointF(picture.xOf(1.8), picture.yOf(8)).toPoint()),
                 colourOf(*theme, *m_view->timeline(), 1).rgb());
    }

private:
    std::unique_ptr<MemoryView> m_view;
};

GRAPHLOOM_WINDOW_TESTS(MemoryViewTest)

} // namespace graphloom::test::memory_view_test

#include "memory_view_test.moc"
