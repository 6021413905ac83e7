// SPDX-License-Identifier: Apache-2.0
// Tensors that are computed a second time for late readers, as nodes.
#include "plugins/magis/variants/duplication.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "plugins/magis/search/optimizer.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/graph_parts.h"
#include "tests/support/magis_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::duplication_test {

using namespace graphloom::magis;
using graphloom::test::memoryOf;
using graphloom::test::networkOpsets;
using graphloom::test::ownOrder;
using graphloom::test::Sketch;

namespace {

/// The graph with duplicates of at most so many times its own seconds.
Duplicated duplicatesOf(const Graph &graph, double share)
{
    const MemoryGraph memory = memoryOf(graph, *findDevice("phone-cpu"), false, networkOpsets());
    const SearchSpace space(memory, {ownOrder(memory)});
    const State state = *Optimization(space, {}, {}, 0).unoptimized(firstOrder);
    Trace trace;
    Simulator(memory, space.evictions()).run(*state.arrangement, state.policies, &trace);
    auto result = duplicated(space, trace, share * state.outcome.seconds);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

/// A tensor that is read again so many calls later.
Graph skip(int steps)
{
    Sketch s;
    const TensorId x = s.input("x", {2, 4, 8, 8});
    const TensorId far = s.call("Relu", {graphloom::test::convolution(s, x, 4, 4)});
    TensorId y = far;
    for (int k = 0; k < steps; ++k)
        y = s.call("Tanh", {graphloom::test::convolution(s, y, 4, 4)});
    return s.finish({s.call("Add", {s.call("Sigmoid", {y}), far})});
}

} // namespace

class DuplicationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void computesTheSame_data();
    void computesTheSame();
    void copiesStandBeforeTheirReader();
    void nothingWithoutTime();
    void neighboursStay();
    void randomNumbersAreDrawnOnce();
};

void DuplicationTest::computesTheSame_data()
{
    QTest::addColumn<std::string>("network");
    QTest::addColumn<double>("share");
    for (const auto &[name, make] : graphloom::test::networks())
        for (const double share : {0.1, 0.5, 2.})
            QTest::addRow("%s, %.1f", name.c_str(), share) << name << share;
}

void DuplicationTest::computesTheSame()
{
    QFETCH(std::string, network);
    QFETCH(double, share);
    const Graph graph = graphloom::test::networks().at(network)();
    const Duplicated twice = duplicatesOf(graph, share);
    const auto inputs = randomInputs(graph, 5);
    QVERIFY(inputs.has_value());
    const auto expected = interpret(graph, networkOpsets(), *inputs);
    const auto given = interpret(twice.graph, networkOpsets(), *inputs);
    QVERIFY(expected.has_value());
    QVERIFY2(given.has_value(), given ? "" : given.error().text().c_str());
    QCOMPARE(given->size(), expected->size());
    for (std::size_t o = 0; o < expected->size(); ++o)
        QCOMPARE(compare((*expected)[o], (*given)[o]).maxAbsError, 0.);
    QCOMPARE(twice.graph.nodeCount() > graph.nodeCount(), !twice.tensors.empty());
}

void DuplicationTest::copiesStandBeforeTheirReader()
{
    const Graph graph = skip(6);
    const Duplicated twice = duplicatesOf(graph, 0.3);
    QCOMPARE(twice.tensors.size(), std::size_t(1));
    QCOMPARE(test::countOf(twice.graph, "Conv"), test::countOf(graph, "Conv") + 1);
    QCOMPARE(test::countOf(twice.graph, "Relu"), 2);
    const auto order = twice.graph.order();
    QCOMPARE(twice.graph.node(order[order.size() - 1]).op, std::string("Add"));
    QCOMPARE(twice.graph.node(order[order.size() - 2]).op, std::string("Relu"));
    QCOMPARE(twice.graph.node(order[order.size() - 3]).op, std::string("Conv"));
    QVERIFY(twice.seconds > 0);
}

void DuplicationTest::nothingWithoutTime()
{
    const Graph graph = skip(6);
    const Duplicated twice = duplicatesOf(graph, 0.01);
    QVERIFY(twice.tensors.empty());
    QCOMPARE(twice.graph.hash(), graph.hash());
}

void DuplicationTest::neighboursStay()
{
    const Duplicated twice = duplicatesOf(skip(0), 5);
    QVERIFY(twice.tensors.empty());
}

/// Unless their seed says which.
void DuplicationTest::randomNumbersAreDrawnOnce()
{
    const auto graph = [](bool seeded) {
        Sketch s;
        const TensorId x = s.input("x", {2, 4, 8, 8});
        const TensorId noise = s.call("RandomUniformLike", {x},
                                      seeded ? std::vector{graphloom::test::real("seed", 3)}
                                             : std::vector<Attribute>{});
        TensorId y = s.call("Add", {x, noise});
        for (int k = 0; k < 6; ++k)
            y = s.call("Tanh", {graphloom::test::convolution(s, y, 4, 4)});
        return s.finish({s.call("Add", {s.call("Sigmoid", {y}), noise})});
    };
    QVERIFY(duplicatesOf(graph(false), 5).tensors.empty());
    QVERIFY(!duplicatesOf(graph(true), 5).tensors.empty());
    const MemoryGraph memory =
        memoryOf(graph(false), *findDevice("phone-cpu"), false, networkOpsets());
    const SearchSpace space(memory, {ownOrder(memory)});
    for (const EvictionIndex e : space.evictions().indices()) {
        const Buffer &buffer = memory.buffers()[space.evictions()[e].buffer];
        const bool noise =
            buffer.producer.isValid() &&
            memory.graph().node(memory.steps()[buffer.producer].node).op == "RandomUniformLike";
        if (noise)
            QVERIFY(!space.canRecompute(e));
    }
}

GRAPHLOOM_TESTS(DuplicationTest)

} // namespace graphloom::test::duplication_test

#include "duplication_test.moc"
