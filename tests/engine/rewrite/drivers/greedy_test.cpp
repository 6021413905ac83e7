// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/greedy.h"
#include "tests/support/rewrite_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::greedy_test {

namespace {

/// Exp(a) * Exp(b) = Exp(a + b)
const Rule mergeExponentials{
    .name = "merge-exponentials",
    .category = Rule::Category::Associative,
    .formula = "Exp(a) * Exp(b) = Exp(a + b)",
    .patterns = {call("Mul", {call("Exp", {any("a")}), call("Exp", {any("b")})})},
    .build =
        [](const Match &m, Builder &b) {
            return b.call("Exp", {b.call("Add", {m.tensor("a"), m.tensor("b")})});
        },
};
/// x * 1 = x
const Rule dropOne{
    .name = "drop-one",
    .category = Rule::Category::Associative,
    .patterns = {call("Mul", {any("x"), number(1)})},
    .build = [](const Match &m, Builder &) { return m.tensor("x"); },
};
const Rule greedyRules[] = {mergeExponentials, dropOne};

} // namespace

class GreedyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void replaces();
    void logsTheStep();
    void leavesWhatDoesNotMatch();
    void keepsWhatOthersRead();
    void refusesAnotherShape();
    void keepsTheNameOfAnOutput();
    void keepsTheNameOfACallWithTheSameOperator();
    void namesOtherCallsAfterTheReplacedNode();
    void copiesAnInputToAnOutput();
    void copiesNoCopies();
    void reliesOnNoVariables();
    void obeysTheStop();
};

void GreedyTest::replaces()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 3}), y = maker.input("y", {2, 3});
    const Graph graph = maker.finish({maker.call(
        "Mul", {maker.call("Exp", {x}, {2, 3}), maker.call("Exp", {y}, {2, 3})}, {2, 3})});
    QCOMPARE(termsOf(rewritten(graph, greedyRules).graph), "Exp(Add(x, y))");
}

void GreedyTest::logsTheStep()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 3}), y = maker.input("y", {2, 3});
    const Graph graph = maker.finish({maker.call(
        "Mul", {maker.call("Exp", {x}, {2, 3}), maker.call("Exp", {y}, {2, 3})}, {2, 3})});
    const auto [after, log] = rewritten(graph, greedyRules);
    QCOMPARE(log.steps.size(), std::size_t(1));
    const RewriteStep &step = log.steps[0];
    QCOMPARE(step.rule, mergeExponentials.name);
    QCOMPARE(step.category, "associative");
    QCOMPARE(step.flopsSaved, 6.0);
    QCOMPARE(step.removed.size(), std::size_t(3));
    QCOMPARE(step.added.size(), std::size_t(2));
    // All nodes are in the parts: these are the graphs, but for the name of the step.
    for (const auto &[part, whole] : {std::pair(&step.before, &graph), {&step.after, &after}}) {
        const auto made = graphOf(*part);
        QVERIFY(made);
        QCOMPARE(made->graph.nodeCount(), whole->nodeCount());
        QCOMPARE(termsOf(made->graph), termsOf(*whole));
    }
    QCOMPARE(log.flopsBefore, 18.0);
    QCOMPARE(log.flopsAfter, 12.0);
}

void GreedyTest::leavesWhatDoesNotMatch()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 3}), y = maker.input("y", {2, 3});
    const Graph graph = maker.finish({maker.call(
        "Add", {maker.call("Exp", {x}, {2, 3}), maker.call("Exp", {y}, {2, 3})}, {2, 3})});
    QCOMPARE(rewritten(graph, greedyRules).graph.hash(), graph.hash());
}

void GreedyTest::keepsWhatOthersRead()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 3}), y = maker.input("y", {2, 3});
    const TensorId a = maker.call("Exp", {x}, {2, 3}), b = maker.call("Exp", {y}, {2, 3});
    const Graph graph = maker.finish({maker.call("Mul", {a, b}, {2, 3}), a, b});
    QCOMPARE(rewritten(graph, greedyRules).graph.hash(), graph.hash()); // it would be one more
}

