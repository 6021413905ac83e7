// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/canvas_page.h"
#include "app/views/focus_bar.h"
#include "app/views/hierarchy_panel.h"
#include "app/models/format.h"
#include "tests/support/app/window_driver.h"

#include <QSpinBox>
#include <QToolButton>
#include <QTreeView>

using namespace graphloom;

/// What part of a graph the window shows.
class MainWindowViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = testing::snapshotOfSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
    }

    void init()
    {
        m_driver = std::make_unique<testing::WindowDriver>();
        QVERIFY(m_driver->show(m_snapshot));
        window().actions().groupModules->trigger();
        QVERIFY(m_driver->settle());
    }

    void levelsAreOpenedByKeys()
    {
        QTest::keyClick(&window(), Qt::Key_1, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        for (const auto &group : drawing().graph.groups)
            QCOMPARE(group.depth, 0u);
        QVERIFY(!drawing().graph.groups.empty());
        QTest::keyClick(&window(), Qt::Key_4, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(drawing().graph.groups.size(), m_snapshot->modules->groups.size());
    }

    void onlyTheWayToANodeIsOpen()
    {
        const Item node = Item::of(m_snapshot->graph().order()[40]);
        window().selection().select(node);
        window().actions().onlyWay->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(drawing().graph.places.contains(node));
        for (const auto &group : drawing().graph.groups) {
            bool around = false;
            for (Item of = m_snapshot->groupOf(node.node(), Grouping::Modules); of;
                 of = m_snapshot->parentOf(of))
                around = around || of == group.item;
            QVERIFY(around);
        }
    }

    void theTreeClosesBoxesAndTheCanvasTicksTheTree()
    {
        HierarchyPanel &panel = window().hierarchy();
        const Item group = Item::module(1);
        panel.tree().setCurrentIndex(panel.model().indexOf(group, Grouping::Modules));
        QTest::keyClick(&panel.tree(), Qt::Key_Space);
        QVERIFY(m_driver->settle());
        QVERIFY(drawing().graph.places.contains(group));
        window().selection().select(group);
        QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!drawing().graph.places.contains(group));
        QCOMPARE(panel.model()
                     .indexOf(group, Grouping::Modules)
                     .data(Qt::CheckStateRole)
                     .toInt(),
                 int(Qt::Checked));
    }

    void aNeighbourhoodIsShownAndLeft()
    {
        const std::size_t all = drawing().graph.nodes.size();
        window().selection().select(Item::of(m_snapshot->graph().order()[40]));
        canvas().setFocus();
        QTest::keyClick(&canvas(), Qt::Key_N);
        QVERIFY(m_driver->settle());
        const std::size_t some = drawing().graph.nodes.size();
        QVERIFY(some < 10);
        FocusBar &bar = window().page().focusBar();
        QVERIFY(bar.isVisible());
        QVERIFY2(bar.text().startsWith(QStringLiteral("%1 of %2").arg(some).arg(
                     formatNodes(m_snapshot->graph().nodeCount()))),
                 qPrintable(bar.text()));
        QTest::keyClick(&canvas(), Qt::Key_Period);
        QVERIFY(m_driver->settle());
        QVERIFY(drawing().graph.nodes.size() > some);
        QCOMPARE(bar.up().value(), 3);
        bar.up().setValue(0);
        bar.down().setValue(1);
        QVERIFY(m_driver->settle());
        QVERIFY(drawing().graph.nodes.size() < some);
        QTest::keyClick(&canvas(), Qt::Key_Escape);
        QVERIFY(m_driver->settle());
        QCOMPARE(drawing().graph.nodes.size(), all);
        QVERIFY(!bar.isVisible());
        QVERIFY(window().selection().item()); // a second Escape is for it
    }

    void waysBetweenTwoNodes()
    {
        const auto order = m_snapshot->graph().order();
        window().selection().select({Item::of(order[20]), Item::of(order[10])});
        window().actions().focusWays->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(drawing().connected);
        QCOMPARE(drawing().options.only.size(), std::size_t(11));
        window().page().focusBar().all().click();
        QVERIFY(m_driver->settle());
        QVERIFY(drawing().options.only.empty());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    GraphCanvas &canvas() { return window().page().canvas(); }
    const Drawing &drawing() { return *canvas().drawing(); }

    SnapshotPointer m_snapshot;
    std::unique_ptr<testing::WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowViewTest)
#include "main_window_view_test.moc"
