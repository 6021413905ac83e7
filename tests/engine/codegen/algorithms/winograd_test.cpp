// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/winograd.h"
#include "engine/codegen/algorithms/winograd_choice.h"

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/interpreter/interpreter.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace graphloom::test::winograd_test {

using graphloom::test::allNodes;
using graphloom::test::floats;
using graphloom::test::GraphMaker;

namespace {

struct Size {
    std::int64_t batch, inputs, outputs, height, width;
    std::vector<std::int64_t> pads = {1, 1, 1, 1};
    std::vector<std::int64_t> strides = {1, 1};
    std::int64_t window = 3;
};

std::vector<float> noise(std::int64_t count, unsigned seed)
{
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values.push_back(float(seed >> 8) / float(1 << 23) - 1);
    }
    return values;
}

/// A convolution with bias, Relu and the addition of its result's like.
Graph convolution(const Size &size)
{
    GraphMaker make;
    const TensorId x = make.input("x", {size.batch, size.inputs, size.height, size.width});
    const std::int64_t high =
        (size.height + size.pads[0] + size.pads[2] - size.window) / size.strides[0] + 1;
    const std::int64_t wide =
        (size.width + size.pads[1] + size.pads[3] - size.window) / size.strides[1] + 1;
    const Shape shape{size.batch, size.outputs, high, wide};
    const TensorId other = make.input("other", shape);
    const std::int64_t weights = size.outputs * size.inputs * size.window * size.window;
    const TensorId w = make.constant(
        "w", floats({size.outputs, size.inputs, size.window, size.window}, noise(weights, 1)));
    const TensorId bias = make.constant("bias", floats({size.outputs}, noise(size.outputs, 2)));
    const TensorId y =
        make.call("Conv", {x, w, bias}, shape, {{"pads", size.pads}, {"strides", size.strides}});
    const TensorId sum = make.call("Add", {y, other}, shape);
    return make.finish({make.call("Relu", {sum}, shape)});
}

int chosenFor(const Graph &graph, int lanes)
{
    const auto block = nestsOf(graph, test::KernelBatch().opsets(), allNodes(graph));
    if (!block)
        qFatal("%s", block.error().text().c_str());
    return chosenWinograd(block->nests.front(), block->tensors, lanes);
}

} // namespace

class WinogradTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isChosen_data();
    void isChosen();
    void resultsAreThoseOfTheConvolution();
    void reshapedResultsHaveWholeTiles_data();
    void reshapedResultsHaveWholeTiles();
    void splitsIntoThreeNests();
    void columnsOfTilesAreTransformedOneAfterTheOther();
    void spreadsWhatIsNotFinite();
    void mayBeTurnedOff();
};

void WinogradTest::isChosen_data()
{
    QTest::addColumn<Size>("size");
    QTest::addColumn<int>("tile");
    QTest::addColumn<int>("lanes");
    QTest::newRow("many channels") << Size{1, 64, 64, 28, 28} << 4 << 16;
    QTest::newRow("vectors of eight") << Size{1, 64, 64, 28, 28} << 4 << 8;
    QTest::newRow("few channels") << Size{1, 3, 16, 28, 28} << 0 << 16;
    QTest::newRow("stride") << Size{1, 64, 64, 28, 28, {1, 1, 1, 1}, {2, 2}} << 0 << 16;
    QTest::newRow("window of one") << Size{1, 64, 64, 28, 28, {0, 0, 0, 0}, {1, 1}, 1} << 0 << 16;
    QTest::newRow("window of five") << Size{1, 64, 64, 28, 28, {2, 2, 2, 2}, {1, 1}, 5} << 0 << 16;
    QTest::newRow("weights beyond all caches") << Size{1, 1024, 1024, 16, 16} << 2 << 16;
    QTest::newRow("weights beyond all caches, vectors of eight")
        << Size{1, 1024, 1024, 16, 16} << 4 << 8;
}

void WinogradTest::isChosen()
{
    QFETCH(Size, size);
    QFETCH(int, tile);
    QFETCH(int, lanes);
    QCOMPARE(chosenFor(convolution(size), lanes), tile);
}

