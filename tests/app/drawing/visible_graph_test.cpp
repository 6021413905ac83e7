// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/visible_graph.h"

#include "engine/autodiff/training_plan.h"
#include "engine/onnx/import.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/module_graphs.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/onnx_builder.h"

#include <numeric>

namespace graphloom::test::visible_graph_test {

namespace {

std::uint32_t largestSubgraph(const Snapshot &snapshot)
{
    const auto &rows = snapshot.partition->rows;
    const auto largest = std::max_element(
        rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.nodes < b.nodes; });
    return std::uint32_t(largest - rows.begin());
}

} // namespace

class VisibleGraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("shufflenet_v2_x1_0_224.onnx");
        m_partitioned = test::partitionedSample("shufflenet_v2_x1_0_224.onnx");
        QVERIFY(m_plain && m_partitioned);
    }

    void everyNodeAndTerminalIsDrawn()
    {
        const VisibleGraph graph = visibleGraphOf(*m_plain, {});
        QCOMPARE(graph.nodes.size(), m_plain->graph().nodeCount() +
                                         m_plain->graph().inputs().size() +
                                         m_plain->graph().outputs().size());
        QVERIFY(graph.groups.empty());
        for (std::uint32_t v = 0; v < graph.nodes.size(); ++v)
            QCOMPARE(graph.nodeOf(graph.nodes[v].item), v);
    }

    void edgesOfTheSameEndsAreOne()
    {
        const VisibleGraph graph = visibleGraphOf(*m_plain, {});
        std::set<std::pair<std::uint32_t, std::uint32_t>> ends;
        for (const auto &edge : graph.edges)
            QVERIFY(ends.emplace(edge.source, edge.target).second);
    }

    void subgraphsAreGroups()
    {
        const VisibleGraph graph = visibleGraphOf(*m_partitioned, {});
        QCOMPARE(graph.groups.size(), m_partitioned->partition->rows.size());
        const NodeId node = m_partitioned->graph().order().front();
        const auto &drawn = graph.nodes[graph.nodeOf(Item::of(node))];
        QCOMPARE(graph.groups[drawn.group].item, Item::subgraph(m_partitioned->subgraphOf(node)));
    }

    void withoutGrouping()
    {
        ViewOptions options;
        options.grouping = Grouping::None;
        QVERIFY(visibleGraphOf(*m_partitioned, options).groups.empty());
    }

    void blocksOfSeveralNodesAreGroups()
    {
        const SnapshotPointer fused = test::fused(m_partitioned, 4);
        const VisibleGraph graph = visibleGraphOf(*fused, {});
        QCOMPARE(graph.grouping, Grouping::Blocks);
        QCOMPARE(graph.groups.front().item, Item::block(0));
        QCOMPARE(graph.groups.front().title, QStringLiteral("Head"));
        QCOMPARE(graph.groups.front().subtitle, QStringLiteral("4 operators"));
        QCOMPARE(graph.groups[1].title, QStringLiteral("Many-to-Many"));
    }

    void aBlockOfOneNodeHasABoxOnlyWhenLocked()
    {
        const SnapshotPointer fused = test::fused(m_plain, 1);
        QVERIFY(visibleGraphOf(*fused, {}).groups.empty());
        const VisibleGraph graph = visibleGraphOf(*test::locked(fused, {7}), {});
        QCOMPARE(graph.groups.size(), std::size_t(1));
        QCOMPARE(graph.groups.front().subtitle, QStringLiteral("1 operator · locked"));
    }

    void theOtherGroupingTakesThePlaceOfTheOneThatIsNotThere()
    {
        QCOMPARE(drawnGrouping(*m_partitioned, Grouping::Blocks), Grouping::Subgraphs);
        QCOMPARE(drawnGrouping(*test::fused(m_plain), Grouping::Subgraphs), Grouping::Blocks);
        QCOMPARE(drawnGrouping(*m_plain, Grouping::Blocks), Grouping::None);
        QCOMPARE(drawnGrouping(*m_partitioned, Grouping::None), Grouping::None);
    }

    void someNodesAloneAreDrawnWithWhatIsAtThem()
    {
        ViewOptions options;
        const auto order = m_plain->graph().order();
        options.only = {order[0], order[1]};
        const VisibleGraph graph = visibleGraphOf(*m_plain, options);
        QCOMPARE(graph.nodes.size(), std::size_t(3)); // the input is at the first
        QCOMPARE(graph.nodes.front().item.kind, Item::Kind::Input);
        QCOMPARE(graph.edges.size(), std::size_t(2));
    }

    void aCollapsedSubgraphIsOneNode()
    {
        const std::uint32_t subgraph = largestSubgraph(*m_partitioned);
        ViewOptions options;
        options.collapsed = {Item::subgraph(subgraph)};
        const VisibleGraph all = visibleGraphOf(*m_partitioned, {}),
                           graph = visibleGraphOf(*m_partitioned, options);
        QCOMPARE(graph.nodes.size(),
                 all.nodes.size() - m_partitioned->partition->rows[subgraph].nodes + 1);
        const std::uint32_t place = graph.nodeOf(Item::subgraph(subgraph));
        QVERIFY(place != VisibleGraph::none);
        for (const NodeId id : m_partitioned->plan->partition->subgraphs[subgraph].nodes)
            QCOMPARE(graph.nodeOf(Item::of(id)), place);
        QCOMPARE(graph.groupOf(Item::subgraph(subgraph)), VisibleGraph::none);
    }

    void modulesAreBoxesInBoxes()
    {
        ViewOptions options;
        options.grouping = Grouping::Modules;
        const VisibleGraph graph = visibleGraphOf(*m_plain, options);
        QCOMPARE(graph.groups.size(), m_plain->modules->groups.size());
        const auto inner = std::ranges::max_element(graph.groups, {}, &VisibleGraph::Group::depth);
        QVERIFY(inner->depth > 0);
        QCOMPARE(graph.groups[inner->parent].depth, inner->depth - 1);
        QCOMPARE(graph.groups[inner->parent].item, m_plain->parentOf(inner->item));
    }

    void aCollapsedModuleHidesThoseInIt()
    {
        ViewOptions options;
        options.grouping = Grouping::Modules;
        const GroupForest &forest = *m_plain->modules;
        const auto nested = std::uint32_t(
            std::ranges::find_if(forest.groups, [](const auto &group) { return group.depth > 0; }) -
            forest.groups.begin());
        const std::uint32_t outer = forest.groups[nested].parent;
        options.collapsed = {Item::module(outer), Item::module(nested)};
        const VisibleGraph graph = visibleGraphOf(*m_plain, options);
        QVERIFY(graph.nodeOf(Item::module(outer)) != VisibleGraph::none);
        QCOMPARE(graph.nodeOf(Item::module(nested)), VisibleGraph::none);
        const Item node = Item::of(forest.groups[nested].nodes.front());
        QCOMPARE(graph.nodeOf(node), graph.nodeOf(Item::module(outer)));
        QCOMPARE(graph.groupAround(node), Item::module(outer));
        // Open outside, closed inside: a node in a box.
        options.collapsed = {Item::module(nested)};
        const VisibleGraph opened = visibleGraphOf(*m_plain, options);
        const std::uint32_t place = opened.nodeOf(Item::module(nested));
        QCOMPARE(opened.groups[opened.nodes[place].group].item, Item::module(outer));
    }

    void aLargeGraphBeginsWithFewNodes()
    {
        const std::set<Item> collapsed = initiallyCollapsed(*m_plain, 60);
        ViewOptions options;
        options.grouping = Grouping::Modules;
        options.collapsed = collapsed;
        const VisibleGraph graph = visibleGraphOf(*m_plain, options);
        QVERIFY(graph.nodes.size() <= 60 + 2); // input and output come with it
        QVERIFY(!graph.groups.empty());
        QVERIFY(initiallyCollapsed(*m_plain, 5000).empty());
    }

    void levelsAndWays()
    {
        const GroupForest &forest = *m_plain->modules;
        for (const Item &group : groupsBelow(*m_plain, Grouping::Modules, 1))
            QVERIFY(forest.groups[group.index].depth >= 1);
        const auto nested = std::uint32_t(
            std::ranges::find_if(forest.groups, [](const auto &group) { return group.depth > 0; }) -
            forest.groups.begin());
        const auto closed = groupsBeside(*m_plain, Grouping::Modules,
                                         Item::of(forest.groups[nested].nodes.front()));
        QVERIFY(!closed.contains(Item::module(nested)));
        QVERIFY(!closed.contains(Item::module(forest.groups[nested].parent)));
        QVERIFY(closed.size() >= forest.groups.size() - forest.depth);
    }

    void aFocusShowsWhatIsWithinSomeSteps()
    {
        const auto order = m_plain->graph().order();
        ViewOptions options;
        options.focus = {{Item::of(order[10])}, 0, 0, false};
        QCOMPARE(nodesInFocus(*m_plain, options), std::set<NodeId>({order[10]}));
        options.focus.down = 1;
        std::set<NodeId> expected{order[10]};
        for (const NodeId next : m_plain->graph().successors(order[10]))
            expected.insert(next);
        QCOMPARE(nodesInFocus(*m_plain, options), expected);
        options.focus.up = 1;
        for (const NodeId before : m_plain->graph().predecessors(order[10]))
            expected.insert(before);
        QCOMPARE(nodesInFocus(*m_plain, options), expected);
    }

    void theFocusOfACollapsedGroupTakesItForOneStep()
    {
        ViewOptions options;
        options.grouping = Grouping::Modules;
        options.collapsed = groupsBelow(*m_plain, Grouping::Modules, 0);
        options.focus = {{Item::module(0)}, 0, 1, false};
        const auto nodes = nodesInFocus(*m_plain, options);
        for (const NodeId id : m_plain->nodesOf(Item::module(0)))
            QVERIFY(nodes.contains(id));
        QVERIFY(nodes.size() > m_plain->nodesOf(Item::module(0)).size());
    }

    void aFocusOnWays()
    {
        const auto order = m_plain->graph().order();
        const NodeId next = m_plain->graph().successors(order[4]).front();
        const NodeId last = m_plain->graph().successors(next).front();
        ViewOptions options;
        options.focus = {{Item::of(last), Item::of(order[4])}, 2, 2, true};
        bool connected = false;
        const auto nodes = nodesInFocus(*m_plain, options, &connected);
        QVERIFY(connected);
        QVERIFY(nodes.contains(order[4]) && nodes.contains(next) && nodes.contains(last));
    }

    void withoutAWayThereAreTheEndsAlone()
    {
        // Two branches of one node.
        const auto snapshot = test::snapshotOfGraph(test::named({"a", "b", "c", "d"}, {{0, 3}}));
        const Graph &graph = snapshot->graph();
        ViewOptions options;
        options.focus = {
            {Item::input(graph.inputs()[0]), Item::output(graph.outputs()[0])}, 0, 0, true};
        bool connected = false;
        QCOMPARE(nodesInFocus(*snapshot, options, &connected).size(), std::size_t(4));
        QVERIFY(connected);
        options.focus.around = {Item::output(graph.outputs()[0])};
        QVERIFY(nodesInFocus(*snapshot, options, &connected).empty());
        QVERIFY(!connected);
    }

    void collapsedEdgesCountTheirTensors()
    {
        ViewOptions options;
        for (std::uint32_t i = 0; i < m_partitioned->partition->rows.size(); ++i)
            options.collapsed.insert(Item::subgraph(i));
        const VisibleGraph graph = visibleGraphOf(*m_partitioned, options);
        const auto tensors = [](const VisibleGraph &g) {
            return std::accumulate(g.edges.begin(), g.edges.end(), 0u,
                                   [](unsigned sum, const auto &e) { return sum + e.count; });
        };
        QVERIFY(tensors(graph) > graph.edges.size());
        QVERIFY(tensors(graph) <
                tensors(visibleGraphOf(*m_partitioned, {}))); // inner ones are not drawn
    }

    void largeModelsStartCollapsed()
    {
        QVERIFY(initiallyCollapsed(*m_partitioned).empty());
        QVERIFY(!initiallyCollapsed(*m_partitioned, 10).empty());
        QVERIFY(initiallyCollapsed(*test::snapshotOfGraph(test::named({"a", "b", "c"})), 2)
                    .empty()); // there is nothing to collapse
    }

    void theUpdatesOfAStepOfTrainingAreClosedWithTheNewWeights()
    {
        auto model = importOnnx(test::sample("bert_tiny.onnx"));
        QVERIFY(model);
        auto plan = trainingPlan(*std::move(model), {});
        QVERIFY(plan);
        const auto step = snapshotOf(std::make_shared<const Plan>(*std::move(plan)), nullptr, {});
        ViewOptions options;
        options.grouping = Grouping::Modules;
        // All but one node could be drawn, yet each weight is updated by itself.
        options.collapsed = initiallyCollapsed(*step, step->graph().nodeCount() - 1);
        const VisibleGraph graph = visibleGraphOf(*step, options);
        const TensorId weight = step->graph().outputs().back();
        const std::uint32_t place = graph.nodeOf(Item::output(weight));
        QVERIFY(place != VisibleGraph::none);
        QVERIFY(graph.nodes[place].item.isGroup());
        QCOMPARE(graph.nodeOf(Item::of(step->graph().producer(weight))), place);
        QVERIFY(!graph.groups.empty());
        // Open, it has all of them.
        options.collapsed.clear();
        const VisibleGraph opened = visibleGraphOf(*step, options);
        QCOMPARE(opened.nodes[opened.nodeOf(Item::output(weight))].item, Item::output(weight));
    }

    void nodesSayWhatIsNestedInThem()
    {
        const SnapshotPointer own = test::nestedSnapshot();
        QVERIFY(own);
        const VisibleGraph graph = visibleGraphOf(*own, {});
        const auto &loop = graph.nodes[graph.nodeOf(Item::of(test::nodeNamed(*own, "outer")))];
        QVERIFY(loop.nests);
        QCOMPARE(loop.subtitle, QStringLiteral("body: 2 nodes"));
        QVERIFY(!graph.nodes[graph.nodeOf(Item::of(test::nodeNamed(*own, "head")))].nests);
    }

    void whatIsCapturedIsDrawnLikeAnInput()
    {
        const SnapshotPointer own = test::nestedSnapshot();
        QVERIFY(own);
        const SnapshotPointer branch = test::inside(own, "pick", QStringLiteral("then_branch"));
        const VisibleGraph graph = visibleGraphOf(*branch, {});
        const std::uint32_t captured =
            graph.nodeOf(Item::captured(branch->graph().captured().front()));
        QVERIFY(captured != VisibleGraph::none);
        QCOMPARE(graph.nodes[captured].title, QStringLiteral("b"));
        QCOMPARE(graph.nodes[captured].subtitle, QStringLiteral("captured · float 4"));
        const std::uint32_t reader =
            graph.nodeOf(Item::of(test::nodeNamed(*branch, "exponential")));
        QVERIFY(std::any_of(graph.edges.begin(), graph.edges.end(), [&](const auto &edge) {
            return edge.source == captured && edge.target == reader;
        }));
    }

    void anOutputThatIsCapturedHasAnEdge()
    {
        // else_branch: the outer value itself.
        test::ModelFolder folder;
        auto model = test::emptyModel();
        auto &main = *model.mutable_graph();
        test::addInput(main, "flag", {}, onnx::TensorProto::BOOL);
        test::addInput(main, "x", {4});
        test::addOutput(main, "y", {4});
        auto &choice = test::addNode(main, "If", {"flag"}, {"y"}, "choice");
        test::addOutput(test::setGraph(choice, "else_branch"), "x", {4});
        auto &other = test::setGraph(choice, "then_branch");
        test::addOutput(other, "z", {4});
        test::addNode(other, "Neg", {"x"}, {"z"}, "negation");
        const SnapshotPointer own = test::snapshotOfFile(folder.save(model));
        QVERIFY(own);
        const SnapshotPointer branch = test::inside(own, "choice", QStringLiteral("else_branch"));
        const VisibleGraph graph = visibleGraphOf(*branch, {});
        QCOMPARE(graph.nodes.size(), std::size_t(2));
        QCOMPARE(graph.edges.size(), std::size_t(1));
    }

private:
    SnapshotPointer m_plain, m_partitioned;
};

GRAPHLOOM_WINDOW_TESTS(VisibleGraphTest)

} // namespace graphloom::test::visible_graph_test

#include "visible_graph_test.moc"
