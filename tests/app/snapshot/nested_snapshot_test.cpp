// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/nested_snapshot.h"

#include "app/drawing/drawing.h"
#include "app/properties/properties.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/conformance.h"

namespace graphloom::test::nested_snapshot_test {

using test::inside;
using test::nodeNamed;

namespace {

const QString body = QStringLiteral("body"), thenBranch = QStringLiteral("then_branch"),
              elseBranch = QStringLiteral("else_branch");

/// The same plan after one of its nodes has become another operator.
SnapshotPointer withIdentity(const SnapshotPointer &own, std::string_view node)
{
    const NodeId id = nodeNamed(*own, node);
    Node other = own->graph().node(id);
    other.op = "Identity";
    other.inputs = {own->graph().inputs().front()};
    other.attributes = {};
    other.captures = {};
    auto graph = own->graph().with(id, std::move(other));
    if (!graph)
        qFatal("%s", graph.error().text().c_str());
    Plan plan = *own->plan;
    plan.graph = *std::move(graph);
    return snapshotOf(std::make_shared<const Plan>(std::move(plan)), own, {});
}

} // namespace

class NestedSnapshotTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_own = test::nestedSnapshot();
        QVERIFY(m_own);
        m_body = inside(m_own, "outer", body);
        QVERIFY(m_body);
        m_branch = inside(m_body, "choice", thenBranch);
        QVERIFY(m_branch);
        m_inner = inside(m_branch, "inner", body);
        QVERIFY(m_inner);
    }

    void factsAreThereForEveryGraph()
    {
        QCOMPARE(m_inner->graph().nodeCount(), std::size_t(2));
        const NodeFacts &facts = m_inner->facts->of(nodeNamed(*m_inner, "sum"));
        QCOMPARE(facts.op, QStringLiteral("Add"));
        QCOMPARE(facts.shape, QStringLiteral("4"));
        QCOMPARE(facts.mapping, MappingType::OneToOne);
    }

    void titlesNameNodesAndAttributes()
    {
        QCOMPARE(titleOf(*m_own), QString());
        QCOMPARE(titlesOf(*m_inner), QStringList({QStringLiteral("outer › body"),
                                                  QStringLiteral("choice › then_branch"),
                                                  QStringLiteral("inner › body")}));
    }

    void titlesOfNodesWithoutNames()
    {
        Node node = m_own->graph().node(nodeNamed(*m_own, "outer"));
        node.name.clear();
        Plan plan = *m_own->plan;
        plan.graph = *m_own->graph().with(nodeNamed(*m_own, "outer"), std::move(node));
        const auto own = snapshotOf(std::make_shared<const Plan>(std::move(plan)), nullptr, {});
        QCOMPARE(titleOf(*insideOf(own, m_body->path.front())), QStringLiteral("Loop #1 › body"));
    }

    void aPathLeadsToItsGraph()
    {
        QCOMPARE(graphAt(m_own, m_inner->path)->nested, m_inner->nested);
        QCOMPARE(graphAt(m_own, {}), m_own);
        QCOMPARE(ownGraph(m_inner), m_own);
        QCOMPARE(ownGraph(nullptr), nullptr);
    }

    void aPathThatEndsEarlyLeadsAsFarAsItGoes()
    {
        GraphPath path = m_inner->path;
        path[2].index = 5;
        QCOMPARE(graphAt(m_own, path)->path, m_branch->path);
        path[0].node = NodeId{12345};
        QCOMPARE(graphAt(m_own, path), m_own);
    }

    void staysInTheGraphWhenThePlanStillHasIt()
    {
        const SnapshotPointer other = withIdentity(m_own, "pick");
        const SnapshotPointer same = sameGraphIn(other, *m_inner);
        QCOMPARE(same->path, m_inner->path);
        QCOMPARE(ownGraph(same), other);
    }

    void leavesTheGraphOfANodeThatBecameAnotherOperator()
    {
        const SnapshotPointer other = withIdentity(m_own, "outer");
        QCOMPARE(sameGraphIn(other, *m_inner), other);
        QCOMPARE(sameGraphIn(other, *inside(m_own, "pick", elseBranch))->path.size(),
                 std::size_t(1));
    }

    void leavesTheGraphOfARemovedNode()
    {
        Plan plan = *m_own->plan;
        plan.graph = {};
        const auto empty = snapshotOf(std::make_shared<const Plan>(std::move(plan)), nullptr, {});
        QCOMPARE(sameGraphIn(empty, *m_inner), empty);
    }

    void goesToTheDeepestGraphThatIsLeft()
    {
        // In the loop's body, the If becomes a Loop: its attribute "body" is no "then_branch".
        const NodeId outer = nodeNamed(*m_own, "outer"), choice = nodeNamed(*m_body, "choice");
        Node changed = m_body->graph().node(choice);
        changed.op = "Other";
        Node node = m_own->graph().node(outer);
        node.attributes = node.attributes.with(
            "body", std::make_shared<const Graph>(*m_body->graph().with(choice, changed)));
        Plan plan = *m_own->plan;
        plan.graph = *m_own->graph().with(outer, std::move(node));
        const auto other = snapshotOf(std::make_shared<const Plan>(std::move(plan)), m_own, {});
        QCOMPARE(sameGraphIn(other, *m_inner)->path, m_body->path);
    }

    void capturedTensorsComeFromTheGraphAround()
    {
        const SnapshotPointer branch = inside(m_own, "pick", thenBranch);
        QCOMPARE(branch->graph().captured().size(), std::size_t(1));
        const TensorId captured = branch->graph().captured().front();
        QCOMPARE(sourceOf(*branch, captured), Item::of(nodeNamed(*m_own, "outer")));
        QCOMPARE(m_own->graph().tensor(capturedFrom(*branch, captured)).name, std::string("b"));
    }

    void eachBranchHasItsOwnPartOfTheCaptures()
    {
        // Of "choice": else_branch reads o_state, then_branch n, o_state and a.
        for (const QString &branch : {elseBranch, thenBranch}) {
            const SnapshotPointer shown = inside(m_body, "choice", branch);
            for (const TensorId captured : shown->graph().captured())
                QCOMPARE(shown->graph().tensor(captured).name,
                         m_body->graph().tensor(capturedFrom(*shown, captured)).name);
        }
    }

    void capturedInputsAndWhatIsCapturedTwice()
    {
        QHash<QString, Item> sources;
        for (const TensorId captured : m_branch->graph().captured())
            sources.insert(QString::fromStdString(m_branch->graph().tensor(captured).name),
                           sourceOf(*m_branch, captured));
        QCOMPARE(sources[QStringLiteral("o_state")].kind, Item::Kind::Input);
        QCOMPARE(sources[QStringLiteral("a")].kind, Item::Kind::Captured);
    }

    void aNestedGraphHasNoPartition()
    {
        const SnapshotPointer own = test::partitioned(m_own);
        QVERIFY(own);
        QVERIFY(own->subgraphOf(nodeNamed(*own, "outer")) != Partition::none);
        const SnapshotPointer nested = inside(own, "outer", body);
        QCOMPARE(nested->subgraphOf(nodeNamed(*nested, "choice")), Partition::none);
        QVERIFY(own->contains(Item::subgraph(0)));
        QVERIFY(!nested->contains(Item::subgraph(0)));
    }

    void graphsOfTheBackendTestsAreShownWhole_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *name :
             {"if", "if_opt", "if_seq", "loop11", "loop13_seq", "loop16_seq_none", "scan9_sum",
              "scan_sum", "sequence_map_add_2_sequences", "sequence_map_add_2_sequences_expanded"})
            QTest::newRow(name) << QString::fromStdString(
                (test::conformanceRoot() / "node" / ("test_" + std::string(name)) / "model.onnx")
                    .string());
    }
    void graphsOfTheBackendTestsAreShownWhole()
    {
        QFETCH(QString, file);
        if (!QFile::exists(file))
            QSKIP("the backend tests of ONNX are not installed (package libonnx-testdata)");
        const SnapshotPointer own = test::snapshotOfFile(file.toStdString());
        QVERIFY(own);
        QVERIFY(!own->facts->nested.empty());
        QCOMPARE(missingFrom(own), QStringList());
    }

