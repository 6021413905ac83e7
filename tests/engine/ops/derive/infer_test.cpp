// SPDX-License-Identifier: Apache-2.0
// Shapes and known values over whole graphs.
#include "engine/ops/derive/infer.h"
#include "tests/support/opsets.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::infer_test {

using graphloom::test::opset17;

namespace {

/// Builds graphs by operator; every node has one output.
class Builder {
public:
    TensorId input(std::string name, std::optional<Shape> shape, DataType type = DataType::Float)
    {
        Tensor tensor;
        tensor.name = std::move(name);
        tensor.type = type;
        tensor.shape = std::move(shape);
        m_inputs.push_back(m_editor.addTensor(std::move(tensor)));
        return m_inputs.back();
    }
    TensorId constant(std::vector<std::int64_t> values)
    {
        return m_editor.addTensor(
            Tensor::of("c" + std::to_string(m_count++), TensorData::fromInt64s(values)));
    }
    TensorId scalar(std::int64_t value)
    {
        return m_editor.addTensor(
            Tensor::of("c" + std::to_string(m_count++), TensorData::scalar(value)));
    }
    TensorId add(std::string op, std::vector<TensorId> inputs,
                 std::vector<Attribute> attributes = {}, std::optional<Shape> declared = {})
    {
        Tensor tensor;
        tensor.name = "t" + std::to_string(m_count++);
        tensor.shape = std::move(declared);
        const TensorId output = m_editor.addTensor(std::move(tensor));
        Node node;
        node.op = std::move(op);
        node.name = "node of " + m_editor.graph().tensor(output).name;
        node.inputs = std::move(inputs);
        node.outputs = {output};
        node.attributes = Attributes(std::move(attributes));
        m_editor.addNode(std::move(node));
        return output;
    }
    Graph finish(TensorId output)
    {
        m_editor.setInputs(m_inputs);
        m_editor.setOutputs({output});
        return *std::move(m_editor).finish();
    }

private:
    GraphEditor m_editor;
    std::vector<TensorId> m_inputs;
    int m_count = 0;
};

QString shapeIn(const Inference &inference, TensorId id)
{
    const auto &shape = inference.graph.tensor(id).shape;
    return shape ? QString::fromStdString(text(*shape)) : "unknown";
}

} // namespace

class InferTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shapeArithmeticFolds();
    void symbolsStayExpressions();
    void dataDependentExtentsGetSymbols();
    void declaredShapeOfAnUnknownOperatorIsKept();
    void contradictionIsAWarning();
    void declaredExtentsThatAreTooMuch();
    void tooManyDimensions();
    void errorNamesTheNode();
    void comparisonOfAnExtentWithMinusOneIsKnown();
    void listsOfNestedGraphsAreInferred();
};

/// What exporters write for x.view(x.size(0), -1).
void InferTest::shapeArithmeticFolds()
{
    Builder b;
    const TensorId x = b.input("x", Shape{2, 3, 4, 5});
    const TensorId batch = b.add("Gather", {b.add("Shape", {x}), b.scalar(0)});
    const TensorId target =
        b.add("Concat", {b.add("Unsqueeze", {batch, b.constant({0})}), b.constant({-1})},
              {{"axis", std::int64_t{0}}});
    const TensorId y = b.add("Reshape", {x, target});
    const auto inference = inferShapes(b.finish(y), opset17);
    QVERIFY2(inference, inference ? "" : inference.error().text().c_str());
    QCOMPARE(shapeIn(*inference, y), "2x60");
}

void InferTest::symbolsStayExpressions()
{
    Builder b;
    const TensorId x = b.input("x", Shape{Dim::symbol("batch"), Dim::symbol("len"), 12});
    const TensorId length =
        b.add("Slice", {b.add("Shape", {x}), b.constant({1}), b.constant({2}), b.constant({0})});
    const TensorId twice = b.add("Mul", {length, b.constant({2})});
    const TensorId target =
        b.add("Concat", {b.constant({-1}), twice, b.constant({6})}, {{"axis", std::int64_t{0}}});
    const TensorId y = b.add("Reshape", {x, target});
    const auto inference = inferShapes(b.finish(y), opset17);
    QVERIFY2(inference, inference ? "" : inference.error().text().c_str());
    QCOMPARE(shapeIn(*inference, y), "batchx2*lenx6");
}

void InferTest::dataDependentExtentsGetSymbols()
{
    Builder b;
    const TensorId x = b.input("x", Shape{7, 5});
    const TensorId wanted = b.input("wanted", Shape{2}, DataType::Int64);
    const TensorId y = b.add("Expand", {x, wanted});
    const TensorId z = b.add("Relu", {y});
    const auto inference = inferShapes(b.finish(z), opset17);
    QVERIFY2(inference, inference ? "" : inference.error().text().c_str());
    const QString name = QString::fromStdString(inference->graph.tensor(y).name);
    QCOMPARE(shapeIn(*inference, z), name + ".dim0x" + name + ".dim1");
}

