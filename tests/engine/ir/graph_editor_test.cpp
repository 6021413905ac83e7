// SPDX-License-Identifier: Apache-2.0
// Edits: what they do, and what finish() refuses.
#include "tests/support/graph_parts.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace graphloom::test::graph_editor_test {

namespace {

/// What finish() says against the edits; "accepted" when it says nothing.
std::string refusalOf(GraphEditor editor)
{
    const auto result = std::move(editor).finish();
    if (result)
        return "accepted";
    return (result.error().kind == Error::Kind::Model ? "" : "not a Model error: ") +
           result.error().text();
}

#define VERIFY_REFUSED(editor, what)                                                               \
    do {                                                                                           \
        const std::string refusal = refusalOf(editor);                                             \
        QVERIFY2(refusal.find(what) != std::string::npos && refusal.find("not a Model") != 0,      \
                 refusal.c_str());                                                                 \
    } while (false)

/// Nodes with an edge against the order.
std::size_t misplacedIn(const Graph &graph, const std::vector<NodeId> &order)
{
    std::vector<std::size_t> place(graph.nodeBound());
    for (std::size_t i = 0; i < order.size(); ++i)
        place[order[i].index] = i;
    std::set<NodeId> found;
    for (const NodeId id : order)
        for (const NodeId before : graph.predecessors(id))
            if (place[before.index] > place[id.index])
                found.insert({id, before});
    return found.size();
}

/// Kahn's algorithm over the whole graph, by hand: of the nodes whose producers are done the one
/// that stands first in `wanted`.
std::vector<NodeId> sortedByHand(const Graph &graph, std::vector<NodeId> wanted)
{
    std::vector<NodeId> sorted;
    std::vector<bool> done(graph.nodeBound(), false);
    while (!wanted.empty()) {
        const auto next = std::ranges::find_if(wanted, [&](NodeId id) {
            return std::ranges::all_of(graph.predecessors(id),
                                       [&](NodeId before) { return done[before.index]; });
        });
        if (next == wanted.end())
            qFatal("a cycle");
        done[next->index] = true;
        sorted.push_back(*next);
        wanted.erase(next);
    }
    return sorted;
}

} // namespace

class GraphEditorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wishedOrderIsKept();
    void brokenOrdersAreSortedFromWhereTheyBreak();
    void replaceUsesRewritesReadersAndOutputs();
    void removeUnusedKeepsWhatCounts();
    void cyclesAreRefused();
    void doubleProducersAreRefused();
    void producedConstantsAndInputsAreRefused();
    void danglingReadsAreRefused();
    void unknownTensorsAreRefused();
    void brokenListsAreRefused();
    void insertedGraphComputesInPlace();
    void insertedGraphNeedsItsInputs();
    void editsBesideCopiesThatEnd();
};

void GraphEditorTest::wishedOrderIsKept()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    editor.setInputs({x});
    std::vector<NodeId> nodes;
    for (int i = 0; i < 3; ++i)
        nodes.push_back(editor.addNode(nodeOf("A", {x}, {editor.addTensor(named("y"))})));
    editor.setOrder({nodes[2], nodes[0], nodes[1]});
    auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QVERIFY(std::ranges::equal(graph->order(), std::vector{nodes[2], nodes[0], nodes[1]}));
    GraphEditor wrong(*graph);
    wrong.setOrder({nodes[2], nodes[0], nodes[0]});
    VERIFY_REFUSED(wrong, "order");
}

