// SPDX-License-Identifier: Apache-2.0
// Gradients against differences of the loss, in double precision; what the graph looks like.
#include "engine/autodiff/training.h"
#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"
#include "engine/rewrite/terms/builder.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace graphloom::test::training_test {

using test::Sketch;

namespace {

const Opsets opsets = trainingOpsets(test::sketchOpset);

/// The same graph with double in place of float: differences of a loss need the precision.
Graph inDouble(const Graph &graph)
{
    GraphEditor editor(graph);
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || graph.tensor(id).type != DataType::Float)
            continue;
        Tensor tensor = graph.tensor(id);
        tensor.type = DataType::Double;
        if (tensor.constant) {
            std::vector<double> values;
            for (std::int64_t k = 0; k < tensor.constant->elements(); ++k)
                values.push_back(tensor.constant->real(k));
            tensor =
                Tensor::of(tensor.name, TensorData::fromValues<double>(
                                            DataType::Double, tensor.constant->extents(), values));
        }
        editor.setTensor(id, std::move(tensor));
    }
    auto changed = std::move(editor).finish();
    if (!changed)
        qFatal("%s", changed.error().text().c_str());
    return *std::move(changed);
}

TensorId layerNorm(Sketch &s, TensorId x, std::int64_t width)
{
    return s.call("LayerNormalization", {x, s.randomWeight({width}), s.randomWeight({width})});
}
TensorId dense(Sketch &s, TensorId x, std::int64_t from, std::int64_t to)
{
    return s.call("Add", {s.call("MatMul", {x, s.randomWeight({from, to})}), s.randomWeight({to})});
}
TensorId convolution(Sketch &s, TensorId x, std::int64_t from, std::int64_t to)
{
    return s.call("Conv", {x, s.randomWeight({to, from, 3, 3}), s.randomWeight({to})},
                  {test::ints("pads", {1, 1, 1, 1})});
}
TensorId batchNorm(Sketch &s, TensorId x, std::int64_t channels)
{
    return s.call("BatchNormalization", {x, s.randomWeight({channels}), s.randomWeight({channels}),
                                         s.randomWeight({channels}), s.weight({channels}, 0.8f)});
}

TensorId perceptron(Sketch &s)
{
    const TensorId x = s.input("x", {3, 4});
    const TensorId hidden = s.call("Tanh", {dense(s, x, 4, 5)});
    return s.call("Gemm", {hidden, s.randomWeight({3, 5}), s.randomWeight({3})},
                  {{"transB", std::int64_t{1}}});
}
TensorId residual(Sketch &s)
{
    const TensorId x = s.input("x", {2, 2, 6, 6});
    TensorId y = s.call("Relu", {batchNorm(s, convolution(s, x, 2, 3), 3)});
    y = s.call("MaxPool", {y}, {test::ints("kernel_shape", {2, 2}), test::ints("strides", {2, 2})});
    y = s.call("Add", {y, batchNorm(s, convolution(s, y, 3, 3), 3)});
    y = s.call("Flatten", {s.call("GlobalAveragePool", {y})});
    return s.call("Gemm", {y, s.randomWeight({4, 3}), s.randomWeight({4})},
                  {{"transB", std::int64_t{1}}});
}
TensorId transformer(Sketch &s)
{
    const TensorId x = s.input("x", {2, 3});
    const TensorId ids =
        s.call("Cast", {s.call("Abs", {s.call("Floor", {x})})}, {{"to", std::int64_t{7}}});
    TensorId y = s.call("Gather", {s.randomWeight({5, 4}), ids}); // 2x3x4
    const TensorId n = layerNorm(s, y, 4);
    const TensorId q = dense(s, n, 4, 4), k = dense(s, n, 4, 4), v = dense(s, n, 4, 4);
    const TensorId keys = s.call("Transpose", {k}, {test::ints("perm", {0, 2, 1})});
    const TensorId scores = s.call("Div", {s.call("MatMul", {q, keys}), s.number(2)});
    const TensorId mixed = s.call("MatMul", {s.call("Softmax", {scores}), v});
    y = s.call("Add", {y, mixed});
    const TensorId up = dense(s, layerNorm(s, y, 4), 4, 6);
    const TensorId bell = s.call(
        "Add", {s.call("Erf", {s.call("Div", {up, s.number(std::sqrt(2.0f))})}), s.number(1)});
    const TensorId gelu = s.call("Mul", {s.call("Mul", {up, bell}), s.number(0.5f)});
    return s.call("MatMul", {s.call("Add", {y, dense(s, gelu, 6, 4)}), s.randomWeight({4, 7})});
}
TensorId segmentation(Sketch &s)
{
    const TensorId x = s.input("x", {1, 1, 4, 4});
    const TensorId a = s.call("Sigmoid", {convolution(s, x, 1, 2)});
    const TensorId down = s.call(
        "AveragePool", {a}, {test::ints("kernel_shape", {2, 2}), test::ints("strides", {2, 2})});
    const TensorId up = s.call("ConvTranspose", {down, s.randomWeight({2, 3, 2, 2})},
                               {test::ints("strides", {2, 2})});
    const TensorId joined = s.call("Concat", {a, up}, {{"axis", std::int64_t{1}}});
    return convolution(s, joined, 5, 2);
}
TensorId dropping(Sketch &s)
{
    const TensorId x = s.input("x", {3, 4});
    const TensorId yes = s.constant(
        TensorData::fromValues<std::uint8_t>(DataType::Bool, {}, std::vector<std::uint8_t>{1}));
    const TensorId h = s.call("Dropout", {dense(s, x, 4, 6), s.number(0.4f), yes});
    return s.call("Exp", {dense(s, h, 6, 1)});
}
/// One weight in two places, and one that meets itself.
TensorId sharing(Sketch &s)
{
    const TensorId x = s.input("x", {3, 4}), w = s.randomWeight({4, 4}), b = s.randomWeight({4});
    const TensorId y = s.call("MatMul", {s.call("Tanh", {s.call("MatMul", {x, w})}), w});
    return s.call("Add", {s.call("Mul", {y, y}), s.call("Mul", {b, s.call("Mul", {b, x})})});
}

