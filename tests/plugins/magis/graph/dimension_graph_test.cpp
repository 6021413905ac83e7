// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/graph/dimension_graph.h"

#include "engine/autodiff/training.h"
#include "plugins/magis/fission/fission.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::dimension_graph_test {

using namespace graphloom::magis;
using test::Sketch;

namespace {

/// The attention block of Figure 4: N = 2, T = 6 positions, C = 12 channels, H = 3 heads of h = 4.
struct Attention {
    TensorId x, wq, wk, wv, wo, q, k, v, scores, shares, mixed, joined, out;
    Graph graph;

    Attention()
    {
        Sketch s;
        x = s.input("x", {2, 6, 12});
        const auto heads = [&](TensorId weight, std::vector<std::int64_t> perm) {
            const TensorId all = s.call("MatMul", {x, weight});
            const TensorId split = s.call("Reshape", {all, s.integers({2, 6, 3, 4})});
            return s.call("Transpose", {split}, {test::ints("perm", std::move(perm))});
        };
        wq = s.weight({12, 12});
        wk = s.weight({12, 12});
        wv = s.weight({12, 12});
        wo = s.weight({12, 12});
        q = heads(wq, {0, 2, 1, 3});
        k = heads(wk, {0, 2, 3, 1});
        v = heads(wv, {0, 2, 1, 3});
        scores = s.call("MatMul", {q, k});
        shares = s.call("Softmax", {scores}, {test::integer("axis", -1)});
        mixed = s.call("MatMul", {shares, v});
        const TensorId back = s.call("Transpose", {mixed}, {test::ints("perm", {0, 2, 1, 3})});
        joined = s.call("Reshape", {back, s.integers({2, 6, 12})});
        out = s.call("MatMul", {joined, wo});
        graph = s.finish({out});
    }
};

int dimOf(const GraphDimension &dimension, TensorId tensor)
{
    return dimension.dimOf[tensor.index];
}

TensorId outputOf(const Graph &graph, std::string_view op, std::size_t which = 0)
{
    for (const NodeId id : graph.order())
        if (graph.node(id).op == op && which-- == 0)
            return graph.node(id).outputs[0];
    qFatal("no such node");
}

Graph windows()
{
    Sketch s;
    TensorId x = s.call("Relu", {s.conv(s.input("x", {1, 4, 16, 16}), 4, 8)});
    x = s.call("MaxPool", {x}, {test::ints("kernel_shape", {2, 2}), test::ints("strides", {2, 2})});
    return s.finish({s.call("Sigmoid", {x})});
}

/// A step of training of a convolution with normalization.
TrainingModel trainingOf(TrainingOptions::BatchNorm mode)
{
    Sketch s;
    TensorId x = s.call("Conv", {s.input("x", {8, 3, 6, 6}), s.weight({4, 3, 3, 3})});
    x = s.call("BatchNormalization",
               {x, s.weight({4}), s.weight({4}), s.weight({4}), s.weight({4})});
    x = s.call("Flatten", {s.call("GlobalAveragePool", {s.call("Sigmoid", {x})})});
    const Graph graph = s.finish({s.call("MatMul", {x, s.weight({4, 3})})});
    auto training = trainingModel(*test::modelOf(graph), {.batchNorm = mode});
    if (!training)
        qFatal("%s", training.error().text().c_str());
    return *std::move(training);
}

} // namespace

class DimensionGraphTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBatchGoesThroughAllButWeights();
    void headsLeaveInputAndResultAlone();
    void theSequenceGoesThroughQueries();
    void bothSequencesOfScoresAreNotCutAtOnce();
    void normalizedAxesAreNotCut();
    void hiddenUnitsEndInASum();
    void windowsAreLeftOutWithoutHalos();
    void poolsWithoutOverlapNeedNoHalos();
    void noPartLiesInThePadding();
    void statisticsOfABatchBlockIt();
    void frozenStatisticsDoNot();
    void eachDimensionIsFoundOnce();
};

void DimensionGraphTest::theBatchGoesThroughAllButWeights()
{
    const Attention block;
    const MemoryGraph memory = test::memoryOf(block.graph);
    const GraphDimension batch = dimensionThrough(memory, block.scores, 0, false);
    QCOMPARE(batch.nodes.size(), block.graph.nodeCount());
    for (const TensorId tensor : {block.x, block.q, block.k, block.v, block.scores, block.shares,
                                  block.mixed, block.joined, block.out})
        QCOMPARE(dimOf(batch, tensor), 0);
    for (const TensorId weight : {block.wq, block.wk, block.wv, block.wo})
        QCOMPARE(dimOf(batch, weight), -1);
    const auto fission =
        Fission::of(memory, std::make_shared<const GraphDimension>(batch), batch.nodes.elements());
    QVERIFY(fission.has_value());
    QCOMPARE(fission->units(), std::int64_t(2));
}

