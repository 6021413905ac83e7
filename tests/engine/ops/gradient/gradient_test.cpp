// SPDX-License-Identifier: Apache-2.0
// Gradient nodes in graphs: what they read, their shapes, and that they run.
#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/ops/derive/passing.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/gradient/gradient.h"
#include "tests/support/gradient_graph.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::gradient_test {

class GradientTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runInGraphs_data();
    void runInGraphs();
    void addToSums_data();
    void addToSums();
    void sumsOfOtherShapesAreRefused();
    void readWhatTheyNeed_data();
    void readWhatTheyNeed();
    void areContractions_data();
    void areContractions();
    void keepTheBatch_data();
    void keepTheBatch();
    void lookupsCountOnce();
    void symbolicBatches_data();
    void symbolicBatches();
    void ofGradients();
    void refusals_data();
    void refusals();
    void areFoundByName();
};

void GradientTest::runInGraphs_data()
{
    QTest::addColumn<GradientCase>("call");
    QTest::addColumn<int>("input");
    for (const Operator &entry : operatorTable()) {
        const auto call = GradientCase::of(entry);
        for (int input = 0; call && input < int(call->inputs()); ++input)
            if (call->isReal(input) && call->gradientBy(input))
                QTest::addRow("%s by %d", call->name().c_str(), input) << *call << input;
    }
}

void GradientTest::runInGraphs()
{
    QFETCH(GradientCase, call);
    QFETCH(int, input);
    const GradientGraph made(call, input);
    QCOMPARE(QString::fromStdString(made.problem), QString());
    QCOMPARE(inputOfGradient(made.graph.node(made.gradient)), input);
    QVERIFY(made.graph.tensor(made.result).shape == made.shape);
    const auto values = call.outputs();
    const auto expected = call.gradient(input, *values, GradientCase::outerGradients(*values));
    QVERIFY(expected);
    const auto actual = interpret(made.graph, made.opsets, made.inputs);
    QVERIFY2(actual, actual ? "" : actual.error().text().c_str());
    QCOMPARE(textOf(actual->front(), 9), textOf(*expected, 9));
}

void GradientTest::addToSums_data()
{
    runInGraphs_data();
}

/// As a node behind the gradient would, with a sum that the result may take the place of.
void GradientTest::addToSums()
{
    QFETCH(GradientCase, call);
    QFETCH(int, input);
    const GradientGraph plain(call, input);
    const auto adding = plain.adding(call, input);
    if (!adding)
        QSKIP("the gradient is written by several stages, or to where data say");
    const Node &node = adding->graph.node(adding->gradient);
    QVERIFY(addsToSum(node) && !canAddToSum(node, *adding->description()));
    const auto gradient = interpret(plain.graph, plain.opsets, plain.inputs);
    const auto sum = interpret(adding->graph, adding->opsets, adding->inputs);
    QVERIFY(gradient);
    QVERIFY2(sum, sum ? "" : sum.error().text().c_str());
    const TensorData &before = adding->inputs.back(), &part = gradient->front(),
                     &all = sum->front();
    QVERIFY(all.extents() == part.extents());
    for (std::int64_t i = 0; i < all.elements(); ++i)
        QVERIFY(std::abs(all.real(i) - (before.real(i) + part.real(i))) <= 1e-9);
    const Call described(node, operandsOf(adding->graph, node), adding->opsets(node.domain));
    QCOMPARE(inputsOverwritable(*adding->description(), described),
             std::vector{int(node.inputs.size()) - 1});
}

void GradientTest::sumsOfOtherShapesAreRefused()
{
    const GradientCase call = GradientCase::of("MatMul", "[5,4] [4,3]");
    const auto adding = GradientGraph(call, 1).adding(call, 1);
    QVERIFY(adding);
    GraphEditor editor(adding->graph);
    const TensorId sum = adding->graph.node(adding->gradient).inputs.back();
    Tensor other = adding->graph.tensor(sum);
    other.shape = Shape{3, 4};
    editor.setTensor(sum, std::move(other));
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    const auto described = describe(*graph, adding->gradient, adding->opsets);
    QVERIFY(!described);
    QVERIFY(
        QString::fromStdString(described.error().message).contains("not a sum of such gradients"));
}