void GreedyTest::refusesAnotherShape()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {3}), one = maker.constant("one", floats({1, 1}, {1}));
    const Graph graph = maker.finish({maker.call("Mul", {x, one}, {1, 3})});
    QCOMPARE(rewritten(graph, greedyRules).graph.hash(), graph.hash());
}

void GreedyTest::keepsTheNameOfAnOutput()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {3}), one = maker.constant("one", floats({}, {1}));
    const TensorId y = maker.call("Exp", {x}, {3});
    const TensorId z = maker.call("Mul", {one, y}, {3});
    const Graph graph = maker.finish({z});
    const Graph after = rewritten(graph, greedyRules).graph;
    QCOMPARE(termsOf(after), "Exp(x)");
    QCOMPARE(after.tensor(after.outputs()[0]).name, graph.tensor(z).name);
}

/// Returns Exp(x) * Exp(y) with nodes that are named "left", "right" and "product".
static Graph namedProduct()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {3}), y = maker.input("y", {3});
    const TensorId left = maker.call("Exp", {x}, {3}), right = maker.call("Exp", {y}, {3});
    const TensorId product = maker.call("Mul", {left, right}, {3});
    const char *const names[] = {"left", "right", "product"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        Node node = maker.editor.graph().node(maker.nodes[i]);
        node.name = names[i];
        maker.editor.replaceNode(maker.nodes[i], std::move(node));
    }
    return maker.finish({product});
}

static std::string nameOfCall(const Graph &graph, std::string_view op)
{
    for (const NodeId id : graph.order())
        if (graph.node(id).op == op)
            return graph.node(id).name;
    return {};
}

void GreedyTest::keepsTheNameOfACallWithTheSameOperator()
{
    const Graph after = rewritten(namedProduct(), greedyRules).graph;
    QCOMPARE(termsOf(after), "Exp(Add(x, y))");
    QCOMPARE(nameOfCall(after, "Exp"), "right"); // not "product", which was a Mul
}

void GreedyTest::namesOtherCallsAfterTheReplacedNode()
{
    const Graph after = rewritten(namedProduct(), greedyRules).graph;
    QVERIFY(nameOfCall(after, "Add").starts_with("product."));
}

void GreedyTest::copiesAnInputToAnOutput()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {3}), one = maker.constant("one", floats({}, {1}));
    const Graph graph = maker.finish({maker.call("Mul", {x, one}, {3})});
    QCOMPARE(termsOf(rewritten(graph, greedyRules).graph), "Identity(x)");
}

void GreedyTest::copiesNoCopies()
{
    const Rule dropIdentity{
        .name = "drop-identity",
        .patterns = {call("Identity", {any("x")})},
        .build = [](const Match &m, Builder &) { return m.tensor("x"); },
    };
    GraphMaker maker;
    const TensorId x = maker.input("x", {3});
    const Graph graph = maker.finish({maker.call("Identity", {x}, {3})});
    QVERIFY(rewritten(graph, {&dropIdentity, 1}).log.steps.empty());
}

/// A weight of 1 is another one after the step.
void GreedyTest::reliesOnNoVariables()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {3}), one = maker.constant("one", floats({}, {1}));
    const Graph graph = maker.finish({maker.call("Exp", {maker.call("Mul", {x, one}, {3})}, {3})});
    QCOMPARE(termsOf(rewritten(graph, greedyRules).graph), "Exp(x)");
    RewriteOptions options;
    options.variables = {one};
    const Graph same = rewritten(graph, greedyRules, options).graph;
    QCOMPARE(same.hash(), graph.hash());
    QCOMPARE(same.inputs().size(), std::size_t(1));
    QVERIFY(same.tensor(one).constant);
}

void GreedyTest::obeysTheStop()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {3}), one = maker.constant("one", floats({}, {1}));
    const Graph graph = maker.finish({maker.call("Mul", {x, one}, {3})});
    std::stop_source source;
    source.request_stop();
    RewriteOptions options;
    options.stop = source.get_token();
    QCOMPARE(rewritten(graph, greedyRules, options).graph.hash(), graph.hash());
}

GRAPHLOOM_TESTS(GreedyTest)

} // namespace graphloom::test::greedy_test

#include "greedy_test.moc"
