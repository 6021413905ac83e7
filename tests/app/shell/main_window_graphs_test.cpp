// SPDX-License-Identifier: GPL-3.0-or-later
// How one gets into nested graphs and out again.
#include "app/drawing/legend.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/breadcrumbs.h"
#include "app/graph/canvas_page.h"
#include "app/help/help_view.h"
#include "app/nodes/node_list_panel.h"
#include "app/properties/properties_panel.h"
#include "app/query/search_bar.h"
#include "app/runs/pass_panel.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/nested_model.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>

namespace graphloom::test::main_window_graphs_test {

using test::nodeNamed;
using test::WindowDriver;

namespace {

/// A pass after which the loop is gone: an Identity stands in its place.
Result<Plan> withoutLoop(Plan plan, const Context &)
{
    for (const NodeId id : plan.graph.order()) {
        if (plan.graph.node(id).op != "Loop")
            continue;
        Node node = plan.graph.node(id);
        node.op = "Identity";
        node.inputs = {node.inputs[2]};
        node.attributes = {};
        node.captures = {};
        auto graph = plan.graph.with(id, std::move(node));
        if (!graph)
            return tl::unexpected(graph.error());
        plan.graph = *std::move(graph);
        return plan;
    }
    return fail(Error::Kind::Model, "there is no Loop");
}

} // namespace

class MainWindowGraphsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        std::vector<PassPlugin> plugins = test::builtPlugins();
        plugins.push_back({{}, std::make_shared<test::ScriptedPass>(withoutLoop), {}});
        m_driver = std::make_unique<WindowDriver>(std::move(plugins));
        test::writeNestedModel(m_driver->scratch("nested.onnx"));
        QVERIFY(m_driver->open(m_driver->scratch("nested.onnx")));
    }
    void cleanup() { m_driver.reset(); }

    void aDoubleClickGoesInAndKeysGoUp_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<int>("modifier");
        QTest::newRow("Alt+Up") << int(Qt::Key_Up) << int(Qt::AltModifier);
        QTest::newRow("Backspace") << int(Qt::Key_Backspace) << int(Qt::NoModifier);
    }
    void aDoubleClickGoesInAndKeysGoUp()
    {
        QFETCH(int, key);
        QFETCH(int, modifier);
        GraphCanvas &canvas = window().page().canvas();
        const Item loop = Item::of(nodeNamed(*shown(), "outer"));
        const QPoint place = canvas.mapFromScene(canvas.drawing()->rectOf(loop)->center());
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, place);
        QTest::mouseDClick(canvas.viewport(), Qt::LeftButton, {}, place);
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("outer › body"));
        QCOMPARE(window().selection().item(), Item());
        window().activateWindow();
        QTest::keyClick(&window(), Qt::Key(key), Qt::KeyboardModifier(modifier));
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QString());
        QCOMPARE(window().selection().item(), loop);
    }

    void everythingFollows()
    {
        enter("outer");
        QCOMPARE(window().view<NodeListPanel>().model().rowCount(), 2);
        QCOMPARE(window().page().canvas().drawing()->snapshot, shown());
        QCOMPARE(status("modelStatus"), QStringLiteral("nested.onnx › outer › body"));
        QCOMPARE(status("nodeStatus"), QStringLiteral("2 nodes"));
        QCOMPARE(window().page().canvas().accessibleName(), QStringLiteral("Graph outer › body"));
        QVERIFY(window().page().legend().accessibleDescription().contains(
            QStringLiteral("opaque: 1 node.")));
        select("choice");
        QCOMPARE(property("Node", "operator"), QStringLiteral("If"));
        QCOMPARE(property("Nested graphs", "else_branch"), QStringLiteral("1 node"));
    }

    void enterInTheNodeListGoesIn()
    {
        select("outer");
        QTest::keyClick(&window().view<NodeListPanel>().table(), Qt::Key_Return);
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("outer › body"));
    }

    void ofTwoBranchesOneIsChosen()
    {
        select("pick");
        QTest::keyClick(&window().page().canvas(), Qt::Key_Return);
        QCOMPARE(where(), QString());
        auto *menu = window().findChild<QMenu *>(QStringLiteral("branchMenu"));
        QVERIFY(menu && menu->isVisible());
        QCOMPARE(menu->actions().size(), 2);
        QCOMPARE(menu->actions()[0]->text(), QStringLiteral("Open else_branch: 0 nodes"));
        QTest::keyClick(menu, Qt::Key_Down);
        QTest::keyClick(menu, Qt::Key_Return);
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("pick › then_branch"));
    }

    void aGraphWithoutNodesIsShownToo()
    {
        go({"pick"}, {QStringLiteral("else_branch")});
        QCOMPARE(window().page().canvas().drawing()->graph.nodes.size(), std::size_t(1));
        QVERIFY(window().view<NodeListPanel>().isEmpty());
        QVERIFY(window()
                    .view<NodeListPanel>()
                    .findChild<QLabel *>(QStringLiteral("hint"))
                    ->text()
                    .startsWith(QStringLiteral("This graph has no nodes")));
    }

    void aLinkInThePropertiesGoesIn()
    {
        select("pick");
        PropertyModel &model = window().view<PropertiesPanel>().model();
        QTreeView &tree = window().view<PropertiesPanel>().tree();
        const QModelIndex link = indexOf("Nested graphs", "then_branch");
        QVERIFY(model.linkAt(link));
        window().activateWindow();
        tree.setFocus();
        tree.setCurrentIndex(link);
        QTest::keyClick(&tree, Qt::Key_Return);
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("pick › then_branch"));
        window().actions().goUp->trigger();
        QVERIFY(m_driver->settle());
        const QModelIndex other = indexOf("Nested graphs", "else_branch");
        tree.scrollTo(other);
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(other).center());
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("pick › else_branch"));
    }

    void theContextMenuGoesIn()
    {
        GraphCanvas &canvas = window().page().canvas();
        const Item loop = Item::of(nodeNamed(*shown(), "outer"));
        const QPoint place = canvas.mapFromScene(canvas.drawing()->rectOf(loop)->center());
        QContextMenuEvent event(QContextMenuEvent::Mouse, place,
                                canvas.viewport()->mapToGlobal(place));
        QCoreApplication::sendEvent(canvas.viewport(), &event);
        QCOMPARE(window().selection().item(), loop);
        auto *menu = window().findChild<QMenu *>(QStringLiteral("itemMenu"));
        QVERIFY(menu);
        QCOMPARE(menu->actions().front()->text(), QStringLiteral("Open body: 2 nodes"));
        menu->actions().front()->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("outer › body"));
    }

    void crumbsLeadBack()
    {
        goToTheInnermost();
        QCOMPARE(where(), QStringLiteral("outer › body › choice › then_branch › inner › body"));
        crumb(1)->click();
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("outer › body"));
        QCOMPARE(window().selection().item(), Item::of(nodeNamed(*shown(), "choice")));
        crumb(0)->click();
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QString());
    }

    void backAndForward()
    {
        QVERIFY(!window().actions().goBack->isEnabled());
        enter("outer");
        select("choice");
        go({"choice"}, {QStringLiteral("else_branch")});
        window().actions().goBack->trigger();
        QCOMPARE(where(), QStringLiteral("outer › body"));
        QCOMPARE(window().selection().item(), Item::of(nodeNamed(*shown(), "choice")));
        window().actions().goForward->trigger();
        QCOMPARE(where(), QStringLiteral("outer › body › choice › else_branch"));
        QVERIFY(!window().actions().goForward->isEnabled());
        QVERIFY(m_driver->settle());
    }

    void inTheHelpTheSameKeysGoThroughItsPages()
    {
        enter("outer");
        window().actions().help->trigger();
        auto *help = window().findChild<HelpView *>();
        help->showPage(QStringLiteral("keys"));
        window().activateWindow();
        help->browser().setFocus();
        QTest::keyClick(&help->browser(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(help->browser().source().fileName(), QStringLiteral("index.md"));
        QCOMPARE(where(), QStringLiteral("outer › body"));
    }

    void theViewIsFoundAgain()
    {
        GraphCanvas &canvas = window().page().canvas();
        canvas.zoomTo(2);
        canvas.centreOn(canvas.drawing()->rectOf(Item::of(nodeNamed(*shown(), "outer")))->center());
        const QPointF centre = canvas.visibleScene().center();
        enter("outer");
        QVERIFY(canvas.scale() <= 1);
        window().actions().goUp->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(canvas.scale(), 2.0);
        QVERIFY((canvas.visibleScene().center() - centre).manhattanLength() < 3);
    }

    void whatIsCapturedLeadsToItsProducer()
    {
        go({"pick"}, {QStringLiteral("then_branch")});
        const Item captured = Item::captured(shown()->graph().captured().front());
        window().selection().select(captured);
        QCOMPARE(property("Captured from the parent graph", "name"), QStringLiteral("b"));
        QTest::keyClick(&window().page().canvas(), Qt::Key_Return);
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QString());
        QCOMPARE(window().selection().item(), Item::of(nodeNamed(*shown(), "outer")));
    }

    void searchGoesThroughNestedGraphs()
    {
        window().actions().find->trigger();
        SearchBar &search = window().page().search();
        QTest::keyClicks(&search.edit(), QStringLiteral("neg"));
        QTRY_COMPARE(searchCount(), QStringLiteral("2 matches, 2 in other graphs"));
        QCOMPARE(where(), QString());
        QTest::keyClick(&search.edit(), Qt::Key_Return);
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("outer › body › choice › else_branch"));
        QCOMPARE(window().selection().item(), Item::of(nodeNamed(*shown(), "negation")));
        QCOMPARE(searchCount(), QStringLiteral("1 of 2"));
        search.next();
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("pick › then_branch"));
        QCOMPARE(window().selection().item(), Item::of(nodeNamed(*shown(), "minus")));
        search.next();
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("outer › body › choice › else_branch"));
    }

    void aSubgraphLeadsToTheModelsOwnGraph()
    {
        QVERIFY(run("ago"));
        enter("outer");
        QVERIFY(!window().actions().collapseAll->isEnabled());
        QVERIFY(window().view<PartitionPanel>().statisticsText().contains(
            QStringLiteral("model's main graph")));
        const auto holding = shown()->around->subgraphOf(shown()->path.front().node);
        QCOMPARE(window()
                     .view<PartitionPanel>()
                     .table()
                     .currentIndex()
                     .siblingAtColumn(0)
                     .data()
                     .toUInt(),
                 holding); // the one that holds the loop
        window().view<PartitionPanel>().table().clearSelection();
        window().view<PartitionPanel>().table().setCurrentIndex({});
        window().view<PartitionPanel>().table().selectRow(0);
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QString());
        QCOMPARE(window().selection().item().kind, Item::Kind::Subgraph);
        QVERIFY(window().actions().collapseAll->isEnabled());
        QVERIFY(!window().view<PartitionPanel>().statisticsText().contains(
            QStringLiteral("model's main graph")));
    }

    void theSubgraphAroundLeadsThereToo_data()
    {
        QTest::addColumn<bool>("byKey");
        QTest::newRow("click") << false;
        QTest::newRow("Enter") << true;
    }
    void theSubgraphAroundLeadsThereToo()
    {
        QFETCH(bool, byKey);
        QVERIFY(run("ago"));
        enter("outer");
        QTableView &table = window().view<PartitionPanel>().table();
        const auto subgraph = table.currentIndex().siblingAtColumn(0).data().toUInt();
        if (byKey)
            QTest::keyClick(&table, Qt::Key_Return);
        else
            QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                              table.visualRect(table.currentIndex()).center());
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QString());
        QCOMPARE(window().selection().item(), Item::subgraph(subgraph));
        QVERIFY(window().bench().drawings.options().collapsed.empty());
    }

    void aPassThatKeepsTheGraphKeepsItShown()
    {
        enter("outer");
        select("choice");
        QVERIFY(run("ago"));
        QCOMPARE(where(), QStringLiteral("outer › body"));
        QCOMPARE(window().selection().item(), Item::of(nodeNamed(*shown(), "choice")));
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("outer › body"));
        QCOMPARE(ownGraph(shown()), window().session().snapshot());
    }

    void aPassThatRemovesTheGraphLeadsOutOfIt()
    {
        goToTheInnermost();
        QVERIFY(run("scripted"));
        QCOMPARE(where(), QString());
        QCOMPARE(window().selection().item(), Item());
        QVERIFY(messages().contains(QStringLiteral(
            "This plan has no graph outer › body › choice › then_branch › inner › body: "
            "showing its parent graph")));
        go({"pick"}, {QStringLiteral("then_branch")});
        window().actions().undo->trigger(); // which has both
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QStringLiteral("pick › then_branch"));
        window().actions().goBack->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(where(), QString());
    }

    void anotherDocumentIsShownFromOutside()
    {
        goToTheInnermost();
        QVERIFY(m_driver->open(test::sample("mobilenet_v2_224.onnx")));
        QCOMPARE(where(), QString());
        QVERIFY(window().page().breadcrumbs().isHidden());
        QVERIFY(!window().actions().goUp->isEnabled());
        QVERIFY(!window().actions().goBack->isEnabled());
        QCOMPARE(window().view<NodeListPanel>().model().rowCount(),
                 int(shown()->graph().nodeCount()));
    }

    void closingLeavesNothing()
    {
        goToTheInnermost();
        window().bench().documents.close();
        QVERIFY(m_driver->settle());
        QVERIFY(!shown());
        QVERIFY(!window().actions().goUp->isEnabled());
    }

    void exportWritesThePlanNotWhatIsShown()
    {
        enter("outer");
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        window().bench().documents.exportTo(m_driver->scratch("out.onnx"));
        QVERIFY(said.wait(20'000));
        const SnapshotPointer written = test::snapshotOfFile(m_driver->scratch("out.onnx"));
        QVERIFY(written);
        QCOMPARE(written->graph().hash(), window().session().snapshot()->graph().hash());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    const SnapshotPointer &shown() { return window().bench().navigator.shown(); }
    QString where() { return titleOf(*shown()); }
    void select(std::string_view node)
    {
        window().selection().select(Item::of(nodeNamed(*shown(), node)));
    }
    void enter(std::string_view node)
    {
        select(node);
        window().actions().openNested->trigger();
        QVERIFY(m_driver->settle());
    }
    /// Steps from what is shown inwards.
    void go(const std::vector<std::string> &nodes, const QStringList &attributes)
    {
        SnapshotPointer to = shown();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            to = test::inside(to, nodes[i], attributes[qsizetype(i)]);
            QVERIFY(to);
        }
        window().bench().navigator.go({to->path, {}});
        QVERIFY(m_driver->settle());
    }
    void goToTheInnermost()
    {
        go({"outer", "choice", "inner"},
           {QStringLiteral("body"), QStringLiteral("then_branch"), QStringLiteral("body")});
    }
    bool run(const char *pass)
    {
        if (!window().view<PassPanel>().choose(pass))
            return false;
        window().bench().passes.run();
        return m_driver->settle() && !window().session().snapshot()->plan->history.empty();
    }
    QString searchCount()
    {
        return window().page().search().findChild<QLabel *>(QStringLiteral("searchCount"))->text();
    }
    QString status(const char *name)
    {
        return window().findChild<QLabel *>(QLatin1String(name))->text();
    }
    QModelIndex indexOf(const char *section, const char *name)
    {
        PropertyModel &model = window().view<PropertiesPanel>().model();
        for (int s = 0; s < model.rowCount(); ++s) {
            const QModelIndex parent = model.index(s, 0);
            for (int row = 0; row < model.rowCount(parent); ++row)
                if (parent.data() == QLatin1String(section) &&
                    model.index(row, 0, parent).data() == QLatin1String(name))
                    return model.index(row, PropertyModel::Value, parent);
        }
        return {};
    }
    QString property(const char *section, const char *name)
    {
        return indexOf(section, name).data().toString();
    }
    QToolButton *crumb(int index)
    {
        QList<QToolButton *> crumbs;
        for (auto *crumb :
             window().page().breadcrumbs().findChildren<QToolButton *>(QStringLiteral("crumb")))
            if (crumb->isVisible())
                crumbs << crumb;
        return crumbs[index];
    }
    QStringList messages()
    {
        MessageModel &model = window().session().messages();
        QStringList texts;
        for (int row = 0; row < model.rowCount(); ++row)
            texts << model.index(row).data().toString();
        return texts;
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowGraphsTest)

} // namespace graphloom::test::main_window_graphs_test

#include "main_window_graphs_test.moc"
