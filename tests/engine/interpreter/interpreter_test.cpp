// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/interpreter.h"

#include "engine/interpreter/random.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/value_type.h"
#include "tests/engine/interpreter/stages/stage_case.h"
#include "tests/support/graph_maker.h"
#include "tests/support/opsets.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <chrono>
#include <cmath>
#include <thread>

namespace graphloom::test::interpreter_test {

using graphloom::test::opset17;

namespace {

using Reals = std::vector<double>;

Reals realsOf(const TensorData &data)
{
    Reals values;
    for (std::int64_t i = 0; i < data.elements(); ++i)
        values.push_back(data.real(i));
    return values;
}

/// Puts graphs together by name.
class Sketch {
public:
    TensorId input(const std::string &name, Shape shape, DataType type = DataType::Float)
    {
        const TensorId id =
            m_editor.addTensor({name, type, std::move(shape), nullptr, nullptr, {}});
        m_inputs.push_back(id);
        return id;
    }
    TensorId captured(const std::string &name)
    {
        const TensorId id =
            m_editor.addTensor({name, DataType::Float, std::nullopt, nullptr, nullptr, {}});
        m_captured.push_back(id);
        return id;
    }
    TensorId constant(TensorData data)
    {
        return m_editor.addTensor(Tensor::of("constant", std::move(data)));
    }
    TensorId call(std::string op, std::vector<TensorId> inputs,
                  std::vector<Attribute> attributes = {}, std::vector<TensorId> captures = {})
    {
        const TensorId output = m_editor.addTensor(
            {op + " result", DataType::Undefined, std::nullopt, nullptr, nullptr, {}});
        Node node;
        node.name = "the " + op;
        node.op = std::move(op);
        node.inputs = std::move(inputs);
        node.outputs = {output};
        node.attributes = Attributes(std::move(attributes));
        node.captures = std::move(captures);
        m_editor.addNode(std::move(node));
        return output;
    }
    Graph finish(std::vector<TensorId> outputs)
    {
        m_editor.setInputs(m_inputs);
        m_editor.setCaptured(m_captured);
        m_editor.setOutputs(std::move(outputs));
        return *std::move(m_editor).finish();
    }

private:
    GraphEditor m_editor;
    std::vector<TensorId> m_inputs, m_captured;
};

TensorData flag(bool value)
{
    return TensorData::fromBytes(DataType::Bool, {}, {std::byte(value)});
}

} // namespace

class InterpreterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsNodesInOrder();
    void resolvesSymbolicExtentsByTheInputs();
    void takesTheBranchOfTheCondition();
    void refusesOtherInputsThanDeclared();
    void namesTheNodeThatCannotBeRun();
    void freesWhatNobodyReadsAnyMore();
    void boundsWhatKernelsGive();
    void boundsWhatLoopsStack();
    void stopsLoopsWithoutNodes();
    void reportsProgressAndStops();
    void givesTheSameForAnyNumberOfThreads();
    void drawsTheSameInputsForTheSameSeed();
    void drawsNoNegativeMeansOfSquares();
    void refusesRandomInputsOfUnknownShape();
    void carriesSequences();
    void checksTypesOfSequences();
    void givesNoSequenceAsTensor();
};

void InterpreterTest::runsNodesInOrder()
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {3});
    const TensorId sum = sketch.call("Add", {x, sketch.constant(floats({10, 20, 30}))});
    const Graph graph = sketch.finish({sketch.call("Mul", {sum, x}), sum, x});
    const auto outputs = interpret(graph, opset17, {floats({1, 2, 3})});
    QVERIFY2(outputs.has_value(), outputs ? "" : outputs.error().text().c_str());
    QCOMPARE(outputs->size(), 3u);
    QCOMPARE(realsOf((*outputs)[0]), (Reals{11, 44, 99}));
    QCOMPARE(realsOf((*outputs)[1]), (Reals{11, 22, 33}));
    QCOMPARE(realsOf((*outputs)[2]), (Reals{1, 2, 3}));
}

