// SPDX-License-Identifier: GPL-3.0-or-later
// The window where a plan has fusion blocks: how they are shown and changed by hand.
#include "app/drawing/legend.h"
#include "app/fusion/fusion_panel.h"
#include "app/graph/canvas_page.h"
#include "app/properties/properties_panel.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/rewrite/rule_list.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/workbench/edit_actions.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

#include <QCheckBox>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTreeView>

namespace graphloom::test::main_window_blocks_test {

using test::WindowDriver;

class MainWindowBlocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        m_partitioned = test::fused(test::partitionedSample("mobilenet_v2_224.onnx"));
        QVERIFY(m_fused && m_partitioned);
    }

    void init()
    {
        m_used.reset();
        std::vector<PassPlugin> plugins = test::builtPlugins();
        plugins.push_back({{},
                           std::make_shared<test::ScriptedPass>(
                               [this](Plan plan, const Context &context) -> Result<Plan> {
                                   m_used = context.settings.usesRule("twice");
                                   return plan;
                               }),
                           {}});
        m_driver = std::make_unique<WindowDriver>(std::move(plugins));
        QVERIFY(show(m_fused));
    }
    void cleanup() { m_driver.reset(); }

    void blocksAreBoxes()
    {
        QCOMPARE(boxes(), blockCount());
        QCOMPARE(drawing().graph.groups.front().item.kind, Item::Kind::Block);
        QVERIFY(window().page().legend().toolTip().contains(QStringLiteral("Many-to-Many: ")));
        QVERIFY(!window().view<FusionPanel>().isEmpty());
    }

    void anotherGroupingCanBeChosen()
    {
        QVERIFY(show(m_partitioned));
        const std::size_t subgraphs = m_partitioned->partition->rows.size();
        QTest::keyClick(&window(), Qt::Key_G, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(drawing().graph.groups.front().item.kind, Item::Kind::Subgraph);
        QCOMPARE(boxes(), subgraphs);
        QVERIFY(window().actions().groupSubgraphs->isChecked());
        QTest::keyClick(&window(), Qt::Key_G, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(drawing().graph.groups.front().item.kind, Item::Kind::Module);
        QVERIFY(window().actions().groupModules->isChecked());
        QTest::keyClick(&window(), Qt::Key_G, Qt::ControlModifier); // there are no regions
        QVERIFY(m_driver->settle());
        QCOMPARE(boxes(), std::size_t(0));
        window().actions().groupBlocks->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(boxes(), blockCount());
    }

    void theGroupingIsKept()
    {
        window().actions().groupNone->trigger();
        QVERIFY(m_driver->settle());
        m_driver->restart();
        QVERIFY(show(m_fused));
        QCOMPARE(boxes(), std::size_t(0));
        QVERIFY(window().actions().groupNone->isChecked());
    }

    void whereThereAreNoBlocksSubgraphsAreBoxes()
    {
        QVERIFY(show(test::partitionedSample("mobilenet_v2_224.onnx")));
        QCOMPARE(drawing().graph.groups.front().item.kind, Item::Kind::Subgraph);
        QVERIFY(!window().actions().groupBlocks->isEnabled());
    }

    void whatCannotBeMergedSaysWhy()
    {
        select({Item::block(0), Item::block(1)}); // two convolutions
        QVERIFY(!window().bench().edits.merge->isEnabled());
        QVERIFY2(window().bench().edits.merge->toolTip().contains(QStringLiteral("Many-to-Many")),
                 qPrintable(window().bench().edits.merge->toolTip()));
        const auto *legality =
            window().view<FusionPanel>().findChild<QLabel *>(QStringLiteral("legality"));
        QVERIFY2(legality->toolTip().startsWith(QStringLiteral("Merge blocks: ")),
                 qPrintable(legality->toolTip()));
        const int before = window().session().messages().rowCount();
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier);
        QCOMPARE(window().session().messages().rowCount(), before + 1);
        QVERIFY(m_driver->message().contains(QStringLiteral("Many-to-Many")));
        QCOMPARE(window().session().undoStack().count(), 0);
    }

    void splitMergeUndoAndRedo()
    {
        const std::size_t before = blockCount();
        select({node(2)});
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(blockCount(), before + 1);
        QCOMPARE(window().selection().item(), node(2)); // what is selected stays so
        QCOMPARE(window().actions().undo->text(), QStringLiteral("&Undo split off nodes"));

        // Both parts are locked by that; they are unlocked to be merged again.
        select({node(1), node(2)});
        QVERIFY(!window().bench().edits.merge->isEnabled());
        QVERIFY(window().bench().edits.merge->toolTip().contains(QStringLiteral("locked")));
        QTest::keyClick(&window(), Qt::Key_U, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(window().bench().edits.merge->isEnabled());
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(blockCount(), before);

        for (const std::size_t wanted : {before + 1, before + 1, before}) {
            QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
            QVERIFY(m_driver->settle());
            QCOMPARE(blockCount(), wanted);
        }
        QCOMPARE(window().session().snapshot(), m_first);
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(blockCount(), before + 1);
    }

    void aNodeMovesToTheNextBlock()
    {
        select({node(2)});
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        select({node(1), node(2)});
        QTest::keyClick(&window(), Qt::Key_U, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        const auto fusion = [this] { return window().session().snapshot()->plan->fusion; };
        select({node(1)}); // the BatchNormalization: it may go behind, to the Clip
        QVERIFY2(window().bench().edits.move->isEnabled(),
                 qPrintable(window().bench().edits.move->toolTip()));
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(fusion()->blockOf(node(1).node()), fusion()->blockOf(node(2).node()));
        QVERIFY(fusion()->blockOf(node(0).node()) != fusion()->blockOf(node(1).node()));
    }

    void locksAreShown()
    {
        select({Item::block(3)});
        window().bench().edits.lock->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(
            window().view<FusionPanel>().model().index(3, FusionModel::Locked).data().toString(),
            QStringLiteral("locked"));
        QCOMPARE(window().bench().edits.lock->text(), QStringLiteral("Un&lock block"));
        const auto group = drawing().graph.groupOf(Item::block(3));
        QVERIFY(drawing().graph.groups[group].subtitle.endsWith(QStringLiteral("locked")));
    }

    void whatIsCollapsedStaysSoAcrossAnEdit()
    {
        window().bench().drawings.toggleCollapsed(Item::block(5));
        QVERIFY(m_driver->settle());
        const NodeId inside = m_fused->nodesOf(Item::block(5)).front();
        select({node(2)});
        window().bench().edits.split->trigger();
        QVERIFY(m_driver->settle());
        const Item now = window().session().snapshot()->groupOf(inside, Grouping::Blocks);
        QCOMPARE(now, Item::block(6));
        QVERIFY(drawing().graph.nodeOf(now) != VisibleGraph::none);
        QCOMPARE(boxes(), blockCount() - 1);
    }

    void theMenuOfABlockHasTheEdits()
    {
        select({node(0)});
        Q_EMIT window().page().canvas().menuRequested(node(0), {});
        auto *menu = window().findChild<QMenu *>(QStringLiteral("itemMenu"));
        QVERIFY(menu);
        for (QAction *action : {window().bench().edits.merge, window().bench().edits.split,
                                window().bench().edits.lock})
            QVERIFY(menu->actions().contains(action));
        menu->close();
    }

    void aBorderLeadsToTheNeighbour()
    {
        select({Item::block(0)});
        PropertyModel &model = window().view<PropertiesPanel>().model();
        for (int section = 0; section < model.rowCount(); ++section) {
            const QModelIndex parent = model.index(section, 0);
            if (parent.data().toString() != QLatin1String("Why not larger"))
                continue;
            QTreeView &tree = window().view<PropertiesPanel>().tree();
            const QModelIndex border = model.index(0, PropertyModel::Value, parent);
            tree.scrollTo(border);
            QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                              tree.visualRect(border).center());
            QCOMPARE(window().selection().item(), Item::block(1));
            return;
        }
        QFAIL("the block does not say why it is not larger");
    }

    void insideANestedGraphABlockLeadsBack()
    {
        QVERIFY(show(test::fused(test::nestedSnapshot(), 1)));
        const SnapshotPointer own = window().bench().navigator.shown();
        const SnapshotPointer body = test::inside(own, "outer", QStringLiteral("body"));
        window().bench().navigator.go({body->path, {}});
        QVERIFY(m_driver->settle());
        QVERIFY(!window().bench().edits.lock->isEnabled());
        QVERIFY(window().bench().edits.lock->toolTip().contains(QStringLiteral("nested")));
        window().view<FusionPanel>().table().selectRow(0);
        QVERIFY(m_driver->settle());
        QCOMPARE(window().bench().navigator.shown()->path, GraphPath());
        QCOMPARE(window().selection().item(), Item::block(0));
        QVERIFY(window().bench().edits.lock->isEnabled());
    }

    void aRuleThatIsOffIsOffForThePass()
    {
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        QVERIFY(run());
        QCOMPARE(m_used, std::optional(true));
        window()
            .view<PassPanel>()
            .form()
            ->rules()
            ->findChild<QCheckBox *>(QStringLiteral("associative"))
            ->click();
        QVERIFY(run());
        QCOMPARE(m_used, std::optional(false));
    }

    void rewriteStepsAreDrawn()
    {
        QVERIFY(show(test::rewritten()));
        QVERIFY(!window().view<RewritePanel>().isEmpty());
        window().view<RewritePanel>().steps().table().selectRow(1);
        QVERIFY(m_driver->settle());
        QVERIFY(window().view<RewritePanel>().before().drawing());
        QVERIFY(window().view<RewritePanel>().after().drawing());
        Q_EMIT window().view<RewritePanel>().stepActivated(1);
        QCOMPARE(window().selection().item(),
                 Item::of(window().session().snapshot()->plan->rewrite->steps[1].added.front()));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    const Drawing &drawing() { return *window().page().canvas().drawing(); }
    std::size_t boxes() { return drawing().groups.size(); }
    std::size_t blockCount() { return window().session().snapshot()->plan->fusion->blocks.size(); }
    Item node(std::size_t position) const { return Item::of(m_fused->graph().order()[position]); }

    bool show(const SnapshotPointer &snapshot)
    {
        const bool done = m_driver->show(snapshot);
        m_first = window().session().snapshot();
        return done;
    }
    /// Waits until it is known what may be done with them.
    void select(const std::vector<Item> &items)
    {
        window().selection().select(items);
        QVERIFY(m_driver->settle());
    }
    bool run()
    {
        QSignalSpy finished(&window().session(), &Session::passFinished);
        QTest::keyClick(&window(), Qt::Key_F5);
        return finished.wait(30'000) && m_driver->settle();
    }

    SnapshotPointer m_fused, m_partitioned, m_first;
    std::optional<bool> m_used; // was the rule "twice" on in the last run?
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowBlocksTest)

} // namespace graphloom::test::main_window_blocks_test

#include "main_window_blocks_test.moc"
