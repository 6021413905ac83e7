// SPDX-License-Identifier: Apache-2.0
// The blocks that the pass makes inside of its subgraphs.
#include "engine/codegen/build/c_compiler.h"
#include "engine/editing/block_editing.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/interpreter/interpreter.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/onnx_export/stored_plan.h"
#include "tests/plugins/ago/ago_plans.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/random_network.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ranges>

namespace graphloom::test::fusing_test {

namespace testing = graphloom::test;
using ago::AgoPass;

namespace {

Plan after(const Plan &plan, AgoSettings settings = {})
{
    auto result = runPass(AgoPass(), plan, with(settings));
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

std::int64_t summaryOf(const Plan &plan, const std::string &key)
{
    for (const SummaryEntry &entry : plan.history.back().summary)
        if (entry.key == key)
            return std::get<std::int64_t>(entry.value);
    return -1;
}

int complexIn(const Plan &plan, const Subgraph &block)
{
    const auto ecg = Ecg::of(plan.graph, opsetsOf(*plan.model));
    return int(std::ranges::count_if(block.nodes, [&](NodeId id) {
        return ecg->node(id).operatorClass == OperatorClass::Contraction;
    }));
}

int mostComplexIn(const Plan &plan)
{
    int most = 0;
    for (const Subgraph &block : plan.fusion->partition.subgraphs)
        most = std::max(most, complexIn(plan, block));
    return most;
}

/// The blocks as operator names: "Conv Relu | Conv".
QString blocksOf(const Plan &plan)
{
    QStringList parts;
    for (const Subgraph &block : plan.fusion->partition.subgraphs) {
        QStringList names;
        for (const NodeId id : block.nodes)
            names << QString::fromStdString(plan.graph.node(id).op);
        parts << names.join(' ');
    }
    return parts.join(" | ");
}

/// Looks at the plan itself, not at how it was made: every block in one subgraph, and in one that
/// the plan speaks of. That blocks are disjoint and acyclic runPass() has checked.
QString crossingOf(const Plan &plan)
{
    if (plan.fusion->within != plan.partition)
        return "the blocks are bound to another partition";
    for (const Subgraph &block : plan.fusion->partition.subgraphs)
        for (const NodeId id : block.nodes)
            if (plan.partition->subgraphOf[id.index] !=
                plan.partition->subgraphOf[block.nodes.front().index])
                return QString::fromStdString(plan.graph.node(id).label()) + " is across a border";
    return {};
}

/// What an export would hold of the plan.
nlohmann::json stored(const Plan &plan)
{
    PartNames names;
    names.nodes.resize(plan.graph.nodeBound());
    for (const NodeId id : plan.graph.order())
        names.nodes[id.index] = plan.graph.node(id).name;
    names.subgraphs.resize(plan.partition->subgraphs.size(), "subgraph");
    names.blocks.resize(plan.fusion->blocks.size(), "block");
    return nlohmann::json::parse(storePlan(plan, names));
}

/// Why what was stored is refused as not fitting; empty when it is not.
QString refusalOf(const nlohmann::json &text, Plan plan)
{
    const auto restored = restorePlan(text.dump(), plan);
    if (restored || restored.error().kind != Error::Kind::Model)
        return {};
    return QString::fromStdString(restored.error().message);
}

/// One subgraph and one block; with a threshold of 0, two of each.
Plan reluAndAbs()
{
    Sketch g;
    const TensorId x = g.call("Relu", {g.input("x", {4, 4})});
    return planOf(g.finish({g.call("Abs", {x})}));
}

/// Rows of scores wait for a reduction between two matrix products.
Plan attention()
{
    Sketch g;
    const TensorId q = g.input("q", {1, 2, 64, 16}), k = g.input("k", {1, 2, 16, 64}),
                   v = g.input("v", {1, 2, 64, 16});
    const TensorId scores = g.call("Mul", {g.call("MatMul", {q, k}), g.weight({1})});
    return planOf(g.finish({g.call("MatMul", {g.call("Softmax", {scores}), v})}));
}

/// Two convolutions of 1 x 1 with [1,`channels`,`extent`,`extent`] between, where the layout is
/// the code generator's to choose.
Plan pointwisePair(std::int64_t extent, std::int64_t channels)
{
    Sketch g;
    TensorId x = g.conv(g.input("x", {1, 4, extent, extent}), 4, 16);
    x = g.call("Relu", {g.call("Conv", {x, g.weight({channels, 16, 1, 1})})});
    x = g.call("Conv", {x, g.weight({16, channels, 1, 1})});
    return planOf(g.finish({g.conv(x, 16, 4)}));
}

/// Plans to be computed, fused with whatever may be fused: the first is a pair, others random.
const std::vector<std::pair<std::string, Plan>> &plansToCompute()
{
    static const auto plans = [] {
        std::vector<std::pair<std::string, Plan>> made;
        const auto add = [&](std::string name, const Plan &plan) {
            made.emplace_back(std::move(name),
                              after(plan, {{"threshold", "4000"}, {"cache-kib", "0"}}));
        };
        add("pointwise", pointwisePair(20, 24));
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            Random random(seed);
            add("network, seed " + std::to_string(seed),
                planOf(randomNetwork(random, normalOpset)));
        }
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            Random random(seed);
            const auto extent = std::int64_t(16 + below(random, 9));
            add("pair, seed " + std::to_string(seed),
                pointwisePair(extent, std::int64_t(17 + below(random, 40))));
        }
        return made;
    }();
    return plans;
}

/// Adds a pointwise and a depthwise convolution.
TensorId separable(Sketch &g)
{
    const TensorId x = g.call("Conv", {g.input("x", {1, 16, 32, 32}), g.weight({64, 16, 1, 1})});
    return g.call("Conv", {x, g.weight({64, 1, 3, 3})},
                  {ints("pads", {1, 1, 1, 1}), integer("group", 64)});
}

} // namespace

class FusingTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocksStayInTheirSubgraph_data();
    void blocksStayInTheirSubgraph();
    void blocksOfSamplesStayInTheirSubgraph_data();
    void blocksOfSamplesStayInTheirSubgraph();
    void epiloguesGoWithTheirComplexOperator();
    void withoutIntensiveFusionOneComplexOperator();
    void withItTheSameGraphsAreFused();
    void attentionIsOneBlock();
    void whatLeavesTheCacheIsFusedIntensively();
    void whatStaysInTheCacheIsNot();
    void convolutionsSlideAlongRows();
    void whatTheGeneratorRunsApartStaysApart();
    void subgraphBordersAreTold();
    void thePartitionAloneCanBeHad();
    void blocksOfAnotherPassStayWhole();
    void lockedBlocksStay();
    void editsRespectSubgraphs();
    void snapshotsHoldBlocks();
    void stoppingLeavesBlocks();
    void storedBlocksStayBoundToSubgraphs();
    void storedBlocksAreReadBack();
    void storedBlocksAcrossSubgraphsAreRefused();
    void storedBlocksWithoutTheirSubgraphsAreRefused();
    void unknownContractionsOfAStoredPlanAreRefused();
    void sameInputsSameBlocks();
    void pairsToComputeAreFusedIntensively();
    void randomPlansToComputeAreFusedIntensively();
    void blocksComputeTheSame_data();
    void blocksComputeTheSame();
};

void FusingTest::blocksStayInTheirSubgraph_data()
{
    QTest::addColumn<QString>("threshold");
    for (const char *threshold : {"0", "20", "100", "440"})
        QTest::newRow(threshold) << threshold;
}

