// SPDX-License-Identifier: Apache-2.0
// Gradients against central differences of what the stages compute.
#include "engine/ops/describe/stage.h"
#include "engine/ops/gradient/adjoint.h"
#include "tests/support/gradient_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::adjoint_test {

class AdjointTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isTheLimitOfDifferences_data();
    void isTheLimitOfDifferences();
    void whatHasNoGradient();
    void tiesShareTheGradient();
    void productsWithZeros();
};

namespace {

/// Calls that the examples of the table do not show.
const std::pair<const char *, const char *> variants[] = {
    {"Conv", "[1,3,7,8] [2,3,3,3] [2] strides=2,2 pads=1,0,1,2"},
    {"Conv", "[1,4,7,7] [6,2,3,2] strides=2,3 dilations=3,2 group=2 pads=2,2,2,2"},
    {"Conv", "[1,3,6,6] [2,3,1,1] strides=2,2"},
    {"Conv", "[1,3,6,6] [2,3,2,2] strides=2,2"},
    {"Conv", "[1,3,6,6] [2,3,3,3] strides=1,1 dilations=2,2 pads=2,2,2,2"},
    {"Conv", "[2,3,9] [2,3,5] strides=4, auto_pad=SAME_UPPER"},
    {"Conv", "[1,4,6,6] [4,1,3,3] group=4 pads=1,1,1,1"},
    {"Conv", "[1,2,18,18] [2,2,9,10] strides=9,10"},
    {"Conv", "[1,1,20,20] [1,1,11,13] strides=9,8 pads=3,3,3,3"},
    {"ConvTranspose", "[1,4,5,5] [4,3,3,3] [3] strides=2,2 pads=1,1,1,1"},
    {"ConvTranspose", "[1,4,5,5] [4,3,4,4] strides=2,2 pads=1,1,1,1"},
    {"ConvTranspose", "[1,4,5,5] [4,2,3,3] pads=1,1,1,1 group=2"},
    {"ConvTranspose", "[1,4,4,4] [4,3,3,3] dilations=2,2 strides=3,2 output_padding=1,1"},
    {"AveragePool", "[1,2,7,7] kernel_shape=3,3 strides=2,2 pads=1,1,1,1"},
    {"AveragePool",
     "[1,2,7,7] kernel_shape=3,3 strides=2,2 pads=1,1,1,1 count_include_pad=1 ceil_mode=1"},
    {"MaxPool", "[1,2,7,7] kernel_shape=3,3 strides=2,2 pads=1,1,1,1"},
    {"MaxPool", "[1,2,7,7] kernel_shape=3,3 strides=2,2 pads=1,1,1,1 ->2"},
    {"MaxPool", "[1,2,7,7] kernel_shape=2,2 dilations=2,2 storage_order=1 ->2"},
    {"LpPool", "[1,2,7,7] kernel_shape=3,2 strides=2,1 p=3"},
    {"Gemm", "[8,6] [8,4] [6,1] transA=1 alpha=0.5 beta=2.0"},
    {"MatMul", "[3,1,4,6] [2,6,5]"},
    {"MatMul", "[6] [2,6,5]"},
    {"MatMul", "[4,6] [6]"},
    {"Einsum", "[4,4,3] [3,4] equation=iij,jk->ik"},
    {"Einsum", "[4,4] equation=ii->i"},
    {"Einsum", "[2,3] [3,4] [4] equation=ab,bc,c->a"},
    {"Add", "[2,8,6,6] [8,1,1]"},
    {"Mul", "[2,1,6] [4,1]"},
    {"Div", "[2,1,6] [4,1]"},
    {"Max", "[2,6] [6] [2,1]"},
    {"Where", "bool[2,6] [6] [2,1]"},
    {"Cast", "[2,6] to=11"},
    {"Clip", "[2,6] (=-0.4) (=0.5)"},
    {"Reshape", "[6,4] (4,6)"},
    {"Reshape", "[2,6,4,3] (2,4,18)"},
    {"Slice", "[9,8] (8,1) (-9,7) (0,1) (-2,3)"},
    {"Slice", "[9,8] (2) (5) (0)"},
    {"Pad", "[4,5] (1,2,2,1) mode=reflect"},
    {"Pad", "[4,5] (1,2,2,1) mode=edge"},
    {"Pad", "[4,5] (1,2,2,1) mode=wrap"},
    {"Pad", "[4,5] (1,-1,2,1) [1]"},
    {"Tile", "[2,3] (2,3)"},
    {"DepthToSpace", "[1,8,3,3] blocksize=2 mode=CRD"},
    {"Gather", "[7,5] int64[2,3]"},
    {"GatherND", "[3,6,4] int64[3,2,1] batch_dims=1"},
    {"ScatterElements", "[8,6] int64[8,3] [8,3] axis=1 reduction=mul"},
    {"ScatterElements", "[8,6] int64[8,3] [8,3] axis=1 reduction=add"},
    {"ScatterElements", "[8,6] int64[8,3] [8,3] axis=1 reduction=max"},
    {"ScatterND", "[8,6,4] int64[3,2] [3,4] reduction=min"},
    {"Resize", "[1,2,5,6] _ _ (1,2,8,9) mode=linear"},
    {"Resize", "[1,2,8,9] _ _ (1,2,5,6) mode=cubic antialias=1"},
    {"Resize", "[1,2,5,6] _ _ (1,2,8,9) mode=cubic exclude_outside=1"},
    {"Resize", "[1,2,5,6] _ (1.0,1.0,1.7,0.6) nearest_mode=ceil"},
    {"BatchNormalization", "[3,4,5,5] [4] [4] [4] [4] training_mode=1"},
    {"BatchNormalization", "[3,4,5,5] [4] [4] [4] [4] training_mode=1 ->3"},
    {"LayerNormalization", "[2,8,12] [12] [12] ->3"},
    {"LayerNormalization", "[2,4,12] [4,12] axis=1 ->3"},
    {"LayerNormalization", "[2,4,12] [1,12] axis=1"},
    {"com.microsoft.SkipLayerNormalization", "[2,6,8] [2,6,8] [8] [8] [8] ->4"},
    {"Softmax", "[3,4,5] axis=1"},
    {"LogSoftmax", "[3,4,5] axis=1"},
    {"LpNormalization", "[3,4,5] p=1 axis=1"},
    {"ReduceProd", "[3,4,5] (1)"},
    {"ReduceMax", "[3,4,5] (0,2) keepdims=0"},
    {"CumSum", "[3,5] (=1) exclusive=1 reverse=1"},
    {"NegativeLogLikelihoodLoss", "[3,5,2] int64[3,2] [5] ignore_index=1"},
    {"NegativeLogLikelihoodLoss", "[3,5,2] int64[3,2] reduction=none"},
    {"SoftmaxCrossEntropyLoss", "[3,5,2] int64[3,2] [5] ignore_index=1 ->2"},
    {"SoftmaxCrossEntropyLoss", "[3,5,2] int64[3,2] reduction=none"},
    {"SoftmaxCrossEntropyLoss", "[3,5] int64[3] reduction=sum ->2"},
    {"SoftmaxCrossEntropyLoss", "[3,5,2] int64[3,2] [5] ignore_index=1"},
    {"SoftmaxCrossEntropyLoss", "[3,5] int64[3]"},
    {"GridSample", "[1,2,5,6] [1,3,4,2] mode=cubic padding_mode=border align_corners=1"},
    {"GridSample", "[1,2,5,6] [1,3,4,2] padding_mode=reflection"},
    {"RoiAlign", "[2,3,6,6] [3,4] int64[3] output_height=2 output_width=2 sampling_ratio=2"},
    {"RoiAlign",
     "[2,3,6,6] [3,4] int64[3] output_height=2 output_width=2 sampling_ratio=2 mode=max"},
    {"DeformConv", "[1,4,6,6] [4,2,3,3] [1,36,3,3] [4] [1,18,3,3] group=2 offset_group=2 "
                   "strides=2,2 pads=1,1,1,1"},
    {"Col2Im", "[1,8,16] (5,5) (2,2)"},
    {"com.microsoft.FusedConv", "[1,3,6,6] [2,3,3,3] [2] [1,2,4,4] activation=Relu"},
    {"com.microsoft.FusedConv", "[1,3,6,6] [2,3,3,3] activation=LeakyRelu activation_params=0.1,"},
    {"com.microsoft.Attention",
     "[2,5,8] [8,24] [24] _ [2,2,2,3,4] num_heads=2 unidirectional=1 ->2"},
    {"STFT", "[1,64,1] (=8) [16]"},
    {"DFT", "[2,9,1] axis=1 inverse=0 onesided=1"},
    {"Dropout", "[4,5] (=0.25) (=1) seed=3 ->2"},
};

} // namespace