private:
    /// What of a graph and of those nested in it is not drawn, or has no properties.
    static QStringList missingFrom(const SnapshotPointer &shown)
    {
        std::vector<Item> items;
        const Graph &graph = shown->graph();
        for (const NodeId id : graph.order())
            items.push_back(Item::of(id));
        for (const TensorId id : graph.inputs())
            items.push_back(Item::input(id));
        for (const TensorId id : graph.outputs())
            items.push_back(Item::output(id));
        for (const TensorId id : graph.captured())
            items.push_back(Item::captured(id));
        const DrawingPointer drawing = draw(shown, {}, {});
        QStringList missing;
        for (const Item &item : items)
            if (!drawing->rectOf(item) || propertiesOf(*shown, item).empty())
                missing << titleOf(*shown) +
                               QStringLiteral(": kind %1, %2").arg(int(item.kind)).arg(item.index);
        for (const TensorId id : graph.captured())
            if (!shown->around->contains(sourceOf(*shown, id)))
                missing << titleOf(*shown) + QStringLiteral(": source of %1").arg(id.index);
        for (const NestedGraph &nested : shown->facts->nested)
            missing += missingFrom(insideOf(shown, nested.step));
        return missing;
    }

    SnapshotPointer m_own, m_body, m_branch, m_inner;
};

GRAPHLOOM_WINDOW_TESTS(NestedSnapshotTest)

} // namespace graphloom::test::nested_snapshot_test

#include "nested_snapshot_test.moc"
