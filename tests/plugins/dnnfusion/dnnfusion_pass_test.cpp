// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/dnnfusion_pass.h"

#include "engine/editing/block_editing.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/verify/verify.h"
#include "tests/support/exported.h"
#include "tests/support/sample_plan.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <set>

namespace graphloom::test::dnnfusion_pass_test {

namespace testing = graphloom::test;
using dnnfusion::DnnFusionPass;

namespace {

Plan planOfGraph(Graph graph)
{
    return *initialPlan(test::modelOf(std::move(graph)));
}

Result<Plan> run(Plan plan,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> settings = {},
                 std::shared_ptr<ProfileDatabase> profile = nullptr)
{
    const DnnFusionPass pass;
    Context context;
    context.settings = Settings(pass.parameters(), pass.rules());
    context.profile = std::move(profile);
    for (const auto &[name, value] : settings)
        if (auto set = context.settings.set(name, value); !set)
            qFatal("%s", set.error().text().c_str());
    return runPass(pass, std::move(plan), context);
}

/// y = Relu(x) + 0: the sum does nothing.
Plan withNothing()
{
    Sketch g;
    const TensorId relu = g.call("Relu", {g.input("x", {4, 4})});
    return planOfGraph(g.finish({g.call("Neg", {g.call("Add", {relu, g.weight({1}, 0)})})}));
}

} // namespace

class DnnFusionPassTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rulesHaveNamesOfTheirOwn();
    void theCountsOfThePaperAreReached();
    void approximateRulesAreOff();
    void aRuleThatIsOffIsNotUsed();
    void rewritingCanBeOff();
    void sampleModelsKeepTheirResults_data();
    void sampleModelsKeepTheirResults();
    void runningTwiceChangesNothing();
    void lockedBlocksOutliveAnotherRun();
    void lockedBlocksAreNotRewritten();
    void fixedPatternsAreOfTheOriginalGraph();
    void blocksCanBeThoseOfFixedPatterns();
    void fixedPatternsLeaveLockedBlocks();
    void layoutsCanStayAsInOnnx();
    void lockedLayoutsStayInAnyCase();
    void saturationIsNeverWorse();
    void aPartitionOfTheOldGraphIsDropped();
    void measuredBlocksGoBeforeModelledOnes();
    void blocksComeBackFromAnExportedFile();
    void snapshotsTakeAShareOfTheTime();
};

void DnnFusionPassTest::blocksCanBeThoseOfFixedPatterns()
{
    const Plan plan = planOfSample("mobilevit_s_256.onnx");
    const auto patterns = run(plan, {{"fusion", "fixed-patterns"}, {"rewrite", "off"}});
    const auto types = run(plan, {{"rewrite", "off"}});
    QVERIFY2(patterns && types, patterns ? "" : patterns.error().text().c_str());
    QCOMPARE(patterns->fusion->partition.method, std::string("fixed patterns"));
    QCOMPARE(patterns->fusion->blocks.size(), types->baselineFusion->blocks.size());
    QVERIFY(types->fusion->blocks.size() < patterns->fusion->blocks.size());
}

void DnnFusionPassTest::fixedPatternsLeaveLockedBlocks()
{
    Sketch g;
    TensorId x = g.input("x", {1, 4, 8, 8});
    x = g.call("Relu", {g.conv(x, 4, 4)});
    Plan plan = planOfGraph(g.finish({g.call("Neg", {x})}));
    const auto &order = plan.graph.order();
    const auto opsets = opsetsOf(*plan.model);
    const auto facts = FusionFacts::of(plan.graph, opsets, {}, *plannedDevice(plan));
    BlockGraph blocks(plan.graph);
    blocks.merge(blocks.blockOf(order[1]), blocks.blockOf(order[2]));
    BlockMarks marks;
    marks[blocks.blockOf(order[1])].locked = true;
    plan.fusion =
        std::make_shared<const FusionPlan>(planOf((*facts)->merger(), blocks, "test", marks));
    const auto done = run(plan, {{"fusion", "fixed-patterns"}});
    QVERIFY2(done, done ? "" : done.error().text().c_str());
    QCOMPARE(done->fusion->blocks.size(), std::size_t(2));
    QVERIFY(done->fusion->blocks[1].locked);
}