void FusingTest::blocksStayInTheirSubgraph()
{
    QFETCH(QString, threshold);
    const std::string text = threshold.toStdString();
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Plan plan = after(planOf(randomNetwork(random, normalOpset, {.nodes = 24})),
                                {{"threshold", text}, {"cache-kib", "0"}});
        QVERIFY2(crossingOf(plan).isEmpty(),
                 qPrintable(QString("seed %1: ").arg(seed) + crossingOf(plan)));
    }
}

void FusingTest::blocksOfSamplesStayInTheirSubgraph_data()
{
    QTest::addColumn<QString>("file");
    for (const auto &entry : std::filesystem::directory_iterator(GRAPHLOOM_SAMPLES))
        if (entry.path().extension() == ".onnx")
            QTest::newRow(entry.path().stem().c_str())
                << QString::fromStdString(entry.path().string());
}

void FusingTest::blocksOfSamplesStayInTheirSubgraph()
{
    QFETCH(QString, file);
    auto model = importOnnx(file.toStdString());
    QVERIFY(model);
    const auto before = initialPlan(std::make_shared<const Model>(*std::move(model)));
    QVERIFY(before);
    const Plan plan = after(*before), partition = after(*before, {{"fuse", "off"}});
    QCOMPARE(crossingOf(plan), QString());
    QCOMPARE(plan.partition->subgraphOf, partition.partition->subgraphOf);
    QCOMPARE(summaryOf(plan, "blocks"), std::int64_t(plan.fusion->blocks.size()));
    QVERIFY(plan.fusion->blocks.size() < plan.graph.nodeCount() / 2);
    std::int64_t stitched = 0, pairs = 0;
    for (const Subgraph &block : plan.fusion->partition.subgraphs)
        if (const int complex = complexIn(plan, block); complex > 1) {
            stitched += complex;
            pairs += complex - 1;
        }
    QCOMPARE(summaryOf(plan, "stitched_complex"), stitched);
    QCOMPARE(summaryOf(plan, "intensive_pairs"), pairs);
}

void FusingTest::epiloguesGoWithTheirComplexOperator()
{
    Sketch g;
    TensorId x = g.call("Relu", {g.conv(g.input("x", {1, 8, 16, 16}), 8, 8)});
    x = g.call("Sigmoid", {g.conv(x, 8, 8)});
    const Plan plan = after(planOf(g.finish({x})));
    QCOMPARE(plan.partition->subgraphs.size(), std::size_t(1));
    QCOMPARE(blocksOf(plan), QString("Conv Relu | Conv Sigmoid"));
}

void FusingTest::withoutIntensiveFusionOneComplexOperator()
{
    for (const Plan &graph :
         {attention(), pointwisePair(128, 96), planOf(test::transformer(200))}) {
        const Plan plan = after(graph, {{"intensive", "off"}, {"threshold", "4000"}});
        QCOMPARE(mostComplexIn(plan), 1);
        QCOMPARE(summaryOf(plan, "intensive_pairs"), std::int64_t(0));
    }
}

void FusingTest::withItTheSameGraphsAreFused()
{
    for (const Plan &graph : {attention(), pointwisePair(128, 96)}) {
        const Plan plan = after(graph, {{"threshold", "4000"}});
        QVERIFY2(summaryOf(plan, "intensive_pairs") > 0, qPrintable(blocksOf(plan)));
    }
}

void FusingTest::attentionIsOneBlock()
{
    const Plan plan = after(attention());
    QCOMPARE(blocksOf(plan), QString("MatMul Mul Softmax MatMul"));
    QCOMPARE(summaryOf(plan, "intensive_pairs"), std::int64_t(1));
    QCOMPARE(summaryOf(plan, "stitched_complex"), std::int64_t(2));
}

void FusingTest::whatLeavesTheCacheIsFusedIntensively()
{
    const Plan plan = // 6 MiB
        after(pointwisePair(128, 96), {{"threshold", "4000"}, {"cache-kib", "4096"}});
    QVERIFY2(blocksOf(plan).contains("Conv Relu Conv"), qPrintable(blocksOf(plan)));
    QVERIFY(summaryOf(plan, "intensive_pairs") > 0);
}

