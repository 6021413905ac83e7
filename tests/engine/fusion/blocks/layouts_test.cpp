// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/layouts.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <array>

namespace graphloom::test::layouts_test {

namespace {

struct Case {
    std::unique_ptr<const FusionFacts> facts;
    FusionPlan plan;
    LayoutPlan layouts;

    explicit Case(Graph graph, const Device &device = devices().front())
    {
        facts = *FusionFacts::of(std::move(graph), sketchOpset, {}, device);
        plan = planOf(facts->merger(), BlockGraph(facts->ecg().graph()), "test");
        layouts = chooseLayouts(facts->ecg(), plan, device);
    }
};

/// Rows of 7 leave one lane in eight idle, 256 channels none.
Graph narrow(int convolutions)
{
    Sketch g;
    TensorId x = g.input("x", {1, 256, 7, 7});
    for (int i = 0; i < convolutions; ++i)
        x = g.conv(x, 256, 256);
    return g.finish({x});
}

} // namespace

class LayoutsTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void heavyWorkPaysForReordering();
    void lightWorkDoesNot();
    void matricesHaveNoLayout();
    void aTensorIsReorderedOnceForAllItsReaders();
    void layoutsAreOfTensorsBetweenBlocks();
    void theCutIsAsGoodAsTheBestOfAllChoices();
    void whatIsChosenByHandStays();
    void whatHasNoFeatureMapsIsRefused();
    void choicesFollowTheNodesOfTheirBlocks();
    void everyOperatorOfABlockCounts();
    void elementsAreReorderedOneByOne();
};

void LayoutsTest::whatIsChosenByHandStays()
{
    const Case found(narrow(4)); // channels last are cheapest
    const Device &device = devices().front();
    const auto chosen = withLayout(found.facts->ecg(), found.plan, found.layouts, device,
                                   std::array{1U}, Layout::ChannelsFirst);
    QVERIFY2(chosen, chosen ? "" : chosen.error().text().c_str());
    QCOMPARE(chosen->blocks[1].layout, Layout::ChannelsFirst);
    QVERIFY(chosen->blocks[1].locked && !chosen->blocks[0].locked);
    QVERIFY(chosen->ms > found.layouts.ms); // it was the best
    const auto again =
        withLayout(found.facts->ecg(), found.plan, *chosen, device, std::array{1U}, std::nullopt);
    QVERIFY(again);
    QCOMPARE(again->ms, found.layouts.ms);
    QVERIFY(!again->blocks[1].locked);
}

void LayoutsTest::whatHasNoFeatureMapsIsRefused()
{
    Sketch g;
    const TensorId x = g.input("x", {12, 64}), y = g.input("y", {64, 7});
    const Case found(g.finish({g.call("MatMul", {x, y})}));
    const auto refused = withLayout(found.facts->ecg(), found.plan, found.layouts,
                                    devices().front(), std::array{0U}, Layout::ChannelsLast);
    QVERIFY(!refused);
    QCOMPARE(refused.error().nodes.size(), std::size_t{1});
}

void LayoutsTest::choicesFollowTheNodesOfTheirBlocks()
{
    const Case found(narrow(3));
    const auto chosen = *withLayout(found.facts->ecg(), found.plan, found.layouts,
                                    devices().front(), std::array{2U}, Layout::ChannelsFirst);
    FusionPlan fewer = found.plan; // the first two blocks as one
    auto &parts = fewer.partition.subgraphs;
    parts[0].nodes.insert(parts[0].nodes.end(), parts[1].nodes.begin(), parts[1].nodes.end());
    parts.erase(parts.begin() + 1);
    fewer.blocks.erase(fewer.blocks.begin() + 1);
    fewer.partition.index(found.facts->ecg().graph());
    const FixedLayouts kept = keptLayouts(found.plan, chosen, fewer);
    QVERIFY(!kept[0] && kept[1] == Layout::ChannelsFirst);
}

void LayoutsTest::everyOperatorOfABlockCounts()
{
    const Case apart(narrow(2));
    const FusionFacts &facts = *apart.facts;
    BlockGraph blocks(facts.ecg().graph());
    const auto &order = facts.ecg().graph().order();
    blocks.merge(blocks.blockOf(order[0]), blocks.blockOf(order[1]));
    const FusionPlan together = planOf(facts.merger(), blocks, "test");
    const LayoutPlan layouts = chooseLayouts(facts.ecg(), together, devices().front());
    QCOMPARE(layouts.blocks.size(), std::size_t(1));
    QCOMPARE(layouts.blocks[0].gainMs,
             apart.layouts.blocks[0].gainMs + apart.layouts.blocks[1].gainMs);
}

void LayoutsTest::heavyWorkPaysForReordering()
{
    const Case found(narrow(6));
    for (const auto &choice : found.layouts.blocks)
        QCOMPARE(choice.layout, Layout::ChannelsLast);
    QCOMPARE(found.layouts.transformations.size(), std::size_t(2)); // in and out
    QVERIFY(found.layouts.ms < found.layouts.unchangedMs);
}

