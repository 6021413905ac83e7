// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/index_change.h"
#include "engine/ops/describe/stage.h"

#include "engine/interpreter/interpreter.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <functional>
#include <map>

namespace graphloom::test::index_change_test {

namespace {

using Build = std::function<TensorId(Sketch &, TensorId)>;

/// x, a movement of it, and a consumer of that.
struct Pair {
    Graph graph;
    NodeId movement, consumer;

    Pair(const Shape &shape, const Build &move, const Build &consume)
    {
        Sketch g;
        const TensorId moved = move(g, g.input("x", shape));
        movement = g.nodes().back();
        const TensorId result = consume(g, moved);
        consumer = g.nodes().back();
        graph = g.finish({result});
    }
    Description description(NodeId id) const { return *describe(graph, id, sketchOpset); }
    std::optional<Description> changed() const
    {
        return withIndexChange(description(consumer), 0, description(movement));
    }
    /// The consumer's results with the movement gone.
    Result<std::vector<TensorData>> run(const Description &consumed, const TensorData &x) const
    {
        Node node = graph.node(consumer);
        node.inputs[0] = graph.inputs()[0];
        std::vector<const Tensor *> tensors;
        std::vector<const TensorData *> data;
        for (const TensorId id : node.inputs) {
            tensors.push_back(&graph.tensor(id));
            data.push_back(graph.tensor(id).constant ? graph.tensor(id).constant.get() : &x);
        }
        return runStages(consumed, Call(node, tensors, 17), data);
    }
};

const std::map<std::string, Build> movements = {
    {"transpose",
     [](Sketch &g, TensorId x) {
         return g.call("Transpose", {x}, {ints("perm", {0, 2, 3, 1})});
     }},
    {"split heads",
     [](Sketch &g, TensorId x) {
         return g.call("Reshape", {x, g.integers({2, 4, 6, 2, 3})});
     }},
    {"merge",
     [](Sketch &g, TensorId x) {
         return g.call("Reshape", {x, g.integers({2, 24, 6})});
     }},
    {"flatten", [](Sketch &g, TensorId x) { return g.call("Flatten", {x}); }},
    {"unsqueeze",
     [](Sketch &g, TensorId x) {
         return g.call("Unsqueeze", {x, g.integers({1})});
     }},
    {"slice",
     [](Sketch &g, TensorId x) {
         return g.call("Slice", {x, g.integers({1, 1}), g.integers({3, 6}), g.integers({1, 3}),
                                 g.integers({1, 2})});
     }},
};

const std::map<std::string, Build> consumers = {
    {"relu", [](Sketch &g, TensorId x) { return g.call("Relu", {x}); }},
    {"softmax", [](Sketch &g, TensorId x) { return g.call("Softmax", {x}); }},
    {"mean", [](Sketch &g, TensorId x) { return g.call("ReduceMean", {x}, {ints("axes", {-1})}); }},
    {"transposed again", [](Sketch &g, TensorId x) { return g.call("Transpose", {x}); }},
};

} // namespace

class IndexChangeTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsTheMovementAndItsReader_data();
    void equalsTheMovementAndItsReader();
    void convolutionThroughATranspose();
    void notThroughWhatComputes();
    void notWhereAnIndexAddsUpRemainders();
    void notPaddingThroughASlice();
    void movementsOfABlock();
};

void IndexChangeTest::equalsTheMovementAndItsReader_data()
{
    QTest::addColumn<QString>("movement");
    QTest::addColumn<QString>("consumer");
    for (const auto &[movement, first] : movements)
        for (const auto &[consumer, second] : consumers)
            QTest::addRow("%s, %s", movement.c_str(), consumer.c_str())
                << QString::fromStdString(movement) << QString::fromStdString(consumer);
}

void IndexChangeTest::equalsTheMovementAndItsReader()
{
    QFETCH(QString, movement);
    QFETCH(QString, consumer);
    const Pair pair({2, 4, 6, 6}, movements.at(movement.toStdString()),
                    consumers.at(consumer.toStdString()));
    const auto changed = pair.changed();
    QVERIFY(changed);
    const auto inputs = randomInputs(pair.graph, 1);
    const auto expected = interpret(pair.graph, sketchOpset, *inputs);
    const auto results = pair.run(*changed, inputs->front());
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QVERIFY(results->front() == expected->front());
}

void IndexChangeTest::convolutionThroughATranspose()
{
    // The borders stay borders: a padded window may read through a permutation.
    const Pair pair(
        {2, 6, 6, 4},
        [](Sketch &g, TensorId x) {
            return g.call("Transpose", {x}, {ints("perm", {0, 3, 1, 2})});
        },
        [](Sketch &g, TensorId x) { return g.conv(x, 4, 3); });
    const auto changed = pair.changed();
    QVERIFY(changed);
    const auto inputs = randomInputs(pair.graph, 2);
    QVERIFY(pair.run(*changed, inputs->front())->front() ==
            interpret(pair.graph, sketchOpset, *inputs)->front());
}

void IndexChangeTest::notThroughWhatComputes()
{
    const Pair pair({2, 4, 6, 6}, consumers.at("relu"), consumers.at("mean"));
    QVERIFY(!pair.changed());
}

void IndexChangeTest::notWhereAnIndexAddsUpRemainders()
{
    // Row 2*h + h' of the image, where h' is a quotient of the channel.
    const Pair pair(
        {2, 4, 6, 6},
        [](Sketch &g, TensorId x) {
            return g.call("SpaceToDepth", {x}, {integer("blocksize", 2)});
        },
        consumers.at("relu"));
    QVERIFY(!pair.changed());
}

void IndexChangeTest::notPaddingThroughASlice()
{
    // Beyond the slice are elements of the tensor, not zeros.
    const Pair pair(
        {1, 4, 8, 8},
        [](Sketch &g, TensorId x) {
            return g.call("Slice",
                          {x, g.integers({1}), g.integers({6}), g.integers({2}), g.integers({1})});
        },
        [](Sketch &g, TensorId x) { return g.conv(x, 4, 3); });
    QVERIFY(!pair.changed());
}

void IndexChangeTest::movementsOfABlock()
{
    Sketch g;
    const TensorId x = g.input("x", {2, 6, 8});
    const TensorId split = g.call("Reshape", {x, g.integers({2, 6, 2, 4})});
    const TensorId turned = g.call("Transpose", {split}, {ints("perm", {0, 2, 1, 3})});
    const TensorId result = g.call("Softmax", {turned});
    const TensorId back = g.call("Transpose", {result}, {ints("perm", {0, 2, 1, 3})});
    const Graph graph = g.finish({back});
    const auto ecg = Ecg::of(graph, sketchOpset);
    const auto found = indexChangesOf(*ecg, graph.order());
    QCOMPARE(found, (std::vector{g.nodes()[0], g.nodes()[1], g.nodes()[3]}));
}

GRAPHLOOM_TESTS(IndexChangeTest)

} // namespace graphloom::test::index_change_test

#include "index_change_test.moc"
