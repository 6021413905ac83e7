// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/call_work.h"

#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::call_work_test {

using test::Sketch;

namespace {

/// The last call of a graph.
CallWork workOf(const Graph &graph)
{
    const Node &node = graph.node(graph.order().back());
    std::vector<const Tensor *> inputs;
    for (const TensorId input : node.inputs)
        inputs.push_back(input.valid() ? &graph.tensor(input) : nullptr);
    const Call call(node, inputs, test::sketchOpset(""));
    const auto description = describe(call);
    if (!description)
        qFatal("%s", description.error().text().c_str());
    return CallWork(*description, call);
}

/// The split that cuts a dimension of the first output, or with `output` false of the first input.
int splitOf(const CallWork &work, int dim, bool output = true)
{
    for (int k = 0; k < int(work.splits().size()); ++k) {
        const Split &split = work.splits()[std::size_t(k)];
        const auto &tensors = output ? split.outputs : split.inputs;
        if (!tensors.empty() && tensors[0].dim == dim)
            return k;
    }
    return -1;
}

KernelWork half(const CallWork &work, int split)
{
    const CallWork::Cut cut{split, 0.5};
    return work.work({&cut, 1});
}

void compare(const MatrixWork &product, const MatrixWork &expected)
{
    QCOMPARE(product.count, expected.count);
    QCOMPARE(product.rows, expected.rows);
    QCOMPARE(product.columns, expected.columns);
    QCOMPARE(product.depth, expected.depth);
}

Graph convolution(std::int64_t group = 1)
{
    Sketch s;
    const TensorId x = s.input("x", {2, 6, 8, 8});
    return s.finish({s.call("Conv", {x, s.weight({12, 6 / group, 3, 3})},
                            {test::ints("pads", {1, 1, 1, 1}), test::integer("group", group)})});
}
Graph product()
{
    Sketch s;
    return s.finish({s.call("MatMul", {s.input("a", {2, 3, 4}), s.input("b", {2, 4, 5})})});
}

} // namespace

class CallWorkTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aConvolutionIsAProductOfMatrices();
    void aDepthwiseConvolutionIsAProductForEachChannel();
    void aGroupedConvolutionIsAProductForEachGroup();
    void productsHaveTheirBatchAsCount();
    void bytesAreThoseOfDistinctElements();
    void whatSumsNoProductsCountsOperations();
    void functionsAreCountedAmongOperations();
    void aMatrixTimesAVectorIsReadOnce();
    void smallWindowsMayBeComputedByWinograd();
    void whatWinogradCannotCompute_data();
    void whatWinogradCannotCompute();
    void partsOfAConvolutionHaveFewerTiles();
    void halfOfABatchHasAllWeights();
    void halfOfTheColumnsHasHalfOfTheWeights();
    void halfOfASumHasTheWholeResult();
    void cutsOfTwoSplitsMultiply();
};

void CallWorkTest::aConvolutionIsAProductOfMatrices()
{
    const KernelWork work = workOf(convolution()).work();
    QCOMPARE(work.products.size(), std::size_t(1));
    compare(work.products[0], {.count = 1, .rows = 2 * 64, .columns = 12, .depth = 6 * 9});
    QCOMPARE(work.flops, 0.0);
}

void CallWorkTest::aDepthwiseConvolutionIsAProductForEachChannel()
{
    const KernelWork work = workOf(convolution(6)).work();
    QCOMPARE(work.products.size(), std::size_t(1));
    const MatrixWork &product = work.products[0];
    QCOMPARE(product.count, 6.0);
    QCOMPARE(product.rows, 128.0);
    QCOMPARE(product.columns, 2.0); // results for each channel
    QCOMPARE(product.depth, 9.0);
}

void CallWorkTest::aGroupedConvolutionIsAProductForEachGroup()
{
    compare(workOf(convolution(2)).work().products.at(0),
            {.count = 2, .rows = 128, .columns = 6, .depth = 27});
}

void CallWorkTest::productsHaveTheirBatchAsCount()
{
    compare(workOf(product()).work().products.at(0),
            {.count = 2, .rows = 3, .columns = 5, .depth = 4});
}

void CallWorkTest::bytesAreThoseOfDistinctElements()
{
    QCOMPARE(workOf(product()).work().bytes, 4.0 * (24 + 40 + 30));
    // Windows share elements.
    QCOMPARE(workOf(convolution()).work().bytes, 4.0 * (2 * 6 * 64 + 12 * 6 * 9 + 2 * 12 * 64));
    // What a stride leaves out is not read.
    Sketch s;
    const TensorId x = s.input("x", {1, 1, 8, 8});
    const Graph sparse = s.finish({s.call(
        "MaxPool", {x}, {test::ints("kernel_shape", {1, 1}), test::ints("strides", {2, 2})})});
    QCOMPARE(workOf(sparse).work().bytes, 4.0 * (16 + 16));
}

void CallWorkTest::whatSumsNoProductsCountsOperations()
{
    Sketch s;
    const Graph graph = s.finish({s.call("Add", {s.input("a", {8, 4}), s.input("b", {8, 4})})});
    const KernelWork work = workOf(graph).work();
    QVERIFY(work.products.empty());
    QCOMPARE(work.flops, 32.0);
    QCOMPARE(work.bytes, 4.0 * 96);
}

