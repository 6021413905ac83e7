// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_growth.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::block_growth_test {

namespace testing = graphloom::test;

namespace {

struct Grown {
    std::unique_ptr<const FusionFacts> facts;
    std::vector<NodeId> nodes; // in the order of the graph
    BlockGraph blocks;

    explicit Grown(Graph graph, const BlockMarks &marks = {}, BlockLimits limits = {},
                   MeasuredBlocks measured = {})
        : facts(*FusionFacts::of(std::move(graph), sketchOpset, limits, devices().front(),
                                 std::move(measured))),
          nodes(facts->ecg().graph().order().begin(), facts->ecg().graph().order().end()),
          blocks(facts->ecg().graph())
    {
        Steps steps;
        growBlocks(facts->merger(), blocks, marks, nodes, steps, [](double) {});
    }
    bool together(std::size_t a, std::size_t b) const
    {
        return blocks.blockOf(nodes[a]) == blocks.blockOf(nodes[b]);
    }
    FusionPlan plan() const { return planOf(facts->merger(), blocks, "dnnfusion"); }
};

/// Figure 3 of the paper: GEMM -> Add -> Conv -> Relu -> Mul -> Sub.
Graph figure3()
{
    Sketch g;
    const TensorId product = g.call("MatMul", {g.input("x", {1, 8, 16, 16}), g.weight({16, 16})});
    const TensorId sum = g.call("Add", {product, g.weight({1})});
    const TensorId relu = g.call("Relu", {g.conv(sum, 8, 8)});
    const TensorId scaled = g.call("Mul", {relu, g.weight({1})});
    return g.finish({g.call("Sub", {scaled, g.weight({1})})});
}

/// A transposition before a convolution: a yellow cell.
Graph transposed()
{
    Sketch g;
    const TensorId x =
        g.call("Transpose", {g.input("x", {1, 16, 16, 8})}, {ints("perm", {0, 3, 1, 2})});
    return g.finish({g.conv(x, 8, 8)});
}

} // namespace

class BlockGrowthTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theExampleOfThePaper();
    void lockedBlocksAreNotGrown();
    void chainsWithoutOneToOneFuseAsWell();
    void aMeasuredLatencyDecidesAYellowCell();
    void tunedKernelsAreNotComparedWithOthers();
    void measuredAndModelledAreNotCompared();
    void everyBorderHasAReason();
    void plansPassTheCheck_data();
    void plansPassTheCheck();
    void aStoppedGrowthIsStillAPlan();
    void growthAndPlanTakeLinearlyManySteps_data();
    void growthAndPlanTakeLinearlyManySteps();
};

void BlockGrowthTest::theExampleOfThePaper()
{
    const Grown grown(figure3());
    QVERIFY(grown.together(2, 3)); // Conv, Relu
    QVERIFY(grown.together(3, 4));
    QVERIFY(grown.together(4, 5));
    QVERIFY(!grown.together(0, 2)); // two Many-to-Many operators
    QCOMPARE(grown.blocks.count(), std::size_t(2));
}

void BlockGrowthTest::lockedBlocksAreNotGrown()
{
    const Grown grown(figure3(), {{BlockGraph::Block(3), {"", true}}}); // Relu
    QCOMPARE(grown.blocks.nodes(BlockGraph::Block(3)), (std::vector{grown.nodes[3]}));
}

void BlockGrowthTest::chainsWithoutOneToOneFuseAsWell()
{
    Sketch g;
    const TensorId x = g.call("Transpose", {g.input("x", {4, 6})});
    const Grown grown(g.finish({g.call("Reshape", {x, g.integers({3, 8})})}));
    QVERIFY(grown.together(0, 1));
}

void BlockGrowthTest::aMeasuredLatencyDecidesAYellowCell()
{
    QVERIFY(Grown(transposed()).together(0, 1)); // as modelled
    const auto slowTogether = [](std::span<const NodeId> nodes) -> std::optional<BlockSeconds> {
        return BlockSeconds{nodes.size() > 1 ? 1.0 : 0.1, Provenance::Host};
    };
    const Grown measured(transposed(), {}, {}, slowTogether);
    QVERIFY(!measured.together(0, 1));
    const FusionPlan plan = measured.plan();
    QCOMPARE(plan.blocks[0].borders.size(), std::size_t(1));
    const BlockBorder &border = plan.blocks[0].borders[0];
    QCOMPARE(border.cause, BlockBorder::Cause::Cost);
    QVERIFY(border.reason.find("fused 1 s, apart 200 ms (measured here)") != std::string::npos);
}

