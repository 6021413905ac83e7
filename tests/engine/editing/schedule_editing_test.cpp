// SPDX-License-Identifier: Apache-2.0
#include "engine/editing/schedule_editing.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/plan/plan_check.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::schedule_editing_test {

namespace {

/// x -> Relu -> Abs and, beside them, y -> Neg; then the sum.
struct TwoWays {
    std::vector<NodeId> nodes; // Relu, Abs, Neg, Add
    Plan plan;

    TwoWays()
    {
        Sketch g;
        const TensorId a = g.call("Abs", {g.call("Relu", {g.input("x", {4, 4})})});
        const TensorId b = g.call("Neg", {g.input("y", {4, 4})});
        Graph graph = g.finish({g.call("Add", {a, b})});
        nodes = g.nodes();
        plan = *initialPlan(test::modelOf(std::move(graph)));
        Partition partition;
        for (const auto &part : {std::vector{nodes[0], nodes[1]}, std::vector{nodes[2], nodes[3]}})
            partition.subgraphs.push_back({part, 1});
        partition.index(plan.graph);
        plan.partition = std::make_shared<const Partition>(std::move(partition));
    }
    /// Every node a block, with a layout and a kernel each.
    void fuse()
    {
        const auto facts = FusionFacts::of(plan.graph, sketchOpset, {}, devices().front());
        auto fusion = planOf((*facts)->merger(), BlockGraph((*facts)->ecg().graph()), "test");
        plan.layouts = std::make_shared<const LayoutPlan>(
            chooseLayouts((*facts)->ecg(), fusion, devices().front()));
        plan.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
        auto kernels = std::make_shared<KernelPlan>();
        kernels->fusion = plan.fusion;
        for (const Subgraph &block : plan.fusion->partition.subgraphs)
            kernels->blocks.push_back({{plan.graph.node(block.nodes.front()).op, {}, {}, 0}});
        plan.kernels = std::move(kernels);
    }
    QString scheduleOf(const Plan &of) const
    {
        QStringList ops;
        for (const auto &step : kernelBlocksOf(of))
            for (const NodeId id : step)
                ops << QString::fromStdString(of.graph.node(id).op);
        return ops.join(' ');
    }
};

} // namespace

class ScheduleEditingTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void independentNodesChangePlaces()
    {
        const TwoWays ways;
        QCOMPARE(ways.scheduleOf(ways.plan), QStringLiteral("Relu Abs Neg Add"));
        const auto moved = withStepMoved(ways.plan, ways.nodes[2], Direction::Earlier);
        QVERIFY2(moved, moved ? "" : moved.error().text().c_str());
        QCOMPARE(ways.scheduleOf(*moved), QStringLiteral("Relu Neg Abs Add"));
        const auto back = withStepMoved(*moved, ways.nodes[2], Direction::Later);
        QVERIFY(back);
        QCOMPARE(ways.scheduleOf(*back), QStringLiteral("Relu Abs Neg Add"));
    }

    void theRestOfThePlanFits()
    {
        const TwoWays ways;
        const auto moved = withStepMoved(ways.plan, ways.nodes[2], Direction::Earlier);
        const auto checked = checkPlan(*moved);
        QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
        QCOMPARE(moved->partition->subgraphOf, ways.plan.partition->subgraphOf);
        QCOMPARE(moved->graph.hash(), ways.plan.graph.hash());
    }

    void dependenceIsRefusedWithItsEnds()
    {
        const TwoWays ways;
        const auto refused = withStepMoved(ways.plan, ways.nodes[1], Direction::Earlier);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, Error::Kind::Usage);
        const std::vector<std::uint32_t> ends{ways.nodes[0].index, ways.nodes[1].index};
        QCOMPARE(refused.error().nodes, ends);
    }

    void thereIsNothingBeforeTheFirstStep()
    {
        const TwoWays ways;
        QVERIFY(!withStepMoved(ways.plan, ways.nodes[0], Direction::Earlier));
        QVERIFY(!withStepMoved(ways.plan, ways.nodes[3], Direction::Later));
    }

    void blocksMoveWithWhatIsKnownOfThem()
    {
        TwoWays ways;
        ways.fuse();
        const auto moved = withStepMoved(ways.plan, ways.nodes[2], Direction::Earlier);
        QVERIFY2(moved, moved ? "" : moved.error().text().c_str());
        QCOMPARE(ways.scheduleOf(*moved), QStringLiteral("Relu Neg Abs Add"));
        const auto checked = checkPlan(*moved);
        QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
        const KernelPlan *kernels = kernelsOf(*moved);
        QVERIFY(kernels);
        for (std::size_t b = 0; b < kernels->blocks.size(); ++b)
            QCOMPARE(kernels->blocks[b].front().schedule,
                     moved->graph.node(moved->fusion->partition.subgraphs[b].nodes.front()).op);
        // The graph is in the order of its blocks.
        QCOMPARE(moved->graph.order()[1], ways.nodes[2]);
    }

    void whatIsOfTheOtherScheduleGoes()
    {
        TwoWays ways;
        ways.plan.memory = std::make_shared<const MemoryPlan>();
        const auto moved = withStepMoved(ways.plan, ways.nodes[2], Direction::Earlier);
        QVERIFY(moved && !moved->memory);
    }
};

GRAPHLOOM_TESTS(ScheduleEditingTest)

} // namespace graphloom::test::schedule_editing_test

#include "schedule_editing_test.moc"
