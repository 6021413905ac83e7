// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/origin_map.h"

#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/plan/node_names.h"
#include "tests/support/exported.h"
#include "tests/support/kept_plans.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <set>

namespace graphloom::test::origin_map_test {

namespace testing = graphloom::test;

namespace {

/// y = Relu(x * (2 + 3)), beside a Neg that nobody reads.
Plan plan()
{
    Sketch g;
    const TensorId x = g.input("x", {4});
    const TensorId factor = g.call("Add", {g.number(2), g.number(3)});
    const TensorId product = g.call("Mul", {x, factor});
    g.call("Neg", {x});
    return *initialPlan(test::modelOf(g.finish({g.call("Relu", {product})})));
}

/// The plan with its first node in the place of the others.
Plan merged(Plan plan)
{
    GraphEditor editor(plan.graph);
    const std::vector<NodeId> nodes(plan.graph.order().begin(), plan.graph.order().end());
    Node node = plan.graph.node(nodes.front());
    node.outputs = plan.graph.node(nodes.back()).outputs;
    node.name = "fused";
    node.origins = originsOf(plan.graph, nodes);
    for (const NodeId id : nodes)
        editor.removeNode(id);
    editor.addNode(std::move(node));
    editor.removeUnused();
    plan.graph = *std::move(editor).finish();
    return plan;
}

NodeId nodeOf(const Graph &graph, const std::string &op)
{
    for (const NodeId id : graph.order())
        if (graph.node(id).op == op)
            return id;
    return {};
}

} // namespace

class OriginMapTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatNothingHasChangedIsKept();
    void foldedAndUnusedNodesSaySo();
    void mergedNodesHaveAllOrigins();
    void aRuleIsNamedWhereNothingIsLeft();
    void originsSurviveArchives();
    void exportsTellOriginsByName();
    void namesOfNodesAreDistinct();
};

void OriginMapTest::whatNothingHasChangedIsKept()
{
    const Plan before = plan();
    const OriginMap map = originMapOf(before);
    QVERIFY(before.graph.nodeCount() > 1);
    for (const NodeId id : before.graph.order()) {
        QCOMPARE(map.originals[id.index], std::vector{id});
        QCOMPARE(map.fates[id.index].fate, OriginMap::Fate::Kept);
        QCOMPARE(map.fates[id.index].nodes, std::vector{id});
    }
}

void OriginMapTest::foldedAndUnusedNodesSaySo()
{
    const Plan before = plan();
    const OriginMap map = originMapOf(before);
    const Graph &model = before.model->graph;
    QCOMPARE(map.fates[nodeOf(model, "Add").index].fate, OriginMap::Fate::Folded);
    QCOMPARE(map.fates[nodeOf(model, "Neg").index].fate, OriginMap::Fate::Unused);
    for (const NodeId id : model.order())
        QVERIFY(!map.fates[id.index].nodes.empty() || !map.fates[id.index].reason.empty());
}

void OriginMapTest::mergedNodesHaveAllOrigins()
{
    const Plan after = merged(plan());
    const OriginMap map = originMapOf(after);
    const NodeId fused = after.graph.order()[0];
    QCOMPARE(map.originals[fused.index].size(), std::size_t(2));
    const OriginMap::Original &relu = map.fates[nodeOf(after.model->graph, "Relu").index];
    QCOMPARE(relu.fate, OriginMap::Fate::Became);
    QCOMPARE(relu.nodes, std::vector{fused});
    QVERIFY(relu.reason.find("together with 1 other") != std::string::npos);
}

void OriginMapTest::aRuleIsNamedWhereNothingIsLeft()
{
    Plan after = plan();
    const NodeId relu = nodeOf(after.graph, "Relu");
    RewriteStep step;
    step.rule = "drop-relu";
    step.removed = {relu};
    GraphEditor editor(after.graph);
    const Node node = after.graph.node(relu);
    editor.removeNode(relu);
    editor.replaceUses(node.outputs[0], node.inputs[0]);
    editor.removeUnused();
    const Graph dropped = *std::move(editor).finish();
    step.setParts(after.graph, dropped);
    after.graph = dropped;
    after.rewrite = std::make_shared<const RewriteLog>(RewriteLog{"greedy", {step}, 0, 0});
    const OriginMap map = originMapOf(after);
    QCOMPARE(map.fates[relu.index].fate, OriginMap::Fate::Removed);
    QVERIFY(map.fates[relu.index].reason.find("drop-relu") != std::string::npos);
}

void OriginMapTest::originsSurviveArchives()
{
    const Plan after = merged(plan());
    test::KeptPlans kept;
    const auto back = test::readAgain(kept, kept.store.put(after));
    QVERIFY(back);
    QVERIFY(after.graph.nodeCount() > 0);
    for (const NodeId id : after.graph.order())
        QCOMPARE(back->graph.node(id).origins, after.graph.node(id).origins);
}

void OriginMapTest::exportsTellOriginsByName()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("merged.onnx").toStdString();
    const Plan after = merged(plan());
    const auto written = exportOnnx(after, path);
    QVERIFY2(written, written ? "" : written.error().text().c_str());
    auto model = importOnnx(path);
    QVERIFY(model);
    const Plan back = *initialPlan(std::make_shared<const Model>(*std::move(model)));
    const std::vector<std::string> names = originNames(back, back.graph.order()[0]);
    QCOMPARE(names, (std::vector<std::string>{"Mul", "Relu"}));
    // A second export tells of the first model, too.
    const auto again = exportOnnx(back, folder.filePath("again.onnx").toStdString());
    QVERIFY(again);
    auto second = importOnnx(folder.filePath("again.onnx").toStdString());
    QVERIFY(second);
    const Plan twice = *initialPlan(std::make_shared<const Model>(*std::move(second)));
    QCOMPARE(originNames(twice, twice.graph.order()[0]), names);
}

void OriginMapTest::namesOfNodesAreDistinct()
{
    Sketch g;
    const TensorId x = g.input("x", {4});
    const Graph graph = g.finish({g.call("Relu", {g.call("Relu", {g.call("Neg", {x})})})});
    const auto names = distinctNodeNames(graph);
    QCOMPARE(names[nodeOf(graph, "Neg").index], std::string("Neg"));
    std::set<std::string> all;
    for (const NodeId id : graph.order())
        QVERIFY(all.insert(names[id.index]).second);
}

GRAPHLOOM_TESTS(OriginMapTest)

} // namespace graphloom::test::origin_map_test

#include "origin_map_test.moc"
