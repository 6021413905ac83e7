// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/metrics/node_metric.h"

#include "engine/plan/memory_plan.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/module_graphs.h"
#include "tests/support/test_program.h"

namespace graphloom::test::node_metric_test {

class NodeMetricTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aGroupHasTheSumOfItsNodes()
    {
        const MetricPointer macs = metricOf(*nodeFigure(u"macs"), *m_snapshot);
        double sum = 0;
        for (const NodeId id : m_snapshot->nodesOf(Item::module(0)))
            sum += *macs->of(*m_snapshot, Item::of(id));
        QVERIFY(sum > 0);
        QCOMPARE(*macs->of(*m_snapshot, Item::module(0)), sum);
    }

    void orTheLargest()
    {
        const MetricPointer fan = metricOf(*nodeFigure(u"fanout"), *m_snapshot);
        double most = 0;
        for (const NodeId id : m_snapshot->nodesOf(Item::module(0)))
            most = std::max(most, double(m_snapshot->graph().successors(id).size()));
        QCOMPARE(*fan->of(*m_snapshot, Item::module(0)), most);
    }

    void ofCategoriesTheOneThatAllHave()
    {
        ValueMetric metric;
        metric.categories = QStringList({"x", "y"});
        metric.facts = m_snapshot->facts;
        metric.values.resize(m_snapshot->graph().nodeBound());
        for (const NodeId id : m_snapshot->nodesOf(Item::module(0)))
            metric.values[id.index] = 1;
        QCOMPARE(*metric.of(*m_snapshot, Item::module(0)), 1.0);
        metric.values[m_snapshot->nodesOf(Item::module(0)).front().index] = 0;
        QVERIFY(!metric.of(*m_snapshot, Item::module(0)));
    }

    void scales()
    {
        ValueMetric metric;
        const MetricRange range{1, 100};
        metric.spread = Spread::Logarithmic;
        QCOMPARE(metric.partOf(10, range), 0.5);
        QCOMPARE(metric.partOf(1000, range), 1.0);
        QCOMPARE(metric.partOf(0, range), 0.0);
        metric.spread = Spread::Linear;
        QCOMPARE(metric.partOf(25, {0, 100}), 0.25);
    }

    void errorsAreHotBeyondTheTolerance()
    {
        const Graph &graph = m_snapshot->graph();
        PlanVerification made;
        made.plan = m_snapshot->plan;
        made.errors.verification.tolerance = 1e-4;
        const auto add = [&](std::size_t position, double error) {
            TensorError &row = made.errors.tensors.emplace_back();
            row.node = graph.order()[position];
            row.tensor = graph.node(row.node).outputs.front();
            row.state = TensorError::State::Compared;
            row.comparison.maxRelError = error;
            return Item::of(row.node);
        };
        const Item equal = add(0, 0), rounded = add(1, 1e-8), wrong = add(2, 0.5),
                   infinite = add(3, std::numeric_limits<double>::infinity());
        const MetricPointer errors = errorMetricOf(*verificationOf(std::move(made)), *m_snapshot);
        const MetricRange range = errors->rangeOf(*m_snapshot, {equal, rounded, wrong, infinite});
        QCOMPARE(range, (MetricRange{1e-8, 0.5}));
        const auto part = [&](const Item &item) {
            return errors->partOf(*errors->of(*m_snapshot, item), range);
        };
        QCOMPARE(part(equal), 0.0);
        QCOMPARE(part(rounded), 0.0);
        QCOMPARE(part(wrong), 1.0);
        QCOMPARE(part(infinite), 1.0);
        QVERIFY(errors->describe(*m_snapshot, infinite).contains(QStringLiteral("∞")));
        QVERIFY(!errors->of(*m_snapshot, Item::of(graph.order()[4]))); // not compared
        // Rounding alone stays cold.
        QCOMPARE(errors->rangeOf(*m_snapshot, {equal, rounded}), (MetricRange{1e-8, 1e-4}));
    }

    void theRangeIsOfWhatIsShown()
    {
        const MetricPointer macs = metricOf(*nodeFigure(u"macs"), *m_snapshot);
        const Item one = Item::of(m_snapshot->graph().order()[0]);
        const MetricRange range = macs->rangeOf(*m_snapshot, {one});
        QCOMPARE(range.most, *macs->of(*m_snapshot, one));
        QVERIFY(macs->rangeOf(*m_snapshot, {Item::module(0)}).most > range.most);
    }

    void anotherGraphHasNoValues()
    {
        const auto other = test::snapshotOfGraph(test::named({"a", "b"}));
        const MetricPointer macs = metricOf(*nodeFigure(u"macs"), *m_snapshot);
        QVERIFY(!macs->of(*other, Item::of(other->graph().order()[0])));
    }

    void timeIsOfARun()
    {
        const auto fused = test::fusedSample("mobilenet_v2_224.onnx");
        const TimeMetric time(std::make_shared<const Heat>(test::madeRun(fused)));
        const Item block = Item::block(1);
        QVERIFY(*time.of(*fused, block) > 0);
        QVERIFY(time.describe(*fused, block).contains(QStringLiteral("%")));
        QVERIFY(time.describe(*fused, block).contains(time.provenance));
    }

    void liveMemoryIsOfTheMemoryPlanWhereThereIsOne()
    {
        auto plan = std::make_shared<Plan>(*m_snapshot->plan);
        auto memory = std::make_shared<MemoryPlan>();
        memory->device = "phone";
        const NodeId first = plan->graph.order()[0];
        memory->steps.push_back({plan->graph.node(first).name, 0, 1, 4096, false});
        plan->memory = memory;
        const auto planned = snapshotOf(plan, m_snapshot, {});
        const MetricPointer live = liveMetricOf(*planned);
        QCOMPARE(*live->of(*planned, Item::of(first)), 4096.0);
        QVERIFY(live->provenance.contains(QStringLiteral("phone")));
        const MetricPointer own = liveMetricOf(*m_snapshot);
        QVERIFY(*own->of(*m_snapshot, Item::of(first)) > 4096);
    }

private:
    const SnapshotPointer m_snapshot = test::mobileNet();
};

GRAPHLOOM_TESTS(NodeMetricTest)

} // namespace graphloom::test::node_metric_test

#include "node_metric_test.moc"
