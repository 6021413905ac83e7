// SPDX-License-Identifier: Apache-2.0
// Gradient nodes in graphs: what they read, their shapes, and that they run.
#include "engine/ops/gradient.h"
#include "engine/ops/analysis.h"
#include "engine/ops/infer.h"
#include "engine/runtime/interpreter.h"
#include "tests/support/gradient_case.h"

#include <QTest>

using namespace graphloom;
using namespace graphloom::test;

namespace {

GradientCase caseOf(const QString &op, const QString &words)
{
    const std::string name = op.toStdString();
    const auto dot = name.rfind('.');
    const Operator *entry = dot == name.npos
                                ? findOperator("", name, 99)
                                : findOperator(name.substr(0, dot), name.substr(dot + 1), 99);
    return *GradientCase::of(entry->like(*new std::string(words.toStdString())));
}

/// A graph of one node, and the node of its gradient by an input.
struct GradientGraph {
    Graph graph;
    Opsets opsets;
    NodeId forward, gradient;
    TensorId result;
    std::vector<TensorData> inputs;
    std::vector<TensorId> outputs, outer;
    Shape shape;
    std::string problem;

    GradientGraph(const GradientCase &call, int input)
        : opsets([domain = call.node().domain, opset = call.opset()](std::string_view wanted) {
              return wanted == domain ? opset : std::int64_t{0};
          })
    {
        GraphEditor editor;
        Node node = call.node();
        std::vector<TensorId> external;
        for (int i = 0; i < int(call.inputs()); ++i) {
            node.inputs[std::size_t(i)] = {};
            if (!call.data(i))
                continue;
            node.inputs[std::size_t(i)] = editor.addTensor(call.tensor(i));
            if (call.tensor(i).constant)
                continue;
            external.push_back(node.inputs[std::size_t(i)]);
            inputs.push_back(*call.data(i));
        }
        const auto values = call.outputs();
        for (TensorId &output : node.outputs) {
            Tensor tensor;
            tensor.name = "y" + std::to_string(outputs.size());
            outputs.push_back(output = editor.addTensor(std::move(tensor)));
        }
        forward = editor.addNode(std::move(node));
        for (const TensorData &value : GradientCase::outerGradients(*values)) {
            Tensor tensor = Tensor::of("dy" + std::to_string(outer.size()), value);
            tensor.constant = nullptr;
            outer.push_back({});
            if (!isFloatingPoint(value.type()))
                continue;
            outer.back() = editor.addTensor(std::move(tensor));
            external.push_back(outer.back());
            inputs.push_back(value);
        }
        editor.setInputs(external);
        auto made = gradientNode(editor.graph(), forward, input, outer, opsets);
        if (!made) {
            problem = made.error().text();
            return;
        }
        Tensor tensor;
        tensor.name = "dx";
        result = editor.addTensor(std::move(tensor));
        made->node.outputs = {result};
        shape = made->shape;
        gradient = editor.addNode(std::move(made->node));
        editor.setOutputs({result});
        auto inferred = std::move(editor).finish();
        if (!inferred)
            problem = inferred.error().text();
        else if (auto known = inferShapes(*inferred, opsets); !known)
            problem = known.error().text();
        else
            graph = std::move(known->graph);
    }

    Result<Description> description() const { return describe(graph, gradient, opsets); }

    /// "x0 y0 dy0": what the gradient node reads.
    QString reads() const
    {
        QStringList names;
        const auto number = [](const std::vector<TensorId> &list, TensorId id) {
            return QString::number(std::ranges::find(list, id) - list.begin());
        };
        for (const TensorId id : graph.node(gradient).inputs) {
            if (!id.valid())
                continue;
            if (std::ranges::find(outputs, id) != outputs.end())
                names << "y" + number(outputs, id);
            else if (std::ranges::find(outer, id) != outer.end())
                names << "dy" + number(outer, id);
            else
                names << "x" + number(graph.node(forward).inputs, id);
        }
        return names.join(' ');
    }
};

} // namespace

class GradientTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runInGraphs_data();
    void runInGraphs();
    void readWhatTheyNeed_data();
    void readWhatTheyNeed();
    void areContractions_data();
    void areContractions();
    void keepTheBatch_data();
    void keepTheBatch();
    void lookupsCountOnce();
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
    GradientGraph made(caseOf(op, words), input);
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
    const GradientCase call = caseOf(op, words);
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
    const GradientCase call = caseOf(op, words);
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
    const auto small = *caseOf("Gather", "[7,5] int64[6]").gradientBy(0);
    const auto large = *caseOf("Gather", "[7000,5] int64[6]").gradientBy(0);
    QCOMPARE(flopsOf(small).value(), std::int64_t(30)); // one addition for each element
    QCOMPARE(flopsOf(large).value(), std::int64_t(30));
    // Not a lookup: a sum over a triangle visits all of it.
    const auto triangle = *caseOf("CumSum", "[5] (=0)").gradientBy(0);
    QVERIFY(flopsOf(triangle).value() >= 25);
}

void GradientTest::refusals_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("input");
    QTest::addColumn<QString>("message");
    QTest::newRow("steps") << "Round" << "[2,8]" << 0 << "Round has no gradient by its input 0";
    QTest::newRow("positions") << "ArgMax" << "[2,8]" << 0
                               << "ArgMax has no gradient by its input 0";
    QTest::newRow("integers") << "Gather" << "[7,5] int64[3]" << 1
                              << "Gather has no gradient by its input 1: it holds no real numbers";
    QTest::newRow("opaque") << "Det" << "[2,8,8]" << 0
                            << "Det has no gradient by its input 0: it eliminates row by row";
    QTest::newRow("no such input") << "Relu" << "[2,8]" << 1
                                   << "Relu has no gradient by its input 1: there is no such input";
    QTest::newRow("no mask") << "Dropout" << "[2,8] (=0.5) (=1)" << 0
                             << "has no gradient: it needs its mask as an output";
}

void GradientTest::refusals()
{
    QFETCH(QString, op);
    QFETCH(QString, words);
    QFETCH(int, input);
    QFETCH(QString, message);
    const auto gradient = caseOf(op, words).gradientBy(input);
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

QTEST_GUILESS_MAIN(GradientTest)
#include "gradient_test.moc"
