// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"

#include "tests/support/graph_maker.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::plan_test {

class PlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        GraphMaker make;
        const TensorId x = make.input("x", {4});
        const TensorId first = make.call("Relu", {x}, {4}), second = make.call("Relu", {x}, {4});
        m_plan.graph = m_plan.original = make.finish({first, second});
        m_plan.model = modelOf(m_plan.graph);
    }

    void copiesHaveTheSameGraph()
    {
        const Plan copy = m_plan;
        QVERIFY(isSameGraph(m_plan, copy));
    }

    void graphsOfAnotherModelAreOthers()
    {
        Plan other = m_plan;
        other.model = modelOf(m_plan.graph);
        QVERIFY(!isSameGraph(m_plan, other));
    }

    void graphsWithOtherIdsAreOthers()
    {
        const Plan first = without(0), second = without(1);
        QCOMPARE(first.graph.hash(), second.graph.hash());
        QVERIFY(!isSameGraph(first, second));
    }

private:
    /// The plan without one of its nodes, which are equal.
    Plan without(std::size_t position) const
    {
        Plan plan = m_plan;
        GraphEditor editor(plan.graph);
        const NodeId node = plan.graph.order()[position];
        editor.setOutputs({plan.graph.outputs()[1 - position]});
        editor.removeNode(node);
        editor.removeTensor(plan.graph.outputs()[position]);
        auto edited = std::move(editor).finish();
        if (!edited)
            qFatal("%s", edited.error().text().c_str());
        plan.graph = *std::move(edited);
        return plan;
    }

    Plan m_plan;
};

GRAPHLOOM_TESTS(PlanTest)

} // namespace graphloom::test::plan_test

#include "plan_test.moc"
