// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/block_algorithm.h"

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/interpreter/interpreter.h"
#include "engine/tuning/algorithm_space.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/random_graph.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::block_algorithm_test {

namespace {

/// A convolution, and what may be done to its result in the same block.
Graph convolution(const std::vector<std::int64_t> &x, std::int64_t outputs,
                  const std::vector<std::int64_t> &pads)
{
    Sketch g;
    const TensorId y = g.call("Conv",
                              {g.input("x", {Dim(x[0]), Dim(x[1]), Dim(x[2]), Dim(x[3])}),
                               g.randomWeight({outputs, x[1], 3, 3}), g.randomWeight({outputs})},
                              {ints("pads", pads)});
    return g.finish({g.call("Relu", {y})});
}

/// Attention with odd extents: five nests that may run together.
Graph attention()
{
    Sketch g;
    const TensorId scores =
        g.call("MatMul", {g.input("q", {2, 13, 10}), g.input("k", {2, 10, 19})});
    const TensorId weights = g.call("Softmax", {scores}, {integer("axis", -1)});
    return g.finish({g.call("MatMul", {weights, g.input("v", {2, 19, 11})})});
}

/// Attention with three heads, and a product that sums over them.
Graph projectedAttention()
{
    Sketch g;
    const TensorId scores =
        g.call("MatMul", {g.input("q", {1, 3, 13, 10}), g.input("k", {1, 3, 10, 19})});
    const TensorId weights = g.call("Softmax", {scores}, {integer("axis", -1)});
    const TensorId heads =
        g.call("Transpose", {g.call("MatMul", {weights, g.input("v", {1, 3, 19, 11})})},
               {ints("perm", {0, 2, 1, 3})});
    const TensorId row = g.call("Reshape", {heads, g.integers({1, 13, 33})});
    return g.finish({g.call("MatMul", {row, g.randomWeight({33, 21})})});
}

/// A pointwise convolution, and two others that both read it: a pointwise one and one of windows.
Graph siblings(std::int64_t height, bool windowLast)
{
    Sketch g;
    const TensorId squeezed = g.call(
        "Relu", {g.call("Conv", {g.input("x", {1, 9, height, 7}), g.randomWeight({8, 9, 1, 1})})});
    const auto one = [&] { return g.call("Conv", {squeezed, g.randomWeight({12, 8, 1, 1})}); };
    const auto three = [&] {
        return g.call("Conv", {squeezed, g.randomWeight({10, 8, 3, 3})},
                      {ints("pads", {1, 1, 1, 1})});
    };
    const TensorId first = windowLast ? one() : three(), last = windowLast ? three() : one();
    return g.finish({g.call("Relu", {first}), g.call("Relu", {last})});
}

Result<PlanKernels> kernelsOf(const Graph &graph, const std::string &algorithm,
                              const NestSchedules &schedules = {},
                              const ScheduleTarget &target = {8, 16, 1})
{
    GenerateOptions options;
    options.target = target;
    options.algorithms = {algorithm};
    options.schedules = {schedules};
    return generateKernels(graph, KernelBatch(sketchOpset("")).opsets(), {allNodes(graph)},
                           options);
}

/// The kernel of a small convolution that is computed so.
BlockKernel kernelOfConvolution(const std::string &algorithm)
{
    const auto made = kernelsOf(convolution({1, 8, 12, 12}, 8, {1, 1, 1, 1}), algorithm);
    if (!made)
        qFatal("%s", made.error().text().c_str());
    return *made->kernels.back();
}

QString refusal(const Result<PlanKernels> &made)
{
    if (made || made.error().kind != Error::Kind::Usage)
        return "not refused";
    return QString::fromStdString(made.error().text());
}

/// A window of so many rows, with the padding that keeps the extents if its stride is 1.
struct Window {
    std::int64_t rows = 3, stride = 1, dilation = 1;
    bool depthwise = true;
};

/// A pointwise convolution of two images, and then convolutions with these windows.
Graph windows(const std::vector<Window> &all, std::int64_t height, std::int64_t width = 6)
{
    constexpr std::int64_t channels = 11;
    Sketch g;
    TensorId y = g.call("Conv", {g.input("x", {2, 7, Dim(height), Dim(width)}),
                                 g.randomWeight({channels, 7, 1, 1}), g.randomWeight({channels})});
    for (const Window &window : all) {
        y = g.call("Relu", {y});
        const std::int64_t pad = (window.rows - 1) * window.dilation / 2;
        y = g.call(
            "Conv",
            {y,
             g.randomWeight({channels, window.depthwise ? 1 : channels, window.rows, window.rows})},
            {ints("pads", {pad, pad, pad, pad}), ints("strides", {window.stride, window.stride}),
             ints("dilations", {window.dilation, window.dilation}),
             integer("group", window.depthwise ? channels : 1)});
    }
    return g.finish({y});
}

/// A pointwise convolution to so many channels, a depthwise one, and a pointwise one.
Graph invertedResidual(std::int64_t stride, std::int64_t channels)
{
    Sketch g;
    const TensorId x = g.input("x", {1, 10, 9, 11});
    TensorId y = g.call("Conv", {x, g.randomWeight({channels, 10, 1, 1})});
    y = g.call("Relu", {y});
    y = g.call("Conv", {y, g.randomWeight({channels, 1, 3, 3})},
               {ints("pads", {1, 1, 1, 1}), ints("strides", {stride, stride}),
                integer("group", channels)});
    y = g.call("Relu", {y});
    return g.finish({g.call("Conv", {y, g.randomWeight({12, channels, 1, 1})})});
}

/// Three products of the same rows, one of them with an epilogue.
Graph projections()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 23, 12});
    std::vector<TensorId> outputs;
    for (const std::int64_t columns : {16, 16, 9})
        outputs.push_back(g.call("MatMul", {x, g.randomWeight({12, columns})}));
    outputs.back() = g.call("Relu", {outputs.back()});
    return g.finish(outputs);
}

} // namespace

class BlockAlgorithmTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsAreReadBack_data();
    void textsAreReadBack();
    void otherTextsAreRefused_data();
    void otherTextsAreRefused();
    void nestsAreThoseOfTheAlgorithm_data();
    void nestsAreThoseOfTheAlgorithm();
    void kernelsSayHowTheyCompute();
    void whatKernelsSayGivesTheSameKernel();
    void nestsMayRunAlone();
    void whatDoesNotFitIsRefused_data();
    void whatDoesNotFitIsRefused();
    void winogradThatIsTurnedOffIsRefused();
    void schedulesOfOtherTilesAreRefused();
    void whatIsKnownIsTakenFromThere();
    void channelsOfDepthwiseConvolutionsAreTiledInVectors();
    void rowsOfWindowsAreKeptInRings_data();
    void rowsOfWindowsAreKeptInRings();
    void threadsSlideAlongStripsOfTheirOwn();
    void likeTheInterpreter_data();
    void likeTheInterpreter();
    void slidingNestsAreLikeTheInterpreter_data();
    void slidingNestsAreLikeTheInterpreter();
};

void BlockAlgorithmTest::textsAreReadBack_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text : {"", "direct 0", "winograd 1 2x2", "direct 0; winograd 2 4x4",
                             "winograd 0 4x4; together 0 2 th 4 tw 7; alone 3", "together 0 3"})
        QTest::newRow(text) << text;
}

void BlockAlgorithmTest::textsAreReadBack()
{
    QFETCH(QString, text);
    const auto algorithm = BlockAlgorithm::fromText(text.toStdString());
    QVERIFY(algorithm);
    QCOMPARE(QString::fromStdString(algorithm->text()), text);
    QCOMPARE(*BlockAlgorithm::fromText(algorithm->text()), *algorithm);
}

void BlockAlgorithmTest::otherTextsAreRefused_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text :
         {"faster", "winograd", "winograd 0", "winograd 0 3x3", "winograd x 4x4", "winograd -1 4x4",
          "direct 0; winograd 0 2x2", "direct 0 1", "together 0", "together 2 1", "together 0 2 h",
          "together 0 2 h x", "alone", "alone 1 2", "direct 99999999999999999999"})
        QTest::newRow(text) << text;
}

void BlockAlgorithmTest::otherTextsAreRefused()
{
    QFETCH(QString, text);
    const auto algorithm = BlockAlgorithm::fromText(text.toStdString());
    QVERIFY(!algorithm);
    QCOMPARE(algorithm.error().kind, Error::Kind::Usage);
}

void BlockAlgorithmTest::nestsAreThoseOfTheAlgorithm_data()
{
    QTest::addColumn<QString>("algorithm");
    QTest::addColumn<int>("nests");
    QTest::newRow("Winograd's") << "winograd 0 4x4" << 3;
    QTest::newRow("direct") << "direct 0" << 1;
}