/// Weights that change nothing as they are, and are others after the step.
TensorId ones(Sketch &s)
{
    const TensorId x = s.input("x", {3, 4});
    const TensorId y = s.call("Mul", {s.call("Add", {x, s.weight({4}, 0)}), s.weight({4}, 1)});
    return s.call("Mul", {s.call("Mul", {y, y}), s.weight({3, 4}, 1)});
}

struct Case {
    const char *name;
    TensorId (*sketch)(Sketch &);
    TrainingOptions options;
};
using BatchNorm = TrainingOptions::BatchNorm;
using Kind = TrainingOptions::Loss;
const std::vector<Case> cases = {
    {"perceptron", perceptron, {}},
    {"perceptron, squared error", perceptron, {.loss = Kind::SquaredError}},
    {"residual, statistics of the batch", residual, {}},
    {"residual, stored statistics", residual, {.batchNorm = BatchNorm::Frozen}},
    {"transformer", transformer, {}},
    {"segmentation", segmentation, {}},
    {"dropout", dropping, {}},
    {"shared weights", sharing, {.loss = Kind::SquaredError}},
    {"weights of one and zero", ones, {.loss = Kind::SquaredError}},
};

double lossOf(const TrainingGraph &training, const Graph &graph,
              const std::vector<TensorData> &inputs)
{
    const auto outputs = interpret(graph, opsets, inputs);
    if (!outputs)
        qFatal("%s", outputs.error().text().c_str());
    const auto place = std::ranges::find(graph.outputs(), training.lossValue);
    return (*outputs)[std::size_t(place - graph.outputs().begin())].real(0);
}

/// The loss with one element of a weight moved.
double lossBeside(const TrainingGraph &training, TensorId weight, std::int64_t element, double by,
                  const std::vector<TensorData> &inputs)
{
    Tensor tensor = training.graph.tensor(weight);
    std::vector<double> values;
    for (std::int64_t k = 0; k < tensor.constant->elements(); ++k)
        values.push_back(tensor.constant->real(k) + (k == element ? by : 0));
    GraphEditor editor(training.graph);
    editor.setTensor(
        weight, Tensor::of(tensor.name, TensorData::fromValues<double>(
                                            DataType::Double, tensor.constant->extents(), values)));
    const auto graph = std::move(editor).finish();
    return lossOf(training, *graph, inputs);
}

} // namespace

class TrainingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void differences_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < cases.size(); ++i)
            QTest::newRow(cases[i].name) << int(i);
    }
    /// Of each weight some elements: what gradient descent takes off is the loss' slope.
    void differences()
    {
        QFETCH(int, index);
        const Case &tested = cases[std::size_t(index)];
        Sketch sketch;
        const TensorId y = tested.sketch(sketch);
        TrainingOptions options = tested.options;
        options.learningRate = 0.5;
        const auto training = trainingGraph(inDouble(sketch.finish({y})), opsets, options);
        QVERIFY2(training, training ? "" : training.error().text().c_str());
        QVERIFY(training->unused.empty());
        const auto inputs = randomInputs(training->graph, 5);
        QVERIFY(inputs);
        const auto outputs = interpret(training->graph, opsets, *inputs);
        QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
        for (const ParameterUpdate &update : training->updates) {
            const auto place = std::ranges::find(training->graph.outputs(), update.updated);
            const TensorData &after =
                (*outputs)[std::size_t(place - training->graph.outputs().begin())];
            const TensorData &before = *training->graph.tensor(update.parameter).constant;
            for (std::int64_t k = 0; k < before.elements(); k += 1 + before.elements() / 5) {
                const double h = 1e-6;
                const double slope = (lossBeside(*training, update.parameter, k, h, *inputs) -
                                      lossBeside(*training, update.parameter, k, -h, *inputs)) /
                                     (2 * h);
                const double gradient = (before.real(k) - after.real(k)) / 0.5;
                QVERIFY2(std::abs(slope - gradient) < 1e-6 * std::max(1.0, std::abs(slope)),
                         qPrintable(QString("%1[%2]: %3, not %4")
                                        .arg(QString::fromStdString(
                                            training->graph.tensor(update.parameter).name))
                                        .arg(k)
                                        .arg(gradient)
                                        .arg(slope)));
            }
        }
    }

    /// Each update stands right behind the last node that its gradient needs.
    void updatesComeEarly();
    void outputsAndNames();
    void copiesAreNotKept();
    void gradientsAreHandedOn();
    void adamCarriesMoments();
    void statisticsAreRenewed();
    void whatTheLossDoesNotNeedGoes();
    void labels_data();
    void labels();
    void refusals();
    void capturedValuesAreRefused();
};

void TrainingTest::updatesComeEarly()
{
    Sketch s;
    const auto training = trainingGraph(s.finish({transformer(s)}), opsets, {});
    QVERIFY2(training, training ? "" : training.error().text().c_str());
    const Graph &graph = training->graph;
    for (const ParameterUpdate &update : training->updates)
        QCOMPARE(graph.position(update.node), graph.position(graph.producer(update.gradient)) + 1);
    QCOMPARE(training->forwardNodes + training->backwardNodes + training->updateNodes,
             graph.nodeCount());
    QCOMPARE(training->updateNodes, training->updates.size());
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
        if (graph.contains(TensorId{i}))
            QVERIFY2(graph.tensor(TensorId{i}).shape && isStatic(*graph.tensor(TensorId{i}).shape),
                     graph.tensor(TensorId{i}).name.c_str());
}

void TrainingTest::outputsAndNames()
{
    Sketch s;
    const auto training = trainingGraph(s.finish({perceptron(s)}), opsets, {});
    QVERIFY(training);
    const Graph &graph = training->graph;
    QCOMPARE(graph.outputs()[0], training->lossValue);
    QCOMPARE(graph.tensor(training->lossValue).name, std::string("loss"));
    QCOMPARE(training->updates.size(), std::size_t(4));
    for (const ParameterUpdate &update : training->updates) {
        const std::string &name = graph.tensor(update.parameter).name;
        QCOMPARE(graph.tensor(update.gradient).name, name + ".gradient");
        QCOMPARE(graph.tensor(update.updated).name, name + ".updated");
        QCOMPARE(graph.node(update.node).qualifiedOp(), std::string("com.microsoft.SGDOptimizer"));
        QVERIFY(graph.isOutput(update.updated));
        QVERIFY(graph.tensor(update.parameter).constant);
    }
}

/// Exporters write out conversions that change nothing.
void TrainingTest::copiesAreNotKept()
{
    const auto saved = [](bool converts) {
        Sketch s;
        TensorId y = s.call("Tanh", {dense(s, s.input("x", {3, 4}), 4, 5)});
        if (converts)
            y = s.call("Identity", {s.call("Cast", {y}, {{"to", std::int64_t{1}}})});
        const auto training = trainingGraph(s.finish({dense(s, y, 5, 2)}), opsets, {});
        return training ? std::pair(training->forwardNodes, training->savedBytes)
                        : std::pair(std::size_t(0), std::uint64_t(0));
    };
    QVERIFY(saved(false).first > 0);
    QVERIFY(saved(true) == saved(false));
}

