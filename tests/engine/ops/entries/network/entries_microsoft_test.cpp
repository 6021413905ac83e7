// SPDX-License-Identifier: Apache-2.0
// Operators that ONNX Runtime's optimizer writes: values by hand or by the operators they fuse.
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace graphloom::test::entries_microsoft_test {

namespace {

const std::string microsoft = "com.microsoft.";

QString run(const std::string &op, std::vector<OperatorRun::Input> inputs,
            std::vector<Attribute> attributes = {}, std::size_t output = 0, int outputs = 1)
{
    return OperatorRun(microsoft + op, std::move(inputs), std::move(attributes), outputs, 1)
        .result(output);
}
QString refusal(const std::string &op, std::vector<OperatorRun::Input> inputs,
                std::vector<Attribute> attributes = {})
{
    return OperatorRun(microsoft + op, std::move(inputs), std::move(attributes), 1, 1).refusal();
}

} // namespace

class EntriesMicrosoftTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void activations();
    void fusedConvolutions();
    void activationsOfConvolutions_data();
    void activationsOfConvolutions();
    void fusedProducts();
    void skipsAndNormalizes();
    void skipsAndNormalizesBySquares();
    void layerNormalization();
    void refusals();
};

void EntriesMicrosoftTest::activations()
{
    const TensorData x = floats({1, 2}, {1, -2});
    QCOMPARE(run("Gelu", {x}), QString("float 1x2: 0.841345 -0.0455003"));
    QCOMPARE(run("FastGelu", {x}), QString("float 1x2: 0.841192 -0.0454023"));
    QCOMPARE(run("QuickGelu", {floats({1}, {1})}), QString("float 1: 0.845796"));
    QCOMPARE(run("QuickGelu", {floats({1}, {1})}, {{"alpha", 1.f}}), QString("float 1: 0.731059"));
    const TensorData shifted = floats({1, 2}, {0.5, 1}), bias = floats({2}, {0.5, -3});
    QCOMPARE(run("BiasGelu", {shifted, bias}), run("Gelu", {x}));
    QCOMPARE(run("FastGelu", {shifted, bias}), run("FastGelu", {x}));
}

void EntriesMicrosoftTest::fusedConvolutions()
{
    const TensorData x = floats({1, 2, 2}, {1, -2, 3, 4}), w = floats({2, 1, 1}, {1, -1});
    const TensorData bias = floats({2}, {0.5, 0}), addend = floats({1, 2, 2}, {1, 1, 1, 1});
    const Attribute groups = integer("group", 2);
    QCOMPARE(run("FusedConv", {x, w, bias}, {groups}), QString("float 1x2x2: 1.5 -1.5 -3 -4"));
    QCOMPARE(run("FusedConv", {x, w, bias, addend}, {groups, word("activation", "Relu")}),
             QString("float 1x2x2: 2.5 0 0 0"));
    QCOMPARE(run("FusedConv", {x, w, std::nullopt, addend}, {groups}),
             QString("float 1x2x2: 2 -1 -2 -3"));
}

void EntriesMicrosoftTest::activationsOfConvolutions_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QList<double>>("parameters");
    QTest::addColumn<QString>("result"); // of 2 and -2
    QTest::newRow("Tanh") << "Tanh" << QList<double>{} << "0.964028 -0.964028";
    QTest::newRow("Sigmoid") << "Sigmoid" << QList<double>{} << "0.880797 0.119203";
    QTest::newRow("LeakyRelu") << "LeakyRelu" << QList<double>{0.25} << "2 -0.5";
    QTest::newRow("Clip") << "Clip" << QList<double>{-1, 1.5} << "1.5 -1";
    QTest::newRow("HardSigmoid") << "HardSigmoid" << QList<double>{0.25, 0.25} << "0.75 0";
}

void EntriesMicrosoftTest::activationsOfConvolutions()
{
    QFETCH(QString, name);
    QFETCH(QList<double>, parameters);
    QFETCH(QString, result);
    const TensorData x = floats({1, 1, 2}, {2, -2}), w = floats({1, 1, 1}, {1});
    std::vector<Attribute> attributes{word("activation", qPrintable(name))};
    if (!parameters.isEmpty())
        attributes.push_back(
            {"activation_params", std::vector<float>(parameters.begin(), parameters.end())});
    QCOMPARE(run("FusedConv", {x, w}, attributes), "float 1x1x2: " + result);
}

