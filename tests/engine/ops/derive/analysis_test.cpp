// SPDX-License-Identifier: Apache-2.0
// What is derived from descriptions: shapes, work, D-Graph edges, reuse, weights, formulas.
#include "engine/ops/describe/stage.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::analysis_test {

using graphloom::test::Given;
using graphloom::test::OperatorCase;

namespace {

/// "input.dim>output.dim" for each edge, sorted; windows as "s/before/after" behind.
QString edgesOf(const Description &description)
{
    QStringList list;
    for (const DimensionEdge &e : dimensionEdges(description)) {
        QString edge =
            QString("%1.%2>%3.%4").arg(e.input).arg(e.inputDim).arg(e.output).arg(e.outputDim);
        if (!(e.inputStep == Dim(1)) || !(e.outputStep == Dim(1)))
            edge += QString("*%1:%2").arg(e.inputStep.text().c_str(), e.outputStep.text().c_str());
        if (!(e.stride == Dim(1)) || !(e.before == Dim(0)) || !(e.after == Dim(0)))
            edge +=
                QString("@%1/%2/%3")
                    .arg(e.stride.text().c_str(), e.before.text().c_str(), e.after.text().c_str());
        list << edge;
    }
    list.sort();
    return list.join(' ');
}

QString reuseOf(const OperatorCase &call, int input)
{
    QStringList names;
    for (const ReuseAxis &axis : reuseAxes(call.description(), input))
        names << QString::fromStdString(axis.name);
    names.sort();
    return names.join(' ');
}

QString formula(const OperatorCase &call)
{
    const Description description = call.description();
    QStringList lines;
    for (const Stage &stage : description.stages)
        lines << QString::fromStdString(formulaOf(stage, {"x", "w", "b"}, {"y"}));
    return lines.join('\n');
}

} // namespace

class AnalysisTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void windowsOfAnyExtentAreDescribed();
    void shapes_data();
    void shapes();
    void refusals_data();
    void refusals();
    void matMulEdgesAreThePapers();
    void convolutionEdgesCarryTheHalo();
    void softmaxReducesItsAxis();
    void reshapeEdgesFollowTheOutermostFactor();
    void batchStatisticsReduceTheBatch();
    void reuseOfPointwiseDepthwiseAndDense();
    void macsOfConvolutionAndTransposed();
    void macsOfAnOpaqueCall();
    void trafficCountsWindowOverlapOnce();
    void formulas();
    void axisRolesOfConvolution();
    void channelsByTheRolesOfAxes_data();
    void channelsByTheRolesOfAxes();
};

