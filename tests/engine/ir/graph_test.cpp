// SPDX-License-Identifier: Apache-2.0
// Graphs as values: ids, order, uses.
#include "tests/support/random_edits.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <map>

namespace graphloom::test::graph_test {

class GraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void editsLeaveTheBaseAlone();
    void survivorsKeepTheirIds();
    void orderStaysWhereItCan();
    void orderIsRepaired();
    void removingAnInputMovesTheOthersUp();
    void inputsKeepTheirPlaceWhenTheirProducerGoes();
    void neighboursAreListedOnce();
    void manyReadersAndOutputs();
};

void GraphTest::editsLeaveTheBaseAlone()
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random(seed);
        const Graph base = randomGraph(random);
        const std::uint64_t before = base.hash();
        const std::vector<NodeId> order(base.order().begin(), base.order().end());
        RandomEdits changes(base, random);
        for (int i = 0; i < 10; ++i)
            changes.edit();
        QVERIFY(changes.finish());
        QCOMPARE(base.hash(), before);
        QVERIFY(std::equal(order.begin(), order.end(), base.order().begin(), base.order().end()));
        QVERIFY(defectOf(base).empty());
        QCOMPARE(rebuilt(base, random).hash(), before);
    }
    // A copy of the graph under edit is a value of its own, too.
    const Chain chain;
    GraphEditor editor(chain.graph);
    const TensorId c = editor.addTensor(named("c"));
    editor.addNode(nodeOf("C", {chain.b}, {c}));
    const Graph copy = editor.graph();
    const TensorId d = editor.addTensor(named("d"));
    editor.addNode(nodeOf("D", {c}, {d}));
    QCOMPARE(copy.nodeCount(), std::size_t(3));
    QCOMPARE(copy.order().size(), std::size_t(3));
    QVERIFY(std::move(editor).finish());
}

void GraphTest::survivorsKeepTheirIds()
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random(seed);
        const Graph base = randomGraph(random);
        GraphEditor editor(base);
        std::map<NodeId, std::string> names;
        for (const NodeId id : base.order())
            names[id] = base.node(id).name;
        // Cut the graph down to what one random tensor needs.
        const NodeId kept = base.order()[below(random, base.nodeCount())];
        TensorId output;
        for (const TensorId candidate : base.node(kept).outputs)
            output = candidate.valid() ? candidate : output;
        editor.setOutputs({output});
        const std::size_t removed = editor.removeUnused();
        const auto cut = std::move(editor).finish();
        QVERIFY(cut);
        QCOMPARE(cut->nodeCount() + removed, base.nodeCount());
        QVERIFY(cut->contains(kept));
        QVERIFY(cut->nodeCount() > 0 && cut->nodeBound() > 0);
        for (const NodeId id : cut->order())
            QCOMPARE(cut->node(id).name, names.at(id));
        for (std::uint32_t i = 0; i < cut->nodeBound(); ++i)
            if (cut->contains(NodeId{i}))
                QCOMPARE(&cut->node({i}), &base.node({i})); // shared, not copied
        QCOMPARE(cut->tensor(output).name, base.tensor(output).name);
    }
}

void GraphTest::orderStaysWhereItCan()
{
    Random random(7);
    const Graph base = randomGraph(random);
    // A changed attribute moves nothing.
    Node node = base.node(base.order()[10]);
    node.attributes = node.attributes.with("axis", std::int64_t(77));
    const auto same = base.with(base.order()[10], node);
    QVERIFY(same);
    QVERIFY(std::ranges::equal(same->order(), base.order()));
    // A node inserted on an edge goes there and the others stay in their order.
    const NodeId writer = base.order()[20];
    TensorId before;
    for (const TensorId output : base.node(writer).outputs)
        before = output.valid() ? output : before;
    GraphEditor editor(base);
    const TensorId after = editor.addTensor(named("after"));
    editor.replaceUses(before, after);
    const NodeId added = editor.addNode(nodeOf("Identity", {before}, {after}));
    const auto inserted = std::move(editor).finish();
    QVERIFY(inserted);
    std::vector<NodeId> rest(inserted->order().begin(), inserted->order().end());
    std::erase(rest, added);
    QVERIFY(std::ranges::equal(rest, base.order()));
    QCOMPARE(inserted->position(added), base.position(writer) + 1);
}