void InterpreterTest::resolvesSymbolicExtentsByTheInputs()
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {Dim::symbol("batch"), 2});
    const TensorId flat = sketch.call("Reshape", {x, sketch.constant(integers({-1}))});
    const Graph graph = sketch.finish({sketch.call("Shape", {flat})});
    for (const std::int64_t batch : {1, 5}) {
        const auto outputs =
            interpret(graph, opset17, {*randomTensor(DataType::Float, {batch, 2}, 1)});
        QVERIFY(outputs.has_value());
        QCOMPARE((*outputs)[0].integers(), std::vector<std::int64_t>{2 * batch});
    }
}

void InterpreterTest::takesTheBranchOfTheCondition()
{
    const auto branch = [](const char *op) {
        Sketch nested;
        const TensorId outer = nested.captured("outer");
        const TensorId result = nested.call(op, {outer});
        return std::make_shared<const Graph>(nested.finish({result}));
    };
    Sketch sketch;
    const TensorId condition = sketch.input("condition", {}, DataType::Bool);
    const TensorId x = sketch.input("x", {2});
    // Captures are in the order of the attributes: else before then.
    const TensorId y =
        sketch.call("If", {condition},
                    {{"then_branch", branch("Neg")}, {"else_branch", branch("Exp")}}, {x, x});
    const Graph graph = sketch.finish({y});
    const auto taken = interpret(graph, opset17, {flag(true), floats({1, 2})});
    const auto other = interpret(graph, opset17, {flag(false), floats({0, 0})});
    QVERIFY2(taken && other, (taken ? other : taken).has_value()
                                 ? ""
                                 : (taken ? other : taken).error().text().c_str());
    QCOMPARE(realsOf((*taken)[0]), (Reals{-1, -2}));
    QCOMPARE(realsOf((*other)[0]), (Reals{1, 1}));
}

void InterpreterTest::refusesOtherInputsThanDeclared()
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {Dim::symbol("n"), 2});
    const Graph graph = sketch.finish({sketch.call("Relu", {x})});
    const TensorData right = *randomTensor(DataType::Float, {4, 2}, 1);
    QVERIFY(interpret(graph, opset17, {right}).has_value());
    for (const auto &inputs :
         {std::vector<TensorData>{}, std::vector<TensorData>{right, right},
          std::vector<TensorData>{*randomTensor(DataType::Float, {4, 3}, 1)},
          std::vector<TensorData>{*randomTensor(DataType::Float, {4}, 1)},
          std::vector<TensorData>{*randomTensor(DataType::Double, {4, 2}, 1)}}) {
        const auto refused = interpret(graph, opset17, inputs);
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == Error::Kind::Usage);
    }
}

void InterpreterTest::namesTheNodeThatCannotBeRun()
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {2});
    const Graph graph = sketch.finish({sketch.call("NoSuchOperator", {x})});
    const auto refused = interpret(graph, opset17, {floats({1, 2})});
    QVERIFY(!refused);
    QVERIFY(refused.error().kind == Error::Kind::Model);
    QVERIFY(refused.error().text().find("the NoSuchOperator") != std::string::npos);
}

void InterpreterTest::freesWhatNobodyReadsAnyMore()
{
    // A chain of twenty results of 40 kB, of which two are needed at a time.
    constexpr std::int64_t count = 10'000;
    Sketch sketch;
    TensorId last = sketch.input("x", {count});
    for (int i = 0; i < 20; ++i)
        last = sketch.call("Neg", {last});
    const Graph graph = sketch.finish({last});
    const TensorData x = *randomTensor(DataType::Float, {count}, 1);
    InterpreterOptions options;
    options.maxBytes = 2 * 4 * count;
    const auto outputs = interpret(graph, opset17, {x}, options);
    QVERIFY(outputs.has_value());
    QVERIFY((*outputs)[0] == x); // negated twenty times
    options.maxBytes -= 1;
    const auto refused = interpret(graph, opset17, {x}, options);
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("does not fit into memory") != std::string::npos);
}