void CallWorkTest::functionsAreCountedAmongOperations()
{
    Sketch s;
    const Graph graph = s.finish({s.call("Sigmoid", {s.input("a", {8, 4})})});
    const KernelWork work = workOf(graph).work();
    QCOMPARE(work.functions, 32.0); // an exponential each
    QVERIFY(work.flops > work.functions);
}

void CallWorkTest::aMatrixTimesAVectorIsReadOnce()
{
    const auto streams = [](std::int64_t rows) {
        Sketch s;
        const TensorId a = s.input("a", {rows, 64});
        return workOf(s.finish({s.call("MatMul", {a, s.weight({64, 32})})}))
            .work()
            .products.at(0)
            .streams;
    };
    QVERIFY(streams(1));
    QVERIFY(!streams(2));
    QVERIFY(!workOf(convolution(6)).work().products.at(0).streams);
}

void CallWorkTest::smallWindowsMayBeComputedByWinograd()
{
    const auto winograd = workOf(convolution()).work().products.at(0).winograd;
    QVERIFY(winograd);
    QCOMPARE(winograd->inputs, 6.0);
    QCOMPARE(winograd->outputs, 12.0);
    QCOMPARE(winograd->tiles2, 2.0 * 4 * 4);
    QCOMPARE(winograd->tiles4, 2.0 * 2 * 2);
}

void CallWorkTest::whatWinogradCannotCompute_data()
{
    using Extents = std::vector<std::int64_t>;
    QTest::addColumn<Extents>("window");
    QTest::addColumn<Extents>("strides");
    QTest::addColumn<Extents>("dilations");
    QTest::addColumn<int>("groups");
    QTest::newRow("one point") << Extents{1, 1} << Extents{1, 1} << Extents{1, 1} << 1;
    QTest::newRow("a large window") << Extents{5, 5} << Extents{1, 1} << Extents{1, 1} << 1;
    QTest::newRow("a stride") << Extents{3, 3} << Extents{2, 2} << Extents{1, 1} << 1;
    QTest::newRow("a dilation") << Extents{3, 3} << Extents{1, 1} << Extents{2, 2} << 1;
    QTest::newRow("groups") << Extents{3, 3} << Extents{1, 1} << Extents{1, 1} << 2;
}

void CallWorkTest::whatWinogradCannotCompute()
{
    using Extents = std::vector<std::int64_t>;
    QFETCH(Extents, window);
    QFETCH(Extents, strides);
    QFETCH(Extents, dilations);
    QFETCH(int, groups);
    Sketch s;
    const TensorId x = s.input("x", {1, 8, 16, 16});
    const TensorId w = s.weight({8, 8 / groups, window[0], window[1]});
    const Graph graph =
        s.finish({s.call("Conv", {x, w},
                         {test::ints("strides", strides), test::ints("dilations", dilations),
                          test::integer("group", groups)})});
    QVERIFY(!workOf(graph).work().products.at(0).winograd);
}

void CallWorkTest::partsOfAConvolutionHaveFewerTiles()
{
    const CallWork work = workOf(convolution());
    const KernelWork part = half(work, splitOf(work, 2)); // four rows of eight
    QCOMPARE(part.products.at(0).winograd->tiles2, 2.0 * 2 * 4);
    QCOMPARE(part.products.at(0).winograd->tiles4, 2.0 * 1 * 2);
}

void CallWorkTest::halfOfABatchHasAllWeights()
{
    const CallWork work = workOf(convolution());
    const KernelWork part = half(work, splitOf(work, 0));
    compare(part.products.at(0), {.count = 1, .rows = 64, .columns = 12, .depth = 54});
    QCOMPARE(part.bytes, 4.0 * (6 * 64 + 12 * 54 + 12 * 64));
}

void CallWorkTest::halfOfTheColumnsHasHalfOfTheWeights()
{
    const CallWork work = workOf(convolution());
    const KernelWork part = half(work, splitOf(work, 1)); // channels of the result
    compare(part.products.at(0), {.count = 1, .rows = 128, .columns = 6, .depth = 54});
    QCOMPARE(part.bytes, 4.0 * (2 * 6 * 64 + 6 * 54 + 2 * 6 * 64));
}

void CallWorkTest::halfOfASumHasTheWholeResult()
{
    const CallWork work = workOf(product());
    const int split = splitOf(work, 2, false);
    QVERIFY(split >= 0);
    QCOMPARE(int(work.splits()[std::size_t(split)].combine), int(Combine::Sum));
    const KernelWork part = half(work, split);
    compare(part.products.at(0), {.count = 2, .rows = 3, .columns = 5, .depth = 2});
    QCOMPARE(part.bytes, 4.0 * (12 + 20 + 30));
}

void CallWorkTest::cutsOfTwoSplitsMultiply()
{
    const CallWork work = workOf(product());
    const std::array<CallWork::Cut, 2> cuts{{{splitOf(work, 0), 0.5}, {splitOf(work, 1), 1.0 / 3}}};
    const KernelWork part = work.work(cuts);
    compare(part.products.at(0), {.count = 1, .rows = 1, .columns = 5, .depth = 4});
    QCOMPARE(part.bytes, 4.0 * (4 + 20 + 5));
}

GRAPHLOOM_TESTS(CallWorkTest)

} // namespace graphloom::test::call_work_test

#include "call_work_test.moc"