void GraphTest::orderIsRepaired()
{
    for (std::uint64_t seed = 0; seed < 30; ++seed) { // rebuilt() adds nodes in a random order
        Random random(seed);
        RandomGraphOptions options;
        options.nodes = 200;
        const Graph graph = rebuilt(randomGraph(random, options), random);
        QVERIFY(defectOf(graph).empty());
        GraphEditor editor(graph);
        std::vector<NodeId> wished(graph.order().begin(), graph.order().end());
        std::shuffle(wished.begin(), wished.end(), random);
        editor.setOrder(wished);
        const auto ordered = std::move(editor).finish();
        QVERIFY(ordered);
        QVERIFY(defectOf(*ordered).empty());
        QCOMPARE(ordered->hash(), graph.hash());
    }
}

void GraphTest::removingAnInputMovesTheOthersUp()
{
    const auto build = [](bool extra) {
        GraphEditor editor;
        const TensorId unused = editor.addTensor(named("unused")), x = editor.addTensor(named("x"));
        const TensorId o = editor.addTensor(named("o"));
        editor.setInputs(extra ? std::vector{unused, x} : std::vector{x});
        editor.addNode(nodeOf("F", {x}, {o}));
        editor.setOutputs({o});
        return std::pair(*std::move(editor).finish(), unused);
    };
    const auto [graph, unused] = build(true);
    GraphEditor editor(graph);
    editor.removeTensor(unused);
    const auto cut = std::move(editor).finish();
    QVERIFY(cut);
    QCOMPARE(cut->inputs().size(), std::size_t(1));
    QCOMPARE(cut->hash(), build(false).first.hash());
    QVERIFY(cut->hash() != graph.hash());
}

void GraphTest::inputsKeepTheirPlaceWhenTheirProducerGoes()
{
    const Chain chain;
    const auto cut = [&](bool inputsFirst) {
        GraphEditor editor(chain.graph);
        if (inputsFirst)
            editor.setInputs({chain.x, chain.a});
        editor.removeNode(chain.first);
        if (!inputsFirst)
            editor.setInputs({chain.x, chain.a});
        return *std::move(editor).finish();
    };
    Random random(1);
    QCOMPARE(cut(true).hash(), cut(false).hash());
    QCOMPARE(cut(true).hash(), rebuilt(cut(false), random).hash());
}

void GraphTest::neighboursAreListedOnce()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    const TensorId a = editor.addTensor(named("a")), b = editor.addTensor(named("b"));
    const TensorId c = editor.addTensor(named("c")), d = editor.addTensor(named("d"));
    editor.setInputs({x});
    const NodeId split = editor.addNode(nodeOf("Split", {x}, {a, b}));
    Node twice = nodeOf("F", {a, b, a}, {c});
    twice.captures = {b};
    const NodeId reader = editor.addNode(twice);
    const NodeId other = editor.addNode(nodeOf("G", {a}, {d}));
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QCOMPARE(graph->successors(split), (std::vector{reader, other}));
    QCOMPARE(graph->predecessors(reader), std::vector{split});
    QVERIFY(graph->predecessors(split).empty());
}

void GraphTest::manyReadersAndOutputs()
{
    // Beyond what entries hold inline, on both sides, with edits in between.
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    editor.setInputs({x});
    std::vector<TensorId> parts, ends;
    for (int i = 0; i < 40; ++i)
        parts.push_back(editor.addTensor(named("p" + std::to_string(i))));
    editor.addNode(nodeOf("Split", {x}, parts));
    const TensorId whole = editor.addTensor(named("whole"));
    editor.addNode(nodeOf("Concat", parts, {whole}));
    std::vector<NodeId> readers;
    for (int i = 0; i < 300; ++i) {
        ends.push_back(editor.addTensor(named("e")));
        readers.push_back(
            editor.addNode(nodeOf("R", {whole, parts[std::size_t(i % 40)]}, {ends.back()})));
    }
    editor.setOutputs(ends);
    auto graph = std::move(editor).finish();
    QVERIFY(graph);
    Random random(3);
    QCOMPARE(graph->uses(whole).size(), std::size_t(300));
    QCOMPARE(graph->hash(), rebuilt(*graph, random).hash());
    GraphEditor fewer(*graph);
    std::shuffle(readers.begin(), readers.end(), random);
    for (std::size_t i = 0; i < 298; ++i)
        fewer.removeNode(readers[i]);
    fewer.setOutputs({whole});
    auto rest = std::move(fewer).finish();
    QVERIFY(rest);
    QCOMPARE(rest->uses(whole).size(), std::size_t(2));
    QVERIFY(defectOf(*rest).empty());
    QCOMPARE(rest->hash(), rebuilt(*rest, random).hash());
}

GRAPHLOOM_TESTS(GraphTest)

} // namespace graphloom::test::graph_test

#include "graph_test.moc"