void AnalysisTest::shapes_data()
{
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<QString>("shape");
    const auto row = [](const char *name, const char *shape, auto... arguments) {
        QTest::newRow(name) << std::make_shared<OperatorCase>(arguments...) << QString(shape);
    };
    using A = std::vector<Attribute>;
    using G = std::vector<Given>;
    const Shape image{1, 3, 224, 224};
    row("conv", "1x32x112x112", "Conv", G{image, Given::weights({32, 3, 3, 3})},
        A{ints("strides", {2, 2}), ints("pads", {1, 1, 1, 1})});
    row("conv SAME_UPPER", "1x32x75x75", "Conv", G{image, Given::weights({32, 3, 4, 4})},
        A{ints("strides", {3, 3}), {"auto_pad", std::string("SAME_UPPER")}});
    row("conv symbolic", "nx32x224x224", "Conv",
        G{Shape{Dim::symbol("n"), 3, 224, 224}, Given::weights({32, 3, 1, 1})}, A{});
    row("conv transpose", "1x16x448x448", "ConvTranspose", G{image, Given::weights({3, 16, 2, 2})},
        A{ints("strides", {2, 2})});
    row("conv transpose centernet", "1x16x32x32", "ConvTranspose",
        G{Shape{1, 3, 16, 16}, Given::weights({3, 16, 4, 4})},
        A{ints("strides", {2, 2}), ints("pads", {1, 1, 1, 1})});
    row("max pool ceil", "1x64x55x55", "MaxPool", G{Shape{1, 64, 111, 111}},
        A{ints("kernel_shape", {3, 3}), ints("strides", {2, 2}), {"ceil_mode", std::int64_t{1}}});
    row("matmul batch", "2x5x3x7", "MatMul", G{Shape{2, 1, 3, 4}, Shape{5, 4, 7}}, A{});
    row("matmul vector", "3", "MatMul", G{Shape{3, 4}, Shape{4}}, A{});
    row("gemm transposed", "3x7", "Gemm", G{Shape{4, 3}, Given::weights({7, 4})},
        A{{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}});
    row("reshape -1 and 0", "2x24x10", "Reshape",
        G{Shape{2, 4, 6, 10}, Given::integers({0, -1, 10})}, A{});
    row("reshape symbolic", "nx12", "Reshape",
        G{Shape{Dim::symbol("n"), 3, 4}, Given::integers({-1, 12})}, A{});
    row("reshape without refinement", "4x6", "Reshape", G{Shape{6, 4}, Given::integers({4, 6})},
        A{});
    row("flatten", "2x240", "Flatten", G{Shape{2, 4, 6, 10}}, A{});
    row("slice negative step", "2x3", "Slice",
        G{Shape{2, 6}, Given::integers({-1}), Given::integers({-1000}), Given::integers({1}),
          Given::integers({-2})},
        A{});
    row("slice symbolic", "n-1", "Slice",
        G{Shape{Dim::symbol("n")}, Given::integers({1}), Given::integers({INT64_MAX})}, A{});
    row("concat", "2x9", "Concat", G{Shape{2, 4}, Shape{2, 5}}, A{{"axis", std::int64_t{-1}}});
    row("concat symbolic", "2xn+5", "Concat", G{Shape{2, Dim::symbol("n")}, Shape{2, 5}},
        A{{"axis", std::int64_t{1}}});
    row("concat with empty", "2x5", "Concat", G{Shape{2, 0}, Shape{2, 5}},
        A{{"axis", std::int64_t{1}}});
    row("gather", "2x3x5x7", "Gather", G{Shape{2, 9, 7}, Given(Shape{3, 5}, DataType::Int64)},
        A{{"axis", std::int64_t{1}}});
    row("pad", "1x5x6", "Pad", G{Shape{1, 3, 4}, Given::integers({0, 1, 2, 0, 1, 0})}, A{});
    row("reduce keeps", "2x1x4", "ReduceMean", G{Shape{2, 3, 4}}, A{ints("axes", {1})});
    row("reduce drops", "2x4", "ReduceSum", G{Shape{2, 3, 4}, Given::integers({-2})},
        A{{"keepdims", std::int64_t{0}}});
    row("reduce to scalar", "scalar", "ReduceMax", G{Shape{2, 3}},
        A{{"keepdims", std::int64_t{0}}});
    row("broadcast", "4x3x5", "Mul", G{Shape{3, 1}, Shape{4, 1, 5}}, A{});
    row("broadcast symbolic", "nx5", "Mul", G{Shape{Dim::symbol("n"), 1}, Shape{1, 5}}, A{});
    row("depth to space", "1x2x6x10", "DepthToSpace", G{Shape{1, 8, 3, 5}},
        A{{"blocksize", std::int64_t{2}}});
    row("tile", "4x9", "Tile", G{Shape{2, 3}, Given::integers({2, 3})}, A{});
    row("tile of nothing", "0x3", "Tile", G{Shape{2, 3}, Given::integers({0, 1})}, A{});
    row("einsum ellipsis", "2x3x5", "Einsum", G{Shape{2, 3, 4}, Shape{2, 4, 5}},
        A{{"equation", std::string("...ij,...jk->...ik")}});
    row("shape", "3", "Shape", G{Shape{2, 3, 4}}, A{});
    row("range", "4", "Range",
        G{Given(TensorData::scalar(1)), Given(TensorData::scalar(11)),
          Given(TensorData::scalar(3))},
        A{});
    row("lstm", "5x1x2x6", "LSTM",
        G{Shape{5, 2, 3}, Given::weights({1, 24, 3}), Given::weights({1, 24, 6})},
        A{{"hidden_size", std::int64_t{6}}});
}