void GraphEditorTest::brokenOrdersAreSortedFromWhereTheyBreak()
{
    Random random(7);
    int sorted = 0;
    for (int round = 0; round < 200; ++round) {
        RandomGraphOptions options;
        options.severalOutputs = 0.4;
        const Graph graph = randomGraph(random, options);
        // Nodes of a part of the order stand anywhere in it.
        std::vector<NodeId> wanted(graph.order().begin(), graph.order().end());
        const std::size_t begin = below(random, wanted.size() / 2);
        const std::size_t count = 2 + below(random, wanted.size() - begin - 1);
        for (int i = 0; i < 30; ++i)
            std::swap(wanted[begin + below(random, count)], wanted[begin + below(random, count)]);
        if (misplacedIn(graph, wanted) <= 8)
            continue; // which are put right one by one
        ++sorted;
        GraphEditor editor(graph);
        editor.setOrder(wanted);
        const auto arranged = std::move(editor).finish();
        QVERIFY(arranged);
        QCOMPARE(QString::fromStdString(defectOf(*arranged)), QString());
        QCOMPARE(arranged->hash(), graph.hash());
        const std::vector<NodeId> order(arranged->order().begin(), arranged->order().end());
        QCOMPARE(order, sortedByHand(graph, wanted));
        QVERIFY(std::equal(wanted.begin(), wanted.begin() + std::ptrdiff_t(begin), order.begin()));
    }
    QVERIFY(sorted >= 100);
}

void GraphEditorTest::replaceUsesRewritesReadersAndOutputs()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x")), y = editor.addTensor(named("y"));
    const TensorId o = editor.addTensor(named("o"));
    editor.setInputs({x, y});
    Node node = nodeOf("F", {x, TensorId{}, x}, {o});
    node.captures = {x};
    const NodeId id = editor.addNode(node);
    editor.setOutputs({o, x});
    editor.replaceUses(x, y);
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QCOMPARE(graph->node(id).inputs, (std::vector<TensorId>{y, {}, y}));
    QCOMPARE(graph->node(id).captures, std::vector<TensorId>{y});
    QVERIFY(graph->uses(x).empty());
    QCOMPARE(graph->uses(y).size(), std::size_t(3));
    QVERIFY(std::ranges::equal(graph->outputs(), std::vector{o, y}));
}

void GraphEditorTest::removeUnusedKeepsWhatCounts()
{
    Chain chain;
    GraphEditor editor(chain.graph);
    const TensorId weight = editor.addTensor(constantOf("w", 1));
    const TensorId side = editor.addTensor(named("side")), end = editor.addTensor(named("end"));
    const NodeId n1 = editor.addNode(nodeOf("C", {chain.a, weight}, {side}));
    const NodeId n2 = editor.addNode(nodeOf("D", {side}, {end}));
    QCOMPARE(editor.removeUnused(), std::size_t(2));
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    for (const TensorId gone : {weight, side, end})
        QVERIFY(!graph->contains(gone));
    QVERIFY(!graph->contains(n1) && !graph->contains(n2));
    QVERIFY(graph->contains(chain.x) && graph->contains(chain.first));
    QCOMPARE(graph->hash(), chain.graph.hash());
    // Graph inputs stay although nobody reads them.
    GraphEditor idle(*graph);
    idle.setOutputs({chain.x});
    QCOMPARE(idle.removeUnused(), std::size_t(2));
    const auto bare = std::move(idle).finish();
    QVERIFY(bare);
    QVERIFY(bare->contains(chain.x));
    QCOMPARE(bare->nodeCount(), std::size_t(0));
}

void GraphEditorTest::cyclesAreRefused()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    const TensorId a = editor.addTensor(named("a")), b = editor.addTensor(named("b"));
    const TensorId behind = editor.addTensor(named("behind"));
    editor.setInputs({x});
    editor.addNode(nodeOf("Behind", {b}, {behind})); // waits for the cycle, is not on it
    editor.addNode(nodeOf("First", {x, b}, {a}));
    editor.addNode(nodeOf("Second", {a}, {b}));
    const auto refused = std::move(editor).finish();
    QVERIFY(!refused);
    QCOMPARE(int(refused.error().kind), int(Error::Kind::Model));
    QVERIFY(refused.error().message.find("cycle") != std::string::npos);
    QVERIFY2(refused.error().where.find("First") != std::string::npos ||
                 refused.error().where.find("Second") != std::string::npos,
             refused.error().where.c_str());

    const Chain chain;
    GraphEditor itself(chain.graph);
    itself.replaceNode(chain.second, nodeOf("Self", {chain.b}, {chain.b}));
    VERIFY_REFUSED(itself, "Self");

    GraphEditor capture(chain.graph); // a cycle through a captured tensor
    Node node = chain.graph.node(chain.first);
    node.captures = {chain.b};
    capture.replaceNode(chain.first, node);
    VERIFY_REFUSED(capture, "cycle");
}

