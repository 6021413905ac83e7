// SPDX-License-Identifier: Apache-2.0
#include "plugins/half/half_pass.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"
#include "tests/support/sample_plan.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::half_pass_test {

using half::HalfPass;

class HalfPassTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tensorsAreOfHalfPrecision();
    void inputsAndOutputsKeepTheirTypes();
    void whatCannotBeConvertedStays();
    void anEpsilonKeepsItsNodeInSinglePrecision();
    void largeConstantsStayFinite();
    void splatsStaySplats();
    void samplesAreConverted_data();
    void samplesAreConverted();
    void outputsAreNearlyTheSame();

private:
    static Result<Plan> converted(Plan plan)
    {
        const HalfPass pass;
        Context context;
        return runPass(pass, std::move(plan), context);
    }
    static std::vector<std::string> opsOf(const Graph &graph)
    {
        std::vector<std::string> ops;
        for (const NodeId id : graph.order())
            ops.push_back(graph.node(id).op);
        return ops;
    }
    static DataType typeBehind(const Graph &graph, const std::string &op)
    {
        for (const NodeId id : graph.order())
            if (graph.node(id).op == op)
                return graph.tensor(graph.node(id).outputs.front()).type;
        return DataType::Undefined;
    }
};

void HalfPassTest::tensorsAreOfHalfPrecision()
{
    Sketch g;
    const TensorId product = g.call("MatMul", {g.input("x", {4, 8}), g.randomWeight({8, 4})});
    const auto plan = converted(*initialPlan(modelOf(g.finish({g.call("Relu", {product})}))));
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QCOMPARE(opsOf(plan->graph), (std::vector<std::string>{"Cast", "MatMul", "Relu", "Cast"}));
    QCOMPARE(typeBehind(plan->graph, "MatMul"), DataType::Float16);
    const NodeId product16 = plan->graph.order()[1];
    QCOMPARE(plan->graph.tensor(plan->graph.node(product16).inputs[1]).constant->type(),
             DataType::Float16);
}

void HalfPassTest::inputsAndOutputsKeepTheirTypes()
{
    Sketch g;
    const Plan before = *initialPlan(modelOf(g.finish({g.call("Relu", {g.input("x", {4})})})));
    const auto plan = converted(before);
    QVERIFY(plan);
    QCOMPARE(plan->graph.inputs().front(), before.graph.inputs().front());
    QCOMPARE(plan->graph.outputs().front(), before.graph.outputs().front());
    QCOMPARE(plan->graph.tensor(plan->graph.outputs().front()).type, DataType::Float);
}

void HalfPassTest::whatCannotBeConvertedStays()
{
    // Erf may be of half precision; indices of NonZero are none of its business.
    Sketch g;
    const TensorId positions = g.call("NonZero", {g.input("x", {4, 4})});
    const auto plan = converted(*initialPlan(modelOf(g.finish({positions}))));
    QVERIFY(plan);
    QCOMPARE(typeBehind(plan->graph, "NonZero"), DataType::Int64);
}

void HalfPassTest::anEpsilonKeepsItsNodeInSinglePrecision()
{
    Sketch g;
    const TensorId x = g.call("Relu", {g.input("x", {4})});
    const TensorId sum = g.call("Add", {x, g.number(1e-12F)});
    const auto plan = converted(*initialPlan(modelOf(g.finish({g.call("Sqrt", {sum})}))));
    QVERIFY(plan);
    QCOMPARE(typeBehind(plan->graph, "Relu"), DataType::Float16);
    QCOMPARE(typeBehind(plan->graph, "Add"), DataType::Float);
    QCOMPARE(typeBehind(plan->graph, "Sqrt"), DataType::Float16);
}

void HalfPassTest::largeConstantsStayFinite()
{
    const TensorData half = half::halfOf(floats({2}, {-1e30F, 1}));
    QCOMPARE(half.real(0), -65504.0);
    QCOMPARE(half.real(1), 1.0);
}

void HalfPassTest::splatsStaySplats()
{
    const TensorData half = half::halfOf(splat(0.5F, {1000, 1000}));
    QVERIFY(half.isSplat());
    QCOMPARE(half.type(), DataType::Float16);
    QCOMPARE(half.real(5), 0.5);
}

void HalfPassTest::samplesAreConverted_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"bert_tiny.onnx", "shufflenet_v2_x1_0_224.onnx"})
        QTest::newRow(name) << name;
}

void HalfPassTest::samplesAreConverted()
{
    QFETCH(QString, name);
    const Plan before = planOfSample(name.toStdString());
    const auto plan = converted(before);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    std::size_t halves = 0;
    for (const NodeId id : plan->graph.order())
        for (const TensorId output : plan->graph.node(id).outputs)
            halves += plan->graph.tensor(output).type == DataType::Float16;
    QVERIFY(halves > before.graph.nodeCount() / 2);
    // Nothing but the conversions at the borders and around what stays is new.
    QVERIFY(plan->graph.nodeCount() < before.graph.nodeCount() + 40);
}

void HalfPassTest::outputsAreNearlyTheSame()
{
    Sketch g;
    const TensorId image = g.input("x", {1, 8, 10, 10});
    const TensorId conv = g.call("Conv", {image, g.randomWeight({16, 8, 3, 3})});
    const TensorId flat = g.call("Flatten", {g.call("Relu", {conv})});
    const TensorId product = g.call("MatMul", {flat, g.randomWeight({16 * 8 * 8, 10})});
    const Plan before = *initialPlan(modelOf(g.finish({g.call("Softmax", {product})})));
    const auto plan = converted(before);
    QVERIFY(plan);
    const auto inputs = randomInputs(before.graph, 1);
    QVERIFY(inputs);
    const Opsets opsets = opsetsOf(*before.model);
    const auto wanted = interpret(before.graph, opsets, *inputs);
    const auto got = interpret(plan->graph, opsets, *inputs);
    QVERIFY(wanted && got);
    const Comparison comparison = compare(wanted->front(), got->front());
    QVERIFY2(comparison.maxRelError < 1e-2, std::to_string(comparison.maxRelError).c_str());
    QVERIFY(comparison.maxRelError > 0);
}

GRAPHLOOM_TESTS(HalfPassTest)

} // namespace graphloom::test::half_pass_test

#include "half_pass_test.moc"