/// Fused, the kernel was tuned; its parts were not.
void BlockGrowthTest::tunedKernelsAreNotComparedWithOthers()
{
    MeasuredBlocks measured;
    measured.lookup = [](std::span<const NodeId> nodes,
                         KernelForm form) -> std::optional<BlockSeconds> {
        if (nodes.size() == 1)
            return form == KernelForm::Tuned ? std::nullopt
                                             : std::optional(BlockSeconds{0.4, Provenance::Host});
        return BlockSeconds{form == KernelForm::ByDefault ? 1.0 : 0.5, Provenance::Host};
    };
    QVERIFY(!Grown(transposed(), {}, {}, measured).together(0, 1)); // 1 s against 0.8 s
}

void BlockGrowthTest::measuredAndModelledAreNotCompared()
{
    const auto slowTogether = [](std::span<const NodeId> nodes) -> std::optional<BlockSeconds> {
        return nodes.size() > 1 ? std::optional(BlockSeconds{1.0, Provenance::Host}) : std::nullopt;
    };
    QVERIFY(Grown(transposed(), {}, {}, slowTogether).together(0, 1)); // as modelled
}

void BlockGrowthTest::everyBorderHasAReason()
{
    const FusionPlan plan = Grown(test::transformer(60)).plan();
    std::size_t borders = 0;
    for (const FusionBlock &block : plan.blocks)
        for (const BlockBorder &border : block.borders) {
            ++borders;
            QVERIFY(!border.reason.empty());
            QVERIFY(plan.blockOf(border.producer) != plan.blockOf(border.consumer));
        }
    QVERIFY(borders > 0);
}

void BlockGrowthTest::plansPassTheCheck_data()
{
    QTest::addColumn<int>("graph");
    QTest::newRow("residual") << 0;
    QTest::newRow("transformer") << 1;
    QTest::newRow("unet") << 2;
}

void BlockGrowthTest::plansPassTheCheck()
{
    QFETCH(int, graph);
    const Grown grown(graph == 0   ? test::resNetLike(200)
                      : graph == 1 ? test::transformer(200, true)
                                   : test::unet(200));
    const auto checked = checkFusionPlan(grown.facts->ecg().graph(), sketchOpset, grown.plan());
    QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
    QVERIFY(grown.blocks.count() < grown.nodes.size() / 2);
}

void BlockGrowthTest::aStoppedGrowthIsStillAPlan()
{
    Grown grown(figure3());
    std::stop_source stop;
    stop.request_stop();
    BlockGraph blocks(grown.facts->ecg().graph());
    Steps steps(stop.get_token());
    growBlocks(grown.facts->merger(), blocks, {}, grown.nodes, steps, [](double) {});
    QCOMPARE(blocks.count(), grown.nodes.size());
}

void BlockGrowthTest::growthAndPlanTakeLinearlyManySteps_data()
{
    QTest::addColumn<int>("graph");
    QTest::newRow("residual") << 0;
    QTest::newRow("transformer") << 1;
}

void BlockGrowthTest::growthAndPlanTakeLinearlyManySteps()
{
    QFETCH(int, graph);
    const auto stepsOf = [&](std::size_t nodes) {
        const auto facts =
            *FusionFacts::of(graph == 0 ? test::resNetLike(nodes) : test::transformer(nodes),
                             sketchOpset, {}, devices().front());
        BlockGraph blocks(facts->ecg().graph());
        Steps steps;
        growBlocks(facts->merger(), blocks, {}, facts->ecg().graph().order(), steps, [](double) {});
        planOf(facts->merger(), blocks, "test", {}, {}, &steps);
        return steps.total();
    };
    const auto once = stepsOf(1500), twice = stepsOf(3000);
    QVERIFY2(double(twice) <= 2.4 * double(once),
             qPrintable(QString("%1, %2 steps").arg(once).arg(twice)));
}

GRAPHLOOM_TESTS(BlockGrowthTest)

} // namespace graphloom::test::block_growth_test

#include "block_growth_test.moc"