void AdjointTest::isTheLimitOfDifferences_data()
{
    QTest::addColumn<GradientCase>("call");
    QTest::addColumn<int>("input");
    const auto add = [](const GradientCase &call) {
        for (int input = 0; input < int(call.inputs()); ++input)
            if (call.isReal(input) && call.gradientBy(input))
                QTest::addRow("%s by %d", call.name().c_str(), input) << call << input;
    };
    // The example of Cast gives float16, whose steps are longer than the differences.
    for (const Operator &entry : operatorTable())
        if (const auto call = GradientCase::of(entry); call && entry.name != "Cast")
            add(*call);
    for (const auto &[name, words] : variants) {
        const auto call = GradientCase::of(name, words);
        QVERIFY2(call.isValid(), words);
        add(call);
    }
}

void AdjointTest::isTheLimitOfDifferences()
{
    QFETCH(GradientCase, call);
    QFETCH(int, input);
    const QString difference = call.greatestDifference(input);
    QVERIFY2(difference.isEmpty(), qPrintable(difference));
}

void AdjointTest::whatHasNoGradient()
{
    QStringList found;
    for (const Operator &entry : operatorTable()) {
        const auto call = GradientCase::of(entry);
        if (!call)
            continue;
        QString inputs;
        for (int input = 0; input < int(call->inputs()); ++input)
            if (call->isReal(input) && !call->gradientBy(input))
                inputs += QString::number(input);
        if (!inputs.isEmpty())
            found << QString::fromStdString(std::string(entry.name)) + ' ' + inputs;
    }
    // Positions, steps, truth values and shapes; random numbers; what no description tells.
    const QStringList expected{"ArgMax 0",
                               "ArgMin 0",
                               "Bernoulli 0",
                               "CastLike 1",
                               "Ceil 0",
                               "Compress 0",
                               "Det 0",
                               "Equal 01",
                               "EyeLike 0",
                               "Floor 0",
                               "GRU 012",
                               "Greater 01",
                               "GreaterOrEqual 01",
                               "Hardmax 0",
                               "IsInf 0",
                               "IsNaN 0",
                               "LSTM 012",
                               "Less 01",
                               "LessOrEqual 01",
                               "MaxRoiPool 01",
                               "MelWeightMatrix 34",
                               "Multinomial 0",
                               "NonMaxSuppression 01",
                               "NonZero 0",
                               "Optional 0",
                               "QLinearConv 146",
                               "QLinearMatMul 146",
                               "QuantizeLinear 01",
                               "RNN 012",
                               "RandomNormalLike 0",
                               "RandomUniformLike 0",
                               "RoiAlign 01",
                               "Round 0",
                               "Scan 0",
                               "SequenceConstruct 01",
                               "Shape 0",
                               "Sign 0",
                               "Size 0",
                               "SplitToSequence 0",
                               "Unique 0",
                               "Gradient 01"};
    QCOMPARE(found, expected);
}

