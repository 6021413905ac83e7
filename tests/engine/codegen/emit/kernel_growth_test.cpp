// SPDX-License-Identifier: Apache-2.0
// What a kernel takes to be made grows linearly with its block, and stops when it is to. Counted
// are steps (engine/base/steps.h) and letters of code.
#include "engine/codegen/emit/plan_kernels.h"
#include "tests/support/grown_blocks.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::kernel_growth_test {

namespace {

/// Twice as many operators take twice as much, with some room for what little blocks do not have.
constexpr double mostGrowth = 2.4;
constexpr int depth = 100;
/// Of a nest: what is read for an element and for its index.
constexpr std::size_t mostReads = 34;

struct Effort {
    std::uint64_t steps = 0, longest = 0, letters = 0;
};

Effort effortOf(const Graph &graph)
{
    Steps steps;
    GenerateOptions options;
    options.target = targetOf(8);
    options.steps = &steps;
    const auto made = generateKernels(graph, sketchOpset, {allNodes(graph)}, options);
    if (!made)
        qFatal("%s", made.error().text().c_str());
    if (!made->kernels.back())
        qFatal("%s", made->reasons.back().c_str());
    Effort effort{steps.total(), steps.longest(), 0};
    for (const BlockKernel::Phase &phase : made->kernels.back()->phases)
        effort.letters += phase.code.size();
    return effort;
}

struct Forms {
    std::int64_t longest = 0; // terms of an index
    std::size_t reads = 0;    // the most of one nest
    std::uint64_t steps = 0;
};

Forms formsOf(const Graph &graph)
{
    Steps steps;
    const auto block = nestsOf(graph, sketchOpset, allNodes(graph), &steps);
    if (!block)
        qFatal("%s", block.error().text().c_str());
    Forms forms;
    for (const Nest &nest : block->nests) {
        forms.reads = std::max(forms.reads, nest.reads.size());
        for (const NestRead &read : nest.reads)
            for (const IndexForm &form : read.map)
                forms.longest = std::max(forms.longest, form.size());
    }
    forms.steps = steps.total();
    return forms;
}

KernelCase movedCase(const std::string &name, Graph graph, const TensorData::Extents &extents)
{
    KernelCase one{name, std::move(graph), {*randomTensor(DataType::Float, extents, 5)}, {}};
    one.blocks = {allNodes(one.graph)};
    return one;
}

/// Compares every case with the interpreter; moving elements changes no bit of them.
void compareExactly(KernelBatch &batch)
{
    const auto outcomes = batch.run(4);
    QVERIFY2(outcomes.has_value(), outcomes ? "" : outcomes.error().text().c_str());
    QCOMPARE(outcomes->size(), batch.size());
    for (const auto &[name, outcome] : *outcomes) {
        const std::string problem = outcome.problem(0);
        QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
    }
}

} // namespace

class KernelGrowthTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void movementsHaveShortIndices();
    void movementsTakeLinearlyManySteps();
    void movementsGiveWhatTheInterpreterGives();
    void indicesOfIndicesAreBounded();
    void indicesOfIndicesGiveWhatTheInterpreterGives();
    void whatIsStoredSaysWhy();
    void equalOperandsAreReadOnce();
    void everyBlockTakesLinearlyManySteps();
    void everyBlockHasLinearCode();
    void stopsAreAskedForAgainAndAgain();
    void stopped();
};

void KernelGrowthTest::movementsHaveShortIndices()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Forms forms = formsOf(movementChain(seed, depth));
        QVERIFY2(forms.longest <= 64 && forms.reads <= mostReads,
                 qPrintable(QString("seed %1: %2 terms, %3 reads")
                                .arg(seed)
                                .arg(forms.longest)
                                .arg(forms.reads)));
    }
}

void KernelGrowthTest::movementsTakeLinearlyManySteps()
{
    double once = 0, twice = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        once += double(formsOf(movementChain(seed, depth)).steps);
        twice += double(formsOf(movementChain(seed, 2 * depth)).steps);
    }
    QVERIFY2(twice <= mostGrowth * once, qPrintable(QString("%1, %2").arg(once).arg(twice)));
}