void DnnFusionPassTest::layoutsCanStayAsInOnnx()
{
    const auto plan = run(planOfSample("mobilevit_s_256.onnx"), {{"layouts", "false"}});
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QVERIFY(!plan->layouts->tensors.empty());
    for (const auto &[tensor, layout] : plan->layouts->tensors)
        QCOMPARE(layout, Layout::ChannelsFirst);
    QVERIFY(plan->layouts->transformations.empty());
}

void DnnFusionPassTest::lockedLayoutsStayInAnyCase()
{
    auto plan = run(planOfSample("mobilevit_s_256.onnx"), {});
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    auto layouts = std::make_shared<LayoutPlan>(*plan->layouts);
    const auto last =
        std::ranges::find(layouts->blocks, Layout::ChannelsLast, &LayoutPlan::Choice::layout);
    QVERIFY(last != layouts->blocks.end());
    last->locked = true;
    const NodeId dominant = last->dominant;
    plan->layouts = layouts;
    const auto again = run(*plan, {{"layouts", "false"}});
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    for (const LayoutPlan::Choice &choice : again->layouts->blocks)
        QCOMPARE(choice.layout == Layout::ChannelsLast, choice.dominant == dominant);
    QVERIFY(again->layouts->blocks[again->fusion->blockOf(dominant)].locked);
}

void DnnFusionPassTest::rulesHaveNamesOfTheirOwn()
{
    std::set<std::string> names;
    const DnnFusionPass pass;
    QVERIFY(pass.rules().size() > 150);
    for (const RuleFacts &rule : pass.rules()) {
        QVERIFY2(names.insert(rule.name).second, rule.name.c_str());
        QVERIFY2(!rule.formula.empty() && !rule.domain.empty(), rule.name.c_str());
    }
}

void DnnFusionPassTest::theCountsOfThePaperAreReached()
{
    std::map<std::string, int> counts;
    const DnnFusionPass pass;
    for (const RuleFacts &rule : pass.rules())
        ++counts[rule.category];
    QVERIFY(counts["associative"] >= 45);
    QVERIFY(counts["distributive"] >= 38);
    QVERIFY(counts["commutative"] >= 66);
}

void DnnFusionPassTest::approximateRulesAreOff()
{
    const DnnFusionPass pass;
    std::size_t approximate = 0;
    for (const RuleFacts &rule : pass.rules()) {
        QCOMPARE(rule.initial, rule.exact);
        approximate += !rule.exact;
    }
    QVERIFY(approximate > 0);
}

void DnnFusionPassTest::aRuleThatIsOffIsNotUsed()
{
    const auto used = run(withNothing());
    QVERIFY2(used, used ? "" : used.error().text().c_str());
    QVERIFY(!used->rewrite->steps.empty());
    const std::string switchName = "rules." + used->rewrite->steps.front().rule;
    const auto unused = run(withNothing(), {{switchName, "off"}});
    QVERIFY(unused);
    for (const RewriteStep &step : unused->rewrite->steps)
        QVERIFY(step.rule != used->rewrite->steps.front().rule);
}

void DnnFusionPassTest::rewritingCanBeOff()
{
    const auto plan = run(withNothing(), {{"rewrite", "off"}});
    QVERIFY(plan);
    QVERIFY(!plan->rewrite);
    QCOMPARE(plan->graph.hash(), plan->original.hash());
}

void DnnFusionPassTest::sampleModelsKeepTheirResults_data()
{
    QTest::addColumn<QString>("strategy");
    QTest::newRow("greedy") << "greedy";
    QTest::newRow("equality saturation") << "equality-saturation";
}