void AdjointTest::tiesShareTheGradient()
{
    const Stage shares = GradientCase::of("ReduceMax", "[4] (0)").gradientBy(0)->stages.back();
    QCOMPARE(shares.body->fn, Fn::Select);
    const auto ties = GradientCase::of("MaxPool", "[1,1,4,4] kernel_shape=2,2").gradientBy(0);
    QVERIFY(
        std::ranges::any_of(ties->stages, [](const Stage &stage) { return stage.name == "ties"; }));
    // Positions tell one of them.
    const auto first = GradientCase::of("MaxPool", "[1,1,4,4] kernel_shape=2,2 ->2").gradientBy(0);
    QVERIFY(std::ranges::none_of(first->stages,
                                 [](const Stage &stage) { return stage.name == "ties"; }));
}

void AdjointTest::productsWithZeros()
{
    // d/dx of x0 * x1 * x2 where one factor, or two, are 0.
    const TensorData x = numbers(DataType::Double, {3, 3}, {2, 0, 3, 0, 0, 5, 2, 4, 5});
    const OperatorRun call("ReduceProd", {x, int64s({1}, {1})}, {}, 1, 18);
    const auto description = adjoint(call.call(), *call.describe(), 0, {true});
    QVERIFY(description);
    const TensorData y = (*call.run())[0], dy = numbers(DataType::Double, {3, 1}, {1, 1, 1});
    const OperatorRun gradient("Foo", {x, int64s({1}, {1}), y, dy});
    const TensorData *inputs[] = {&x, nullptr, &y, &dy};
    QCOMPARE(textOf((*runStages(*description, gradient.call(), inputs))[0]),
             "double 3x3: 0 6 0 0 0 0 20 10 8");
}

GRAPHLOOM_TESTS(AdjointTest)

} // namespace graphloom::test::adjoint_test

#include "adjoint_test.moc"