void KernelGrowthTest::movementsGiveWhatTheInterpreterGives()
{
    KernelBatch batch(17);
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
        batch.add(movedCase("seed " + std::to_string(seed), movementChain(seed, depth), {6, 4, 5}));
    compareExactly(batch);
}

void KernelGrowthTest::indicesOfIndicesAreBounded()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Forms forms = formsOf(indexChain(seed, depth));
        QVERIFY2(forms.longest <= 64 && forms.reads <= mostReads && forms.steps < 400 * depth,
                 qPrintable(QString("seed %1: %2 terms, %3 reads, %4 steps")
                                .arg(seed)
                                .arg(forms.longest)
                                .arg(forms.reads)
                                .arg(forms.steps)));
    }
}

void KernelGrowthTest::indicesOfIndicesGiveWhatTheInterpreterGives()
{
    KernelBatch batch(17);
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
        batch.add(movedCase("seed " + std::to_string(seed), indexChain(seed, depth), {24, 3}));
    compareExactly(batch);
}

void KernelGrowthTest::whatIsStoredSaysWhy()
{
    const Graph graph = rearrangedChain(depth);
    const auto block = nestsOf(graph, sketchOpset, allNodes(graph));
    QVERIFY(block.has_value());
    QVERIFY(!block->stored.empty());
    std::set<BlockTensorIndex> written;
    for (const Nest &nest : block->nests)
        for (const NestStore &store : nest.stores)
            written.insert(store.tensor);
    for (const StoredTensor &stored : block->stored) {
        QVERIFY2(stored.reason.find("operations, writing and reading it") != std::string::npos ||
                     stored.reason.find("terms") != std::string::npos ||
                     stored.reason.find("operands") != std::string::npos,
                 stored.reason.c_str());
        QVERIFY(written.contains(stored.tensor));
    }
}

void KernelGrowthTest::equalOperandsAreReadOnce()
{
    Sketch g;
    TensorId x = g.input("x", {8, 9});
    for (int i = 0; i < 60; ++i)
        x = g.call("Mul", {x, x});
    const Graph graph = g.finish({x});
    const auto block = nestsOf(graph, sketchOpset, allNodes(graph));
    QVERIFY(block.has_value());
    QCOMPARE(block->nests.size(), std::size_t(1));
    QCOMPARE(block->nests.front().reads.size(), std::size_t(1));
}

void KernelGrowthTest::everyBlockTakesLinearlyManySteps()
{
    QVERIFY(grownBlocks().size() >= 5);
    for (const GrownBlock &block : grownBlocks()) {
        const auto once = effortOf(block.make(120)).steps, twice = effortOf(block.make(240)).steps;
        QVERIFY2(double(twice) <= mostGrowth * double(once),
                 qPrintable(QString("%1: %2, %3 steps").arg(block.name).arg(once).arg(twice)));
    }
}

void KernelGrowthTest::everyBlockHasLinearCode()
{
    QVERIFY(grownBlocks().size() >= 5);
    for (const GrownBlock &block : grownBlocks()) {
        const auto once = effortOf(block.make(120)).letters,
                   twice = effortOf(block.make(240)).letters;
        QVERIFY2(double(twice) <= mostGrowth * double(once),
                 qPrintable(QString("%1: %2, %3 letters").arg(block.name).arg(once).arg(twice)));
    }
}

void KernelGrowthTest::stopsAreAskedForAgainAndAgain()
{
    // What one question waits for is what one value of a block takes, at most.
    QVERIFY(grownBlocks().size() >= 5);
    for (const GrownBlock &block : grownBlocks()) {
        const Effort effort = effortOf(block.make(500));
        QVERIFY2(effort.longest <= 10 * 500,
                 qPrintable(QString("%1: %2 steps").arg(block.name).arg(effort.longest)));
    }
}

void KernelGrowthTest::stopped()
{
    std::stop_source stop;
    stop.request_stop();
    Steps steps(stop.get_token());
    GenerateOptions options;
    options.steps = &steps;
    const Graph graph = elementwiseChain(20);
    const auto made = generateKernels(graph, sketchOpset, {allNodes(graph)}, options);
    QVERIFY(!made);
    QCOMPARE(made.error().kind, Error::Kind::Stopped);
}

GRAPHLOOM_TESTS(KernelGrowthTest)

} // namespace graphloom::test::kernel_growth_test

#include "kernel_growth_test.moc"