void WinogradTest::resultsAreThoseOfTheConvolution()
{
    test::KernelBatch batch;
    std::set<int> used;
    const Size sizes[] = {
        {1, 32, 32, 16, 16},
        {1, 48, 40, 13, 11},
        {2, 32, 48, 9, 17},
        {1, 64, 64, 7, 7, {0, 0, 0, 0}},
        {1, 32, 32, 12, 12, {0, 2, 1, 0}},
        {1, 96, 33, 5, 30, {2, 2, 2, 2}},
        {1, 256, 256, 6, 6, {1, 1, 1, 1}},
        {3, 32, 64, 8, 4},
    };
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        test::KernelCase one;
        one.name = "size " + std::to_string(i);
        one.graph = convolution(sizes[i]);
        one.blocks = {allNodes(one.graph)};
        for (const InstructionSet &set : instructionSets())
            used.insert(chosenFor(one.graph, set.lanes));
        const auto inputs = randomInputs(one.graph, i);
        QVERIFY(inputs);
        one.inputs = *inputs;
        batch.add(std::move(one));
    }
    QCOMPARE(used, (std::set{2, 4})); // both kinds are compared, and none directly
    for (const InstructionSet &set : instructionSets()) {
        if (const std::string reason = test::whyNotRun(set.lanes); !reason.empty()) {
            const auto compiled = batch.compile(set.lanes);
            QVERIFY2(compiled, compiled ? "" : compiled.error().text().c_str());
            qInfo("%s", reason.c_str());
            continue;
        }
        const auto outcomes = batch.run(set.lanes, 2);
        QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
        for (const auto &[name, outcome] : *outcomes) {
            // F(4 x 4, 3 x 3) loses about two digits of single precision.
            const std::string problem = outcome.problem(1e-5);
            QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
        }
    }
}

void WinogradTest::reshapedResultsHaveWholeTiles_data()
{
    QTest::addColumn<std::int64_t>("extent");
    QTest::addColumn<bool>("possible");
    // The sixth point of a row of 5 would be the first one of the next row.
    QTest::newRow("rows of 5") << std::int64_t{5} << false;
    QTest::newRow("rows of 8") << std::int64_t{8} << true;
}