void BlockAlgorithmTest::nestsAreThoseOfTheAlgorithm()
{
    QFETCH(QString, algorithm);
    QFETCH(int, nests);
    QCOMPARE(int(kernelOfConvolution(algorithm.toStdString()).block.nests.size()), nests);
}

void BlockAlgorithmTest::kernelsSayHowTheyCompute()
{
    const std::string text = kernelOfConvolution("winograd 0 4x4").algorithm.text();
    QVERIFY2(text.starts_with("winograd 0 4x4; together 0 2 th "), text.c_str());
}

void BlockAlgorithmTest::whatKernelsSayGivesTheSameKernel()
{
    const BlockKernel kernel = kernelOfConvolution("winograd 0 4x4");
    const BlockKernel again = kernelOfConvolution(kernel.algorithm.text());
    QCOMPARE(again.phases.front().code, kernel.phases.front().code);
}

void BlockAlgorithmTest::nestsMayRunAlone()
{
    const BlockKernel kernel = kernelOfConvolution("winograd 0 2x2; alone 0; alone 1; alone 2");
    QCOMPARE(kernel.phases.size(), std::size_t(3));
}

void BlockAlgorithmTest::whatDoesNotFitIsRefused_data()
{
    QTest::addColumn<QString>("algorithm");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no algorithm") << "quick 0"
                                  << "does not say how";
    QTest::newRow("no such nest") << "winograd 5 4x4"
                                  << "no nest 5";
    QTest::newRow("no convolution") << "winograd 0 4x4"
                                    << "3 x 3";
    QTest::newRow("some nests only") << "alone 0; alone 1"
                                     << "5 nests";
    QTest::newRow("more nests") << "alone 0; together 1 9"
                                << "5 nests";
    QTest::newRow("other order") << "alone 1; alone 0; together 2 4"
                                 << "5 nests";
    QTest::newRow("other axes") << "together 0 4 q 2 h 4"
                                << "nests 0 to 4";
    QTest::newRow("too few tiles") << "together 0 4 b 1"
                                   << "nests 0 to 4";
}

void BlockAlgorithmTest::whatDoesNotFitIsRefused()
{
    QFETCH(QString, algorithm);
    QFETCH(QString, reason);
    const QString text = refusal(kernelsOf(attention(), algorithm.toStdString()));
    QVERIFY2(text.contains(reason), qPrintable(text));
    QVERIFY2(text.startsWith("block 0, node \"MatMul\""), qPrintable(text));
}

void BlockAlgorithmTest::winogradThatIsTurnedOffIsRefused()
{
    const Graph graph = convolution({1, 8, 12, 12}, 8, {1, 1, 1, 1});
    ScheduleTarget target{8, 16, 1};
    target.winograd = false;
    QVERIFY(refusal(kernelsOf(graph, "winograd 0 2x2", {}, target)).contains("turned off"));
    QVERIFY(kernelsOf(graph, "direct 0", {}, target));
}

void BlockAlgorithmTest::schedulesOfOtherTilesAreRefused()
{
    const Graph graph = attention();
    const auto kernels = kernelsOf(graph, "");
    QVERIFY(kernels);
    const BlockKernel &kernel = *kernels->kernels.back();
    QCOMPARE(kernel.groups.size(), std::size_t(1));
    NestSchedules schedules;
    for (const Schedule &schedule : kernel.schedules)
        schedules.push_back(schedule.text());
    const auto same = kernelsOf(graph, kernel.algorithm.text(), schedules);
    QVERIFY2(same, same ? "" : same.error().text().c_str());
    BlockAlgorithm other = kernel.algorithm;
    auto &rows = other.groups[0].tiles.back().second;
    rows = rows == 13 ? 12 : rows + 1;
    const QString text = refusal(kernelsOf(graph, other.text(), schedules));
    QVERIFY2(text.contains("its group shares"), qPrintable(text));
}

void BlockAlgorithmTest::whatIsKnownIsTakenFromThere()
{
    const Graph graph = convolution({1, 8, 12, 12}, 8, {1, 1, 1, 1});
    const auto known = kernelsOf(graph, "");
    QVERIFY(known);
    GenerateOptions options;
    options.target = {8, 16, 1};
    options.known = &*known;
    for (const char *algorithm : {"", "direct 0", "winograd 0 2x2", "winograd 0 4x4"}) {
        options.algorithms = {algorithm};
        const auto made = generateKernels(graph, KernelBatch(sketchOpset("")).opsets(),
                                          {allNodes(graph)}, options);
        QVERIFY(made);
        const auto fresh = kernelsOf(graph, algorithm);
        QCOMPARE(made->kernels.size(), fresh->kernels.size());
        QVERIFY(!made->kernels.empty());
        for (const BlockIndex b : made->kernels.indices())
            QCOMPARE(made->kernels[b]->phases.front().code, fresh->kernels[b]->phases.front().code);
    }
}

