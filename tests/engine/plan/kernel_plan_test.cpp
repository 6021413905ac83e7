// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"
#include "tests/support/graph_maker.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::kernel_plan_test {

namespace {

/// Relu, then Neg.
Plan chain()
{
    test::GraphMaker maker;
    const TensorId x = maker.input("x", {Dim(4)});
    const TensorId y = maker.call("Relu", {x}, {Dim(4)});
    const TensorId z = maker.call("Neg", {y}, {Dim(4)});
    Plan plan;
    plan.graph = maker.finish({z});
    return plan;
}

std::shared_ptr<const FusionPlan> oneBlock(const Graph &graph)
{
    auto fusion = std::make_shared<FusionPlan>();
    fusion->partition.subgraphs.push_back({{graph.order().begin(), graph.order().end()}, 1});
    fusion->partition.index(graph);
    fusion->blocks.resize(1);
    return fusion;
}

} // namespace

class KernelPlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nodesAreBlocksWithoutFusion();
    void fusionBlocksAreKernels();
    void kernelsOfOtherBlocksAreNone();
};

void KernelPlanTest::nodesAreBlocksWithoutFusion()
{
    const Plan plan = chain();
    const auto blocks = kernelBlocksOf(plan);
    QCOMPARE(blocks.size(), std::size_t(2));
    QCOMPARE(plan.graph.node(blocks[0][0]).op, std::string("Relu"));
    QCOMPARE(plan.graph.node(blocks[1][0]).op, std::string("Neg"));
}

void KernelPlanTest::fusionBlocksAreKernels()
{
    Plan plan = chain();
    plan.fusion = oneBlock(plan.graph);
    const auto blocks = kernelBlocksOf(plan);
    QCOMPARE(blocks.size(), std::size_t(1));
    QCOMPARE(blocks[0].size(), std::size_t(2));
}

void KernelPlanTest::kernelsOfOtherBlocksAreNone()
{
    Plan plan = chain();
    QVERIFY(!kernelsOf(plan));
    plan.fusion = oneBlock(plan.graph);
    auto kernels = std::make_shared<KernelPlan>();
    kernels->fusion = plan.fusion;
    plan.kernels = kernels;
    QCOMPARE(kernelsOf(plan), plan.kernels.get());
    plan.fusion = oneBlock(plan.graph); // as after splitting and merging by hand
    QVERIFY(!kernelsOf(plan));
}

GRAPHLOOM_TESTS(KernelPlanTest)

} // namespace graphloom::test::kernel_plan_test

#include "kernel_plan_test.moc"