void DnnFusionPassTest::sampleModelsKeepTheirResults()
{
    QFETCH(QString, strategy);
    const Plan plan = planOfGraph(test::transformer(60, true));
    const auto result = run(plan, {{"rewrite", strategy.toStdString()}});
    QVERIFY2(result, result ? "" : result.error().text().c_str());
    const Opsets opsets = opsetsOf(*plan.model);
    const auto verified =
        verify({{"original", plan.original, opsets}, {"result", result->graph, opsets}}, {});
    QVERIFY2(verified, verified ? "" : verified.error().text().c_str());
    QVERIFY2((*verified)->passed, (*verified)->message.c_str());
}

void DnnFusionPassTest::runningTwiceChangesNothing()
{
    const auto once = run(planOfGraph(test::resNetLike(80)));
    QVERIFY(once);
    const auto twice = run(*once);
    QVERIFY(twice);
    QCOMPARE(twice->graph.hash(), once->graph.hash());
    QCOMPARE(twice->fusion->blocks.size(), once->fusion->blocks.size());
}

void DnnFusionPassTest::lockedBlocksOutliveAnotherRun()
{
    auto plan = run(planOfGraph(test::resNetLike(80)));
    QVERIFY(plan);
    const auto large =
        std::ranges::max_element(plan->fusion->partition.subgraphs, {},
                                 [](const Subgraph &block) { return block.nodes.size(); });
    const NodeId alone[] = {large->nodes.back()};
    const auto facts = FusionFacts::of(plan->graph, opsetsOf(*plan->model), {}, devices().front());
    const auto edited = BlockEditor((*facts)->merger(), *plan->fusion).split(alone);
    QVERIFY2(edited, edited ? "" : edited.error().text().c_str());
    plan->fusion = std::make_shared<const FusionPlan>(*edited);
    const auto again = run(*plan);
    QVERIFY(again);
    const auto block = again->fusion->blockOf(alone[0]);
    QCOMPARE(again->fusion->partition.subgraphs[block].nodes, std::vector{alone[0]});
    QVERIFY(again->fusion->blocks[block].locked);
}

void DnnFusionPassTest::lockedBlocksAreNotRewritten()
{
    auto plan = run(withNothing(), {{"rewrite", "off"}});
    QVERIFY(plan);
    FusionPlan locked = *plan->fusion;
    for (FusionBlock &block : locked.blocks)
        block.locked = true;
    plan->fusion = std::make_shared<const FusionPlan>(locked);
    const auto again = run(*plan);
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QCOMPARE(again->graph.hash(), plan->graph.hash());
    QVERIFY(again->rewrite->steps.empty());
    QVERIFY(again->rewrite->flopsBefore > 0);
}

void DnnFusionPassTest::fixedPatternsAreOfTheOriginalGraph()
{
    const auto plan = run(withNothing());
    QVERIFY(plan);
    std::size_t nodes = 0;
    for (const Subgraph &block : plan->baselineFusion->partition.subgraphs)
        nodes += block.nodes.size();
    QCOMPARE(nodes, plan->original.nodeCount());
    QVERIFY(plan->graph.nodeCount() < nodes);
}

void DnnFusionPassTest::saturationIsNeverWorse()
{
    for (const Graph &graph : {test::resNetLike(60), test::transformer(60), test::unet(60)}) {
        const auto greedy = run(planOfGraph(graph), {{"rewrite", "greedy"}});
        const auto saturated = run(planOfGraph(graph), {{"rewrite", "equality-saturation"}});
        QVERIFY(greedy && saturated);
        QVERIFY(saturated->rewrite->flopsAfter <= greedy->rewrite->flopsAfter);
    }
}

void DnnFusionPassTest::aPartitionOfTheOldGraphIsDropped()
{
    Plan plan = withNothing();
    Partition partition;
    partition.method = "test";
    for (const NodeId id : plan.graph.order())
        partition.subgraphs.push_back({{id}, 1});
    partition.index(plan.graph);
    plan.partition = std::make_shared<const Partition>(partition);
    const auto rewritten = run(plan);
    QVERIFY(rewritten);
    QVERIFY(!rewritten->partition);
    const auto kept = run(plan, {{"rewrite", "off"}});
    QVERIFY(kept);
    QVERIFY(kept->partition);
}