void BlockAlgorithmTest::channelsOfDepthwiseConvolutionsAreTiledInVectors()
{
    const Graph graph = invertedResidual(1, 32);
    const auto kernels = kernelsOf(graph, "together 0 1 o 16; alone 2");
    QVERIFY2(kernels, kernels ? "" : kernels.error().text().c_str());
    const NestGroup &group = kernels->kernels.back()->groups.front();
    QVERIFY(group.shared[0].isLane);
    QCOMPARE(group.local.size(), std::size_t(1));
    // The tile has the margins that the window reads.
    QCOMPARE(group.scratchBytes, std::int64_t(11 * 13 * 16 * 4));
    const QString text = refusal(kernelsOf(graph, "together 0 1 o 12; alone 2"));
    QVERIFY2(text.contains("o of 32 in whole vectors"), qPrintable(text));
}

void BlockAlgorithmTest::rowsOfWindowsAreKeptInRings_data()
{
    QTest::addColumn<std::int64_t>("stride");
    QTest::addColumn<QString>("algorithm");
    QTest::addColumn<std::int64_t>("slots");
    QTest::newRow("three rows for one") << std::int64_t(1) << "together 0 2 h 1" << std::int64_t(4);
    QTest::newRow("four rows for two") << std::int64_t(1) << "together 0 2 h 2" << std::int64_t(4);
    QTest::newRow("five rows for two, strided")
        << std::int64_t(2) << "together 0 2 h 2" << std::int64_t(8);
    QTest::newRow("two nests") << std::int64_t(1) << "together 0 1 h 3; alone 2" << std::int64_t(8);
}

void BlockAlgorithmTest::rowsOfWindowsAreKeptInRings()
{
    QFETCH(std::int64_t, stride);
    QFETCH(QString, algorithm);
    QFETCH(std::int64_t, slots);
    const auto kernels = kernelsOf(invertedResidual(stride, 32), algorithm.toStdString());
    QVERIFY2(kernels, kernels ? "" : kernels.error().text().c_str());
    const BlockKernel &kernel = *kernels->kernels.back();
    const NestGroup &group = kernel.groups.front();
    QVERIFY(group.shared.back().slides());
    QVERIFY(!group.local.empty());
    // Columns have the margins that the window reads.
    const Storage &storage = kernel.storages[group.local.front()];
    QCOMPARE(storage.ring.slots, slots);
    QCOMPARE(storage.elements, slots * 13 * 32);
}

void BlockAlgorithmTest::threadsSlideAlongStripsOfTheirOwn()
{
    const auto tasksWith = [](int threads) {
        const auto made =
            kernelsOf(windows({{}}, 64), "together 0 1 n 1 h 1", {}, {8, 16, threads});
        return made ? made->kernels.back()->phases.front().tasks : 0;
    };
    QCOMPARE(tasksWith(1), std::int64_t(2)); // the images
    QCOMPARE(tasksWith(2), std::int64_t(2 * 4));
}

void BlockAlgorithmTest::likeTheInterpreter_data()
{
    addInstructionSetRows();
}

