// SPDX-License-Identifier: GPL-3.0-or-later
// The plan changed by hand: subgraphs, the order of steps, layouts, the F-Tree.
#include "app/fission/fission_panel.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/canvas_page.h"
#include "app/memory/memory_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/workbench/edit_actions.h"
#include "app/workbench/fission_actions.h"
#include "engine/plan/memory_plan.h"
#include "engine/plan/plan_check.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

#include <QLabel>
#include <QMenu>
#include <QTableView>

namespace graphloom::test::main_window_edits_test {

using test::sample;
using test::WindowDriver;

class MainWindowEditsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<WindowDriver>(test::builtPlugins()); }
    void cleanup() { m_driver.reset(); }

    void subgraphsAreMergedLockedAndPutApart()
    {
        QVERIFY(m_driver->show(test::partitionedSample("mobilenet_v2_224.onnx")));
        const std::size_t before = partition().subgraphs.size();
        select({Item::subgraph(0)});
        QCOMPARE(window().bench().edits.lock->text(), QStringLiteral("&Lock subgraph"));
        QTest::keyClick(&window(), Qt::Key_U, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(partition().subgraphs[0].locked);
        const std::uint32_t node = partition().subgraphs[1].nodes.back().index;
        select({Item::of(NodeId{node})});
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(partition().subgraphs.size(), before + 1);
        QCOMPARE(window().actions().undo->text(), QStringLiteral("&Undo split off nodes"));
        QVERIFY(checkPlan(*plan()));
        // The pass leaves alone what is locked.
        const auto locked = partition().subgraphs[0].nodes;
        QVERIFY(window().view<PassPanel>().choose("ago"));
        window().view<PassPanel>().form()->setValue("fuse", 0);
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        QCOMPARE(partition().subgraphs[partition().subgraphOf[locked.front().index]].nodes, locked);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(partition().subgraphs.size(), before);
        QVERIFY(!partition().subgraphs[0].locked);
    }

    /// What would close a cycle or weigh too much is framed.
    void theCauseOfARefusalIsShown()
    {
        QVERIFY(m_driver->show(test::partitionedSample("mobilenet_v2_224.onnx")));
        std::vector<Item> all;
        for (std::uint32_t s = 0; s < partition().subgraphs.size(); ++s)
            all.push_back(Item::subgraph(s));
        select(all);
        QVERIFY(!window().bench().edits.merge->isEnabled());
        auto *legality =
            window().view<PartitionPanel>().findChild<QLabel *>(QStringLiteral("legality"));
        QVERIFY2(legality->toolTip().contains(QStringLiteral("its weight would be")),
                 qPrintable(legality->toolTip()));
        const QImage plain = window().page().canvas().viewport()->grab().toImage();
        Q_EMIT legality->linkActivated(QStringLiteral("0"));
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Merge subgraphs: ")));
        const QImage framed = window().page().canvas().viewport()->grab().toImage();
        QVERIFY(plain != framed);
        select({all.front()}); // another selection, and it is gone
        select(all);
        QVERIFY(m_driver->settle());
        QCOMPARE(window().page().canvas().viewport()->grab().toImage(), plain);
    }

    void independentStepsChangePlaces()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const Graph &graph = plan()->graph;
        // Two nodes that follow each other, and neither needs the other.
        std::size_t at = 1;
        while (std::ranges::count(graph.successors(graph.order()[at - 1]), graph.order()[at]))
            ++at;
        const NodeId node = graph.order()[at];
        select({Item::of(node)});
        QVERIFY(window().bench().edits.earlier->isEnabled());
        QTest::keyClick(&window(), Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->graph.position(node), std::uint32_t(at - 1));
        QTest::keyClick(&window(), Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->graph.position(node), std::uint32_t(at));
        QCOMPARE(window().session().undoStack().count(), 2);
    }

    void layoutsOfBlocksAreChosenByHand()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        const auto &layouts = plan()->layouts;
        std::uint32_t block = 0;
        while (!layouts->blocks[block].dominant.valid())
            ++block;
        const Layout now = layouts->blocks[block].layout;
        select({Item::block(block)});
        QAction *other = now == Layout::ChannelsFirst ? window().bench().edits.channelsLast
                                                      : window().bench().edits.channelsFirst;
        QVERIFY2(other->isEnabled(), qPrintable(other->toolTip()));
        QVERIFY(!window().bench().edits.freeLayout->isEnabled());
        other->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(plan()->layouts->blocks[block].layout != now);
        QCOMPARE(window().actions().undo->text(),
                 now == Layout::ChannelsFirst ? QStringLiteral("&Undo channels last (NHWC)")
                                              : QStringLiteral("&Undo channels first (NCHW)"));
        QVERIFY(plan()->layouts->blocks[block].locked);
        const QModelIndex cell =
            window().view<FusionPanel>().model().index(int(block), FusionModel::Layouts);
        QVERIFY(cell.data().toString().endsWith(QStringLiteral("edited")));
        // A pass that runs again keeps it.
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        QVERIFY(std::ranges::any_of(plan()->layouts->blocks, &LayoutPlan::Choice::locked));
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        select({Item::block(block)});
        window().bench().edits.freeLayout->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->layouts->blocks[block].layout, now);
    }

    void theTreeIsChangedAndCostedAnew()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<FissionPanel>().isEmpty());
        QVERIFY(window().view<PassPanel>().choose("magis"));
        PassForm &form = *window().view<PassPanel>().form();
        form.setValue("seconds", 0);
        form.setValue("states", 20);
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        QVERIFY(!window().view<FissionPanel>().isEmpty());
        const std::size_t passes = plan()->history.size();
        const int carried = carriedOut();
        QVERIFY(carried >= 0);
        window().view<FissionPanel>().choose(carried);
        QVERIFY(window().bench().fissionEdits.disable->isEnabled());
        const MemoryPoint expected = plan()->memory->fissions[std::size_t(carried)].changed;
        const auto names = plan()->memory->fissions[std::size_t(carried)].names;
        window().bench().fissionEdits.disable->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->memory->after.peakBytes, expected.peakBytes);
        QCOMPARE(plan()->history.size(), passes);
        QVERIFY(window().view<FissionPanel>().statisticsText().contains(QStringLiteral("edited")));
        QCOMPARE(window().session().undoStack().count(), 2);
        QCOMPARE(window().actions().undo->text(), QStringLiteral("&Undo disable fission"));
        // It is locked now, and can be unlocked and carried out again.
        QTRY_VERIFY(window().bench().fissionEdits.lock->isEnabled());
        const int again = fissionOf(names);
        window().view<FissionPanel>().choose(again);
        QVERIFY(!window().bench().fissionEdits.enable->isEnabled());
        QVERIFY(window().bench().fissionEdits.enable->toolTip().contains(QStringLiteral("locked")));
        window().bench().fissionEdits.lock->trigger();
        QVERIFY(m_driver->settle());
        window().view<FissionPanel>().choose(fissionOf(names));
        QVERIFY(window().bench().fissionEdits.enable->isEnabled());
        window().actions().undo->trigger();
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(carriedOut(), carried);
    }

    void aPointOfTheFrontIsLoaded()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<PassPanel>().choose("magis"));
        window().view<PassPanel>().form()->setValue("seconds", 0);
        window().view<PassPanel>().form()->setValue("states", 20);
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        const auto front = plan()->memory->front;
        QVERIFY(front.size() > 2);
        Q_EMIT window().view<ParetoPanel>().pointActivated(0);
        QVERIFY(m_driver->settle());
        QVERIFY(plan()->memory->after.ms <= front[0].ms * (1 + 1e-6));
        QCOMPARE(window().session().undoStack().count(), 2);
        Q_EMIT window().view<ParetoPanel>().pointActivated(int(front.size()) -
                                                           1); // of the same search
        QVERIFY(m_driver->settle());
        QCOMPARE(plan()->memory->after.peakBytes, front.back().peakBytes);
    }

private:
    MainWindow &window() { return m_driver->window(); }
    std::shared_ptr<const Plan> plan() { return window().session().snapshot()->plan; }
    const Partition &partition() { return *plan()->partition; }
    void select(std::vector<Item> items)
    {
        window().selection().select(std::move(items));
        QVERIFY(m_driver->settle());
    }
    int carriedOut()
    {
        const auto &all = plan()->memory->fissions;
        for (std::size_t f = 0; f < all.size(); ++f)
            if (all[f].number > 1)
                return int(f);
        return -1;
    }
    int fissionOf(const std::vector<std::string> &names)
    {
        const auto &all = plan()->memory->fissions;
        for (std::size_t f = 0; f < all.size(); ++f)
            if (all[f].names == names && all[f].locked)
                return int(f);
        for (std::size_t f = 0; f < all.size(); ++f)
            if (all[f].names == names)
                return int(f);
        return -1;
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowEditsTest)

} // namespace graphloom::test::main_window_edits_test

#include "main_window_edits_test.moc"