void FusingTest::whatStaysInTheCacheIsNot()
{
    const Plan plan = after(pointwisePair(32, 96), {{"threshold", "4000"}, {"cache-kib", "512"}});
    QCOMPARE(summaryOf(plan, "intensive_pairs"), std::int64_t(0));
    bool told = false;
    for (const FusionBlock &block : plan.fusion->blocks)
        for (const BlockBorder &border : block.borders)
            told = told || (border.cause == BlockBorder::Cause::Cost &&
                            border.reason.find("the 384 KiB between them") != std::string::npos);
    QVERIFY(told);
    const Plan joined = after(pointwisePair(32, 96), {{"threshold", "4000"}, {"cache-kib", "256"}});
    QVERIFY(blocksOf(joined).contains("Conv Relu Conv"));
}

void FusingTest::convolutionsSlideAlongRows()
{
    Sketch g;
    const TensorId x = separable(g);
    const Plan plan =
        after(planOf(g.finish({g.conv(x, 64, 4)})), {{"threshold", "4000"}, {"cache-kib", "0"}});
    QCOMPARE(blocksOf(plan), QString("Conv Conv Conv"));
}

void FusingTest::whatTheGeneratorRunsApartStaysApart()
{
    // All of the first convolution's result is needed: a ring of its rows does not suffice.
    Sketch g;
    const TensorId x = g.call("Conv", {g.input("x", {1, 16, 32, 32}), g.weight({64, 16, 1, 1})});
    const Plan plan =
        after(planOf(g.finish({g.conv(x, 64, 4), x})), {{"threshold", "4000"}, {"cache-kib", "0"}});
    QCOMPARE(blocksOf(plan), QString("Conv | Conv"));
    QCOMPARE(plan.fusion->blocks.front().borders.front().cause, BlockBorder::Cause::Generator);
}

void FusingTest::subgraphBordersAreTold()
{
    const Plan plan = after(reluAndAbs(), {{"threshold", "0"}, {"raise-threshold", "off"}});
    QCOMPARE(blocksOf(plan), QString("Relu | Abs"));
    QCOMPARE(plan.fusion->blocks.front().borders.front().cause, BlockBorder::Cause::Subgraph);
}

void FusingTest::thePartitionAloneCanBeHad()
{
    const Plan plain = planOf(test::resNetLike(60));
    const Plan alone = after(plain, {{"fuse", "off"}});
    QVERIFY(alone.partition && !alone.fusion && !alone.layouts);
    QCOMPARE(summaryOf(alone, "blocks"), std::int64_t(-1));
    const Plan fused = after(plain);
    QVERIFY(fused.fusion && fused.layouts);
    QCOMPARE(after(fused, {{"fuse", "off"}}).fusion, fused.fusion); // of an earlier pass
}

void FusingTest::blocksOfAnotherPassStayWhole()
{
    Plan plan = after(attention());
    const QString whole = blocksOf(plan);
    QCOMPARE(whole, QString("MatMul Mul Softmax MatMul"));
    const auto cut = [](const Plan &from, std::string_view keep) {
        return blocksOf(after(
            from,
            {{"threshold", "0"}, {"raise-threshold", "off"}, {"keep-blocks", std::string(keep)}}));
    };
    QVERIFY(cut(plan, "on") != whole); // its own blocks are made anew
    FusionPlan other = *plan.fusion;
    other.partition.method = "dnnfusion";
    plan.fusion = std::make_shared<const FusionPlan>(std::move(other));
    QCOMPARE(cut(plan, "on"), whole);
    QVERIFY(cut(plan, "off") != whole);
}