void GraphEditorTest::doubleProducersAreRefused()
{
    const Chain chain;
    GraphEditor editor(chain.graph);
    editor.addNode(nodeOf("Again", {chain.x}, {chain.a}));
    VERIFY_REFUSED(editor, "Again");
    GraphEditor twice(chain.graph);
    const TensorId t = twice.addTensor(named("t"));
    twice.addNode(nodeOf("Both", {chain.x}, {t, t}));
    VERIFY_REFUSED(twice, "\"t\" is written twice");
    GraphEditor undone(chain.graph); // the second producer goes again: the first one still counts
    const NodeId again = undone.addNode(nodeOf("Again", {chain.x}, {chain.a}));
    undone.removeNode(again);
    VERIFY_REFUSED(undone, "twice");
}

void GraphEditorTest::producedConstantsAndInputsAreRefused()
{
    const Chain chain;
    GraphEditor constant(chain.graph);
    constant.setTensor(chain.a, constantOf("a", 1));
    VERIFY_REFUSED(constant, "constant");
    GraphEditor input(chain.graph);
    input.setInputs({chain.x, chain.a});
    VERIFY_REFUSED(input, "input");
    GraphEditor written(chain.graph);
    written.addNode(nodeOf("W", {chain.a}, {chain.x}));
    VERIFY_REFUSED(written, "W");
}

void GraphEditorTest::danglingReadsAreRefused()
{
    const Chain chain;
    GraphEditor editor(chain.graph);
    editor.removeNode(chain.first);
    VERIFY_REFUSED(editor, "reads tensor \"a\"");
    GraphEditor names(chain.graph);
    names.removeNode(chain.first);
    const auto refused = std::move(names).finish();
    QVERIFY(refused.error().where.find("\"B\"") != std::string::npos);

    GraphEditor noInput(chain.graph);
    noInput.setInputs({});
    VERIFY_REFUSED(noInput, "reads tensor \"x\"");

    GraphEditor constant(chain.graph);
    const TensorId w = constant.addTensor(constantOf("w", 1)), o = constant.addTensor(named("o"));
    constant.addNode(nodeOf("F", {w}, {o}));
    const auto valid = std::move(constant).finish();
    QVERIFY(valid);
    GraphEditor taken(*valid);
    taken.setTensor(w, named("w")); // its value goes, its reader stays
    VERIFY_REFUSED(taken, "reads tensor \"w\"");

    GraphEditor output(chain.graph);
    output.setOutputs({output.addTensor(named("nothing"))});
    VERIFY_REFUSED(output, "nothing");
}

void GraphEditorTest::unknownTensorsAreRefused()
{
    const Chain chain;
    GraphEditor read(chain.graph);
    read.addNode(nodeOf("R", {TensorId{99}}, {}));
    VERIFY_REFUSED(read, "\"R\"");
    GraphEditor write(chain.graph);
    write.addNode(nodeOf("W", {}, {TensorId{99}}));
    VERIFY_REFUSED(write, "\"W\"");
    GraphEditor output(chain.graph);
    output.setOutputs({TensorId{99}});
    output.removeUnused(); // must not stumble either
    VERIFY_REFUSED(output, "output");
    GraphEditor none(chain.graph);
    none.setOutputs({TensorId{}});
    VERIFY_REFUSED(none, "output");
    GraphEditor input(chain.graph);
    input.setInputs({chain.x, TensorId{99}});
    VERIFY_REFUSED(input, "input");
    GraphEditor removed(chain.graph);
    removed.removeTensor(chain.a);
    VERIFY_REFUSED(removed, "\"a\"");
}