/// Both ways to a sum have the sum's gradient: there is nothing to compute.
void TrainingTest::gradientsAreHandedOn()
{
    Sketch s;
    const TensorId x = s.input("x", {3, 4});
    const TensorId y = s.call("MatMul", {x, s.randomWeight({4, 4})});
    const TensorId sum = s.call("Add", {y, s.call("MatMul", {x, s.randomWeight({4, 4})})});
    const auto training = trainingGraph(s.finish({sum}), opsets, {.loss = Kind::SquaredError});
    QVERIFY(training);
    // Of the squares, and of each product by its weight; a difference hands its own on, too.
    QCOMPARE(training->backwardNodes, std::size_t(3));
}

void TrainingTest::adamCarriesMoments()
{
    Sketch s;
    const auto training = trainingGraph(s.finish({perceptron(s)}), opsets,
                                        {.optimizer = TrainingOptions::Optimizer::Adam});
    QVERIFY(training);
    const Graph &graph = training->graph;
    QCOMPARE(graph.inputs().size(), std::size_t(2 + 1 + 2 * 4)); // x, labels, step, moments
    QCOMPARE(graph.outputs().size(), std::size_t(1 + 3 * 4));
    for (const ParameterUpdate &update : training->updates) {
        QCOMPARE(update.states.size(), std::size_t(2));
        for (const auto &[before, after] : update.states)
            QVERIFY(graph.isInput(before) && graph.isOutput(after));
    }
}

void TrainingTest::statisticsAreRenewed()
{
    for (const bool frozen : {false, true}) {
        Sketch s;
        const auto training =
            trainingGraph(s.finish({residual(s)}), opsets,
                          {.batchNorm = frozen ? BatchNorm::Frozen : BatchNorm::Batch});
        QVERIFY(training);
        QCOMPARE(training->statistics.size(), std::size_t(frozen ? 0 : 4));
        for (const auto &[stored, updated] : training->statistics) {
            QVERIFY(training->graph.tensor(stored).constant);
            QVERIFY(training->graph.isOutput(updated));
            QCOMPARE(training->graph.tensor(updated).name,
                     training->graph.tensor(stored).name + ".updated");
        }
    }
}

void TrainingTest::whatTheLossDoesNotNeedGoes()
{
    Sketch s;
    const TensorId x = s.input("x", {3, 4});
    const TensorId y = dense(s, x, 4, 2), pooled = s.call("Tanh", {dense(s, y, 2, 3)});
    const auto training = trainingGraph(s.finish({y, pooled}), opsets, {});
    QVERIFY(training);
    QCOMPARE(training->updates.size(), std::size_t(2));
    QCOMPARE(training->unused.size(), std::size_t(2));
}

void TrainingTest::labels_data()
{
    QTest::addColumn<QList<int>>("output");
    QTest::addColumn<bool>("product"); // whether a product gives it
    QTest::addColumn<int>("wanted");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("labels");
    const auto row = [](const char *name, QList<int> output, bool product, Kind wanted, Kind kind,
                        const char *labels) {
        QTest::newRow(name) << output << product << int(wanted) << int(kind) << labels;
    };
    using enum TrainingOptions::Loss;
    row("classes", {3, 4}, true, Automatic, CrossEntropy, "3");
    row("one class", {3, 1}, true, Automatic, SquaredError, "3x1");
    row("a language model", {2, 3, 4}, true, Automatic, CrossEntropy, "2x3");
    row("hidden states", {2, 3, 4}, false, Automatic, SquaredError, "2x3x4");
    row("hidden states as classes", {2, 3, 4}, false, CrossEntropy, CrossEntropy, "2x3");
    row("pixels", {2, 3, 5, 5}, false, Automatic, CrossEntropy, "2x5x5");
    row("a mask", {2, 1, 5, 5}, false, Automatic, SquaredError, "2x1x5x5");
    row("a mask of classes", {2, 3, 5, 5}, false, SquaredError, SquaredError, "2x3x5x5");
    row("a list", {7}, false, Automatic, SquaredError, "7");
}

