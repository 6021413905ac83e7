// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_search.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::block_search_test {

namespace testing = graphloom::test;

namespace {

std::unique_ptr<const FusionFacts> factsOf(Graph graph)
{
    auto facts = FusionFacts::of(std::move(graph), sketchOpset, {}, devices().front());
    if (!facts)
        qFatal("%s", facts.error().text().c_str());
    return *std::move(facts);
}

BlockSearch::State run(const FusionFacts &facts, const BlockGraph &blocks,
                       const BlockMarks &marks = {}, unsigned threads = 2)
{
    SearchOptions options;
    options.expanded = 8;
    options.threads = threads;
    const BlockSearch problem(facts.merger(), marks);
    BestFirstSearch search(problem, options);
    return search.run(problem.start(blocks));
}

double costOf(const FusionFacts &facts, const BlockGraph &blocks)
{
    const BlockSearch problem(facts.merger(), {});
    return problem.start(blocks).seconds;
}

/// A squeeze-and-excitation: the scaling can go to the gate before it or to the convolution after.
Graph gated()
{
    Sketch g;
    const TensorId x = g.input("x", {1, 64, 56, 56});
    const TensorId gate = g.call(
        "Sigmoid", {g.call("Conv", {g.call("GlobalAveragePool", {x}), g.weight({64, 64, 1, 1})})});
    const TensorId scaled = g.call("Mul", {x, gate});
    return g.finish({g.call("Conv", {scaled, g.weight({16, 64, 1, 1})})});
}

} // namespace

class BlockSearchTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neverWorseThanItsStart_data();
    void neverWorseThanItsStart();
    void asksWhetherToStop();
    void stoppedItGivesWholeStates();
    void whatItFindsIsLegal();
    void movesAnOperatorToTheCheaperSide();
    void lockedBlocksStay();
    void threadsDoNotChangeTheResult();
    void theCostIsThatOfTheBlocks();
};

void BlockSearchTest::neverWorseThanItsStart_data()
{
    QTest::addColumn<int>("graph");
    QTest::newRow("residual") << 0;
    QTest::newRow("transformer") << 1;
    QTest::newRow("unet") << 2;
}

void BlockSearchTest::neverWorseThanItsStart()
{
    QFETCH(int, graph);
    const auto facts = factsOf(graph == 0   ? test::resNetLike(60)
                               : graph == 1 ? test::transformer(60)
                                            : test::unet(60));
    const BlockGraph start(facts->ecg().graph());
    const auto found = run(*facts, start);
    QVERIFY(found.seconds < costOf(*facts, start));
}

void BlockSearchTest::whatItFindsIsLegal()
{
    const auto facts = factsOf(test::transformer(80));
    const auto found = run(*facts, BlockGraph(facts->ecg().graph()));
    const FusionPlan plan = planOf(facts->merger(), *found.blocks, "test");
    const auto checked = checkFusionPlan(facts->ecg().graph(), sketchOpset, plan);
    QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
    QVERIFY(!plan.partition.subgraphs.empty());
    for (const Subgraph &block : plan.partition.subgraphs)
        QVERIFY(!facts->merger().rules().check(block.nodes).refusal);
}

void BlockSearchTest::movesAnOperatorToTheCheaperSide()
{
    // Nodes: pool, gate's convolution, sigmoid, scaling, convolution.
    const auto facts = factsOf(gated());
    BlockGraph blocks(facts->ecg().graph());
    blocks.merge(BlockGraph::Block(1), BlockGraph::Block(2));
    blocks.merge(BlockGraph::Block(1),
                 BlockGraph::Block(3)); // the scaled feature map is written and read again
    const auto found = run(*facts, blocks);
    const auto order = facts->ecg().graph().order();
    QCOMPARE(found.blocks->blockOf(order[3]), found.blocks->blockOf(order[4]));
    QVERIFY(found.blocks->blockOf(order[2]) != found.blocks->blockOf(order[3]));
}

void BlockSearchTest::lockedBlocksStay()
{
    const auto facts = factsOf(gated());
    BlockGraph blocks(facts->ecg().graph());
    blocks.merge(BlockGraph::Block(1), BlockGraph::Block(2));
    blocks.merge(BlockGraph::Block(1), BlockGraph::Block(3));
    const auto found = run(*facts, blocks, {{BlockGraph::Block(1), {"", true}}});
    const auto order = facts->ecg().graph().order();
    QCOMPARE(found.blocks->nodes(found.blocks->blockOf(order[1])),
             (std::vector{order[1], order[2], order[3]}));
}

void BlockSearchTest::threadsDoNotChangeTheResult()
{
    const auto facts = factsOf(test::unet(60));
    const BlockGraph start(facts->ecg().graph());
    QCOMPARE(run(*facts, start, {}, 1).hash, run(*facts, start, {}, 4).hash);
}

void BlockSearchTest::theCostIsThatOfTheBlocks()
{
    const auto facts = factsOf(test::resNetLike(60));
    const auto found = run(*facts, BlockGraph(facts->ecg().graph()));
    QVERIFY(std::abs(found.seconds - costOf(*facts, *found.blocks)) < 1e-12);
}

void BlockSearchTest::asksWhetherToStop()
{
    const auto facts = factsOf(test::resNetLike(400));
    const BlockMarks marks;
    const BlockSearch problem(facts->merger(), marks);
    const auto states = problem.expand(problem.start(BlockGraph(facts->ecg().graph())));
    QCOMPARE(states.size(), std::size_t(1));
    // A move is carried out on a copy of all blocks.
    QVERIFY(problem.longestSteps() > 0);
    QVERIFY2(problem.longestSteps() <= 4 * facts->ecg().graph().nodeCount(),
             qPrintable(QString::number(problem.longestSteps())));
}

void BlockSearchTest::stoppedItGivesWholeStates()
{
    const auto facts = factsOf(test::resNetLike(100));
    const BlockMarks marks;
    std::stop_source stop;
    stop.request_stop();
    const BlockSearch problem(facts->merger(), marks, stop.get_token());
    const auto start = problem.start(BlockGraph(facts->ecg().graph()));
    const auto states = problem.expand(start);
    QCOMPARE(states.size(), std::size_t(1));
    QCOMPARE(states[0].hash, start.hash);
}

GRAPHLOOM_TESTS(BlockSearchTest)

} // namespace graphloom::test::block_search_test

#include "block_search_test.moc"