void FusingTest::lockedBlocksStay()
{
    Plan plan = after(planOf(test::resNetLike(60)));
    const auto facts =
        FusionFacts::of(plan.graph, opsetsOf(*plan.model), plan.fusion->limits, devices().front());
    QVERIFY(facts);
    const auto largest =
        std::ranges::max_element(plan.fusion->partition.subgraphs, {},
                                 [](const Subgraph &block) { return block.nodes.size(); });
    const std::vector<NodeId> nodes = largest->nodes;
    QVERIFY(nodes.size() > 1);
    plan.fusion = std::make_shared<const FusionPlan>(
        BlockEditor((*facts)->merger(), *plan.fusion)
            .withLock(plan.fusion->blockOf(nodes.front()), true));
    // No subgraph could hold two nodes otherwise.
    const Plan again = after(plan, {{"threshold", "0"}, {"raise-threshold", "off"}});
    QCOMPARE(crossingOf(again), QString());
    const std::uint32_t block = again.fusion->blockOf(nodes.front());
    QVERIFY(again.fusion->blocks[block].locked);
    QCOMPARE(again.fusion->partition.subgraphs[block].nodes, nodes);
    QCOMPARE(again.partition->subgraphs[again.partition->subgraphOf[nodes.front().index]].nodes,
             nodes);
}

void FusingTest::editsRespectSubgraphs()
{
    const Plan plan = after(reluAndAbs(), {{"threshold", "0"}, {"raise-threshold", "off"}});
    const auto facts = FusionFacts::of(plan.graph, opsetsOf(*plan.model), plan.fusion->limits,
                                       devices().front(), {}, plan.fusion->within);
    QVERIFY(facts);
    const std::uint32_t both[] = {0, 1};
    const auto merged = BlockEditor((*facts)->merger(), *plan.fusion).merge(both);
    QVERIFY(!merged);
    QVERIFY2(merged.error().message.find("subgraphs 0 and 1") != std::string::npos,
             merged.error().message.c_str());
}

void FusingTest::snapshotsHoldBlocks()
{
    const Plan plan = planOf(test::transformer(400));
    std::vector<std::shared_ptr<const Plan>> snapshots;
    Context context;
    context.publish = [&](auto snapshot) { snapshots.push_back(snapshot); };
    const auto result = runPass(AgoPass(), plan, context);
    QVERIFY(result);
    std::size_t fused = 0, blocks = plan.graph.nodeCount();
    for (const auto &snapshot : snapshots)
        if (snapshot->fusion) {
            ++fused;
            const auto checked =
                checkFusionPlan(snapshot->graph, opsetsOf(*plan.model), *snapshot->fusion);
            QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
            QVERIFY(snapshot->fusion->blocks.size() <= blocks);
            blocks = snapshot->fusion->blocks.size();
        }
    QVERIFY(fused >= 3 && fused <= 8);
    QVERIFY(result->fusion->blocks.size() <= blocks);
}

void FusingTest::stoppingLeavesBlocks()
{
    const Plan plan = planOf(test::transformer(400));
    std::stop_source source;
    Context context;
    context.stop = source.get_token();
    context.publish = [&](const std::shared_ptr<const Plan> &snapshot) {
        if (snapshot->fusion)
            source.request_stop();
    };
    const auto stopped = runPass(AgoPass(), plan, context);
    QVERIFY(stopped);
    QCOMPARE(crossingOf(*stopped), QString());
    QVERIFY(stopped->fusion->blocks.size() < plan.graph.nodeCount());
    QVERIFY(stopped->fusion->blocks.size() > after(plan).fusion->blocks.size());
}