void InferTest::declaredShapeOfAnUnknownOperatorIsKept()
{
    Builder b;
    const TensorId y = b.add("NoSuchOperator", {b.input("x", Shape{7})}, {}, Shape{3});
    const auto inference = inferShapes(b.finish(y), opset17);
    QVERIFY(inference);
    QCOMPARE(shapeIn(*inference, y), "3");
}

void InferTest::contradictionIsAWarning()
{
    Builder b;
    const TensorId y = b.add("Relu", {b.input("x", Shape{7})}, {}, Shape{3});
    const auto inference = inferShapes(b.finish(y), opset17);
    QVERIFY(inference);
    QCOMPARE(shapeIn(*inference, y), "7");
    QCOMPARE(inference->warnings.size(), std::size_t{1});
}

void InferTest::declaredExtentsThatAreTooMuch()
{
    // What the file declares takes the place of the extent that only the running model tells.
    const auto inferred = [](std::int64_t declared) {
        Builder b;
        const TensorId y = b.add("NonZero", {b.input("x", Shape{7, 7})}, {}, Shape{2, declared});
        return inferShapes(b.finish(y), opset17);
    };
    QVERIFY(inferred(49));
    const auto refused = inferred(std::int64_t{1} << 62);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.find("more elements than can be addressed") !=
            std::string::npos);
}

void InferTest::tooManyDimensions()
{
    const auto inferred = [](std::size_t rank) {
        Builder b;
        const TensorId y =
            b.add("ConstantOfShape", {b.constant(std::vector<std::int64_t>(rank, 1))});
        return inferShapes(b.finish(y), opset17);
    };
    QVERIFY(inferred(highestRank));
    const auto refused = inferred(highestRank + 1);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.find("65 dimensions") != std::string::npos);
}

void InferTest::errorNamesTheNode()
{
    Builder b;
    const TensorId y = b.add("Add", {b.input("x", Shape{7}), b.input("y", Shape{6})});
    const auto inference = inferShapes(b.finish(y), opset17);
    QVERIFY(!inference);
    QVERIFY(inference.error().where.find("node of") != std::string::npos);
}

/// Exporters guard expand() with Where(Equal(shape, -1), ..): an extent is never -1.
void InferTest::comparisonOfAnExtentWithMinusOneIsKnown()
{
    Builder b;
    const TensorId x = b.input("x", Shape{Dim::symbol("n")});
    const TensorId shape = b.add("Shape", {x});
    const TensorId isMinusOne = b.add("Equal", {shape, b.constant({-1})});
    const TensorId target = b.add("Where", {isMinusOne, b.constant({1}), shape});
    const TensorId y = b.add("Expand", {b.input("one", Shape{1}), target});
    const auto inference = inferShapes(b.finish(y), opset17);
    QVERIFY2(inference, inference ? "" : inference.error().text().c_str());
    QCOMPARE(shapeIn(*inference, y), "n");
}

/// y = -captured.
GraphPointer negation()
{
    GraphEditor editor;
    Tensor tensor;
    tensor.name = "outer";
    const TensorId outer = editor.addTensor(tensor);
    tensor.name = "y";
    const TensorId y = editor.addTensor(tensor);
    Node node;
    node.op = "Neg";
    node.inputs = {outer};
    node.outputs = {y};
    editor.addNode(std::move(node));
    editor.setCaptured({outer});
    editor.setOutputs({y});
    return std::make_shared<const Graph>(*std::move(editor).finish());
}

void InferTest::listsOfNestedGraphsAreInferred()
{
    GraphEditor editor;
    const auto add = [&](std::string name, std::optional<Shape> shape) {
        Tensor tensor;
        tensor.name = std::move(name);
        tensor.type = DataType::Float;
        tensor.shape = std::move(shape);
        return editor.addTensor(std::move(tensor));
    };
    const TensorId a = add("a", Shape{1}), b = add("b", Shape{2, 2}), c = add("c", Shape{3}),
                   y = add("y", std::nullopt);
    Node node;
    node.op = "NotOfOnnx";
    node.attributes = Attributes(
        {{"after", negation()}, {"branches", std::vector<GraphPointer>{negation(), negation()}}});
    node.captures = {a, b, c}; // in the order of the attributes
    node.outputs = {y};
    const NodeId id = editor.addNode(std::move(node));
    editor.setInputs({a, b, c});
    editor.setOutputs({y});
    const auto inference = inferShapes(*std::move(editor).finish(), opset17);
    QVERIFY2(inference, inference ? "" : inference.error().text().c_str());
    QStringList shapes;
    for (const Attribute &attribute : inference->graph.node(id).attributes)
        for (const GraphPointer &graph : graphsOf(attribute.value))
            shapes << QString::fromStdString(text(*graph->tensor(graph->outputs()[0]).shape));
    QCOMPARE(shapes, (QStringList{"1", "2x2", "3"}));
}

GRAPHLOOM_TESTS(InferTest)

} // namespace graphloom::test::infer_test

#include "infer_test.moc"