void AnalysisTest::shapes()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(QString, shape);
    QCOMPARE(QString::fromStdString(call->shape()), shape);
}

void AnalysisTest::refusals_data()
{
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<QString>("word");
    const auto row = [](const char *name, const char *word, auto... arguments) {
        QTest::newRow(name) << std::make_shared<OperatorCase>(arguments...) << QString(word);
    };
    using A = std::vector<Attribute>;
    using G = std::vector<Given>;
    row("conv channels", "groups", "Conv", G{Shape{1, 3, 8, 8}, Given::weights({4, 5, 3, 3})}, A{});
    row("conv stride zero", "strides", "Conv", G{Shape{1, 3, 8, 8}, Given::weights({4, 3, 3, 3})},
        A{ints("strides", {0, 0})});
    row("conv window larger than input", "negative", "Conv",
        G{Shape{1, 3, 2, 2}, Given::weights({4, 3, 9, 9})}, A{});
    row("matmul inner", "4 is not 5", "MatMul", G{Shape{3, 4}, Shape{5, 6}}, A{});
    row("broadcast", "broadcast", "Add", G{Shape{3}, Shape{4}}, A{});
    row("reshape count", "number of elements", "Reshape", G{Shape{3, 4}, Given::integers({5, 5})},
        A{});
    row("transpose perm", "permutation", "Transpose", G{Shape{3, 4}}, A{ints("perm", {0, 0})});
    row("axis", "axis 7", "Softmax", G{Shape{3, 4}}, A{{"axis", std::int64_t{7}}});
    row("overflow", "64-bit", "Reshape",
        G{Shape{Dim(std::int64_t{1} << 40), Dim(std::int64_t{1} << 40)}, Given::integers({-1})},
        A{});
    row("missing input", "missing", "MatMul", G{Shape{3, 4}}, A{});
    row("too many inputs", "at most", "Relu", G{Shape{3}, Shape{3}}, A{});
}

void AnalysisTest::refusals()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(QString, word);
    const auto description = call->describe();
    QVERIFY(!description);
    const QString message = QString::fromStdString(description.error().text());
    QVERIFY2(message.contains(word) && message.contains("under test"), qPrintable(message));
    QCOMPARE(description.error().kind, Error::Kind::Model);
}

/// MAGIS section 4.1: (a,1)-(c,1), (a,2)-(c,-1), (b,1)-(c,-1), (b,2)-(c,2), counted from 1 there.
void AnalysisTest::matMulEdgesAreThePapers()
{
    const OperatorCase call("MatMul", {Shape{4, 5}, Shape{5, 6}});
    QCOMPARE(edgesOf(call.description()), "0.0>0.0 0.1>0.-1 1.0>0.-1 1.1>0.1");
}

void AnalysisTest::convolutionEdgesCarryTheHalo()
{
    const OperatorCase call("Conv", {Shape{1, 8, 16, 16}, Shape{4, 8, 3, 3}},
                            {ints("strides", {2, 2}), ints("pads", {1, 1, 1, 1})});
    QCOMPARE(edgesOf(call.description()),
             "0.1>0.-1 0.2>0.2@2/1/1 0.3>0.3@2/1/1 1.0>0.1 1.1>0.-1 1.2>0.-2 1.3>0.-3");
}

void AnalysisTest::softmaxReducesItsAxis()
{
    const OperatorCase call("Softmax", {Shape{4, 5}});
    QCOMPARE(edgesOf(call.description()), "0.0>0.0 0.1>0.-1 0.1>0.-2 0.1>0.1");
}

