// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/nest_groups.h"

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/interpreter/interpreter.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::nest_groups_test {

using graphloom::test::floats;
using graphloom::test::GraphMaker;

namespace {

/// The one block's kernel.
BlockKernel kernelOf(const Graph &graph, int threads = 1, const std::string &algorithm = {})
{
    GenerateOptions options;
    options.target = {8, 16, threads};
    options.algorithms = {algorithm};
    auto made =
        generateKernels(graph, test::KernelBatch().opsets(), {test::allNodes(graph)}, options);
    if (!made)
        qFatal("%s", made.error().text().c_str());
    if (!made->kernels.back())
        qFatal("%s", made->reasons.back().c_str());
    return *made->kernels.back();
}

Attribute axis(std::int64_t value)
{
    return {"axis", value};
}

/// Attention with two heads and 64 queries.
TensorId attention(GraphMaker &make)
{
    const TensorId q = make.input("q", {1, 2, 64, 32}), k = make.input("k", {1, 2, 32, 64});
    const TensorId v = make.input("v", {1, 2, 64, 32});
    const TensorId scores = make.call("MatMul", {q, k}, {1, 2, 64, 64});
    const TensorId weights = make.call("Softmax", {scores}, {1, 2, 64, 64}, {axis(-1)});
    return make.call("MatMul", {weights, v}, {1, 2, 64, 32});
}

/// A convolution for Winograd's algorithm, with 64 x `outputs` channels and a map of 16 x 16; what
/// follows reads the map with its channels last.
Graph convolution(std::int64_t outputs)
{
    test::Sketch g;
    const TensorId x = g.input("x", {1, 64, 16, 16});
    const TensorId y = g.call("Conv", {x, g.randomWeight({outputs, 64, 3, 3})},
                              {test::ints("pads", {1, 1, 1, 1})});
    return g.finish({g.call("Conv", {y, g.randomWeight({8, outputs, 1, 1})})});
}

/// The convolution's kernel for a core with such a cache of its own.
BlockKernel kernelFor(const Graph &graph, std::int64_t ownCache)
{
    GenerateOptions options;
    options.target = {8, 16, 1};
    options.target.ownCache = ownCache;
    options.algorithms = {std::string("winograd 0 4x4"), std::string()};
    auto made =
        generateKernels(graph, test::KernelBatch().opsets(), test::nodeBlocks(graph), options);
    if (!made)
        qFatal("%s", made.error().text().c_str());
    return *made->kernels[made->firstGiven()];
}

/// The projections to queries, keys and values: three products of the same rows.
Graph projections()
{
    GraphMaker make;
    const TensorId x = make.input("x", {24, 16});
    std::vector<TensorId> outputs;
    for (const char *name : {"q", "k", "v"})
        outputs.push_back(make.call(
            "MatMul", {x, make.constant(name, floats({16, 8}, std::vector<float>(16 * 8, 0.5F)))},
            {24, 8}));
    return make.finish(outputs);
}

} // namespace

class NestGroupsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void softmaxIsOnePhase();
    void attentionIsOnePhase();
    void attentionWithItsProjectionIsOnePhase();
    void rowsOfProductsAreTiled_data();
    void rowsOfProductsAreTiled();
    void nestsThatShareNoAxisStayApart();
    void largeOperandsKeepProductsApart();
    void operandsThatAreMoreThanTheResultsBetweenKeepNestsApart();
    void localTensorsAreOfTheTileOnly();
    void constantsAreReadOnceIfACacheDoesNotHoldThem();
    void rowsRunTogetherIfACacheHoldsTheConstants();
    void groupsForSmallCachesComputeTheSame();
    void siblingsStayApart();
    void siblingsShareRowsIfChosen();
    void siblingsOfDifferentRowsAreRefused();
};

void NestGroupsTest::softmaxIsOnePhase()
{
    GraphMaker make;
    const TensorId x = make.input("x", {4, 6, 50});
    const BlockKernel kernel =
        kernelOf(make.finish({make.call("Softmax", {x}, {4, 6, 50}, {axis(-1)})}));
    QCOMPARE(kernel.block.nests.size(), 3U);
    QCOMPARE(kernel.groups.size(), 1U);
    QCOMPARE(kernel.groups.front().shared.size(), 2U);
    QCOMPARE(kernel.groups.front().local.size(), 2U); // maxima and sums
}