void InterpreterTest::boundsWhatKernelsGive()
{
    // As many places as an attribute says: 2^38 of them.
    Sketch sketch;
    const TensorId x = sketch.input("x", {1}, DataType::Int64);
    const TensorId y = sketch.call("TfIdfVectorizer", {x},
                                   {{"mode", std::string("TF")},
                                    {"ngram_counts", std::vector<std::int64_t>{0}},
                                    {"ngram_indexes", std::vector<std::int64_t>{1LL << 38}},
                                    {"pool_int64s", std::vector<std::int64_t>{1}}});
    const auto refused = interpret(sketch.finish({y}), opset17, {integers({1})});
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("does not fit into memory") != std::string::npos);
}

namespace {

/// A loop that never ends by itself, whose body has no nodes. It carries its input along, or
/// stacks the numbers of its iterations.
Graph endless(bool stacks)
{
    Sketch body;
    const TensorId iteration = body.input("iteration", {}, DataType::Int64);
    const TensorId condition = body.input("condition", {}, DataType::Bool);
    const TensorId given = stacks ? iteration : body.input("state", {});
    Sketch sketch;
    const TensorId x = sketch.input("x", {1});
    std::vector<TensorId> inputs{TensorId(), sketch.constant(flag(true))};
    if (!stacks)
        inputs.push_back(x);
    return sketch.finish(
        {sketch.call("Loop", inputs,
                     {{"body", std::make_shared<const Graph>(body.finish({condition, given}))}})});
}

} // namespace

void InterpreterTest::boundsWhatLoopsStack()
{
    InterpreterOptions options;
    options.maxBytes = 1 << 16;
    const auto refused = interpret(endless(true), opset17, {floats({1})}, options);
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("does not fit into memory") != std::string::npos);
}

void InterpreterTest::stopsLoopsWithoutNodes()
{
    std::stop_source source;
    InterpreterOptions options;
    options.stop = source.get_token();
    const std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        source.request_stop();
    });
    QVERIFY(!interpret(endless(false), opset17, {floats({1})}, options));
}

void InterpreterTest::reportsProgressAndStops()
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {2});
    const TensorId a = sketch.call("Neg", {x}), b = sketch.call("Neg", {a});
    const Graph graph = sketch.finish({sketch.call("Neg", {b})});
    std::stop_source source;
    std::vector<double> seen;
    InterpreterOptions options;
    options.stop = source.get_token();
    options.progress = [&](double fraction) {
        seen.push_back(fraction);
        if (seen.size() == 2)
            source.request_stop();
    };
    QVERIFY(!interpret(graph, opset17, {floats({1, 2})}, options));
    QCOMPARE(seen, (Reals{1.0 / 3, 2.0 / 3}));
}

void InterpreterTest::givesTheSameForAnyNumberOfThreads()
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {1, 16, 30, 30});
    const TensorId y =
        sketch.call("Conv", {x, sketch.constant(*randomTensor(DataType::Float, {24, 16, 3, 3}, 2))},
                    {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
    const Graph graph = sketch.finish({sketch.call("Softmax", {y})});
    const TensorData data = *randomTensor(DataType::Float, {1, 16, 30, 30}, 1);
    InterpreterOptions one, three;
    one.threads = 1;
    three.threads = 3;
    const auto a = interpret(graph, opset17, {data}, one),
               b = interpret(graph, opset17, {data}, three);
    QVERIFY(a && b);
    QVERIFY((*a)[0] == (*b)[0]);
}

void InterpreterTest::drawsTheSameInputsForTheSameSeed()
{
    Sketch sketch;
    sketch.input("x", {100});
    sketch.input("ids", {100}, DataType::Int64);
    sketch.input("again", {100});
    const Graph graph = sketch.finish({});
    const auto a = randomInputs(graph, 7), b = randomInputs(graph, 7), c = randomInputs(graph, 8);
    QVERIFY(a && b && c);
    QVERIFY(*a == *b);
    QVERIFY((*a)[0] != (*c)[0]);
    QVERIFY((*a)[0] != (*a)[2]);
    for (const double value : realsOf((*a)[0]))
        QVERIFY(value >= -1 && value <= 1);
    const auto ids = (*a)[1].integers();
    QCOMPARE(std::ranges::count(ids, 0) + std::ranges::count(ids, 1), 100);
    QVERIFY(std::ranges::count(ids, 0) > 20 && std::ranges::count(ids, 1) > 20);
    // On every machine: these are fixed by the definition of the generator.
    QCOMPARE(randomTensor(DataType::Float, {2}, 1)->real(0),
             randomTensor(DataType::Double, {3}, 1)->real(0));
}

/// Adam takes the root of its second moments.
void InterpreterTest::drawsNoNegativeMeansOfSquares()
{
    graphloom::test::GraphMaker maker;
    std::vector<TensorId> inputs;
    for (const char *name : {"rate", "count", "x", "gradient", "first", "second"})
        inputs.push_back(maker.input(name, name == std::string("rate") ? Shape{} : Shape{50}));
    const Graph graph = maker.finish({maker.call("ai.onnx.preview.training.Adam", inputs, {50})});
    const auto values = randomInputs(graph, 7);
    QVERIFY(values);
    const auto negative = [&](std::size_t input) {
        int count = 0;
        for (std::int64_t i = 0; i < 50; ++i)
            count += (*values)[input].real(i) < 0;
        return count;
    };
    QVERIFY(negative(4) > 10);
    QCOMPARE(negative(5), 0);
}

void InterpreterTest::refusesRandomInputsOfUnknownShape()
{
    Sketch symbolic, text;
    symbolic.input("x", {Dim::symbol("n")});
    text.input("words", {3}, DataType::String);
    for (const Graph &graph : {symbolic.finish({}), text.finish({})}) {
        const auto refused = randomInputs(graph, 1);
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == Error::Kind::Usage);
        QVERIFY(refused.error().where.starts_with("input"));
    }
}

