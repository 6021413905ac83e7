// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan: what is inferred of their nested graphs and of what they give.
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"
#include "tests/support/opsets.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QTest>

namespace graphloom::test::entries_control_test {

using graphloom::test::opset17;

namespace {

Tensor value(std::string name, DataType type = DataType::Undefined, std::optional<Shape> shape = {})
{
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.type = type;
    tensor.shape = std::move(shape);
    return tensor;
}

/// Puts a graph together, tensor by tensor; wrong graphs end the test.
class Sketch {
public:
    TensorId input(Tensor tensor)
    {
        m_inputs.push_back(m_editor.addTensor(std::move(tensor)));
        return m_inputs.back();
    }
    TensorId capture(std::string name)
    {
        m_captured.push_back(m_editor.addTensor(value(std::move(name))));
        return m_captured.back();
    }
    TensorId constant(std::string name, TensorData data)
    {
        return m_editor.addTensor(Tensor::of(std::move(name), std::move(data)));
    }
    std::vector<TensorId> call(std::string op, std::vector<TensorId> inputs,
                               std::vector<std::string> outputs,
                               std::vector<Attribute> attributes = {},
                               std::vector<TensorId> captures = {})
    {
        Node node;
        node.op = std::move(op);
        node.name = "the " + node.op;
        node.inputs = std::move(inputs);
        node.attributes = Attributes(std::move(attributes));
        node.captures = std::move(captures);
        for (std::string &name : outputs)
            node.outputs.push_back(m_editor.addTensor(value(std::move(name))));
        m_editor.addNode(node);
        return node.outputs;
    }
    Graph finish(std::vector<TensorId> outputs)
    {
        m_editor.setInputs(m_inputs);
        m_editor.setCaptured(m_captured);
        m_editor.setOutputs(std::move(outputs));
        auto graph = std::move(m_editor).finish();
        if (!graph)
            qFatal("%s", graph.error().text().c_str());
        return *graph;
    }
    GraphPointer share(std::vector<TensorId> outputs)
    {
        return std::make_shared<const Graph>(finish(std::move(outputs)));
    }

private:
    GraphEditor m_editor;
    std::vector<TensorId> m_inputs, m_captured;
};

QString shapeOfOutput(const Graph &graph, std::size_t output)
{
    const Tensor &tensor = graph.tensor(graph.outputs()[output]);
    return tensor.shape ? QString::fromStdString(text(*tensor.shape)) : QString("unknown");
}

QString errorOf(const Graph &graph)
{
    const auto inferred = inferShapes(graph, opset17);
    return inferred ? QString("no error") : QString::fromStdString(inferred.error().text());
}

/// A graph that captures the outer tensor "x" and gives op(x, x).
GraphPointer onCaptured(const std::string &op, std::vector<Attribute> attributes = {})
{
    Sketch nested;
    const TensorId x = nested.capture("x");
    const bool unary = op == "Shape" || op == "Relu" || op == "Cast";
    return nested.share(nested.call(op, unary ? std::vector{x} : std::vector{x, x},
                                    {op + " result"}, std::move(attributes)));
}

Graph choice(GraphPointer then, GraphPointer otherwise, int outputs = 1)
{
    Sketch outer;
    const TensorId condition = outer.input(value("condition", DataType::Bool, Shape{}));
    const TensorId x = outer.input(value("x", DataType::Float, Shape{Dim::symbol("n"), 3}));
    std::vector<std::string> names;
    for (int k = 0; k < outputs; ++k)
        names.push_back("y" + std::to_string(k));
    std::vector<TensorId> captures(then->captured().size() + otherwise->captured().size(), x);
    return outer.finish(outer.call(
        "If", {condition}, names,
        {{"then_branch", std::move(then)}, {"else_branch", std::move(otherwise)}}, captures));
}

const TensorData five = TensorData::scalar(5);

/// A body with the condition passed on and one state, put together by `step`, which gives the
/// state's successor and what is stacked.
template <class Step> GraphPointer loopBody(Step step)
{
    Sketch body;
    body.input(value("iteration"));
    const TensorId condition = body.input(value("condition in"));
    const TensorId state = body.input(value("state"));
    std::vector<TensorId> outputs = body.call("Identity", {condition}, {"condition out"});
    for (const TensorId output : step(body, state))
        outputs.push_back(output);
    return body.share(outputs);
}

Graph loop(GraphPointer body, Shape initial, std::vector<std::string> results,
           std::optional<TensorData> count = five)
{
    Sketch outer;
    const TensorId state = outer.input(value("initial", DataType::Float, std::move(initial)));
    const TensorId most = count ? outer.constant("most", *count) : TensorId();
    return outer.finish(outer.call("Loop", {most, TensorId(), state}, std::move(results),
                                   {{"body", std::move(body)}}));
}

} // namespace

class EntriesControlTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void branchesAreJoined();
    void knownConditionTellsTheBranch();
    void branchesMustAgree();
    void statesThatStayTheSameKeepTheirShape();
    void statesThatGrowGetAnExtentOfTheirOwn();
    void statesOfChangingRankAreUnknown();
    void stackedOutputsCountIterations();
    void loopsMustFitTheirBody();
    void deeplyNestedLoopsAreInferredInTime();
    void scanTakesSlicesAndStacksThem();
    void scanRefusesWhatDoesNotFit();
};