void NestGroupsTest::attentionIsOnePhase()
{
    GraphMaker make;
    const BlockKernel kernel = kernelOf(make.finish({attention(make)}));
    QCOMPARE(kernel.groups.size(), 1U);
    QVERIFY(kernel.groups.front().scratchBytes > 0);
}

/// The heads of a query are inside of what is shared, as the projection sums over them.
void NestGroupsTest::attentionWithItsProjectionIsOnePhase()
{
    GraphMaker make;
    const TensorId heads = make.call("Transpose", {attention(make)}, {1, 64, 2, 32},
                                     {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
    const TensorId shape = make.constant("shape", test::int64s({3}, {1, 64, 64}));
    const TensorId row = make.call("Reshape", {heads, shape}, {1, 64, 64});
    const TensorId w = make.constant("w", floats({64, 48}, std::vector<float>(64 * 48, 0.5F)));
    const BlockKernel kernel = kernelOf(make.finish({make.call("MatMul", {row, w}, {1, 64, 48})}));
    QCOMPARE(kernel.groups.size(), 1U);
    const NestGroup &group = kernel.groups.front();
    QCOMPARE(group.shared.size(), 1U);
    QCOMPARE(group.extentOf(group.shared[0], kernel.block), 64);
}

void NestGroupsTest::rowsOfProductsAreTiled_data()
{
    QTest::addColumn<std::int64_t>("rows");
    QTest::addColumn<int>("threads");
    QTest::addColumn<std::int64_t>("least");
    QTest::addColumn<std::int64_t>("most");
    const auto row = [](const char *name, std::int64_t rows, int threads, std::int64_t least,
                        std::int64_t most) {
        QTest::newRow(name) << rows << threads << least << most;
    };
    row("one thread", 128, 1, 8, 48);
    row("four tiles for each thread", 128, 2, 8, 16);
    row("few rows", 9, 1, 9, 9);
    row("few rows for several threads", 9, 2, 3, 5);
}

void NestGroupsTest::rowsOfProductsAreTiled()
{
    QFETCH(std::int64_t, rows);
    QFETCH(int, threads);
    GraphMaker make;
    const TensorId x = make.input("x", {rows, 64});
    const TensorId w = make.constant("w", floats({64, 64}, std::vector<float>(64 * 64, 0.5F)));
    const TensorId y = make.call("MatMul", {x, w}, {rows, 64});
    const BlockKernel kernel =
        kernelOf(make.finish({make.call("Softmax", {y}, {rows, 64}, {axis(-1)})}), threads);
    QCOMPARE(kernel.groups.size(), 1U);
    QCOMPARE(kernel.groups.front().shared.size(), 1U);
    const std::int64_t tile = kernel.groups.front().shared[0].tile;
    QFETCH(std::int64_t, least);
    QFETCH(std::int64_t, most);
    QVERIFY2(tile >= least && tile <= most, std::to_string(tile).c_str());
}

void NestGroupsTest::nestsThatShareNoAxisStayApart()
{
    GraphMaker make;
    const TensorId x = make.input("x", {40, 30});
    const TensorId sums =
        make.call("ReduceSum", {x, make.constant("axes", TensorData::fromInt64s({1}))}, {40, 1});
    const TensorId all =
        make.call("ReduceMax", {sums}, {1, 1}, {{"axes", std::vector<std::int64_t>{0}}});
    const BlockKernel kernel = kernelOf(make.finish({all}));
    QCOMPARE(kernel.groups.size(), 2U);
}

void NestGroupsTest::largeOperandsKeepProductsApart()
{
    GraphMaker make;
    const TensorId x = make.input("x", {64, 1024});
    const TensorId w =
        make.constant("w", floats({1024, 512}, std::vector<float>(1024 * 512, 0.5F)));
    const TensorId y = make.call("MatMul", {x, w}, {64, 512}); // two megabytes for every tile
    const BlockKernel kernel =
        kernelOf(make.finish({make.call("Softmax", {y}, {64, 512}, {axis(-1)})}));
    QCOMPARE(kernel.groups.size(), 2U);
    QCOMPARE(kernel.groups.front().count, 1);
}

void NestGroupsTest::operandsThatAreMoreThanTheResultsBetweenKeepNestsApart()
{
    // By Winograd's algorithm, whose transformed weights take 1.2 MB.
    const auto phases = [](std::int64_t edge) {
        GraphMaker make;
        const TensorId x = make.input("x", {1, 64, edge, edge});
        const TensorId w =
            make.constant("w", floats({128, 64, 3, 3}, std::vector<float>(128 * 64 * 3 * 3, 0.5F)));
        const TensorId y = make.call("Conv", {x, w}, {1, 128, edge, edge},
                                     {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
        return kernelOf(make.finish({y}), 1, "winograd 0 4x4").groups.size();
    };
    QCOMPARE(phases(8), 3U); // 4 tiles: 0.1 MB between the nests
    QVERIFY(phases(64) < 3U);
}

void NestGroupsTest::localTensorsAreOfTheTileOnly()
{
    GraphMaker make;
    const TensorId x = make.input("x", {128, 64});
    const TensorId w = make.constant("w", floats({64, 48}, std::vector<float>(64 * 48, 0.5F)));
    const TensorId y = make.call("MatMul", {x, w}, {128, 48});
    const BlockKernel kernel =
        kernelOf(make.finish({make.call("Softmax", {y}, {128, 48}, {axis(-1)})}));
    QVERIFY(!kernel.groups.empty());
    const NestGroup &group = kernel.groups.front();
    QVERIFY(!group.local.empty());
    for (const BlockTensorIndex tensor : group.local)
        QCOMPARE(kernel.storages[tensor].elements,
                 kernel.block.tensors[tensor].elements() / 128 * group.shared[0].tile);
}

/// Transformed weights of 64 x 128 channels take 1.1 MB.
void NestGroupsTest::constantsAreReadOnceIfACacheDoesNotHoldThem()
{
    const BlockKernel kernel = kernelFor(convolution(128), 256 * 1024);
    QCOMPARE(kernel.algorithm.text(), "winograd 0 4x4; alone 0; together 1 2 o 32");
}

void NestGroupsTest::rowsRunTogetherIfACacheHoldsTheConstants()
{
    const BlockKernel kernel = kernelFor(convolution(16), 2 * 1024 * 1024);
    QCOMPARE(kernel.groups.size(), 1U);
}

void NestGroupsTest::groupsForSmallCachesComputeTheSame()
{
    constexpr int lanes = 8;
    KernelBatch batch;
    for (const std::int64_t outputs : {24, 128}) {
        Graph graph = convolution(outputs);
        auto inputs = *randomInputs(graph, 5);
        KernelCase one{std::to_string(outputs), std::move(graph), std::move(inputs), {}};
        one.algorithms = {std::string("winograd 0 4x4; alone 0; together 1 2 o ") +
                          (outputs == 24 ? "8" : "32")};
        batch.add(std::move(one));
    }
    GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes);
    const auto outcomes = batch.run(lanes, 2);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    for (const auto &[name, outcome] : *outcomes)
        QVERIFY2(outcome.problem(1e-4).empty(), (name + ": " + outcome.problem(1e-4)).c_str());
}

void NestGroupsTest::siblingsStayApart()
{
    QCOMPARE(kernelOf(projections()).groups.size(), 3U);
}

void NestGroupsTest::siblingsShareRowsIfChosen()
{
    const BlockKernel kernel = kernelOf(projections(), 1, "together 0 2");
    QCOMPARE(kernel.groups.size(), 1U);
    const NestGroup &group = kernel.groups.front();
    QVERIFY(group.siblings);
    QCOMPARE(group.shared.size(), 1U);
    QCOMPARE(group.extentOf(group.shared[0], kernel.block), 24);
    QCOMPARE(group.scratchBytes, 0);
}

void NestGroupsTest::siblingsOfDifferentRowsAreRefused()
{
    GraphMaker make;
    const TensorId x = make.input("x", {16, 16});
    const TensorId w = make.constant("w", floats({16, 16}, std::vector<float>(16 * 16, 0.5F)));
    const Graph graph =
        make.finish({make.call("MatMul", {x, w}, {16, 16}), make.call("MatMul", {w, x}, {16, 16})});
    GenerateOptions options;
    options.target = {8, 16, 1};
    options.algorithms = {"together 0 1"};
    const auto made =
        generateKernels(graph, test::KernelBatch().opsets(), {test::allNodes(graph)}, options);
    QVERIFY(!made);
    QVERIFY(made.error().text().find("have no axis in common") != std::string::npos);
}

GRAPHLOOM_TESTS(NestGroupsTest)

} // namespace graphloom::test::nest_groups_test

#include "nest_groups_test.moc"