void GradientTest::readWhatTheyNeed_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("input");
    QTest::addColumn<QString>("reads");
    const auto row = [](const char *op, const char *words, int input, const char *reads) {
        QTest::addRow("%s %s by %d", op, words, input) << op << words << input << reads;
    };
    row("Relu", "[2,8]", 0, "y0 dy0");
    row("Sigmoid", "[2,8]", 0, "y0 dy0");
    row("LeakyRelu", "[2,8]", 0, "y0 dy0");
    row("LeakyRelu", "[2,8] alpha=-0.5", 0, "x0 dy0"); // the result does not tell the sign
    row("Softplus", "[2,8]", 0, "y0 dy0");
    row("Sin", "[2,8]", 0, "x0 dy0");
    row("Add", "[2,8] [8]", 1, "dy0");
    row("Mul", "[2,8] [8]", 1, "x0 dy0");
    row("Conv", "[1,4,6,6] [6,4,3,3] [6] pads=1,1,1,1", 0, "x1 dy0");
    row("Conv", "[1,4,6,6] [6,4,3,3] [6] pads=1,1,1,1", 1, "x0 dy0");
    row("Conv", "[1,4,6,6] [6,4,3,3] [6] pads=1,1,1,1", 2, "dy0");
    row("MatMul", "[2,4,6] [2,6,5]", 0, "x1 dy0");
    row("ConvTranspose", "[1,4,6,6] [4,3,3,3] strides=2,2", 0, "x1 dy0");
    row("MaxPool", "[1,2,6,6] kernel_shape=2,2 strides=2,2 ->2", 0, "y1 dy0");
    row("MaxPool", "[1,2,6,6] kernel_shape=2,2 strides=2,2", 0, "x0 y0 dy0");
    row("AveragePool", "[1,2,6,6] kernel_shape=2,2", 0, "dy0");
    row("Reshape", "[2,8] (4,4)", 0, "x1 dy0");
    row("Softmax", "[2,8]", 0, "y0 dy0");
    row("LogSoftmax", "[2,8]", 0, "y0 dy0");
    row("ReduceMean", "[2,8] (1)", 0, "x1 dy0");
    row("Dropout", "[2,8] (=0.5) (=1) ->2", 0, "x1 y1 dy0");
    row("Gather", "[7,5] int64[3]", 0, "x1 dy0");
    row("LayerNormalization", "[2,8] [8] [8] ->3", 0, "x0 x1 y1 y2 dy0");
    row("LayerNormalization", "[2,8] [8] [8] ->3", 2, "dy0");
    row("SoftmaxCrossEntropyLoss", "[3,5] int64[3] ->2", 0, "x1 y1 dy0");
    row("com.microsoft.FusedConv", "[1,3,6,6] [2,3,3,3] [2] activation=Relu", 0, "x1 y0 dy0");
}

void GradientTest::readWhatTheyNeed()
{
    QFETCH(QString, op);
    QFETCH(QString, words);
    QFETCH(int, input);
    QFETCH(QString, reads);
    GradientGraph made(GradientCase::of(op.toStdString(), words.toStdString()), input);
    if (op == "LayerNormalization" || op == "SoftmaxCrossEntropyLoss") {
        // Gradients flow into the first output only.
        GraphEditor editor(made.graph);
        std::vector<TensorId> outer(made.outer.size());
        outer[0] = made.outer[0];
        auto node = gradientNode(made.graph, made.forward, input, outer, made.opsets);
        QVERIFY(node);
        node->node.outputs = {made.result};
        editor.replaceNode(made.gradient, node->node);
        made.graph = *std::move(editor).finish();
    }
    QCOMPARE(QString::fromStdString(made.problem), QString());
    QCOMPARE(made.reads(), reads);
}

void GradientTest::areContractions_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("input");
    QTest::addColumn<double>("share"); // of the forward call's multiply-accumulates, at most
    const auto row = [](const char *op, const char *words, int input, double share) {
        QTest::addRow("%s %s by %d", op, words, input) << op << words << input << share;
    };
    for (const int input : {0, 1}) {
        row("MatMul", "[2,4,6] [2,6,5]", input, 1);
        row("Gemm", "[8,6] [4,6] [4] transB=1 alpha=0.5", input, 1);
        row("Conv", "[2,4,8,8] [6,4,3,3] pads=1,1,1,1", input, 1);
        row("Conv", "[2,4,8,8] [6,4,3,3] strides=2,2 pads=1,1,1,1", input, 1);
        row("Conv", "[2,4,8,8] [6,4,1,1] strides=2,2", input, 1);
        row("Conv", "[2,4,8,8] [6,4,4,4] strides=4,4", input, 1);
        row("Conv", "[2,8,9,9] [8,1,3,3] strides=2,2 group=8 pads=1,1,1,1", input, 1.3);
        row("Conv", "[1,3,23,23] [4,3,7,7] strides=2,2 pads=3,3,3,3", input, 1);
        row("ConvTranspose", "[2,4,5,5] [4,6,4,4] strides=2,2 pads=1,1,1,1", input, 1);
        row("ConvTranspose", "[2,4,5,5] [4,6,3,3] strides=1,1 pads=1,1,1,1", input, 1);
    }
}