void EntriesControlTest::branchesAreJoined()
{
    const auto shapes = [](GraphPointer then, GraphPointer otherwise) {
        const auto inferred = inferShapes(choice(std::move(then), std::move(otherwise)), opset17);
        return inferred ? shapeOfOutput(inferred->graph, 0)
                        : QString::fromStdString(inferred.error().text());
    };
    QCOMPARE(shapes(onCaptured("Add"), onCaptured("Relu")), QString("nx3"));
    QCOMPARE(shapes(onCaptured("Concat", {{"axis", std::int64_t{1}}}), onCaptured("Relu")),
             QString("nxy0.dim1"));
    QCOMPARE(shapes(onCaptured("Relu"), onCaptured("Concat", {{"axis", std::int64_t{0}}})),
             QString("y0.dim0x3"));
    const auto inferred = inferShapes(choice(onCaptured("Relu"), onCaptured("Relu")), opset17);
    QVERIFY(inferred);
    QCOMPARE(inferred->graph.tensor(inferred->graph.outputs()[0]).type, DataType::Float);
    const auto described = describe(inferred->graph, inferred->graph.order()[0], opset17);
    QVERIFY(described && described->isOpaque());
}

void EntriesControlTest::knownConditionTellsTheBranch()
{
    const auto shapeFor = [](bool condition) {
        Sketch outer;
        const TensorId x = outer.input(value("x", DataType::Float, Shape{2, 3}));
        const TensorId known = outer.constant(
            "condition", TensorData::fromBytes(DataType::Bool, {}, {std::byte(condition)}));
        const GraphPointer then = onCaptured("Concat", {{"axis", std::int64_t{0}}});
        const auto inferred = inferShapes(
            outer.finish(outer.call("If", {known}, {"y"},
                                    {{"then_branch", then}, {"else_branch", onCaptured("Shape")}},
                                    {x, x, x})),
            opset17);
        return inferred ? shapeOfOutput(inferred->graph, 0)
                        : QString::fromStdString(inferred.error().text());
    };
    QCOMPARE(shapeFor(true), QString("4x3"));
    QCOMPARE(shapeFor(false), QString("2"));
}

void EntriesControlTest::branchesMustAgree()
{
    QString error = errorOf(choice(onCaptured("Relu"), onCaptured("Shape")));
    QVERIFY2(error.contains("the If") && error.contains("float and int64"), qPrintable(error));
    error = errorOf(choice(onCaptured("Relu"), onCaptured("Relu"), 2));
    QVERIFY2(error.contains("produces 1 outputs instead of 2"), qPrintable(error));
}