/// Which loss is taken for an output, and what its labels are.
void TrainingTest::labels()
{
    QFETCH(QList<int>, output);
    QFETCH(bool, product);
    QFETCH(int, wanted);
    QFETCH(int, kind);
    QFETCH(QString, labels);
    Sketch s;
    Shape shape(output.begin(), output.end());
    const TensorId x = s.input("x", shape);
    const std::int64_t last = output.back();
    const TensorId y = product ? dense(s, x, last, last) : s.call("Mul", {x, s.weight({last})});
    const auto training = trainingGraph(s.finish({y}), opsets, {.loss = Kind(wanted)});
    QVERIFY2(training, training ? "" : training.error().text().c_str());
    QCOMPARE(int(training->loss), kind);
    QCOMPARE(QString::fromStdString(text(*training->graph.tensor(training->labels).shape)), labels);
}

void TrainingTest::refusals()
{
    const auto refusal = [](const std::function<TensorId(Sketch &, TensorId)> &sketch,
                            const TrainingOptions &options = {}) {
        Sketch s;
        const TensorId x = s.input("x", {Dim(4)});
        const auto training = trainingGraph(s.finish({sketch(s, x)}), opsets, options);
        return training ? std::string() : training.error().text();
    };
    const auto names = [](const std::string &text, const std::string &part) {
        return text.find(part) != std::string::npos;
    };
    const std::string noWeights =
        refusal([](Sketch &s, TensorId x) { return s.call("Relu", {x}); });
    QVERIFY2(names(noWeights, "no weights"), noWeights.c_str());
    const std::string noClasses = refusal(
        [](Sketch &s, TensorId x) {
            return s.call("Mul", {x, s.weight({4})});
        },
        {.loss = Kind::CrossEntropy});
    QVERIFY2(names(noClasses, "no class dimension"), noClasses.c_str());
    const std::string integers = refusal([](Sketch &s, TensorId x) {
        return s.call("Cast", {s.call("Mul", {x, s.weight({4})})}, {{"to", std::int64_t{7}}});
    });
    QVERIFY2(names(integers, "floating-point tensor"), integers.c_str());
    const std::string recurrent = refusal([](Sketch &s, TensorId x) {
        const TensorId steps = s.call("Reshape", {x, s.integers({2, 1, 2})});
        return s.call("RNN", {steps, s.weight({1, 3, 2}), s.weight({1, 3, 3})},
                      {{"hidden_size", std::int64_t{3}}});
    });
    QVERIFY2(names(recurrent, "RNN") && names(recurrent, "weights depend on it"),
             recurrent.c_str());
    const std::string unknown = refusal([](Sketch &s, TensorId x) {
        return s.call("com.example.Odd", {s.call("Mul", {x, s.weight({4})})});
    });
    QVERIFY2(names(unknown, "shape"), unknown.c_str());
}

/// What weights give to a branch would be lost on the way back.
void TrainingTest::capturedValuesAreRefused()
{
    const auto branch = [](const char *op) {
        test::GraphMaker maker;
        const TensorId h = maker.captured("h", {4});
        return std::make_shared<const Graph>(maker.finish({maker.call(op, {h}, {4})}));
    };
    test::GraphMaker maker;
    const TensorId x = maker.input("x", {4}), w = maker.constant("w", test::splat(2, {4}));
    const TensorId h = maker.call("Mul", {x, w}, {4});
    const TensorId least = maker.call("ReduceMin", {x}, {}, {{"keepdims", std::int64_t{0}}});
    const TensorId isLess =
        maker.call("Less", {least, maker.constant("zero", test::floats({}, {0}))}, {});
    const TensorId y =
        maker.call("If", {isLess}, {4},
                   {{"then_branch", branch("Exp")}, {"else_branch", branch("Neg")}}, {h, h});
    const auto inferred = inferShapes(maker.finish({y}), opsets);
    QVERIFY2(inferred, inferred ? "" : inferred.error().text().c_str());
    const auto training = trainingGraph(inferred->graph, opsets, {});
    QVERIFY(!training);
    const std::string text = training.error().text();
    QVERIFY2(text.find("If") != std::string::npos && text.find("branches") != std::string::npos,
             text.c_str());
}

GRAPHLOOM_TESTS(TrainingTest)

} // namespace graphloom::test::training_test

#include "training_test.moc"