void DnnFusionPassTest::measuredBlocksGoBeforeModelledOnes()
{
    // A transposition before a product is a yellow cell; measured, it is better left alone.
    Sketch g;
    const TensorId x = g.call("Transpose", {g.input("x", {64, 32})});
    const Plan plan = planOfGraph(g.finish({g.call("MatMul", {x, g.weight({64, 16})})}));
    const auto modelled = run(plan, {{"rewrite", "off"}});
    QVERIFY(modelled);
    QCOMPARE(modelled->fusion->blocks.size(), std::size_t(1));

    auto database = ProfileDatabase::inMemory();
    QVERIFY(database);
    const std::string device = profiledDevice(devices().front(), 0);
    const auto order = plan.graph.order();
    const auto record = [&](std::span<const NodeId> nodes, double ns) {
        const auto key = kernelKeyOf(plan.graph, opsetsOf(*plan.model), nodes, device);
        LatencySamples samples;
        samples.minNs = samples.medianNs = ns;
        samples.count = 5;
        QVERIFY(database->record(*key, samples));
    };
    record(order, 9e6);
    record(order.subspan(0, 1), 1e3);
    record(order.subspan(1, 1), 1e3);
    const auto measured =
        run(plan, {{"rewrite", "off"}}, std::make_shared<ProfileDatabase>(*std::move(database)));
    QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
    QCOMPARE(measured->fusion->blocks.size(), std::size_t(2));
    QVERIFY(measured->fusion->blocks[0].borders[0].reason.find("measured here") !=
            std::string::npos);
}

void DnnFusionPassTest::blocksComeBackFromAnExportedFile()
{
    const QTemporaryDir folder;
    const auto plan = run(planOfSample("mobilenet_v2_224.onnx"));
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    for (const bool flat : {false, true}) {
        const std::filesystem::path path = folder.filePath("out.onnx").toStdString();
        ExportOptions options;
        options.flat = flat;
        QVERIFY(exportOnnx(*plan, path, options));
        auto model = importOnnx(path);
        QVERIFY(model);
        QCOMPARE(protoOf(path).functions_size() == 0, flat);
        const auto again = importPlan(std::make_shared<const Model>(*std::move(model)));
        QVERIFY(again);
        QVERIFY(again->fusion);
        QCOMPARE(again->fusion->blocks.size(), plan->fusion->blocks.size());
        QCOMPARE(again->fusion->statistics.before.layers, plan->fusion->statistics.before.layers);
        QCOMPARE(again->fusion->statistics.after.irsBytes, plan->fusion->statistics.after.irsBytes);
    }
}

void DnnFusionPassTest::snapshotsTakeAShareOfTheTime()
{
    const Plan plan = planOfGraph(test::transformer(2000));
    // A clock that goes on where the pass says how far it is, and where a snapshot is made.
    const auto snapshots = [&](double step, double snapshot) {
        double seconds = 0;
        int count = 0;
        Context context;
        context.clock = [&] { return seconds; };
        context.progress = [&](double, std::string_view what) {
            seconds += what == "fusing" ? step : 0;
        };
        context.publish = [&](auto) {
            seconds += snapshot;
            ++count;
        };
        if (const auto done = runPass(DnnFusionPass(), plan, context); !done)
            qFatal("%s", done.error().text().c_str());
        return count;
    };
    const int often = snapshots(0.2, 0);
    QVERIFY2(often >= 20, qPrintable(QString::number(often)));
    // Nine tenths of the time are the pass's own.
    const int slow = snapshots(0.2, 1);
    QVERIFY2(slow >= 1 && slow * 9 <= often * 0.2 + 9, qPrintable(QString::number(slow)));
}

GRAPHLOOM_TESTS(DnnFusionPassTest)

} // namespace graphloom::test::dnnfusion_pass_test

#include "dnnfusion_pass_test.moc"
