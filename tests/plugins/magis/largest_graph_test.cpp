// SPDX-License-Identifier: Apache-2.0
// How large the graphs are that the pass makes (largest-graph).
#include "tests/plugins/magis/magis_run.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>

namespace graphloom::test::largest_graph_test {

namespace {

/// Products of a large batch, between which tensors are larger than the input and the result.
Plan wide()
{
    Sketch s;
    TensorId x = s.input("x", {4096, 64});
    std::int64_t width = 64;
    for (const std::int64_t next : {2048, 2048, 16}) {
        x = s.call("Relu", {s.call("MatMul", {x, s.weight({width, next}, 0.01f)})});
        width = next;
    }
    return *initialPlan(modelOf(s.finish({x})));
}

Plan withAtMost(double calls, const Plan &plan)
{
    Context context;
    context.settings = magisSettings();
    for (const auto &[name, value] :
         {std::pair("seconds", 0.0), {"states", 16.0}, {"largest-graph", calls}})
        if (!context.settings.set(name, value))
            qFatal("no such setting");
    context.objective = {Objective::Mode::Memory, {}, 1.10};
    context.threads = 1;
    return optimized(plan, context);
}

/// Counts the calls without the slices and joints around parts.
std::int64_t callsOf(const Graph &graph)
{
    return std::ranges::count_if(graph.order(), [&](NodeId id) {
        const std::string &op = graph.node(id).op;
        return op != "Slice" && op != "Concat" && op != "Split";
    });
}

constexpr double many = 20'000;

} // namespace

class LargestGraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plan = wide();
        m_large = withAtMost(many, m_plan);
        QVERIFY2(m_large.memory->realized, m_large.memory->unrealized.c_str());
    }

    void theSearchKeepsToIt()
    {
        const std::int64_t most = callsOf(m_plan.graph) * 3;
        QVERIFY(callsOf(m_large.graph) > most);
        const Plan small = withAtMost(double(most), m_plan);
        QVERIFY2(small.memory->realized, small.memory->unrealized.c_str());
        QVERIFY(callsOf(small.graph) <= most);
        QVERIFY(small.memory->after.peakBytes < small.memory->before.peakBytes);
        QVERIFY(m_large.memory->after.peakBytes <= small.memory->after.peakBytes);
    }

    /// Another run on the graph that one has made was refused its result.
    void aGraphThatIsLargerAlreadyMayKeepItsSize()
    {
        Plan again = m_large;
        again.memory = nullptr;
        again.schedule = nullptr;
        const Plan kept = withAtMost(1, again);
        QVERIFY2(kept.memory->realized, kept.memory->unrealized.c_str());
        QVERIFY(callsOf(kept.graph) <= callsOf(m_large.graph));
    }

    /// The plan is there all the same, and says what to do.
    void zeroDescribesOnly()
    {
        const Plan described = withAtMost(0, m_plan);
        QVERIFY(!described.memory->realized && !described.memory->steps.empty());
        QCOMPARE(described.graph.hash(), m_plan.graph.hash());
        QCOMPARE(described.memory->after.peakBytes, m_large.memory->after.peakBytes);
        QVERIFY(QString::fromStdString(described.memory->unrealized)
                    .contains(QLatin1String("magis.largest-graph")));
    }

private:
    Plan m_plan, m_large;
};

GRAPHLOOM_TESTS(LargestGraphTest)

} // namespace graphloom::test::largest_graph_test

#include "largest_graph_test.moc"