void EntriesControlTest::statesThatStayTheSameKeepTheirShape()
{
    const auto body =
        loopBody([](Sketch &s, TensorId state) { return s.call("Relu", {state}, {"next"}); });
    const auto inferred = inferShapes(loop(body, {Dim::symbol("n"), 4}, {"last"}), opset17);
    QVERIFY2(inferred, inferred ? "" : inferred.error().text().c_str());
    QCOMPARE(shapeOfOutput(inferred->graph, 0), QString("nx4"));
}

void EntriesControlTest::statesThatGrowGetAnExtentOfTheirOwn()
{
    const auto body = loopBody([](Sketch &s, TensorId state) {
        return s.call("Concat", {state, state}, {"next"}, {{"axis", std::int64_t{1}}});
    });
    const auto inferred = inferShapes(loop(body, {2, 4}, {"last"}), opset17);
    QVERIFY2(inferred, inferred ? "" : inferred.error().text().c_str());
    QCOMPARE(shapeOfOutput(inferred->graph, 0), QString("2xlast.dim1"));
    const Graph &inner = *inferred->graph.node(inferred->graph.order()[0]).attributes.graph("body");
    QCOMPARE(QString::fromStdString(text(*inner.tensor(inner.inputs()[2]).shape)),
             QString("2xstate.dim1"));
    QCOMPARE(shapeOfOutput(inner, 1), QString("2xmax(2*state.dim1,state.dim1)"));
    QVERIFY(inferred->warnings.empty());
}

void EntriesControlTest::statesOfChangingRankAreUnknown()
{
    const auto body = loopBody([](Sketch &s, TensorId state) {
        const TensorId axes = s.constant("axes", TensorData::fromInt64s({0}));
        return s.call("Unsqueeze", {state, axes}, {"next"});
    });
    const auto inferred = inferShapes(loop(body, {2, 4}, {"last"}), opset17);
    QVERIFY2(inferred, inferred ? "" : inferred.error().text().c_str());
    QCOMPARE(shapeOfOutput(inferred->graph, 0), QString("unknown"));
    QCOMPARE(inferred->graph.tensor(inferred->graph.outputs()[0]).type, DataType::Float);
}

void EntriesControlTest::stackedOutputsCountIterations()
{
    const auto step = [](Sketch &s, TensorId state) {
        auto next = s.call("Relu", {state}, {"next"});
        next.push_back(
            s.call("ReduceSum", {state}, {"stacked"}, {{"keepdims", std::int64_t{0}}})[0]);
        return next;
    };
    const auto counted = inferShapes(loop(loopBody(step), {2, 4}, {"last", "all"}), opset17);
    QVERIFY2(counted, counted ? "" : counted.error().text().c_str());
    QCOMPARE(shapeOfOutput(counted->graph, 1), QString("5"));
    const auto endless =
        inferShapes(loop(loopBody(step), {2, 4}, {"last", "all"}, std::nullopt), opset17);
    QVERIFY(endless);
    QCOMPARE(shapeOfOutput(endless->graph, 1), QString("all.dim0"));
}

void EntriesControlTest::loopsMustFitTheirBody()
{
    const auto body =
        loopBody([](Sketch &s, TensorId state) { return s.call("Relu", {state}, {"next"}); });
    QString error = errorOf(loop(body, {2}, {"last", "more"}));
    QVERIFY2(error.contains("the Loop") && error.contains("produces 2 outputs instead of 3"),
             qPrintable(error));
    const auto cast = loopBody([](Sketch &s, TensorId state) {
        return s.call("Cast", {state}, {"next"}, {{"to", std::int64_t{7}}});
    });
    error = errorOf(loop(cast, {2}, {"last"}));
    QVERIFY2(error.contains("a state that is float becomes int64"), qPrintable(error));
    Sketch outer;
    const TensorId most = outer.constant("most", five);
    error =
        errorOf(outer.finish(outer.call("Loop", {most, TensorId()}, {"last"}, {{"body", body}})));
    QVERIFY2(error.contains("takes 3 inputs instead of 2"), qPrintable(error));
    Sketch bare;
    error = errorOf(bare.finish(bare.call("Loop", {bare.constant("most", five)}, {"last"})));
    QVERIFY2(error.contains("lacks the nested graph \"body\""), qPrintable(error));
}

