// SPDX-License-Identifier: Apache-2.0
// How much work lies between two questions whether to stop: counted, on a large graph.
#include "engine/fusion/blocks/block_growth.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "plugins/ago/intensive_joins.h"
#include "tests/plugins/ago/ago_plans.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::fusing_steps_test {

namespace testing = graphloom::test;

namespace {

/// The facts of a graph, and the blocks that ago's conventional fusion makes of it.
struct Fused {
    Plan plan;
    std::unique_ptr<const FusionFacts> facts;
    BlockGraph blocks;
    Steps steps;

    explicit Fused(std::size_t nodes, std::stop_token stop = {})
        : Fused(test::transformer(nodes), std::move(stop))
    {
    }
    explicit Fused(Graph graph, std::stop_token stop = {})
        : plan(test::planOf(std::move(graph))),
          facts(*FusionFacts::of(plan.graph, opsetsOf(*plan.model),
                                 limitsWith(BlockLimits::Contractions::Intensive),
                                 devices().front())),
          blocks(facts->ecg().graph()), steps(std::move(stop))
    {
        const BlockRules conventional(facts->ecg(), limitsWith(BlockLimits::Contractions::One));
        growBlocks({conventional, facts->merger().cost()}, blocks, {}, facts->ecg().graph().order(),
                   steps, [](double) {});
    }

    static BlockLimits limitsWith(BlockLimits::Contractions contractions)
    {
        BlockLimits limits;
        limits.contractions = contractions;
        return limits;
    }
};

/// Pointwise convolutions, of which intensive fusion may join two and two.
Graph pointwiseChain(int count)
{
    Sketch g;
    TensorId x = g.input("x", {1, 16, 128, 128});
    for (int i = 0; i < count; ++i) {
        x = g.call("Relu", {g.call("Conv", {x, g.weight({96, 16, 1, 1})})});
        x = g.call("Conv", {x, g.weight({16, 96, 1, 1})});
    }
    return g.finish({x});
}

} // namespace

class FusingStepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void growthAsksAtEveryPair()
    {
        const Fused fused(4000);
        QVERIFY(fused.steps.total() > 0);
        // A question of the two blocks and a way around them looks at every node once.
        QVERIFY2(fused.steps.longest() <= 2 * fused.plan.graph.nodeCount(),
                 qPrintable(QString::number(fused.steps.longest())));
    }

    void joinsAskAtEveryValue()
    {
        Fused fused(pointwiseChain(100));
        Steps steps;
        const auto apart = ago::joinIntensively(fused.facts->merger(), fused.blocks, {}, 0,
                                                opsetsOf(*fused.plan.model), steps);
        QVERIFY(apart.has_value());
        QVERIFY2(steps.total() > 100 * fused.plan.graph.nodeCount(), // kernels were generated
                 qPrintable(QString::number(steps.total())));
        QVERIFY2(steps.longest() <= 2 * fused.plan.graph.nodeCount() + 5000,
                 qPrintable(QString::number(steps.longest())));
    }

    void stoppedJoinsLeaveTheBlocks()
    {
        Fused fused(400);
        const auto count = fused.blocks.count();
        std::stop_source stop;
        stop.request_stop();
        Steps steps(stop.get_token());
        const auto apart = ago::joinIntensively(fused.facts->merger(), fused.blocks, {}, 0,
                                                opsetsOf(*fused.plan.model), steps);
        QVERIFY(apart.has_value());
        QCOMPARE(fused.blocks.count(), count);
    }

    void stoppedGrowthDoesNothing()
    {
        std::stop_source stop;
        stop.request_stop();
        const Fused fused(400, stop.get_token());
        QCOMPARE(fused.blocks.count(), fused.plan.graph.nodeCount());
    }
};

GRAPHLOOM_TESTS(FusingStepsTest)

} // namespace graphloom::test::fusing_steps_test

#include "fusing_steps_test.moc"
