// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a rewritten plan come from.
#include "engine/compare/plan_comparison.h"
#include "engine/onnx/import.h"
#include "engine/plan/origin_map.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"
#include "tests/support/sample_plan.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <filesystem>
#include <set>

namespace graphloom::test::origins_test {

using dnnfusion::DnnFusionPass;
using graphloom::test::planOfSample;

namespace {

Plan rewritten(const Plan &plan, const char *strategy)
{
    const DnnFusionPass pass;
    Context context;
    context.settings = Settings(pass.parameters(), pass.rules());
    if (!context.settings.set("rewrite", strategy))
        qFatal("no such strategy");
    auto result = runPass(pass, plan, context);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace

class DnnFusionOriginsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyNodeIsReachableOrSaysWhy_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("strategy");
        for (const char *model :
             {"mobilenet_v2_224.onnx", "bert_tiny.onnx", "shufflenet_v2_x1_0_224.onnx"})
            for (const char *strategy : {"greedy", "equality-saturation"})
                QTest::addRow("%s %s", model, strategy) << model << strategy;
    }
    void everyNodeIsReachableOrSaysWhy()
    {
        QFETCH(QString, model);
        QFETCH(QString, strategy);
        const Plan before = planOfSample(model.toStdString());
        const Plan after = rewritten(before, qPrintable(strategy));
        QVERIFY(after.graph.nodeCount() < before.graph.nodeCount());
        const OriginMap map = originMapOf(after);
        for (const NodeId id : after.graph.order())
            QVERIFY2(!map.originals[id.index].empty(), after.graph.node(id).label().c_str());
        std::size_t removed = 0;
        for (const NodeId id : after.model->graph.order()) {
            const OriginMap::Original &original = map.fates[id.index];
            QVERIFY(!original.nodes.empty() || !original.reason.empty());
            if (original.fate != OriginMap::Fate::Removed)
                continue;
            ++removed;
            QVERIFY2(original.reason.starts_with("the rule "), original.reason.c_str());
        }
        QVERIFY(removed > 0 || after.rewrite->steps.empty() || map.fates.size() > 0);
    }

    void contractionsKeepTheirNames_data() { everyNodeIsReachableOrSaysWhy_data(); }
    /// A factor, a bias or a normalization that is folded into a contraction does not rename it.
    void contractionsKeepTheirNames()
    {
        QFETCH(QString, model);
        QFETCH(QString, strategy);
        const Plan after = rewritten(planOfSample(model.toStdString()), qPrintable(strategy));
        const Graph &original = after.model->graph;
        std::size_t found = 0;
        for (const NodeId id : after.graph.order()) {
            const Node &node = after.graph.node(id);
            std::set<std::string> names;
            for (const NodeId origin : node.origins)
                if (original.node(origin).op == node.op)
                    names.insert(original.node(origin).name);
            if ((node.op != "Conv" && node.op != "MatMul") || names.empty())
                continue;
            QVERIFY2(names.contains(node.name), node.name.c_str());
            ++found;
        }
        QVERIFY(found > 0);
    }

    void foldedNormalizationsBelongToTheirConvolutions()
    {
        const Plan after = rewritten(planOfSample("mobilenet_v2_224.onnx"), "greedy");
        const Graph &model = after.model->graph;
        const OriginMap map = originMapOf(after);
        std::size_t found = 0;
        for (const NodeId id : model.order()) {
            if (model.node(id).op != "BatchNormalization")
                continue;
            const OriginMap::Original &original = map.fates[id.index];
            QCOMPARE(original.nodes.size(), std::size_t(1));
            const Node &node = after.graph.node(original.nodes[0]);
            QCOMPARE(node.op, std::string("Conv"));
            QVERIFY(node.origins.size() > 1);
            ++found;
        }
        if (found == 0)
            QSKIP("the sample has its normalizations folded already");
    }

    void theComparisonKnowsWhatReplacedWhat()
    {
        const Plan before = planOfSample("bert_tiny.onnx");
        const Plan after = rewritten(before, "greedy");
        const PlanComparison comparison = compare(before, after);
        QVERIFY(comparison.sameModel);
        QVERIFY(comparison.graphs.count(Difference::Removed) > 0);
        for (const NodeDifference &difference : comparison.graphs.nodes)
            if (difference.kind == Difference::Removed)
                QVERIFY2(!relationOf(comparison.graphs, difference).empty(),
                         before.graph.node(difference.before).label().c_str());
        for (const PlanMetric &metric : comparison.metrics)
            if (metric.key == "nodes")
                QCOMPARE(metric.difference(),
                         double(after.graph.nodeCount()) - double(before.graph.nodeCount()));
    }
};

GRAPHLOOM_TESTS(DnnFusionOriginsTest)

} // namespace graphloom::test::origins_test

#include "origins_test.moc"