void GradientTest::areContractions()
{
    QFETCH(QString, op);
    QFETCH(QString, words);
    QFETCH(int, input);
    QFETCH(double, share);
    const GradientCase call = GradientCase::of(op.toStdString(), words.toStdString());
    const auto gradient = call.gradientBy(input);
    QVERIFY(gradient);
    QCOMPARE(classOf(*gradient, {}), OperatorClass::Contraction);
    const double forward = double(macsOf(call.description()).value());
    const double macs = double(macsOf(*gradient).value());
    QVERIFY2(macs <= share * forward && macs >= 0.5 * forward,
             qPrintable(QString("%1 of %2").arg(macs).arg(forward)));
    // Products of two loads and nothing else, which run fast everywhere.
    for (const Stage &stage : gradient->stages)
        if (stage.combine == Combine::Sum) {
            QCOMPARE(stage.body->fn, Fn::Mul);
            QCOMPARE(stage.body.argument(0)->fn, Fn::Load);
            QCOMPARE(stage.body.argument(1)->fn, Fn::Load);
        }
}

void GradientTest::keepTheBatch_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("input");
    QTest::addColumn<bool>("isSummed");
    const auto row = [](const char *op, const char *words, int input, bool isSummed) {
        QTest::addRow("%s %s by %d", op, words, input) << op << words << input << isSummed;
    };
    row("Conv", "[2,4,8,8] [6,4,3,3] pads=1,1,1,1", 0, false);
    row("Conv", "[2,4,8,8] [6,4,3,3] strides=2,2 pads=1,1,1,1", 0, false);
    row("Conv", "[2,4,8,8] [6,4,3,3] strides=2,2 pads=1,1,1,1", 1, true);
    row("Conv", "[2,4,8,8] [6,4,3,3] [6]", 2, true);
    row("MatMul", "[2,4,6] [6,5]", 0, false);
    row("MatMul", "[2,4,6] [6,5]", 1, true);
    row("Gemm", "[8,6] [4,6] [4] transB=1", 0, false);
    row("Gemm", "[8,6] [4,6] [4] transB=1", 1, true);
    row("Gemm", "[8,6] [4,6] [4] transB=1", 2, true);
    row("Softmax", "[2,3,8]", 0, false);
    row("LayerNormalization", "[2,3,8] [8] [8]", 0, false);
    row("LayerNormalization", "[2,3,8] [8] [8]", 1, true);
    row("MaxPool", "[2,2,6,6] kernel_shape=2,2 strides=2,2 ->2", 0, false);
    row("Gather", "[7,5] int64[3]", 0, true);
}

void GradientTest::keepTheBatch()
{
    QFETCH(QString, op);
    QFETCH(QString, words);
    QFETCH(int, input);
    QFETCH(bool, isSummed);
    const GradientCase call = GradientCase::of(op.toStdString(), words.toStdString());
    const auto gradient = call.gradientBy(input);
    QVERIFY(gradient);
    const auto dy = int(call.inputs() + call.outputs()->size());
    bool stays = false, isReduced = false;
    for (const DimensionEdge &edge : dimensionEdges(*gradient)) {
        if (edge.input != dy || edge.inputDim != 0)
            continue;
        stays = stays || edge.outputDim == 0;
        isReduced = isReduced || edge.outputDim < 0;
    }
    QCOMPARE(stays, !isSummed);
    QCOMPARE(isReduced, isSummed);
}

void GradientTest::lookupsCountOnce()
{
    const auto small = *GradientCase::of("Gather", "[7,5] int64[6]").gradientBy(0);
    const auto large = *GradientCase::of("Gather", "[7000,5] int64[6]").gradientBy(0);
    QCOMPARE(flopsOf(small).value(), std::int64_t(30)); // one addition for each element
    QCOMPARE(flopsOf(large).value(), std::int64_t(30));
    // Not a lookup: a sum over a triangle visits all of it.
    const auto triangle = *GradientCase::of("CumSum", "[5] (=0)").gradientBy(0);
    QVERIFY(flopsOf(triangle).value() >= 25);
}

