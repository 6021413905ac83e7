// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/visible_graph.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/onnx_builder.h"

#include <numeric>

using namespace graphloom;

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
        m_plain = testing::snapshotOfSample("shufflenet_v2_x1_0_224.onnx");
        m_partitioned = testing::partitionedSample("shufflenet_v2_x1_0_224.onnx");
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
        const SnapshotPointer fused = testing::fused(m_partitioned, 4);
        const VisibleGraph graph = visibleGraphOf(*fused, {});
        QCOMPARE(graph.grouping, Grouping::Blocks);
        QCOMPARE(graph.groups.front().item, Item::block(0));
        QCOMPARE(graph.groups.front().title, QStringLiteral("Head"));
        QCOMPARE(graph.groups.front().subtitle, QStringLiteral("4 operators"));
        QCOMPARE(graph.groups[1].title, QStringLiteral("Many-to-Many"));
    }

    void aBlockOfOneNodeHasABoxOnlyWhenLocked()
    {
        const SnapshotPointer fused = testing::fused(m_plain, 1);
        QVERIFY(visibleGraphOf(*fused, {}).groups.empty());
        const VisibleGraph graph = visibleGraphOf(*testing::locked(fused, {7}), {});
        QCOMPARE(graph.groups.size(), std::size_t(1));
        QCOMPARE(graph.groups.front().subtitle, QStringLiteral("1 operator · locked"));
    }

    void theOtherGroupingTakesThePlaceOfTheOneThatIsNotThere()
    {
        QCOMPARE(drawnGrouping(*m_partitioned, Grouping::Blocks), Grouping::Subgraphs);
        QCOMPARE(drawnGrouping(*testing::fused(m_plain), Grouping::Subgraphs), Grouping::Blocks);
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
        QVERIFY(initiallyCollapsed(*m_plain, 10).empty());
    }

    void nodesSayWhatIsNestedInThem()
    {
        const SnapshotPointer own = testing::nestedSnapshot();
        QVERIFY(own);
        const VisibleGraph graph = visibleGraphOf(*own, {});
        const auto &loop = graph.nodes[graph.nodeOf(Item::of(testing::nodeNamed(*own, "outer")))];
        QVERIFY(loop.nests);
        QCOMPARE(loop.subtitle, QStringLiteral("body: 2 nodes"));
        QVERIFY(!graph.nodes[graph.nodeOf(Item::of(testing::nodeNamed(*own, "head")))].nests);
    }

    void whatIsCapturedIsDrawnLikeAnInput()
    {
        const SnapshotPointer own = testing::nestedSnapshot();
        QVERIFY(own);
        const SnapshotPointer branch = testing::inside(own, "pick", QStringLiteral("then_branch"));
        const VisibleGraph graph = visibleGraphOf(*branch, {});
        const std::uint32_t captured =
            graph.nodeOf(Item::captured(branch->graph().captured().front()));
        QVERIFY(captured != VisibleGraph::none);
        QCOMPARE(graph.nodes[captured].title, QStringLiteral("b"));
        QCOMPARE(graph.nodes[captured].subtitle, QStringLiteral("captured · float 4"));
        const std::uint32_t reader =
            graph.nodeOf(Item::of(testing::nodeNamed(*branch, "exponential")));
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
        const SnapshotPointer own = testing::snapshotOfFile(folder.save(model));
        QVERIFY(own);
        const SnapshotPointer branch =
            testing::inside(own, "choice", QStringLiteral("else_branch"));
        const VisibleGraph graph = visibleGraphOf(*branch, {});
        QCOMPARE(graph.nodes.size(), std::size_t(2));
        QCOMPARE(graph.edges.size(), std::size_t(1));
    }

private:
    SnapshotPointer m_plain, m_partitioned;
};

GRAPHLOOM_WINDOW_TESTS(VisibleGraphTest)
#include "visible_graph_test.moc"