void AnalysisTest::reshapeEdgesFollowTheOutermostFactor()
{
    const OperatorCase merged("Reshape", {Shape{12, 64}, Given::integers({768})});
    QCOMPARE(edgesOf(merged.description()), "0.0>0.0*1:64");
    const OperatorCase split("Reshape", {Shape{2, 768}, Given::integers({2, 12, 64})});
    QCOMPARE(edgesOf(split.description()), "0.0>0.0 0.1>0.1*64:1");
}

void AnalysisTest::batchStatisticsReduceTheBatch()
{
    const std::vector<Given> inputs{Shape{4, 3, 5, 5}, Shape{3}, Shape{3}, Shape{3}, Shape{3}};
    const OperatorCase inference("BatchNormalization", inputs);
    QVERIFY(!edgesOf(inference.description()).contains("0.0>0.-"));
    const OperatorCase training("BatchNormalization", inputs, {{"training_mode", std::int64_t{1}}},
                                3);
    QVERIFY(edgesOf(training.description()).contains("0.0>0.-1"));
}

/// AGO section III-B: pointwise {o}, depthwise {h, w}, dense {o, h, w}.
void AnalysisTest::reuseOfPointwiseDepthwiseAndDense()
{
    const Shape image{1, 8, 16, 16};
    const std::vector<Attribute> padded{ints("pads", {1, 1, 1, 1})};
    QCOMPARE(reuseOf(OperatorCase("Conv", {image, Given::weights({4, 8, 1, 1})}), 0), "o");
    auto depthwise = padded;
    depthwise.push_back({"group", std::int64_t{8}});
    QCOMPARE(reuseOf(OperatorCase("Conv", {image, Given::weights({8, 1, 3, 3})}, depthwise), 0),
             "h w");
    QCOMPARE(reuseOf(OperatorCase("Conv", {image, Given::weights({4, 8, 3, 3})}, padded), 0),
             "h o w");
    QCOMPARE(reuseOf(OperatorCase("MatMul", {Shape{4, 5}, Shape{5, 6}}), 0), "n");
}

void AnalysisTest::macsOfConvolutionAndTransposed()
{
    const OperatorCase conv("Conv", {Shape{1, 8, 16, 16}, Given::weights({4, 8, 3, 3})});
    QCOMPARE(macsOf(conv.description()).value(), 4 * 8 * 9 * 14 * 14);
    // Each input element meets each of the 2x2 weights once.
    const OperatorCase transposed("ConvTranspose",
                                  {Shape{1, 8, 16, 16}, Given::weights({8, 4, 2, 2})},
                                  {ints("strides", {2, 2})});
    QCOMPARE(macsOf(transposed.description()).value(), 16 * 16 * 8 * 4 * 4);
    const OperatorCase add("Add", {Shape{4}, Shape{4}});
    QCOMPARE(macsOf(add.description()).value(), 0);
    QCOMPARE(flopsOf(add.description()).value(), 4);
}

void AnalysisTest::macsOfAnOpaqueCall()
{
    const Given x(Shape{5, 2, 8});
    const OperatorCase lstm("LSTM", {x, Given::weights({2, 16, 8}), Given::weights({2, 16, 4})},
                            {word("direction", "bidirectional")});
    QCOMPARE(macsOf(lstm.description()).value(), 5 * 2 * 2 * 16 * (8 + 4));
    QCOMPARE(flopsOf(lstm.description()).value(), 2 * 5 * 2 * 2 * 16 * (8 + 4));
    QCOMPARE(macsOf(OperatorCase("NonZero", {x}).description()).value(), 0);
}

void AnalysisTest::trafficCountsWindowOverlapOnce()
{
    const OperatorCase conv("Conv", {Shape{1, 8, 16, 16}, Given::weights({4, 8, 3, 3})});
    const Traffic traffic = trafficOf(conv.description(), conv.call());
    QCOMPARE(traffic.read.value(), 4 * (8 * 16 * 16 + 4 * 8 * 3 * 3));
    QCOMPARE(traffic.written.value(), 4 * 4 * 14 * 14);
    const OperatorCase slice("Slice", {Shape{100}, Given::integers({0}), Given::integers({10})});
    QCOMPARE(trafficOf(slice.description(), slice.call()).read.value(), 40);
}

