// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/format.h"
#include "app/drawing/legend.h"
#include "app/graph/canvas_page.h"
#include "app/graph/focus_bar.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/nodes/node_list_panel.h"
#include "tests/support/app/program.h"
#include "tests/support/app/window_driver.h"

#include <QComboBox>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

namespace graphloom::test::main_window_view_test {

/// What part of a graph the window shows.
class MainWindowViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<test::WindowDriver>();
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
        HierarchyPanel &panel = window().view<HierarchyPanel>();
        const Item group = Item::module(1);
        panel.tree().setCurrentIndex(panel.model().indexOf(group, Grouping::Modules));
        QTest::keyClick(&panel.tree(), Qt::Key_Space);
        QVERIFY(m_driver->settle());
        QVERIFY(drawing().graph.places.contains(group));
        window().selection().select(group);
        QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!drawing().graph.places.contains(group));
        QCOMPARE(panel.model().indexOf(group, Grouping::Modules).data(Qt::CheckStateRole).toInt(),
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
        QVERIFY2(bar.text().startsWith(QStringLiteral("%1 of %2")
                                           .arg(some)
                                           .arg(formatNodes(m_snapshot->graph().nodeCount()))),
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

    void nodesAreColouredByAFigure()
    {
        const Item item = Item::of(m_snapshot->graph().order()[0]);
        const QColor before = fill(item);
        QComboBox &box = window().page().colourBox();
        const int index = box.findData(QStringLiteral("macs"));
        QVERIFY(index > 0);
        box.setCurrentIndex(index);
        Q_EMIT box.activated(index);
        QVERIFY(m_driver->settle());
        QVERIFY(fill(item) != before);
        QVERIFY(!window().view<NodeListPanel>().table().isColumnHidden(NodeModel::Metric));
        QCOMPARE(
            window().view<NodeListPanel>().model().index(0, NodeModel::Metric).data().toString(),
            formatDim(m_snapshot->facts->of(item.node()).macs));
        QVERIFY(window().page().legend().toolTip().contains(QStringLiteral("modelled")));
        // Of closed groups the scale is theirs.
        const double most = canvas().tiles().colouring().range.most;
        window().actions().levels[0]->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(canvas().tiles().colouring().range.most > most);
        window().actions().colourByClass->trigger();
        QVERIFY(!canvas().tiles().colouring().metric);
        QVERIFY(window().view<NodeListPanel>().table().isColumnHidden(NodeModel::Metric));
    }

    void ownDataColourNodes()
    {
        const auto file = m_driver->scratch("mine.csv");
        const std::string name = m_snapshot->graph().node(m_snapshot->graph().order()[3]).name;
        test::writeFile(
            QString::fromStdString(file.string()),
            QByteArray::fromStdString("name,ms,kind\n" + name + ",2.5,slow\nnone,1,fast\n"));
        window().bench().colours.readData(file);
        QTRY_COMPARE(window().bench().colours.ownData().size(), std::size_t(1));
        QVERIFY2(m_driver->message().contains(QStringLiteral("1 of 2 rows")),
                 qPrintable(m_driver->message()));
        const MetricPointer metric = canvas().tiles().colouring().metric;
        QVERIFY(metric);
        QCOMPARE(metric->name, QStringLiteral("ms"));
        QCOMPARE(
            window().view<NodeListPanel>().model().index(3, NodeModel::Metric).data().toString(),
            QStringLiteral("2.5"));
        window().bench().colours.choose(QStringLiteral("data:mine.csv:kind"));
        QVERIFY(canvas().tiles().colouring().metric->isCategorical());
        QVERIFY(window().page().legend().toolTip().contains(QStringLiteral("slow")));
        window().actions().removeData->trigger();
        QVERIFY(!canvas().tiles().colouring().metric);
        QVERIFY(window().page().colourBox().findData(QStringLiteral("data:mine.csv:ms")) < 0);
    }

    void dataThatCannotBeReadAreRefusedWithTheReason()
    {
        const auto file = m_driver->scratch("broken.csv");
        test::writeFile(QString::fromStdString(file.string()), "name\n");
        window().bench().colours.readData(file);
        QTRY_VERIFY(m_driver->message().contains(QStringLiteral("broken.csv")));
        QVERIFY(window().bench().colours.ownData().empty());
    }

private:
    QColor fill(const Item &item)
    {
        return fillOf(drawing(), drawing().graph.nodeOf(item), window().theme(),
                      canvas().tiles().colouring());
    }
    MainWindow &window() { return m_driver->window(); }
    GraphCanvas &canvas() { return window().page().canvas(); }
    const Drawing &drawing() { return *canvas().drawing(); }

    const SnapshotPointer m_snapshot = test::mobileNet();
    std::unique_ptr<test::WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowViewTest)

} // namespace graphloom::test::main_window_view_test

#include "main_window_view_test.moc"