void GraphEditorTest::brokenListsAreRefused()
{
    const Chain chain;
    GraphEditor twice(chain.graph);
    twice.setInputs({chain.x, chain.x});
    VERIFY_REFUSED(twice, "duplicate");
    GraphEditor both(chain.graph);
    both.setCaptured({chain.x});
    VERIFY_REFUSED(both, "duplicate");
}

namespace {

/// B(A(input, captured), weight).
Graph partToInsert()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x")), c = editor.addTensor(named("c"));
    const TensorId weight = editor.addTensor(constantOf("weight", 7));
    const TensorId a = editor.addTensor(named("a")), b = editor.addTensor(named("b"));
    editor.setInputs({x});
    editor.setCaptured({c});
    editor.addNode(nodeOf("A", {x, c}, {a}));
    editor.addNode(nodeOf("B", {a, weight}, {b}));
    editor.setOutputs({b, c, weight});
    return *std::move(editor).finish();
}

} // namespace

void GraphEditorTest::insertedGraphComputesInPlace()
{
    GraphEditor editor;
    const TensorId p = editor.addTensor(named("p")), q = editor.addTensor(named("q"));
    editor.setInputs({p, q});
    const auto inserted =
        editor.insert(partToInsert(), std::array<TensorId, 1>{p}, std::array<TensorId, 1>{q});
    QCOMPARE(inserted.nodes.size(), std::size_t(2));
    QCOMPARE(inserted.outputs.size(), std::size_t(3));
    QCOMPARE(inserted.outputs[1], q);
    editor.setOutputs({inserted.outputs[0]});
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QCOMPARE(graph->node(inserted.nodes[0]).inputs, (std::vector{p, q}));
    QCOMPARE(graph->producer(inserted.outputs[0]), inserted.nodes[1]);
    QVERIFY(graph->tensor(inserted.outputs[2]).constant);
    QVERIFY(defectOf(*graph).empty());
}

void GraphEditorTest::insertedGraphNeedsItsInputs()
{
    GraphEditor editor;
    const TensorId p = editor.addTensor(named("p"));
    editor.setInputs({p});
    QVERIFY(editor.insert(partToInsert(), std::array<TensorId, 1>{p}, {}).nodes.empty());
    editor.setOutputs({p});
    const auto graph = std::move(editor).finish();
    QVERIFY(!graph);
    QVERIFY(graph.error().message.find("a wrong number of inputs") != std::string::npos);
}

/// Another thread lets its copy of the graph go while an edit takes the chunks that both had: no
/// reference from before may be read afterwards (ThreadSanitizer tells, whatever the moment).
void GraphEditorTest::editsBesideCopiesThatEnd()
{
    GraphEditor editor;
    std::vector<TensorId> tensors;
    for (int i = 0; i < 100; ++i)
        tensors.push_back(editor.addTensor(named("t" + std::to_string(i))));
    editor.setInputs({tensors[0]});
    editor.addNode(nodeOf("A", {tensors[0]}, {tensors[1]}));
    editor.setOutputs({tensors[1]});
    auto base = std::move(editor).finish();
    QVERIFY(base);
    for (int round = 0; round < 50; ++round) {
        GraphEditor edit(*base);
        std::atomic<bool> edited{false};
        auto copy = std::make_unique<Graph>(*base);
        *base = Graph(); // the editor's and the other thread's are left
        std::thread other([&] {
            while (!edited)
                copy.reset();
        });
        edit.setTensor(tensors[50], Tensor::of("t50", TensorData::scalar(round)));
        edited = true;
        other.join();
        edit.setTensor(tensors[50], named("t50"));
        base = std::move(edit).finish();
        QVERIFY(base);
    }
}

GRAPHLOOM_TESTS(GraphEditorTest)

} // namespace graphloom::test::graph_editor_test

#include "graph_editor_test.moc"
