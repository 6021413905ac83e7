// SPDX-License-Identifier: GPL-3.0-or-later
// Two plans on two canvases, driven as a person would.
#include "app/compare/compare_panel.h"
#include "app/drawing/legend.h"
#include "app/export/view_export.h"
#include "app/graph/canvas_page.h"
#include "app/graph/canvas_pane.h"
#include "app/graph/minimap.h"
#include "app/runs/pass_panel.h"
#include "app/sides/sides_view.h"
#include "tests/support/app/window_driver.h"

#include <QMenu>
#include <QSplitter>
#include <QToolButton>
#include <QWheelEvent>

namespace graphloom::test::main_window_sides_test {

using test::WindowDriver;

class MainWindowSidesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        auto plugins = test::builtPlugins();
        plugins.push_back({{}, std::make_shared<test::ScriptedPass>(test::splitUntilStopped), {}});
        m_driver = std::make_unique<WindowDriver>(std::move(plugins));
        QVERIFY(m_driver->open(test::sample("bert_tiny.onnx")));
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
    }
    void cleanup() { m_driver.reset(); }

    void aKeyShowsTheOriginalBesideThePlan()
    {
        QVERIFY(!other());
        QTest::keyClick(&window(), Qt::Key_Backslash, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(other() && other()->isVisible());
        QVERIFY(other()->mapToGlobal(QPoint()).x() < now().mapToGlobal(QPoint()).x());
        QCOMPARE(other()->drawing()->snapshot, window().bench().sides.before());
        QVERIFY(other()->drawing()->snapshot->plan->history.empty());
        QCOMPARE(now().drawing()->snapshot, window().session().snapshot());
        QTest::keyClick(&window(), Qt::Key_Backslash, Qt::ControlModifier);
        QVERIFY(!other()->isVisible());
        QVERIFY(window().bench().comparison.difference()); // still compared
    }

    void stripsTellWhatIsShown()
    {
        QVERIFY(showSides());
        const QString before = view().pane(Side::Before).caption(),
                      after = view().pane(Side::Now).caption();
        QVERIFY2(before.startsWith(QStringLiteral("original model\n")), qPrintable(before));
        QVERIFY2(after.startsWith(QStringLiteral("current plan (dnnfusion)\n")), qPrintable(after));
        for (const QString &text : {before, after}) {
            QVERIFY2(text.contains(QStringLiteral(" nodes")), qPrintable(text));
            QVERIFY2(text.contains(QStringLiteral("(modelled)")), qPrintable(text));
        }
        QVERIFY2(after.contains(QStringLiteral("ms (modelled, ")), qPrintable(after));
    }

    void thereIsOneMinimapAndOneLegend()
    {
        QVERIFY(showSides());
        QCOMPARE(window().page().findChildren<Minimap *>().size(), 1);
        QCOMPARE(window().page().findChildren<Legend *>().size(), 1);
    }

    void aFittedViewShowsAllOfBothAtOneScale()
    {
        QVERIFY(showSides());
        now().setFocus();
        QTest::keyClick(&window(), Qt::Key_F);
        QVERIFY(m_driver->settle());
        QCOMPARE(other()->scale(), now().scale());
        for (GraphCanvas *canvas : {other(), &now()})
            QVERIFY(
                canvas->visibleScene().adjusted(-1, -1, 1, 1).contains(canvas->drawing()->bounds));
    }

    void theWheelZoomsBoth_data()
    {
        QTest::addColumn<int>("side");
        QTest::addRow("before") << int(Side::Before);
        QTest::addRow("now") << int(Side::Now);
    }
    void theWheelZoomsBoth()
    {
        QFETCH(int, side);
        QVERIFY(showSides());
        GraphCanvas &canvas = view().canvas(Side(side));
        for (int notch = 0; notch < 4; ++notch)
            wheel(canvas);
        QVERIFY(canvas.scale() > 0.1);
        QCOMPARE(other()->scale(), now().scale());
        QVERIFY(areTogether(Side(side)));
    }

    void draggingMovesTheOtherSideToTheCounterpart_data() { theWheelZoomsBoth_data(); }
    void draggingMovesTheOtherSideToTheCounterpart()
    {
        QFETCH(int, side);
        QVERIFY(showSides());
        GraphCanvas &canvas = view().canvas(Side(side));
        canvas.zoomTo(1);
        const QPointF was = view().canvas(otherSide(Side(side))).view().centre;
        for (int i = 0; i < 5; ++i) {
            drag(canvas, {-40, -150});
            QVERIFY(areTogether(Side(side)));
        }
        QVERIFY(view().canvas(otherSide(Side(side))).view().centre != was);
    }

    void unlinkedEachMovesAlone()
    {
        QVERIFY(showSides());
        now().zoomTo(1);
        auto *lock = view().pane(Side::Before).findChild<QToolButton *>();
        QVERIFY(lock && lock->isChecked());
        QTest::mouseClick(lock, Qt::LeftButton);
        QVERIFY(!window().actions().linkSides->isChecked());
        const DrawingView was = other()->view();
        drag(now(), {-60, -200});
        wheel(now());
        QCOMPARE(other()->view().centre, was.centre);
        QCOMPARE(other()->scale(), was.scale);
        QTest::mouseClick(lock, Qt::LeftButton);
        QCOMPARE(other()->scale(), now().scale());
        QVERIFY(areTogether(Side::Now));
    }

    void aClickSelectsTheCounterparts()
    {
        QVERIFY(showSides());
        const NodeDifference merged = differenceWith([](const NodeDifference &node) {
            return node.kind == Difference::Removed && !node.related.empty();
        });
        QVERIFY(merged.before.valid());
        click(*other(), Item::of(merged.before));
        QCOMPARE(otherSelection().item(), Item::of(merged.before));
        for (const NodeId id : merged.related)
            QVERIFY(window().selection().contains(Item::of(id)));
        // And back: all that the node does the work of.
        click(now(), Item::of(merged.related.front()));
        QVERIFY(otherSelection().contains(Item::of(merged.before)));
    }

    void aBlockSelectsAllOfItsOriginals()
    {
        QVERIFY(showSides());
        const Snapshot &snapshot = *window().session().snapshot();
        Item largest;
        for (std::uint32_t b = 0; b < snapshot.count(Grouping::Blocks); ++b)
            if (!largest ||
                snapshot.nodesOf(Item::block(b)).size() > snapshot.nodesOf(largest).size())
                largest = Item::block(b);
        window().selection().select(largest);
        QVERIFY(otherSelection().items().size() >= snapshot.nodesOf(largest).size());
        for (const NodeId id : snapshot.nodesOf(largest))
            for (const Item &item : counterparts().of(Side::Now, Item::of(id)))
                QVERIFY(otherSelection().contains(item));
    }

    void whatHasNoCounterpartIsTold()
    {
        window().bench().comparison.compareWithFile(test::sample("mobilenet_v2_224.onnx"));
        QVERIFY(m_driver->settle());
        QVERIFY(showSides());
        const NodeDifference lost = differenceWith([&](const NodeDifference &node) {
            return node.kind == Difference::Removed &&
                   counterparts().of(Side::Before, Item::of(node.before)).empty();
        });
        QVERIFY(lost.before.valid());
        window().selection().select(Item::of(window().session().snapshot()->graph().order()[0]));
        otherSelection().select(Item::of(lost.before));
        QVERIFY(!window().selection().item());
        QVERIFY(view().pane(Side::Now).caption().contains(QStringLiteral("no counterpart")));
        QVERIFY(!view().pane(Side::Before).caption().contains(QStringLiteral("no counterpart")));
        window().selection().select(Item::of(window().session().snapshot()->graph().order()[0]));
        QVERIFY(!view().pane(Side::Now).caption().contains(QStringLiteral("no counterpart")));
    }

    void theSelectionStaysWhenTheOtherPlanLeaves()
    {
        QVERIFY(showSides());
        const NodeDifference same = differenceWith(
            [](const NodeDifference &node) { return node.kind == Difference::Same; });
        otherSelection().select(Item::of(same.before));
        const std::vector<Item> selected = window().selection().items();
        QVERIFY(!selected.empty());
        window().actions().sideBySide->trigger();
        QVERIFY(!window().bench().sides.isShown());
        QCOMPARE(window().selection().items(), selected);
    }

    void theSelectionStaysWhenAnotherPlanIsShown()
    {
        QVERIFY(showSides());
        const NodeDifference same = differenceWith(
            [](const NodeDifference &node) { return node.kind == Difference::Same; });
        otherSelection().select(Item::of(same.before));
        const std::vector<Item> selected = window().selection().items();
        QVERIFY(!selected.empty());
        window().bench().comparison.compareWithFile(test::sample("mobilenet_v2_224.onnx"));
        QVERIFY(m_driver->settle());
        QVERIFY(window().bench().sides.counterparts());
        QCOMPARE(window().selection().items(), selected);
    }

    void keysGoThroughTheDifferencesOfBoth()
    {
        QVERIFY(showSides());
        const GraphComparison &graphs = counterparts().comparison.graphs;
        const std::size_t all = graphs.nodes.size() - graphs.count(Difference::Same);
        std::set<std::pair<Item, Item>> seen;
        std::size_t removed = 0;
        for (std::size_t i = 0; i < all; ++i) {
            QTest::keyClick(&window(), Qt::Key_F4);
            seen.emplace(otherSelection().item(), window().selection().item());
            const Item &before = otherSelection().item();
            removed +=
                before.kind == Item::Kind::Node && !graphs.alignment.now(before.node()).valid() ? 1
                                                                                                : 0;
        }
        QVERIFY(removed > 0);
        QVERIFY(seen.size() > 1);
        const Item last = window().selection().item();
        QTest::keyClick(&window(), Qt::Key_F4);
        QTest::keyClick(&window(), Qt::Key_F4, Qt::ShiftModifier);
        QCOMPARE(window().selection().item(), last);
    }

    void groupingsAndColumnsApplyToBoth()
    {
        QVERIFY(showSides());
        window().actions().groupModules->trigger();
        window().actions().columns->setChecked(false);
        QVERIFY(m_driver->settle());
        for (GraphCanvas *canvas : {other(), &now()}) {
            QCOMPARE(canvas->drawing()->options.grouping, Grouping::Modules);
            QVERIFY(!canvas->drawing()->options.columns);
        }
    }

    void modulesAreCollapsedOnBothSides()
    {
        QVERIFY(showSides());
        window().actions().groupModules->trigger();
        QVERIFY(m_driver->settle());
        const Snapshot &before = *window().bench().sides.before();
        const Item group = groupItem(Grouping::Modules, 0);
        const Item same = counterparts().sameGroup(Side::Before, group);
        QVERIFY(before.modules && same);
        Q_EMIT other()->activated(group); // a double click on its title
        QVERIFY(m_driver->settle());
        QVERIFY(other()->drawing()->options.collapsed.contains(group));
        QVERIFY(now().drawing()->options.collapsed.contains(same));
    }

    void theFocusIsOnBothSides()
    {
        QVERIFY(showSides());
        const NodeDifference same = differenceWith(
            [](const NodeDifference &node) { return node.kind == Difference::Same; });
        window().selection().select(Item::of(same.now));
        QTest::keyClick(&window(), Qt::Key_N);
        QVERIFY(m_driver->settle());
        QVERIFY(now().drawing()->options.focus);
        QCOMPARE(other()->drawing()->options.focus.around, std::vector{Item::of(same.before)});
        other()->setFocus();
        QTest::keyClick(other(), Qt::Key_Escape);
        QVERIFY(m_driver->settle());
        QVERIFY(!now().drawing()->options.focus && !other()->drawing()->options.focus);
    }

    void differencesAreFramedOnBoth()
    {
        QVERIFY(showSides());
        for (const Side side : bothSides) {
            const auto marks = counterparts().marksOf(side, *view().canvas(side).drawing());
            QVERIFY(!marks[0].items.empty() || !marks[1].items.empty());
        }
        QVERIFY(!view().picture()->notes.isEmpty());
    }

    void figuresColourBothOnOneScale()
    {
        QVERIFY(showSides());
        window().bench().colours.choose(QStringLiteral("macs"));
        QVERIFY(m_driver->settle());
        const Colouring &left = other()->tiles().colouring(), &right = now().tiles().colouring();
        QVERIFY(left.metric && right.metric && left.metric != right.metric);
        QVERIFY(left.range == right.range);
        QVERIFY(right.range.most > 0);
    }

    void aKeySwitchesTheSide()
    {
        QVERIFY(showSides());
        now().setFocus();
        QTest::keyClick(&window(), Qt::Key_QuoteLeft, Qt::ControlModifier);
        QVERIFY(other()->hasFocus());
        QTest::keyClick(&window(), Qt::Key_QuoteLeft, Qt::ControlModifier);
        QVERIFY(now().hasFocus());
    }

    void zoomKeysActOnTheSideWithTheFocus()
    {
        QVERIFY(showSides());
        window().actions().linkSides->setChecked(false);
        other()->setFocus();
        const double was = now().scale(), left = other()->scale();
        window().actions().zoomIn->trigger();
        QCOMPARE(now().scale(), was);
        QVERIFY(other()->scale() > left);
    }

    void theOtherPlanStaysWhenThePlanChanges()
    {
        QVERIFY(showSides());
        const DrawingPointer left = other()->drawing();
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(other()->drawing()->snapshot, left->snapshot);
        QVERIFY(counterparts().comparison.graphs.isSame()); // matched anew
        QVERIFY(!window().actions().nextDifference->isEnabled());
        window().actions().redo->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(!counterparts().comparison.graphs.isSame());
    }

    void theOtherPlanStaysWhileASearchRuns()
    {
        QVERIFY(showSides());
        now().zoomTo(1); // or both would be fitted anew
        QVERIFY(m_driver->settle());
        const DrawingPointer left = other()->drawing();
        const QPointF corner = other()->visibleScene().topLeft(); // stays when panels resize
        const DrawingPointer right = now().drawing();
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().bench().passes.run();
        QTRY_VERIFY_WITH_TIMEOUT(now().drawing() != right, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(window().bench().sides.now() != window().session().snapshot(),
                                 test::patience);
        QCOMPARE(other()->drawing(), left);
        QCOMPARE(other()->visibleScene().topLeft(), corner);
        window().actions().cancel->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(other()->drawing()->snapshot, left->snapshot);
    }

    void picturesShowBoth()
    {
        QVERIFY(showSides());
        const auto picture = view().picture();
        QVERIFY(picture);
        QVERIFY(picture->size.width() >=
                other()->drawing()->bounds.width() + now().drawing()->bounds.width());
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        const auto svg = svgOf(*picture, {*theme});
        QVERIFY(svg);
        QVERIFY(svg->contains("original model") && svg->contains("current plan (dnnfusion)"));
    }

    void aSessionShowsBothAgain()
    {
        QVERIFY(showSides());
        window().actions().linkSides->setChecked(false);
        const auto file = m_driver->scratch("sides.gloom");
        window().bench().documents.saveTo(file);
        QVERIFY(m_driver->settle());
        QTRY_VERIFY(!window().session().isSaving());
        m_driver->restart();
        window().bench().documents.open(file);
        QVERIFY(m_driver->settle());
        QVERIFY(window().bench().sides.isShown());
        QVERIFY(other() && other()->isVisible());
        QVERIFY(!window().actions().linkSides->isChecked());
        QCOMPARE(window().bench().sides.name(), QStringLiteral("original model"));
    }

    void anotherModelShowsOneCanvas()
    {
        QVERIFY(showSides());
        QVERIFY(m_driver->open(test::sample("mobilenet_v2_224.onnx")));
        QVERIFY(!other()->isVisible());
        QVERIFY(!window().actions().sideBySide->isChecked());
    }

    void theMenuOfTheOtherSideOffersNoEdits()
    {
        QVERIFY(showSides());
        const Item item = Item::of(window().bench().sides.before()->graph().order()[3]);
        Q_EMIT other()->menuRequested(item, other()->mapToGlobal(QPoint(10, 10)));
        auto *menu = window().findChild<QMenu *>(QStringLiteral("otherMenu"));
        QVERIFY(menu);
        QVERIFY(menu->actions().contains(window().actions().nextDifference));
        for (QAction *edit : window().bench().edits.all())
            QVERIFY(!menu->actions().contains(edit));
        menu->close();
    }

private:
    MainWindow &window() { return m_driver->window(); }
    SidesView &view() { return *window().findChild<SidesView *>(); }
    GraphCanvas &now() { return window().page().canvas(); }
    GraphCanvas *other()
    {
        return window().findChild<GraphCanvas *>(QStringLiteral("otherCanvas"));
    }
    Selection &otherSelection() { return window().bench().sides.selection(Side::Before); }
    const Counterparts &counterparts() { return *window().bench().sides.counterparts(); }

    bool showSides()
    {
        window().actions().sideBySide->trigger();
        return m_driver->settle() && window().bench().sides.counterparts();
    }
    template <class Wanted> NodeDifference differenceWith(Wanted wanted)
    {
        for (const NodeDifference &node : counterparts().comparison.graphs.nodes)
            if (wanted(node))
                return node;
        return {};
    }
    /// Tells whether the counterpart of an item near the middle of a side is at the same place of
    /// the other side's view.
    bool areTogether(Side from)
    {
        GraphCanvas &here = view().canvas(from), &there = view().canvas(otherSide(from));
        const QPointF middle = here.view().centre;
        std::vector<std::pair<double, Item>> near;
        for (std::size_t v = 0; v < here.drawing()->nodes.size(); ++v) {
            const QPointF away = here.drawing()->nodes[v].center() - middle;
            near.emplace_back(QPointF::dotProduct(away, away), here.drawing()->graph.nodes[v].item);
        }
        std::ranges::sort(near);
        for (const auto &[distance, item] : near)
            for (const Item &same : counterparts().of(from, item)) {
                const auto left = here.drawing()->rectOf(item),
                           right = there.drawing()->rectOf(same);
                if (!right)
                    continue;
                const QPointF gap =
                    (left->center() - middle) - (right->center() - there.view().centre);
                return gap.manhattanLength() * here.scale() < 3; // pixels, rounded
            }
        return false;
    }
    void click(GraphCanvas &canvas, const Item &item)
    {
        canvas.zoomToItem(item);
        const QPointF place =
            (canvas.drawing()->rectOf(item)->center() - canvas.visibleScene().topLeft()) *
            canvas.scale();
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, place.toPoint());
    }
    void drag(GraphCanvas &canvas, const QPoint &by)
    {
        const QPoint from = canvas.viewport()->rect().center();
        QTest::mousePress(canvas.viewport(), Qt::MiddleButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, from + by,
                         canvas.viewport()->mapToGlobal(QPointF(from + by)), Qt::NoButton,
                         Qt::MiddleButton, {});
        QApplication::sendEvent(canvas.viewport(), &move);
        QTest::mouseRelease(canvas.viewport(), Qt::MiddleButton, {}, from + by);
    }
    void wheel(GraphCanvas &canvas)
    {
        const QPointF place = canvas.viewport()->rect().center();
        QWheelEvent event(place, canvas.viewport()->mapToGlobal(place), {}, {0, 120}, {}, {},
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(canvas.viewport(), &event);
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowSidesTest)

} // namespace graphloom::test::main_window_sides_test

#include "main_window_sides_test.moc"