void GradientTest::symbolicBatches_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("input");
    const auto row = [](const char *op, const char *words, int input) {
        QTest::addRow("%s %s by %d", op, words, input) << op << words << input;
    };
    for (const int input : {0, 1}) {
        row("Conv", "[2,4,8,8] [6,4,3,3] strides=2,2 pads=1,1,1,1", input);
        row("MatMul", "[2,4,6] [6,5]", input);
        row("Gemm", "[2,6] [4,6] [4] transB=1", input);
        row("LayerNormalization", "[2,3,8] [8] [8]", input);
        row("Add", "[2,8,6] [8,1]", input);
    }
    row("Relu", "[2,8]", 0);
    row("Softmax", "[2,3,8]", 0);
    row("MaxPool", "[2,2,6,6] kernel_shape=3,3 strides=2,2 ->2", 0);
    row("AveragePool", "[2,2,6,6] kernel_shape=2,2 strides=2,2", 0);
    row("ReduceMean", "[2,3,8] (1,2)", 0);
    row("Flatten", "[2,3,8]", 0);
    row("BatchNormalization", "[2,4,5,5] [4] [4] [4] [4] training_mode=1", 0);
}

void GradientTest::symbolicBatches()
{
    QFETCH(QString, op);
    QFETCH(QString, words);
    QFETCH(int, input);
    const auto call = GradientCase::of(op.toStdString(), words.toStdString());
    const GradientGraph made(call, input, "n");
    QCOMPARE(QString::fromStdString(made.problem), QString());
    QVERIFY(made.graph.tensor(made.result).shape == made.shape);
    if (input == 0)
        QVERIFY(made.shape.front() == Dim::symbol("n"));
    const auto values = call.outputs();
    const auto expected = call.gradient(input, *values, GradientCase::outerGradients(*values));
    const auto actual = interpret(made.graph, made.opsets, made.inputs);
    QVERIFY2(actual, actual ? "" : actual.error().text().c_str());
    QCOMPARE(textOf(actual->front(), 9), textOf(*expected, 9));
}

void GradientTest::ofGradients()
{
    // da = dy * transposed b; its gradient by dy is da' * b.
    const auto call = GradientCase::of("MatMul", "[4,6] [6,5]");
    const GradientGraph made(call, 0);
    const TensorId outer[] = {made.graph.inputs()[0]}; // has the shape of da
    auto second = gradientNode(made.graph, made.gradient, 3, outer, made.opsets);
    QVERIFY2(second, second ? "" : second.error().text().c_str());
    QVERIFY((second->shape == Shape{4, 5}));
    QCOMPARE(inputOfGradient(second->node), 3);
    GraphEditor editor(made.graph);
    Tensor tensor;
    tensor.name = "ddy";
    const TensorId result = editor.addTensor(std::move(tensor));
    second->node.outputs = {result};
    editor.addNode(std::move(second->node));
    editor.setOutputs({result});
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    const auto actual = interpret(*graph, made.opsets, made.inputs);
    QVERIFY2(actual, actual ? "" : actual.error().text().c_str());
    QCOMPARE(textOf(actual->front(), 9), textOf(call.outputs()->front(), 9));
}

void GradientTest::refusals_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("input");
    QTest::addColumn<QString>("message");
    QTest::newRow("steps") << "Round"
                           << "[2,8]" << 0 << "Round has no gradient with respect to input 0";
    QTest::newRow("positions") << "ArgMax"
                               << "[2,8]" << 0 << "ArgMax has no gradient with respect to input 0";
    QTest::newRow("integers")
        << "Gather"
        << "[7,5] int64[3]" << 1
        << "Gather has no gradient with respect to input 1: it is not a floating-point tensor";
    QTest::newRow("opaque")
        << "Det"
        << "[2,8,8]" << 0
        << "Det has no gradient with respect to input 0: it eliminates row by row";
    QTest::newRow("no such input")
        << "Relu"
        << "[2,8]" << 1 << "Relu has no gradient with respect to input 1: there is no such input";
    QTest::newRow("no mask") << "Dropout"
                             << "[2,8] (=0.5) (=1)" << 0
                             << "has no gradient: it needs its mask as an output";
}

void GradientTest::refusals()
{
    QFETCH(QString, op);
    QFETCH(QString, words);
    QFETCH(int, input);
    QFETCH(QString, message);
    const auto gradient = GradientCase::of(op.toStdString(), words.toStdString()).gradientBy(input);
    QVERIFY(!gradient);
    QCOMPARE(QString::fromStdString(gradient.error().message), message);
}

void GradientTest::areFoundByName()
{
    QVERIFY(findOperator(gradientDomain, "Conv", 0));
    QVERIFY(!findOperator(gradientDomain, "Foo", 0));
    Node node;
    node.domain = gradientDomain;
    node.op = "Conv";
    node.outputs.resize(1, TensorId{0});
    QVERIFY(!describe(Call(node, {}, 0))); // without attributes it is of no node
}

GRAPHLOOM_TESTS(GradientTest)

} // namespace graphloom::test::gradient_test

#include "gradient_test.moc"