void LayoutsTest::lightWorkDoesNot()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 4, 7, 7});
    const Case found(g.finish({g.conv(x, 4, 4)}));
    QVERIFY(found.layouts.transformations.empty());
    // The dominant operator alone would like it, and that costs more.
    QCOMPARE(found.layouts.heuristicTransformations, std::size_t(2));
    QVERIFY(found.layouts.ms < found.layouts.heuristicMs);
}

void LayoutsTest::matricesHaveNoLayout()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 12, 7, 64}), y = g.input("y", {1, 12, 64, 7});
    const Case found(g.finish({g.call("MatMul", {x, y})}));
    QVERIFY(!found.layouts.blocks.front().dominant.valid());
    QCOMPARE(found.layouts.unchangedMs, 0.0);
}

void LayoutsTest::aTensorIsReorderedOnceForAllItsReaders()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 256, 7, 7});
    std::vector<TensorId> branches;
    for (int i = 0; i < 4; ++i)
        branches.push_back(g.conv(g.conv(x, 256, 256), 256, 256));
    const Case found(g.finish(branches));
    const auto ofInput =
        std::ranges::count(found.layouts.transformations, found.facts->ecg().graph().inputs()[0],
                           &LayoutPlan::Transformation::tensor);
    QCOMPARE(ofInput, 1);
}

void LayoutsTest::layoutsAreOfTensorsBetweenBlocks()
{
    const Case found(narrow(3));
    QCOMPARE(found.layouts.tensors.size(), found.layouts.blocks.size() - 1);
    const Graph &graph = found.facts->ecg().graph();
    for (const auto &[tensor, layout] : found.layouts.tensors) {
        QVERIFY(!graph.isOutput(tensor));
        QCOMPARE(layout, found.layouts.blocks[found.plan.blockOf(graph.producer(tensor))].layout);
    }
}

void LayoutsTest::theCutIsAsGoodAsTheBestOfAllChoices()
{
    // Wide and narrow, heavy and light convolutions with a skip: what is best is not obvious.
    Sketch g;
    const TensorId x = g.input("x", {1, 8, 14, 14});
    const TensorId a = g.conv(x, 8, 48);
    const TensorId b =
        g.call("MaxPool", {a}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})});
    const TensorId c = g.conv(b, 48, 48), d = g.conv(c, 48, 96);
    const TensorId e = g.conv(g.call("Add", {b, c}), 48, 3);
    const Case found(g.finish({d, e}));
    const auto &device = devices().front();
    // Every assignment, priced by hand: losses of blocks from their own gains, then tensors.
    const Graph &graph = found.facts->ecg().graph();
    const std::size_t count = found.plan.blocks.size();
    double best = 1e9;
    for (unsigned bits = 0; bits < 1u << count; ++bits) {
        const auto isLast = [&](std::uint32_t block) { return (bits >> block & 1) != 0; };
        double ms = 0;
        for (std::uint32_t block = 0; block < count; ++block) {
            const auto &choice = found.layouts.blocks[block];
            // gainMs: the other layout's loss minus this one's. The better one loses least.
            const bool chosenLast = choice.layout == Layout::ChannelsLast;
            if (isLast(block) != chosenLast)
                ms += choice.gainMs;
        }
        for (std::uint32_t t = 0; t < graph.tensorBound(); ++t) {
            const TensorId id{t};
            if (graph.tensor(id).constant)
                continue;
            const NodeId producer = graph.producer(id);
            const bool own = producer.valid() && isLast(found.plan.blockOf(producer));
            bool differs = graph.isOutput(id) && own;
            for (const Use &use : graph.uses(id))
                differs = differs || isLast(found.plan.blockOf(use.node)) != own;
            if (differs)
                ms +=
                    1e3 * kernelSeconds(device, {0, 2 * found.facts->ecg().estimatedBytes(id), 0});
        }
        best = std::min(best, ms);
    }
    // Both count from the losses of the chosen layouts.
    double chosen = 0;
    for (const auto &step : found.layouts.transformations)
        chosen += step.ms;
    QVERIFY2(std::abs(chosen - best) < 1e-9, qPrintable(QString("%1 %2").arg(chosen).arg(best)));
}

void LayoutsTest::elementsAreReorderedOneByOne()
{
    Machine machine = *devices().front().machine;
    const auto figure = [](double value) {
        return MachineFigure{value, Evidence::Assumed, "test"};
    };
    constexpr double strided = 1e9;
    machine.rates = KernelRates{.products = figure(1e11),
                                .windows = figure(1e11),
                                .streams = figure(1e11),
                                .operations = figure(1e11),
                                .functions = figure(1e11),
                                .strided = figure(strided),
                                .pointRows = figure(2),
                                .windowRows = figure(2),
                                .transforms = std::nullopt};
    const Device device = deviceOf(std::make_shared<const Machine>(std::move(machine)));
    const Case found(narrow(6), device);
    QVERIFY(!found.layouts.transformations.empty());
    for (const auto &step : found.layouts.transformations)
        QVERIFY(step.ms >= 1e3 * found.facts->ecg().estimatedBytes(step.tensor) / strided);
}

GRAPHLOOM_TESTS(LayoutsTest)

} // namespace graphloom::test::layouts_test

#include "layouts_test.moc"