void DimensionGraphTest::headsLeaveInputAndResultAlone()
{
    const Attention block;
    const MemoryGraph memory = test::memoryOf(block.graph);
    const GraphDimension heads = dimensionThrough(memory, block.scores, 1, false);
    QCOMPARE(heads.nodes.size(), block.graph.nodeCount());
    QCOMPARE(dimOf(heads, block.x), -1);
    QCOMPARE(dimOf(heads, block.out), -1);
    for (const TensorId tensor :
         {block.q, block.k, block.v, block.scores, block.shares, block.mixed})
        QCOMPARE(dimOf(heads, tensor), 1);
    for (const TensorId weight : {block.wq, block.wk, block.wv})
        QCOMPARE(dimOf(heads, weight), 1);
    QCOMPARE(dimOf(heads, block.wo), 0); // summed over
    QCOMPARE(dimOf(heads, block.joined), 2);
    std::string reason;
    const auto fission = Fission::of(memory, std::make_shared<const GraphDimension>(heads),
                                     heads.nodes.elements(), &reason);
    QVERIFY2(fission.has_value(), reason.c_str());
    QCOMPARE(fission->units(), std::int64_t(3)); // whole heads
}

void DimensionGraphTest::theSequenceGoesThroughQueries()
{
    const Attention block;
    const MemoryGraph memory = test::memoryOf(block.graph);
    const GraphDimension rows = dimensionThrough(memory, block.scores, 2, false);
    QCOMPARE(dimOf(rows, block.q), 2);
    QCOMPARE(dimOf(rows, block.scores), 2);
    QCOMPARE(dimOf(rows, block.shares), 2);
    QCOMPARE(dimOf(rows, block.mixed), 2);
    QCOMPARE(dimOf(rows, block.joined), 1);
    QCOMPARE(dimOf(rows, block.out), 1);
    QCOMPARE(dimOf(rows, block.x), 1);
    for (const TensorId weight : {block.wq, block.wk, block.wv, block.wo})
        QCOMPARE(dimOf(rows, weight), -1);
}

void DimensionGraphTest::bothSequencesOfScoresAreNotCutAtOnce()
{
    // Each part has some positions of the queries, but it needs all keys: they are computed before.
    const Attention block;
    const MemoryGraph memory = test::memoryOf(block.graph);
    const auto rows =
        std::make_shared<const GraphDimension>(dimensionThrough(memory, block.scores, 2, false));
    std::string reason;
    QVERIFY(!Fission::of(memory, rows, rows->nodes.elements(), &reason));
    QVERIFY2(reason.find("reads all of") != std::string::npos, reason.c_str());
    std::vector<NodeId> behind;
    for (const TensorId tensor : {block.scores, block.shares, block.mixed})
        behind.push_back(block.graph.producer(tensor));
    const auto fission = Fission::of(memory, rows, behind, &reason);
    QVERIFY2(fission.has_value(), reason.c_str());
    QCOMPARE(fission->units(), std::int64_t(6));
}

void DimensionGraphTest::normalizedAxesAreNotCut()
{
    const Attention block;
    const MemoryGraph memory = test::memoryOf(block.graph);
    const GraphDimension columns = dimensionThrough(memory, block.scores, 3, false);
    QVERIFY(!columns.has(block.graph.producer(block.shares)));
    QCOMPARE(dimOf(columns, block.k), 3);
    Sketch s;
    const TensorId x = s.input("x", {4, 8});
    const TensorId y = s.call("LayerNormalization", {x, s.weight({8}), s.weight({8})});
    const MemoryGraph norm = test::memoryOf(s.finish({s.call("Relu", {y})}));
    QVERIFY(dimensionThrough(norm, x, 1, true).nodes.empty());
    QCOMPARE(dimensionThrough(norm, x, 0, false).nodes.size(), std::size_t(2));
}

void DimensionGraphTest::hiddenUnitsEndInASum()
{
    Sketch s;
    const TensorId x = s.input("x", {4, 8});
    const TensorId hidden = s.call("Relu", {s.call("MatMul", {x, s.weight({8, 32})})});
    const TensorId y = s.call("MatMul", {hidden, s.weight({32, 8})});
    const TensorId z = s.call("Relu", {y});
    const Graph graph = s.finish({z});
    const MemoryGraph memory = test::memoryOf(graph);
    const GraphDimension units = dimensionThrough(memory, hidden, 1, false);
    QCOMPARE(units.nodes.size(), std::size_t(3)); // a sum's parts are not handed on
    QVERIFY(!units.has(graph.producer(z)));
    QCOMPARE(dimOf(units, y), -1);
    const NodeId last = graph.producer(y);
    const Split &split = memory.workOf(last).splits()[std::size_t(units.splitOf[last.index])];
    QCOMPARE(int(split.combine), int(Combine::Sum));
}