void EntriesMicrosoftTest::fusedProducts()
{
    const TensorData a = floats({2, 3}, {1, 2, 3, 4, 5, 6}), b = floats({2, 2}, {1, 0, 2, 1});
    QCOMPARE(run("FusedMatMul", {a, b}, {integer("transA", 1), {"alpha", 0.5f}}),
             QString("float 3x2: 4.5 2 6 2.5 7.5 3"));
    QCOMPARE(run("FusedMatMul", {b, a}), QString("float 2x3: 1 2 3 6 9 12"));
    // [2,3,2] with its first dimension behind the batch of 3: the products of 3 rows of 2.
    const TensorData batches = floats({2, 3, 1}, {1, 2, 3, 4, 5, 6});
    const TensorData weights = floats({3, 1, 1}, {1, 10, 100});
    QCOMPARE(run("FusedMatMul", {batches, weights}, {integer("transBatchA", 1)}),
             QString("float 3x2x1: 1 4 20 50 300 600"));
    QVERIFY(
        mappingType(*OperatorRun(microsoft + "FusedMatMul", {a, b}, {integer("transA", 1)}, 1, 1)
                         .describe(),
                    0, 0) == MappingType::ManyToMany);
}

void EntriesMicrosoftTest::skipsAndNormalizes()
{
    const TensorData x = floats({1, 2, 2}, {1, 1, 5, 0}), skip = floats({1, 2, 2}, {0, 2, 0, 0});
    const TensorData scale = floats({2}, {1, 2}), shift = floats({2}, {0, 0.5});
    const TensorData bias = floats({2}, {0, 1});
    const std::vector<Attribute> exact{{"epsilon", 0.f}};
    const auto output = [&](std::size_t k) {
        return run("SkipLayerNormalization", {x, skip, scale, shift, bias}, exact, k, 4);
    };
    // The sums are 1, 4 and 5, 1.
    QCOMPARE(output(3), QString("float 1x2x2: 1 4 5 1"));
    QCOMPARE(output(1), QString("float 1x2x1: 2.5 3"));
    QCOMPARE(output(2), QString("float 1x2x1: 0.666667 0.5"));
    QCOMPARE(output(0), QString("float 1x2x2: -1 2.5 1 -1.5"));
    // One skip for all of the batch, neither shift nor bias.
    QCOMPARE(run("SkipLayerNormalization", {x, floats({2, 2}, {0, 3, 0, 1}), scale}, exact),
             QString("float 1x2x2: -1 2 1 -2"));
}

void EntriesMicrosoftTest::skipsAndNormalizesBySquares()
{
    const TensorData x = floats({1, 2}, {1, 0}), skip = floats({1, 2}, {0, 7});
    QCOMPARE(run("SkipSimplifiedLayerNormalization", {x, skip, floats({2}, {5, 10})},
                 {{"epsilon", 0.f}}),
             QString("float 1x2: 1 14"));
    const OperatorRun all(microsoft + "SkipSimplifiedLayerNormalization",
                          {x, skip, floats({2}, {5, 10})}, {{"epsilon", 0.f}}, 4, 1);
    QCOMPARE(all.result(2), QString("float 1x1: 0.2"));
    QCOMPARE(all.result(3), QString("float 1x2: 1 7"));
}

void EntriesMicrosoftTest::layerNormalization()
{
    const TensorData x = floats({1, 2}, {1, 3}), scale = floats({2}, {1, 2});
    QCOMPARE(run("LayerNormalization", {x, scale}, {{"epsilon", 0.f}}), QString("float 1x2: -1 2"));
    // Without a domain of its own.
    QCOMPARE(OperatorRun("SimplifiedLayerNormalization", {floats({1, 2}, {1, 7}), scale},
                         {{"epsilon", 0.f}})
                 .result(),
             QString("float 1x2: 0.2 2.8"));
}

void EntriesMicrosoftTest::refusals()
{
    const TensorData x = floats({1, 1, 2}, {2, -2}), w = floats({1, 1, 1}, {1});
    QVERIFY(refusal("FusedConv", {x, w}, {word("activation", "Swish")}).contains("\"Swish\""));
    QVERIFY(
        refusal("FusedConv", {x, w}, {word("activation", "LeakyRelu")}).contains("0 parameters"));
    QVERIFY(refusal("FusedConv", {x, w, std::nullopt, floats({1, 1, 1}, {0})})
                .contains("does not match the output's shape"));
    QVERIFY(refusal("BiasGelu", {x, floats({3}, {0, 0, 0})}).contains("bias of shape 3"));
    QVERIFY(
        refusal("SkipLayerNormalization", {x, floats({1, 1, 3}, {0, 0, 0}), floats({2}, {1, 1})})
            .contains("do not match"));
    QVERIFY(refusal("SkipLayerNormalization", {x, x, floats({3}, {1, 1, 1})})
                .contains("parameter of shape 3"));
}

GRAPHLOOM_TESTS(EntriesMicrosoftTest)

} // namespace graphloom::test::entries_microsoft_test

#include "entries_microsoft_test.moc"