void EntriesControlTest::deeplyNestedLoopsAreInferredInTime()
{
    // Every level's state grows, so that every level would have to be looked at again and again.
    const auto grow = [](Sketch &s, TensorId state) {
        return s.call("Concat", {state, state}, {"next"}, {{"axis", std::int64_t{0}}});
    };
    GraphPointer body = loopBody(grow);
    for (int level = 0; level < 40; ++level)
        body = loopBody([&](Sketch &s, TensorId state) {
            return s.call("Loop", {s.constant("most", five), TensorId(), state}, {"next"},
                          {{"body", body}});
        });
    QElapsedTimer timer;
    timer.start();
    const auto inferred = inferShapes(loop(body, {2}, {"last"}), opset17);
    QVERIFY2(inferred, inferred ? "" : inferred.error().text().c_str());
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
}

namespace {

/// A running sum along the sequence: gives the last sum, and all sums.
GraphPointer sumBody()
{
    Sketch body;
    const TensorId sum = body.input(value("sum")), element = body.input(value("element"));
    const auto next = body.call("Add", {sum, element}, {"next"});
    return body.share({next[0], body.call("Identity", next, {"seen"})[0]});
}

Graph scan(Shape sum, Shape sequence, std::vector<Attribute> attributes)
{
    Sketch outer;
    const TensorId initial = outer.input(value("initial", DataType::Float, std::move(sum)));
    const TensorId elements = outer.input(value("elements", DataType::Float, std::move(sequence)));
    attributes.push_back({"body", sumBody()});
    return outer.finish(
        outer.call("Scan", {initial, elements}, {"last", "all"}, std::move(attributes)));
}

} // namespace

void EntriesControlTest::scanTakesSlicesAndStacksThem()
{
    const Attribute one{"num_scan_inputs", std::int64_t{1}};
    const auto inferred = inferShapes(scan({2, 4}, {Dim::symbol("t"), 2, 4}, {one}), opset17);
    QVERIFY2(inferred, inferred ? "" : inferred.error().text().c_str());
    QCOMPARE(shapeOfOutput(inferred->graph, 0), QString("2x4"));
    QCOMPARE(shapeOfOutput(inferred->graph, 1), QString("tx2x4"));
    const auto inside = inferShapes(scan({2, 4}, {2, 9, 4},
                                         {one,
                                          {"scan_input_axes", std::vector<std::int64_t>{1}},
                                          {"scan_output_axes", std::vector<std::int64_t>{-1}}}),
                                    opset17);
    QVERIFY2(inside, inside ? "" : inside.error().text().c_str());
    QCOMPARE(shapeOfOutput(inside->graph, 0), QString("2x4"));
    QCOMPARE(shapeOfOutput(inside->graph, 1), QString("2x4x9"));
}

void EntriesControlTest::scanRefusesWhatDoesNotFit()
{
    QString error = errorOf(scan({2, 4}, {3, 2, 4}, {{"num_scan_inputs", std::int64_t{0}}}));
    QVERIFY2(error.contains("the Scan") && error.contains("num_scan_inputs"), qPrintable(error));
    error = errorOf(scan(
        {2, 4}, {3, 2, 4},
        {{"num_scan_inputs", std::int64_t{1}}, {"scan_input_axes", std::vector<std::int64_t>{3}}}));
    QVERIFY2(error.contains("axis 3 is not a dimension"), qPrintable(error));
    error = errorOf(scan({4}, {3}, {{"num_scan_inputs", std::int64_t{2}}}));
    QVERIFY2(error.contains("lengths 4 and 3"), qPrintable(error));
}

GRAPHLOOM_TESTS(EntriesControlTest)

} // namespace graphloom::test::entries_control_test

#include "entries_control_test.moc"