void DimensionGraphTest::windowsAreLeftOutWithoutHalos()
{
    const Graph graph = windows();
    const MemoryGraph memory = test::memoryOf(graph);
    const TensorId convolved = outputOf(graph, "Conv");
    const NodeId conv = graph.producer(convolved);
    for (const int dim : {2, 3}) {
        QVERIFY(!dimensionThrough(memory, convolved, dim, false).has(conv));
        const GraphDimension halos = dimensionThrough(memory, convolved, dim, true);
        QVERIFY(halos.has(conv) && halos.halos);
        QCOMPARE(dimOf(halos, graph.inputs()[0]), dim);
    }
    // Channels of the result are no window.
    QVERIFY(dimensionThrough(memory, convolved, 1, false).has(conv));
}

void DimensionGraphTest::poolsWithoutOverlapNeedNoHalos()
{
    const Graph graph = windows();
    const MemoryGraph memory = test::memoryOf(graph);
    const TensorId pooled = outputOf(graph, "MaxPool");
    const GraphDimension rows = dimensionThrough(memory, pooled, 2, false);
    QVERIFY(rows.has(graph.producer(pooled)));
    QVERIFY(rows.has(graph.producer(outputOf(graph, "Relu"))));
    const auto fission =
        Fission::of(memory, std::make_shared<const GraphDimension>(rows), rows.nodes.elements());
    QVERIFY(fission.has_value());
    QCOMPARE(fission->units(), std::int64_t(8)); // windows
}

/// One window of three rows on two: the first row of the kernel reads nothing but padding.
void DimensionGraphTest::noPartLiesInThePadding()
{
    Sketch s;
    const TensorId x = s.call("Relu", {s.input("x", {1, 2, 2, 2})});
    const TensorId y = s.call("Conv", {x, s.weight({2, 2, 3, 3})},
                              {test::ints("pads", {1, 1, 1, 1}), test::ints("strides", {2, 2})});
    const MemoryGraph memory = test::memoryOf(s.finish({y}));
    const auto rows = std::make_shared<const GraphDimension>(dimensionThrough(memory, x, 2, true));
    QCOMPARE(rows->nodes.size(), std::size_t(2));
    std::string reason;
    QVERIFY(!Fission::of(memory, rows, rows->nodes.elements(), &reason));
    QCOMPARE(reason, std::string("a part of it would lie in the padding"));
}

void DimensionGraphTest::statisticsOfABatchBlockIt()
{
    const TrainingModel training = trainingOf(TrainingOptions::BatchNorm::Batch);
    const Graph &graph = training.model.graph;
    const MemoryGraph memory =
        test::memoryOf(graph, *findDevice("rtx-3090"), true, opsetsOf(training.model));
    const TensorId convolved = outputOf(graph, "Conv");
    const GraphDimension batch = dimensionThrough(memory, convolved, 0, true);
    QVERIFY(batch.has(graph.producer(convolved)));
    for (const NodeId id : batch.nodes)
        QVERIFY2(graph.node(id).op != "BatchNormalization", graph.node(id).label().c_str());
    // Channels have statistics of their own.
    const GraphDimension channels = dimensionThrough(memory, convolved, 1, false);
    QVERIFY(channels.has(graph.producer(outputOf(graph, "BatchNormalization"))));
}

void DimensionGraphTest::frozenStatisticsDoNot()
{
    const TrainingModel training = trainingOf(TrainingOptions::BatchNorm::Frozen);
    const Graph &graph = training.model.graph;
    const MemoryGraph memory =
        test::memoryOf(graph, *findDevice("rtx-3090"), true, opsetsOf(training.model));
    const GraphDimension batch = dimensionThrough(memory, outputOf(graph, "Conv"), 0, false);
    const auto normalizes = [&](NodeId id) { return graph.node(id).op == "BatchNormalization"; };
    QVERIFY(std::ranges::count_if(batch.nodes, normalizes) >= 2); // forward and gradient
}

void DimensionGraphTest::eachDimensionIsFoundOnce()
{
    const Attention block;
    const MemoryGraph memory = test::memoryOf(block.graph);
    const std::array tensors{block.scores, block.shares, block.mixed, block.out};
    const auto found = dimensionsThrough(memory, tensors, false);
    for (std::size_t i = 0; i < found.size(); ++i) {
        QVERIFY(found[i].nodes.size() > 1);
        for (std::size_t j = 0; j < i; ++j)
            QVERIFY(found[i].dimOf != found[j].dimOf);
    }
    QVERIFY(found.size() >= 4); // batch, heads, queries, and keys or channels
}

GRAPHLOOM_TESTS(DimensionGraphTest)

} // namespace graphloom::test::dimension_graph_test

#include "dimension_graph_test.moc"
