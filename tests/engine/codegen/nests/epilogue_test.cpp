// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <sstream>

namespace graphloom::test::epilogue_test {

namespace {

/// x * sigmoid(x) of a convolution's result.
Graph swish(int channels)
{
    test::GraphMaker maker;
    const Shape shape{Dim(1), Dim(channels), Dim(9), Dim(9)};
    const TensorId x = maker.input("x", {Dim(1), Dim(24), Dim(9), Dim(9)});
    const TensorId w = maker.constant(
        "w", test::floats({channels, 24, 1, 1}, std::vector<float>(24 * channels, 0.25F)));
    const TensorId y = maker.call("Conv", {x, w}, shape);
    const TensorId s = maker.call("Sigmoid", {y}, shape);
    return maker.finish({maker.call("Mul", {y, s}, shape)});
}

/// What the code of a kernel consists of.
struct Parts {
    int accumulators = 0, exponentials = 0, inLoops = 0, ofSingleNumbers = 0, stores = 0;

    explicit Parts(const std::string &code)
    {
        std::istringstream lines(code);
        std::vector<bool> loops; // by open brace: is it that of a reduction?
        for (std::string line; std::getline(lines, line);) {
            const auto has = [&](const char *text) { return line.find(text) != line.npos; };
            accumulators += has("vf acc") && has("gv_splat(");
            stores += has("gv_store(") || has("gv_store_n(");
            ofSingleNumbers += has("gs_exp(");
            exponentials += has("gv_exp(");
            inLoops += has("gv_exp(") && std::ranges::count(loops, true) > 0;
            if (line.ends_with("}") && !loops.empty())
                loops.pop_back();
            if (line.ends_with("{"))
                loops.push_back(has("for (") && !has(" t = first"));
        }
    }
};

} // namespace

class EpilogueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isComputedOnceForEachVectorOfResults_data();
    void isComputedOnceForEachVectorOfResults();
};

void EpilogueTest::isComputedOnceForEachVectorOfResults_data()
{
    QTest::addColumn<int>("lanes");
    QTest::addColumn<int>("channels");
    for (const InstructionSet &set : instructionSets())
        for (const int channels : {64, 40, 21}) // whole tiles, whole vectors, parts of a vector
            QTest::addRow("%s, %d channels", std::string(set.title).c_str(), channels)
                << set.lanes << channels;
}

void EpilogueTest::isComputedOnceForEachVectorOfResults()
{
    QFETCH(int, lanes);
    QFETCH(int, channels);
    const Graph graph = swish(channels);
    GenerateOptions options;
    options.target = targetOf(lanes);
    const auto kernels = generateKernels(graph, KernelBatch().opsets(), {allNodes(graph)}, options);
    QVERIFY2(kernels, kernels ? "" : kernels.error().text().c_str());
    const BlockKernel &kernel = *kernels->kernels.back();
    QCOMPARE(kernel.phases.size(), std::size_t(1));
    const Parts parts(kernel.phases.front().code);
    QVERIFY2(parts.accumulators > 1, kernel.phases.front().code.c_str());
    QCOMPARE(parts.exponentials, parts.accumulators);
    QCOMPARE(parts.stores, parts.accumulators);
    QCOMPARE(parts.inLoops, 0);
    QCOMPARE(parts.ofSingleNumbers, 0);
}

GRAPHLOOM_TESTS(EpilogueTest)

} // namespace graphloom::test::epilogue_test

#include "epilogue_test.moc"
