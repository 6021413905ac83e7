// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/graph_canvas.h"

#include "tests/support/app/painted_texts.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/synthetic_graphs.h"

#include <QSignalSpy>
#include <QWheelEvent>

namespace graphloom::test::graph_canvas_test {

class GraphCanvasTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const SnapshotPointer plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        const SnapshotPointer partitioned = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(plain && partitioned);
        m_plain = draw(plain, {}, {});
        m_partitioned = draw(partitioned, {}, {});
        auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(m_plain && m_partitioned && theme);
        m_theme = std::make_shared<const Theme>(*theme);
    }

    void init()
    {
        m_selection = std::make_unique<Selection>();
        m_canvas = std::make_unique<GraphCanvas>(*m_selection);
        m_canvas->resize(800, 600);
        m_canvas->setAppearance(m_theme, NodeColours::OperatorClass);
        m_canvas->setDrawing(m_plain);
        m_canvas->show();
        m_canvas->fitReadable();
        QVERIFY(settle());
    }

    void cleanup() { m_canvas.reset(); }

    void allOfItIsPainted()
    {
        m_canvas->fit();
        QVERIFY(settle());
        const QImage picture = m_canvas->grab().toImage();
        for (std::uint32_t v = 0; v < m_plain->nodes.size(); v += 9) {
            const QPoint centre = placeOf(v);
            const QColor fill = fillOf(*m_plain, v, *m_theme, NodeColours::OperatorClass);
            QVERIFY2(hasColour(picture, centre, fill), qPrintable(m_plain->graph.nodes[v].title));
        }
    }

    void clickSelects()
    {
        click(placeOf(1));
        QCOMPARE(m_selection->item(), m_plain->graph.nodes[1].item);
    }

    void clickOnNothingClears()
    {
        m_selection->select(m_plain->graph.nodes[1].item);
        m_canvas->centreOn(m_plain->bounds.topLeft() - QPointF(300, 300));
        click(m_canvas->viewport()->rect().center());
        QCOMPARE(m_selection->item(), Item());
    }

    void clickOnTheGroundSelectsTheSubgraph()
    {
        m_canvas->setDrawing(m_partitioned);
        const QRectF &box = m_partitioned->groups.front();
        m_canvas->centreOn(box.topLeft() + QPointF(4, 4));
        click(m_canvas->mapFromScene(box.topLeft() + QPointF(4, 4)));
        QCOMPARE(m_selection->item(), m_partitioned->graph.groups.front().item);
    }

    void controlClickAddsAndTakesAway()
    {
        click(placeOf(1));
        QTest::mouseClick(m_canvas->viewport(), Qt::LeftButton, Qt::ControlModifier, placeOf(2));
        QCOMPARE(m_selection->items(),
                 (std::vector{m_plain->graph.nodes[1].item, m_plain->graph.nodes[2].item}));
        QTest::mouseClick(m_canvas->viewport(), Qt::LeftButton, Qt::ControlModifier, placeOf(1));
        QCOMPARE(m_selection->items(), std::vector{m_plain->graph.nodes[2].item});
    }

    void aFrameSelectsWhatIsInIt()
    {
        const QRectF frame = m_plain->nodes[1].united(m_plain->nodes[2]).adjusted(-6, -6, 6, 6);
        const QPointF origin = -m_canvas->visibleScene().topLeft();
        const auto at = [&](QPointF p) { return ((p + origin) * m_canvas->scale()).toPoint(); };
        const QRectF before = m_canvas->visibleScene();
        QTest::mousePress(m_canvas->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                          at(frame.topLeft()));
        QTest::mouseMove(m_canvas->viewport(), at(frame.center()));
        QTest::mouseMove(m_canvas->viewport(), at(frame.bottomRight()));
        QTest::mouseRelease(m_canvas->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                            at(frame.bottomRight()));
        QCOMPARE(m_selection->items(),
                 (std::vector{m_plain->graph.nodes[1].item, m_plain->graph.nodes[2].item}));
        QCOMPARE(m_canvas->visibleScene(), before); // it did not move
    }

    void controlAndArrowsAddWhatTheyComeTo()
    {
        m_selection->select(m_plain->graph.nodes[1].item);
        QTest::keyClick(m_canvas.get(), Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(m_selection->items().size(), std::size_t(2));
        QCOMPARE(m_selection->items().front(), m_plain->graph.nodes[1].item);
        QTest::keyClick(m_canvas.get(), Qt::Key_Down);
        QCOMPARE(m_selection->items().size(), std::size_t(1));
    }

    void dragMovesAndDoesNotSelect()
    {
        const QPointF before = m_canvas->visibleScene().topLeft();
        const QPoint from = placeOf(1);
        QTest::mousePress(m_canvas->viewport(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 5; ++i)
            QTest::mouseMove(m_canvas->viewport(), from + QPoint(0, -20 * i));
        QTest::mouseRelease(m_canvas->viewport(), Qt::LeftButton, {}, from + QPoint(0, -100));
        QCOMPARE(m_selection->item(), Item());
        QCOMPARE((m_canvas->visibleScene().topLeft() - before) * m_canvas->scale(),
                 QPointF(0, 100));
    }

    void wheelZoomsAroundThePointer()
    {
        const QPoint pointer(200, 150);
        const QPointF before = sceneAt(pointer);
        const double scale = m_canvas->scale();
        wheel(pointer, {0, 120}, {});
        QCOMPARE(m_canvas->scale(), scale * 1.25);
        const QPointF moved = (sceneAt(pointer) - before) * m_canvas->scale();
        QVERIFY2(moved.manhattanLength() <= 2, "the place under the pointer moved");
    }

    void shiftAndWheelMovesSideways()
    {
        const QRectF before = m_canvas->visibleScene();
        wheel({100, 100}, {0, -120}, Qt::ShiftModifier);
        QCOMPARE(m_canvas->visibleScene().top(), before.top());
        QVERIFY(m_canvas->visibleScene().left() > before.left());
    }

    void zoomHasLimits()
    {
        for (int i = 0; i < 200; ++i)
            m_canvas->zoomBy(1.25);
        QCOMPARE(m_canvas->scale(), 4.0);
        for (int i = 0; i < 200; ++i)
            m_canvas->zoomBy(0.8);
        QCOMPARE(m_canvas->scale(), 0.004);
    }

    void fitShowsEverything()
    {
        m_canvas->fit();
        QVERIFY(m_canvas->visibleScene().contains(m_plain->bounds));
        QVERIFY(m_canvas->scale() <= 1);
    }

    void fitReadableBeginsAtTheTop()
    {
        QCOMPARE(m_canvas->scale(), 0.7);
        QVERIFY(m_canvas->visibleScene().contains(m_plain->nodes.front()));
    }

    void fitReadableShowsTheFirstNodeOfAWideGraph()
    {
        const auto plan = test::planOf(test::modelOf(test::unet(1400)));
        const DrawingPointer wide = draw(snapshotOf(plan, nullptr, {}), {}, {});
        QVERIFY(wide);
        m_canvas->setDrawing(wide);
        m_canvas->fitReadable();
        QCOMPARE(m_canvas->scale(), 0.7);
        const QRectF seen = m_canvas->visibleScene();
        QVERIFY(seen.contains(wide->nodes.front()));
        QVERIFY(wide->nodes.front().top() < seen.center().y());
    }

    void zoomToItemBringsItToTheMiddle()
    {
        const std::uint32_t last = std::uint32_t(m_plain->nodes.size()) - 1;
        m_canvas->zoomToItem(m_plain->graph.nodes[last].item);
        const QPoint off = placeOf(last) - m_canvas->viewport()->rect().center();
        QVERIFY(off.manhattanLength() <= 2);
    }

    void selectingElsewhereRevealsIt()
    {
        const std::uint32_t last = std::uint32_t(m_plain->nodes.size()) - 1;
        QVERIFY(!m_canvas->visibleScene().intersects(m_plain->nodes[last]));
        m_selection->select(m_plain->graph.nodes[last].item);
        QVERIFY(m_canvas->visibleScene().contains(m_plain->nodes[last]));
    }

    void arrowsMoveTheViewWithoutASelection()
    {
        const QRectF before = m_canvas->visibleScene();
        QTest::keyClick(m_canvas.get(), Qt::Key_Down);
        QCOMPARE((m_canvas->visibleScene().top() - before.top()) * m_canvas->scale(), 80.0);
        QTest::keyClick(m_canvas.get(), Qt::Key_Up);
        QCOMPARE(m_canvas->visibleScene(), before);
    }

    void arrowsWalkAlongEdges()
    {
        QTest::keyClick(m_canvas.get(), Qt::Key_Home);
        QCOMPARE(m_selection->item(), m_plain->graph.nodes.front().item);
        QTest::keyClick(m_canvas.get(), Qt::Key_Down);
        QCOMPARE(m_selection->item(), Item::of(m_plain->snapshot->graph().order().front()));
        QTest::keyClick(m_canvas.get(), Qt::Key_Up);
        QCOMPARE(m_selection->item(), m_plain->graph.nodes.front().item);
        QTest::keyClick(m_canvas.get(), Qt::Key_End);
        QCOMPARE(m_selection->item().kind, Item::Kind::Output);
    }

    void shiftAndArrowsMoveTheView()
    {
        m_selection->select(m_plain->graph.nodes.front().item);
        const QRectF before = m_canvas->visibleScene();
        QTest::keyClick(m_canvas.get(), Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(m_canvas->visibleScene().left() > before.left());
        QCOMPARE(m_selection->item(), m_plain->graph.nodes.front().item);
    }

    void escapeClears()
    {
        m_selection->select(m_plain->graph.nodes[1].item);
        QTest::keyClick(m_canvas.get(), Qt::Key_Escape);
        QCOMPARE(m_selection->item(), Item());
    }

    void enterAndDoubleClickActivate()
    {
        QSignalSpy activated(m_canvas.get(), &GraphCanvas::activated);
        m_selection->select(m_plain->graph.nodes[1].item);
        QTest::keyClick(m_canvas.get(), Qt::Key_Return);
        QTest::mouseDClick(m_canvas->viewport(), Qt::LeftButton, {}, placeOf(2));
        QCOMPARE(activated.size(), 2);
        QCOMPARE(activated[0][0].value<Item>(), m_plain->graph.nodes[1].item);
        QCOMPARE(activated[1][0].value<Item>(), m_plain->graph.nodes[2].item);
    }

    void theSelectionIsMarked()
    {
        const QPoint centre = placeOf(1);
        const QImage before = m_canvas->grab().toImage();
        m_selection->select(m_plain->graph.nodes[1].item);
        const QRectF rect = m_plain->nodes[1];
        const QPoint left =
            m_canvas->mapFromScene(QPointF(rect.left(), rect.center().y())) - QPoint(1, 0);
        const QImage after = m_canvas->grab().toImage();
        QVERIFY(before.pixel(left) != after.pixel(left));
        QCOMPARE(before.pixel(centre), after.pixel(centre));
    }

    void matchesAreMarked()
    {
        const QImage before = m_canvas->grab().toImage();
        m_canvas->setMatches({m_plain->graph.nodes[1].item, m_plain->graph.nodes[2].item});
        QVERIFY(before != m_canvas->grab().toImage());
        m_canvas->setMatches({});
        QCOMPARE(before, m_canvas->grab().toImage());
    }

    /// The marks of many small nodes covered the title of the box that they are in.
    void titlesCanBeReadOverMarks()
    {
        ViewOptions modules;
        modules.grouping = Grouping::Modules;
        const DrawingPointer drawing = draw(m_plain->snapshot, modules, {});
        QVERIFY(drawing && !drawing->groups.empty());
        Marks marks{MatchMeaning::Added, {}, {}};
        for (const VisibleGraph::Node &node : drawing->graph.nodes)
            marks.items.push_back(node.item);
        m_canvas->setDrawing(drawing);
        m_canvas->setMarks({marks});
        for (const QSize size : {QSize(200, 150), QSize(400, 300), QSize(800, 600)}) {
            m_canvas->resize(size);
            m_canvas->fit();
            QVERIFY(settle());
            const QStringList faults = textFaults(*m_canvas);
            QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
        }
    }

    void theSelectedItemIsDescribed()
    {
        m_selection->select(Item::of(m_plain->snapshot->graph().order().front()));
        QVERIFY(m_canvas->accessibleDescription().startsWith(QStringLiteral("Conv\n")));
    }

    void anotherDrawingKeepsThePlaceOfTheSelection()
    {
        const Item item = Item::of(m_plain->snapshot->graph().order()[20]);
        m_selection->select(item);
        const QPoint before = m_canvas->mapFromScene(m_plain->rectOf(item)->center());
        m_canvas->setDrawing(m_partitioned);
        const QPoint after = m_canvas->mapFromScene(m_partitioned->rectOf(item)->center());
        QVERIFY((after - before).manhattanLength() <= 2);
    }

    void anotherThemeRepaints()
    {
        const auto light = loadTheme(QStringLiteral("light"));
        QVERIFY(light);
        m_canvas->setAppearance(std::make_shared<const Theme>(*light), NodeColours::OperatorClass);
        QVERIFY(settle());
        const QImage picture = m_canvas->grab().toImage();
        QVERIFY(hasColour(picture, placeOf(1),
                          fillOf(*m_plain, 1, *light, NodeColours::OperatorClass)));
    }

    void withoutADrawingNothingBreaks()
    {
        m_canvas->setDrawing(nullptr);
        m_canvas->fit();
        m_canvas->zoomBy(2);
        QTest::keyClick(m_canvas.get(), Qt::Key_Home);
        click({10, 10});
        QCOMPARE(m_selection->item(), Item());
        const QImage picture = m_canvas->grab().toImage();
        QCOMPARE(picture.pixelColor(400, 300), m_theme->canvas.background);
    }

private:
    bool settle()
    {
        return QTest::qWaitFor([this] { return m_canvas->tiles().isSettled(); }, 20'000);
    }
    QPoint placeOf(std::uint32_t node) const
    {
        return m_canvas->mapFromScene(m_canvas->drawing()->nodes[node].center());
    }
    QPointF sceneAt(const QPoint &place) const
    {
        return m_canvas->visibleScene().topLeft() + QPointF(place) / m_canvas->scale();
    }
    void click(const QPoint &place)
    {
        QTest::mouseClick(m_canvas->viewport(), Qt::LeftButton, {}, place);
    }
    void wheel(const QPoint &place, const QPoint &angle, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(place, m_canvas->viewport()->mapToGlobal(place), {}, angle, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_canvas->viewport(), &event);
    }
    /// Text may be drawn over the very place: somewhere close by is enough.
    static bool hasColour(const QImage &picture, const QPoint &around, const QColor &colour)
    {
        for (int y = -8; y <= 8; ++y)
            for (int x = -8; x <= 8; ++x)
                if (picture.rect().contains(around + QPoint(x, y)) &&
                    picture.pixelColor(around + QPoint(x, y)) == colour)
                    return true;
        return false;
    }

    DrawingPointer m_plain, m_partitioned;
    std::shared_ptr<const Theme> m_theme;
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<GraphCanvas> m_canvas;
};

GRAPHLOOM_WINDOW_TESTS(GraphCanvasTest)

} // namespace graphloom::test::graph_canvas_test

#include "graph_canvas_test.moc"
