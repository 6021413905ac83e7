// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a plan come from that MAGIS has cut into parts and computes again.
#include "engine/autodiff/training.h"
#include "engine/compare/plan_comparison.h"
#include "engine/plan/origin_map.h"
#include "tests/plugins/magis/magis_run.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::origins_test {

using magis::MagisPass;
using test::Sketch;

namespace {

/// A perceptron, wide enough to be cut.
Graph fourLayers()
{
    Sketch s;
    TensorId x = s.input("x", {4096, 512});
    std::int64_t width = 512;
    for (const std::int64_t next : {2048, 2048, 1024}) {
        x = s.call("Relu", {s.call("MatMul", {x, s.weight({width, next}, 0.01f)})});
        width = next;
    }
    return s.finish({s.call("MatMul", {x, s.weight({width, 16}, 0.01f)})});
}

Plan planOf(const Graph &graph, bool training)
{
    if (!training)
        return *initialPlan(test::modelOf(graph));
    auto step = trainingModel(*test::modelOf(graph), {});
    if (!step)
        qFatal("%s", step.error().text().c_str());
    return initialPlan(std::make_shared<const Model>(std::move(step->model)),
                       std::move(step->record));
}

/// So many states, and no limit in time: the result depends on the seed alone.
Plan searched(const Plan &plan)
{
    Context context;
    context.settings = magisSettings();
    for (const auto &[name, value] : {std::pair{"seconds", 0.0}, {"states", 300.0}})
        if (!context.settings.set(name, value))
            qFatal("no such setting");
    context.objective.mode = Objective::Mode::Memory;
    context.objective.latencyLimit = 1.5;
    context.threads = 1;
    context.seed = 1;
    auto result = runPass(MagisPass(), plan, context);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace

class MagisOriginsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyNodeIsReachableOrSaysWhy_data()
    {
        QTest::addColumn<bool>("training");
        QTest::newRow("inference") << false;
        QTest::newRow("training") << true;
    }
    void everyNodeIsReachableOrSaysWhy()
    {
        QFETCH(bool, training);
        const Plan before = planOf(fourLayers(), training);
        const Plan after = searched(before);
        QVERIFY(after.memory && after.memory->realized);
        QVERIFY(after.graph.nodeCount() > before.graph.nodeCount());
        const OriginMap map = originMapOf(after);
        for (const NodeId id : after.graph.order())
            QVERIFY2(!map.originals[id.index].empty(), after.graph.node(id).label().c_str());
        std::size_t several = 0;
        for (const NodeId id : after.model->graph.order()) {
            const OriginMap::Original &original = map.fates[id.index];
            QVERIFY(!original.nodes.empty() || !original.reason.empty());
            several += original.nodes.size() > 1;
        }
        QVERIFY(several > 0); // parts, and what is computed again
    }

    void partsAreAddedBesideWhatTheyArePartsOf()
    {
        const Plan before = planOf(fourLayers(), false);
        const PlanComparison comparison = compare(before, searched(before));
        QVERIFY(comparison.graphs.count(Difference::Added) > 0);
        for (const NodeDifference &difference : comparison.graphs.nodes)
            if (difference.kind == Difference::Added)
                QVERIFY(!difference.related.empty());
        bool memory = false;
        for (const PlanMetric &metric : comparison.metrics)
            if (metric.key == "peak_bytes") {
                memory = true;
                QVERIFY(metric.isComparable());
                QVERIFY(metric.difference() < 0);
            }
        QVERIFY(memory);
    }
};

GRAPHLOOM_TESTS(MagisOriginsTest)

} // namespace graphloom::test::origins_test

#include "origins_test.moc"
