// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/egraph.h"
#include "engine/rewrite/drivers/saturation.h"
#include "tests/support/rewrite_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::saturation_test {

namespace {

using Strategy = RewriteOptions::Strategy;

Replacement product(const Match &m, Builder &to, const char *a, const char *b, const char *c)
{
    return to.call("Mul", {to.call("Add", {m.tensor(a), m.tensor(b)}), m.tensor(c)});
}

const Pattern a = any("a"), b = any("b"), c = any("c");
/// a*c + b*c = (a + b)*c
const Rule factor{
    .name = "factor",
    .category = Rule::Category::Distributive,
    .patterns = {call("Add", {call("Mul", {a, c}), call("Mul", {b, c})})},
    .build = [](const Match &m, Builder &to) { return product(m, to, "a", "b", "c"); },
};
/// (a + b) + c = (a + c) + b: not a commutative rule, so that the greedy does not look behind it
const Rule rotate{
    .name = "rotate",
    .category = Rule::Category::Associative,
    .patterns = {call("Add", {call("Add", {a, b}), c})},
    .build =
        [](const Match &m, Builder &to) {
            return to.call("Add", {to.call("Add", {m.tensor("a"), m.tensor("c")}), m.tensor("b")});
        },
};
const Rule rules[] = {factor, rotate};

RewriteOptions saturating()
{
    RewriteOptions options;
    options.strategy = Strategy::EqualitySaturation;
    return options;
}

/// x*w + y + z*w
Graph apart()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {4}), y = maker.input("y", {4}), z = maker.input("z", {4}),
                   w = maker.input("w", {4});
    const TensorId first = maker.call("Mul", {x, w}, {4}), last = maker.call("Mul", {z, w}, {4});
    const TensorId sum = maker.call("Add", {first, y}, {4});
    return maker.finish({maker.call("Add", {sum, last}, {4})});
}

} // namespace

class SaturationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void findsWhatTheGreedyMisses();
    void logsRulesAndNodes();
    void keepsTheNameOfAnOutput();
    void countsSharedCallsOnce();
    void equalCallsAreOne();
    void congruentCallsBecomeOne();
};

void SaturationTest::findsWhatTheGreedyMisses()
{
    const Graph graph = apart();
    QCOMPARE(rewritten(graph, rules).log.flopsAfter, 16.0);
    const RewriteResult result = rewritten(graph, rules, saturating());
    QCOMPARE(result.log.flopsAfter, 12.0);
    QVERIFY(termsOf(result.graph).contains("Mul(Add("));
}

void SaturationTest::logsRulesAndNodes()
{
    const Graph graph = apart();
    const RewriteLog log = rewritten(graph, rules, saturating()).log;
    QCOMPARE(log.strategy, "equality-saturation");
    QCOMPARE(log.steps.size(), std::size_t(1));
    const RewriteStep &step = log.steps[0];
    QVERIFY(step.rule.find("factor") != std::string::npos);
    QCOMPARE(step.flopsSaved, 4.0);
    QCOMPARE(termsOf(graphOf(step.before)->graph), termsOf(graph));
    for (const NodeId id : step.removed)
        QVERIFY(step.before.contains(id) && !step.after.contains(id));
    for (const NodeId id : step.added)
        QVERIFY(step.after.contains(id) && !step.before.contains(id));
}

void SaturationTest::keepsTheNameOfAnOutput()
{
    const Graph graph = apart();
    const Graph after = rewritten(graph, rules, saturating()).graph;
    QCOMPARE(after.tensor(after.outputs()[0]).name, graph.tensor(graph.outputs()[0]).name);
}

void SaturationTest::countsSharedCallsOnce()
{
    // Both products are needed anyway, so that factoring would only add to them.
    GraphMaker maker;
    const TensorId x = maker.input("x", {4}), y = maker.input("y", {4}), w = maker.input("w", {4});
    const TensorId first = maker.call("Mul", {x, w}, {4}), last = maker.call("Mul", {y, w}, {4});
    const Graph graph = maker.finish({maker.call("Add", {first, last}, {4}), first, last});
    QCOMPARE(rewritten(graph, rules, saturating()).graph.hash(), graph.hash());
}

namespace {

/// A class for each of two inputs, and calls of them.
struct Classes {
    GraphTerms terms{Graph(), opset17};
    EGraph graph{terms};
    Tensor tensor = [] {
        Tensor t;
        t.type = DataType::Float;
        t.shape = Shape{4};
        return t;
    }();
    TensorId x = graph.classOf({0}, tensor), y = graph.classOf({1}, tensor);

    TensorId call(const std::string &op, std::vector<TensorId> inputs)
    {
        Node node;
        node.op = op;
        node.inputs = std::move(inputs);
        return graph.node(graph.add(std::move(node), {tensor}, {}, nullptr)).outputs[0];
    }
};

} // namespace

void SaturationTest::equalCallsAreOne()
{
    Classes classes;
    QCOMPARE(classes.call("Exp", {classes.x}), classes.call("Exp", {classes.x}));
    QVERIFY(classes.call("Exp", {classes.x}) != classes.call("Exp", {classes.y}));
    QCOMPARE(classes.graph.callCount(), std::size_t(2));
}

void SaturationTest::congruentCallsBecomeOne()
{
    Classes classes;
    EGraph &graph = classes.graph;
    const TensorId p = classes.call("Neg", {classes.call("Exp", {classes.x})});
    const TensorId q = classes.call("Neg", {classes.call("Exp", {classes.y})});
    QVERIFY(graph.canonical(p) != graph.canonical(q));
    QVERIFY(graph.merge(classes.x, classes.y));
    graph.rebuild();
    QCOMPARE(graph.canonical(p), graph.canonical(q));
    QVERIFY(!graph.merge(p, q));
}

GRAPHLOOM_TESTS(SaturationTest)

} // namespace graphloom::test::saturation_test

#include "saturation_test.moc"