void AnalysisTest::formulas()
{
    QCOMPARE(formula(OperatorCase("Conv", {Shape{1, 8, 16, 16}, Given::weights({4, 8, 3, 3})},
                                  {ints("strides", {2, 1}), ints("pads", {1, 1, 1, 1})})),
             "y[n,o,h,w] += x[n,i,2*h+r-1,w+s-1] * w[o,i,r,s]");
    QCOMPARE(formula(OperatorCase("Transpose", {Shape{2, 3, 4}}, {ints("perm", {2, 0, 1})})),
             "y[i,j,k] = x[j,k,i]");
    QCOMPARE(formula(OperatorCase("Reshape", {Shape{12, 64}, Given::integers({768})})),
             "y[64*i+j] = x[i,j]");
    QCOMPARE(formula(OperatorCase("Gather", {Shape{9, 7}, Given(Shape{3}, DataType::Int64)})),
             "y[i,j] = x[w[i],j]");
}

void AnalysisTest::axisRolesOfConvolution()
{
    const OperatorCase conv("Conv", {Shape{2, 8, 16, 16}, Given::weights({4, 8, 3, 3})});
    using enum AxisRole;
    const std::vector<AxisRole> expected{Batch,
                                         OutputChannel,
                                         FeatureSpace,
                                         FeatureSpace,
                                         ParameterReduction,
                                         ParameterReduction,
                                         ParameterReduction};
    QVERIFY(axisRoles(conv.description(), 0, 0, 1) == expected);
}

void AnalysisTest::channelsByTheRolesOfAxes_data()
{
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<QString>("channels"); // "in -> out"; empty: none
    const auto row = [](const char *name, const char *channels, auto... arguments) {
        QTest::newRow(name) << std::make_shared<OperatorCase>(arguments...) << QString(channels);
    };
    using A = std::vector<Attribute>;
    using G = std::vector<Given>;
    row("conv", "8 -> 4", "Conv", G{Shape{2, 8, 16, 16}, Given::weights({4, 8, 3, 3})}, A{});
    row("grouped conv", "8 -> 6", "Conv", G{Shape{2, 8, 16, 16}, Given::weights({6, 4, 3, 3})},
        A{{"group", std::int64_t{2}}});
    row("matmul", "16 -> 32", "MatMul", G{Shape{5, 16}, Given::weights({16, 32})}, A{});
    row("gemm transposed", "16 -> 32", "Gemm", G{Shape{5, 16}, Given::weights({32, 16})},
        A{{"transB", std::int64_t{1}}});
    row("matmul of two results", "", "MatMul", G{Shape{5, 16}, Shape{16, 32}}, A{});
    row("add", "", "Add", G{Shape{5, 16}, Given::weights({16})}, A{});
    row("pool", "", "MaxPool", G{Shape{1, 64, 16, 16}}, A{ints("kernel_shape", {3, 3})});
}

void AnalysisTest::channelsByTheRolesOfAxes()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(QString, channels);
    const auto found = channelsOf(call->description(), call->constants());
    QCOMPARE(found ? QString::fromStdString(found->in.text() + " -> " + found->out.text())
                   : QString(),
             channels);
}

/// A window of 2^57 elements takes no table as long: files may declare what they like.
void AnalysisTest::windowsOfAnyExtentAreDescribed()
{
    const OperatorCase call(
        "ConvTranspose", {Shape{1, 1, 2, 3}, Shape{1, 1, 1LL << 57, 3}},
        {{"auto_pad", std::string("SAME_UPPER")}, {"strides", std::vector<std::int64_t>{2, 2}}});
    QCOMPARE(QString::fromStdString(call.shape()), QString("1x1x4x6"));
}

GRAPHLOOM_TESTS(AnalysisTest)

} // namespace graphloom::test::analysis_test

#include "analysis_test.moc"
