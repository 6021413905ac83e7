// SPDX-License-Identifier: Apache-2.0
// Random networks as kernels against the interpreter: by single operators, in random blocks and as
// the pass fuses them.
#include "engine/interpreter/interpreter.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/random_network.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::fused_kernels_test {

namespace {

constexpr std::int64_t opset = normalOpset;
constexpr std::uint64_t firstSeed = 1, seeds = 20;

void addFused(KernelBatch &batch, const KernelCase &one)
{
    auto plan = initialPlan(graphloom::test::modelOf(one.graph));
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    const dnnfusion::DnnFusionPass pass;
    Context context;
    context.settings = Settings(pass.parameters(), pass.rules());
    plan = runPass(pass, *plan, context);
    if (!plan)
        qFatal("%s: %s", one.name.c_str(), plan.error().text().c_str());
    KernelCase fused = one;
    fused.name += " fused";
    fused.graph = plan->graph;
    for (const Subgraph &block : plan->fusion->partition.subgraphs)
        fused.blocks.push_back(block.nodes);
    batch.add(std::move(fused));
}

KernelBatch &batchOf()
{
    static KernelBatch batch(opset);
    if (batch.size() == 0)
        for (std::uint64_t seed = firstSeed; seed < firstSeed + seeds; ++seed) {
            Random random(seed);
            KernelCase one;
            one.name = "seed " + std::to_string(seed);
            one.graph = randomNetwork(random, opset);
            one.inputs = *randomInputs(one.graph, seed);
            addFused(batch, one);
            KernelCase blocks = one;
            blocks.name += " in blocks";
            blocks.blocks = randomBlocks(one.graph, random, 5);
            batch.add(std::move(blocks));
            batch.add(std::move(one));
        }
    return batch;
}

} // namespace

class FusedKernelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void likeTheInterpreter_data();
    void likeTheInterpreter();
};

void FusedKernelsTest::likeTheInterpreter_data()
{
    QTest::addColumn<int>("lanes");
    QTest::addColumn<int>("threads");
    QTest::addColumn<bool>("mixed");
    int threads = 1;
    for (const InstructionSet &set : instructionSets())
        QTest::newRow(std::string(set.title).c_str()) << set.lanes << threads++ << false;
    QTest::newRow("in any layouts") << hostInstructionSet().lanes << 1 << true;
}

void FusedKernelsTest::likeTheInterpreter()
{
    QFETCH(int, lanes);
    QFETCH(int, threads);
    QFETCH(bool, mixed);
    batchOf().mixLayouts(mixed ? std::optional(firstSeed) : std::nullopt);
    GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batchOf(), lanes)
    const auto outcomes = batchOf().run(lanes, unsigned(threads));
    QVERIFY2(outcomes.has_value(), outcomes ? "" : outcomes.error().text().c_str());
    QStringList wrong;
    for (const auto &[name, outcome] : *outcomes)
        if (const std::string problem = outcome.problem(1e-4); !problem.empty())
            wrong << QString::fromStdString(name + ": " + problem);
    QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join("\n")));
}

GRAPHLOOM_TESTS(FusedKernelsTest)

} // namespace graphloom::test::fused_kernels_test

#include "fused_kernels_test.moc"