void WinogradTest::reshapedResultsHaveWholeTiles()
{
    QFETCH(std::int64_t, extent);
    QFETCH(bool, possible);
    // The boxes of a detector.
    GraphMaker make;
    const TensorId x = make.input("x", {1, 16, extent, extent});
    const TensorId w = make.constant("w", floats({126, 16, 3, 3}, noise(126 * 16 * 9, 1)));
    const TensorId y = make.call("Conv", {x, w}, {1, 126, extent, extent},
                                 {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
    const TensorId last = make.call("Transpose", {y}, {1, extent, extent, 126},
                                    {{"perm", std::vector<std::int64_t>{0, 2, 3, 1}}});
    const std::int64_t boxes = 6 * extent * extent;
    const TensorId shape = make.constant("shape", TensorData::fromInt64s({1, boxes, 21}));
    test::KernelCase one;
    one.name = "boxes";
    one.graph = make.finish({make.call("Reshape", {last, shape}, {1, boxes, 21})});
    one.blocks = {allNodes(one.graph)};
    one.inputs = *randomInputs(one.graph, 1);
    if (possible)
        one.algorithms = {"winograd 0 4x4"};
    const auto block = nestsOf(one.graph, test::KernelBatch().opsets(), one.blocks.front());
    QVERIFY(block);
    QCOMPARE(isWinogradCandidate(block->nests.front(), block->tensors), possible);
    test::KernelBatch batch;
    batch.add(std::move(one));
    for (const InstructionSet &set : instructionSets()) {
        if (!test::whyNotRun(set.lanes).empty())
            continue;
        const auto outcomes = batch.run(set.lanes);
        QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
        const std::string problem = outcomes->at("boxes").problem(1e-5);
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

void WinogradTest::splitsIntoThreeNests()
{
    const Graph graph = convolution({1, 64, 64, 28, 28});
    const auto block = nestsOf(graph, test::KernelBatch().opsets(), allNodes(graph));
    QVERIFY(block);
    QCOMPARE(block->nests.size(), 1U);
    const BlockNests split = withWinograd(*block, NestIndex(0), 4);
    QCOMPARE(split.nests.size(), 3U);
    QCOMPARE(split.nests[NestIndex(0)].stores.size(), 36U);
    QCOMPARE(split.nests[NestIndex(1)].points(true), 36 * 7 * 7 * 64 * 64);
    QCOMPARE(split.nests[NestIndex(2)].stores.size(), 16U); // of the one result, after Relu
}

/// A tile has 36 elements; the first values of a column need only six of them.
void WinogradTest::columnsOfTilesAreTransformedOneAfterTheOther()
{
    const Graph graph = convolution({1, 16, 16, 8, 8});
    const auto block = nestsOf(graph, test::KernelBatch().opsets(), allNodes(graph));
    QVERIFY2(block, block ? "" : block.error().text().c_str());
    const BlockNests split = withWinograd(*block, NestIndex(0), 4);
    for (const auto &[nest, values] : {std::pair(0, 6), std::pair(2, 4)}) {
        const std::vector<Expr> &first = split.nests[NestIndex(nest)].first;
        QCOMPARE(int(first.size()), 6 * values);
        std::set<ReadIndex> read;
        for (int i = 0; i < values; ++i)
            std::ranges::copy(readsIn(first[std::size_t(i)]), std::inserter(read, read.end()));
        QCOMPARE(read.size(), 6U);
    }
}

void WinogradTest::spreadsWhatIsNotFinite()
{
    // One NaN in the middle: a direct convolution has it in the nine results around it, Winograd's
    // in the whole tile.
    const Graph graph = convolution({1, 8, 8, 12, 12});
    std::vector<float> x = noise(std::int64_t{8} * 12 * 12, 5);
    x[5 * 12 + 5] = std::numeric_limits<float>::quiet_NaN();
    test::KernelBatch batch;
    for (const char *algorithm : {"direct 0", "winograd 0 4x4"}) {
        test::KernelCase one;
        one.name = algorithm;
        one.graph = graph;
        one.blocks = {allNodes(graph)};
        one.inputs = *randomInputs(graph, 1);
        one.inputs[0] = floats({1, 8, 12, 12}, x);
        one.algorithms = {algorithm};
        batch.add(std::move(one));
    }
    const auto outcomes = batch.run(hostInstructionSet().lanes);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    const auto nans = [](const TensorData &data) {
        const auto *values = reinterpret_cast<const float *>(data.bytes().data());
        return std::count_if(values, values + data.elements(),
                             [](float value) { return std::isnan(value); });
    };
    QCOMPARE(outcomes->size(), std::size_t(2));
    for (const auto &[name, outcome] : *outcomes) {
        // They differ on purpose: no problem() to ask for.
        QVERIFY2(outcome.error.empty() && outcome.reasons.empty(), name.c_str());
        QCOMPARE(nans(outcome.expected[0]), 8 * 9);
        // Element 5 is in the windows of results 4 to 6, which are in the tile of results 4 to 7.
        QCOMPARE(nans(outcome.outputs[0]), name == "direct 0" ? 8 * 9 : 8 * 16);
    }
}

void WinogradTest::mayBeTurnedOff()
{
    const Graph graph = convolution({1, 64, 64, 28, 28});
    GenerateOptions options;
    const auto algorithm = [&] {
        const auto made =
            generateKernels(graph, test::KernelBatch().opsets(), {allNodes(graph)}, options);
        return made ? made->kernels.back()->algorithm : BlockAlgorithm{{{NestIndex(), -1}}, {}};
    };
    QVERIFY(algorithm().winograd.at(NestIndex(0)) != 0);
    options.target.winograd = false;
    QVERIFY(algorithm().winograd.empty());
}

GRAPHLOOM_TESTS(WinogradTest)

} // namespace graphloom::test::winograd_test

#include "winograd_test.moc"