void BlockAlgorithmTest::likeTheInterpreter()
{
    QFETCH(int, lanes);
    const ScheduleTarget target = targetOf(lanes, 2);
    KernelBatch batch(sketchOpset(""));
    const auto add = [&](const Graph &graph, const std::string &name) {
        std::vector<std::string> ways{""};
        const auto estimated = kernelsOf(graph, "", {}, target);
        QVERIFY(estimated);
        for (const auto &other : otherConvolutions(*estimated, estimated->firstGiven(), 1e9))
            ways.push_back(other.text());
        // And from each of them, some steps in groups and tiles.
        for (std::size_t w = 0, basic = ways.size(); w < basic; ++w) {
            Random random(w);
            std::string way = ways[w];
            for (int step = 0; step < 3; ++step) {
                const auto made = kernelsOf(graph, way, {}, target);
                QVERIFY2(made, made ? "" : made.error().text().c_str());
                const auto others = otherGroups(*made->kernels.back(), lanes);
                if (others.empty())
                    break;
                const std::string next = others[below(random, others.size())].text();
                if (const auto possible = kernelsOf(graph, next, {}, target); !possible) {
                    // Nests that cannot run together; anything else is no refusal.
                    QCOMPARE(possible.error().kind, Error::Kind::Usage);
                    continue;
                }
                ways.push_back(way = next);
            }
        }
        for (std::size_t w = 0; w < ways.size(); ++w)
            batch.add({name + " " + std::to_string(w) + ": " + ways[w],
                       graph,
                       *randomInputs(graph, w),
                       {allNodes(graph)},
                       {},
                       {ways[w]}});
    };
    add(convolution({1, 9, 7, 11}, 13, {1, 1, 1, 1}), "same");
    add(convolution({2, 16, 13, 5}, 20, {0, 2, 1, 0}), "crooked");
    add(convolution({1, 35, 6, 6}, 17, {0, 0, 0, 0}), "valid");
    add(attention(), "attention");
    add(projectedAttention(), "projected attention");
    add(invertedResidual(1, 24), "inverted residual");
    add(invertedResidual(2, 21), "inverted residual with strides");
    add(projections(), "projections");
    for (const char *way : {"together 0 2", "together 0 2 m 5", "together 0 1; alone 2"})
        batch.add({std::string("siblings: ") + way,
                   projections(),
                   *randomInputs(projections(), 1),
                   {allNodes(projections())},
                   {},
                   {way}});
    QVERIFY(batch.size() > 20);
    GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes)
    const auto outcomes = batch.run(lanes, 2);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    for (const auto &[name, outcome] : *outcomes) {
        const std::string problem = outcome.problem(1e-5);
        QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
    }
}

void BlockAlgorithmTest::slidingNestsAreLikeTheInterpreter_data()
{
    addInstructionSetRows();
}

void BlockAlgorithmTest::slidingNestsAreLikeTheInterpreter()
{
    QFETCH(int, lanes);
    constexpr int threads = 2;
    const ScheduleTarget target = targetOf(lanes, threads);
    const std::vector<std::pair<std::string, std::vector<Window>>> chains{
        {"depthwise", {{3}}},
        {"dense", {{3, 1, 1, false}}},
        {"two windows", {{3}, {5}}},
        {"strided windows", {{3, 2}, {3, 2}}},
        {"gaps between windows", {{1, 2}, {3, 3}}},
        {"dilated", {{3, 1, 2}, {1}}},
        {"three windows", {{3, 2, 1, false}, {5}, {3}}},
    };
    KernelBatch batch(sketchOpset(""));
    const auto add = [&](const std::string &name, const Graph &graph, std::size_t count, int rows) {
        BlockAlgorithm way;
        for (int nest = 0; nest <= int(count); ++nest)
            way.winograd[NestIndex(nest)] = 0;
        way.groups = {{NestIndex(0), int(count) + 1, {{"n", 1}, {"h", rows}}}};
        if (const auto made = kernelsOf(graph, way.text(), {}, target); !made) {
            QVERIFY(refusal(made).contains("tiles"));
            return; // fewer rows in all
        }
        batch.add({name + ": " + way.text(),
                   graph,
                   *randomInputs(graph, unsigned(rows)),
                   {allNodes(graph)},
                   {},
                   {way.text()}});
    };
    for (const auto &[name, chain] : chains)
        for (const std::int64_t height : {13, 70})
            for (const int rows : {1, 2, 3, 5})
                add(name + " " + std::to_string(height), windows(chain, height), chain.size(),
                    rows);
    for (const int rows : {1, 2, 3})
        for (const bool windowLast : {true, false})
            add("siblings", siblings(23, windowLast), 2, rows);
    // Margins of 24 around 60 x 60 would cost too much: borders are tested.
    for (const int rows : {1, 4})
        add("without margins", windows({{5, 1, 12}}, 60, 60), 1, rows);
    QVERIFY(batch.size() > 40);
    GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes)
    const auto outcomes = batch.run(lanes, threads);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    for (const auto &[name, outcome] : *outcomes) {
        const std::string problem = outcome.problem(1e-5);
        QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
    }
}

GRAPHLOOM_TESTS(BlockAlgorithmTest)

} // namespace graphloom::test::block_algorithm_test

#include "block_algorithm_test.moc"