void FusingTest::storedBlocksStayBoundToSubgraphs()
{
    const Plan plan = after(pointwisePair(32, 96), {{"threshold", "300"}, {"cache-kib", "0"}});
    QVERIFY(plan.partition->subgraphs.size() > 1);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("out.onnx").toStdString();
    QVERIFY(exportOnnx(plan, path));
    auto model = importOnnx(path);
    QVERIFY(model);
    const auto read = importPlan(std::make_shared<const Model>(*std::move(model)));
    QVERIFY(read && read->fusion && read->partition);
    const Plan &back = *read;
    QCOMPARE(crossingOf(back), QString());
    QCOMPARE(back.fusion->limits.contractions, BlockLimits::Contractions::Intensive);
    QCOMPARE(blocksOf(back), blocksOf(plan));
    for (std::size_t b = 0; b < back.fusion->blocks.size(); ++b)
        QCOMPARE(back.fusion->blocks[b].mapping, plan.fusion->blocks[b].mapping);
}

void FusingTest::storedBlocksAreReadBack()
{
    const Plan before = reluAndAbs();
    Plan back = before;
    QVERIFY(restorePlan(stored(after(before)).dump(), back));
    QCOMPARE(blocksOf(back), QString("Relu Abs"));
}

void FusingTest::storedBlocksAcrossSubgraphsAreRefused()
{
    const Plan before = reluAndAbs();
    auto text = stored(after(before));
    text["partition"] =
        stored(after(before, {{"threshold", "0"}, {"raise-threshold", "off"}}))["partition"];
    const QString refusal = refusalOf(text, before);
    QVERIFY2(refusal.contains("crosses the border"), qPrintable(refusal));
}

void FusingTest::storedBlocksWithoutTheirSubgraphsAreRefused()
{
    const Plan before = reluAndAbs();
    auto text = stored(after(before));
    text.erase("partition"); // that they are bound to
    const QString refusal = refusalOf(text, before);
    QVERIFY2(refusal.contains("an unknown format"), qPrintable(refusal));
}

void FusingTest::unknownContractionsOfAStoredPlanAreRefused()
{
    const Plan before = reluAndAbs();
    auto text = stored(after(before));
    QCOMPARE(text["fusion"]["contractions"].get<std::string>(), std::string("intensive"));
    text["fusion"]["contractions"] = "everywhere";
    const QString refusal = refusalOf(text, before);
    QVERIFY2(refusal.contains("an unknown format"), qPrintable(refusal));
}

void FusingTest::sameInputsSameBlocks()
{
    const Plan plan = planOf(test::transformer(200));
    QCOMPARE(blocksOf(after(plan)), blocksOf(after(plan)));
}

void FusingTest::pairsToComputeAreFusedIntensively()
{
    const auto &[name, plan] = plansToCompute().front();
    QVERIFY2(summaryOf(plan, "intensive_pairs") > 0, qPrintable(blocksOf(plan)));
}

void FusingTest::randomPlansToComputeAreFusedIntensively()
{
    std::int64_t pairs = 0;
    for (const auto &[name, plan] : plansToCompute() | std::views::drop(1))
        pairs += summaryOf(plan, "intensive_pairs");
    QVERIFY(pairs > 0);
}

void FusingTest::blocksComputeTheSame_data()
{
    addInstructionSetRows();
}

void FusingTest::blocksComputeTheSame()
{
    QFETCH(int, lanes);
    if (!findCCompiler())
        QSKIP("needs gcc or clang");
    KernelBatch batch(normalOpset);
    for (const auto &[name, plan] : plansToCompute()) {
        KernelCase one{name, plan.graph, *randomInputs(plan.graph, 1), {}, {}};
        for (const Subgraph &block : plan.fusion->partition.subgraphs)
            one.blocks.push_back(block.nodes);
        batch.add(std::move(one));
    }
    GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes)
    const auto outcomes = batch.run(lanes);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    QStringList wrong;
    for (const auto &[name, outcome] : *outcomes)
        if (const std::string problem = outcome.problem(1e-4); !problem.empty())
            wrong << QString::fromStdString(name + ": " + problem);
    QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join("\n")));
}

GRAPHLOOM_TESTS(FusingTest)

} // namespace graphloom::test::fusing_test

#include "fusing_test.moc"