namespace {

/// Gives the sequence of x and y, and its length.
Graph pairing()
{
    Sketch sketch;
    const TensorId x = sketch.input("x", {2}), y = sketch.input("y", {1});
    const TensorId pair = sketch.call("SequenceConstruct", {x, y});
    return sketch.finish({sketch.call("Identity", {pair}), sketch.call("SequenceLength", {pair})});
}

} // namespace

void InterpreterTest::carriesSequences()
{
    const auto inferred = inferShapes(pairing(), opset17);
    QVERIFY(inferred);
    const auto outputs = interpretValues(inferred->graph, opset17, {floats({1, 2}), floats({3})});
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    QVERIFY((*outputs)[0].kind() == DataValue::Kind::Sequence);
    QCOMPARE((*outputs)[0].elements().size(), 2u);
    QCOMPARE(realsOf(*(*outputs)[0].elements()[0].tensor()), (Reals{1, 2}));
    QCOMPARE(realsOf(*(*outputs)[0].elements()[1].tensor()), (Reals{3}));
    QCOMPARE(realsOf(*(*outputs)[1].tensor()), (Reals{2}));
}

void InterpreterTest::checksTypesOfSequences()
{
    GraphEditor editor;
    Tensor declared;
    declared.name = "s";
    declared.otherType = valuetype::sequenceOf(valuetype::tensorOf(DataType::Float));
    const TensorId s = editor.addTensor(declared);
    editor.setInputs({s});
    editor.setOutputs({s});
    const Graph graph = *std::move(editor).finish();
    QVERIFY(interpretValues(graph, opset17, {DataValue::sequence({floats({1}), floats({2})})}));
    for (const DataValue &wrong : {DataValue(floats({1})), DataValue::optional(floats({1})),
                                   DataValue::sequence({TensorData::scalar(1)}),
                                   DataValue::sequence({DataValue::sequence({floats({1})})})}) {
        const auto refused = interpretValues(graph, opset17, {wrong});
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == Error::Kind::Usage);
    }
}

void InterpreterTest::givesNoSequenceAsTensor()
{
    const auto refused = interpret(pairing(), opset17, {floats({1, 2}), floats({3})});
    QVERIFY(!refused);
    QVERIFY(refused.error().kind == Error::Kind::Model);
    QVERIFY(refused.error().where.find("Identity result") != std::string::npos);
}

GRAPHLOOM_TESTS(InterpreterTest)

} // namespace graphloom::test::interpreter_test

#include "interpreter_test.moc"
