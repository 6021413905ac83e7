// SPDX-License-Identifier: Apache-2.0
// Optimizers of ai.onnx.preview.training: values by hand, several tensors, refusals.
#include "engine/ops/describe/stage.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_training_test {

namespace {

const std::string trainingDomain = "ai.onnx.preview.training.";

TensorData scalar(double value)
{
    return floats({1}, {value});
}
TensorData count(double value)
{
    return int64s({}, {value});
}

} // namespace

class EntriesTrainingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void adagrad();
    void adamCorrectsItsRate();
    void momentumStartsWithTheGradient();
    void descent();
    void severalTensors();
    void updatesAreOneToOne();
    void refusals();
};

void EntriesTrainingTest::adagrad()
{
    // Gradient 2 + 0.5 * 1, rate 0.5 / (1 + 1 * 0.5), squares 1 + 2.5^2.
    const OperatorRun call(
        trainingDomain + "Adagrad", {floats({}, {0.5}), count(1), scalar(1), scalar(2), scalar(1)},
        {{"decay_factor", 0.5f}, {"norm_coefficient", 0.5f}, {"epsilon", 0.f}}, 2, 1);
    QCOMPARE(call.result(1), QString("float 1: 7.25"));
    QCOMPARE(call.result(0), QString("float 1: 0.690508"));
}

void EntriesTrainingTest::adamCorrectsItsRate()
{
    const std::vector<Attribute> attributes{{"alpha", 0.5f}, {"beta", 0.5f}, {"epsilon", 0.f}};
    const auto updated = [&](double updates) {
        return OperatorRun(
                   trainingDomain + "Adam",
                   {floats({}, {1}), count(updates), scalar(0), scalar(1), scalar(0), scalar(0)},
                   attributes, 3, 1)
            .result();
    };
    QCOMPARE(updated(0), QString("float 1: -0.707107"));
    QCOMPARE(updated(2), QString("float 1: -0.816497")); // by sqrt(1 - 0.25) / (1 - 0.25)
}

void EntriesTrainingTest::momentumStartsWithTheGradient()
{
    const std::vector<Attribute> attributes{{"alpha", 0.5f},
                                            {"beta", 0.25f},
                                            {"norm_coefficient", 0.f},
                                            {"mode", std::string("standard")}};
    const auto updated = [&](double updates) {
        return OperatorRun(trainingDomain + "Momentum",
                           {floats({}, {1}), count(updates), scalar(10), scalar(4), scalar(2)},
                           attributes, 2, 1)
            .result();
    };
    QCOMPARE(updated(0), QString("float 1: 5")); // 10 - (0.5 * 2 + 4)
    QCOMPARE(updated(1), QString("float 1: 8")); // 10 - (0.5 * 2 + 0.25 * 4)
}

void EntriesTrainingTest::descent()
{
    const OperatorRun call("com.microsoft.SGDOptimizer", {floats({}, {0.5}), scalar(3), scalar(2)},
                           {}, 2, 1);
    QCOMPARE(call.result(0), QString("float 1: 2"));
    QCOMPARE(call.result(1), QString("float 1: -1"));
}

void EntriesTrainingTest::severalTensors()
{
    const OperatorRun call(trainingDomain + "Adagrad",
                           {floats({}, {1}), count(0), scalar(1), floats({2}, {2, 3}), scalar(1),
                            floats({2}, {0, 2}), scalar(0), floats({2}, {1, 0})},
                           {{"epsilon", 0.f}}, 4, 1);
    QCOMPARE(call.result(0), QString("float 1: 0"));
    QCOMPARE(call.result(1), QString("float 2: 2 2"));
    QCOMPARE(call.result(2), QString("float 1: 1"));
    QCOMPARE(call.result(3), QString("float 2: 1 4"));
}

void EntriesTrainingTest::updatesAreOneToOne()
{
    const OperatorRun call(trainingDomain + "Momentum",
                           {floats({}, {1}), count(1), scalar(10), scalar(4), scalar(2)},
                           {{"mode", std::string("nesterov")}}, 2, 1);
    const auto description = call.describe();
    QVERIFY2(description, description ? "" : description.error().text().c_str());
    for (const int input : {2, 3, 4})
        QVERIFY(mappingType(*description, input, 0) == MappingType::OneToOne);
}

void EntriesTrainingTest::refusals()
{
    const std::vector<OperatorRun::Input> inputs{floats({}, {1}), count(0), scalar(1), scalar(1),
                                                 scalar(0)};
    auto many = inputs;
    many.push_back(scalar(1));
    QVERIFY(OperatorRun(trainingDomain + "Adagrad", many, {}, 1, 1)
                .refusal()
                .contains("must be a rate, a count and 3 for each tensor"));
    auto wide = inputs;
    wide[3] = floats({2}, {1, 1});
    QVERIFY(OperatorRun(trainingDomain + "Adagrad", wide, {}, 1, 1)
                .refusal()
                .contains("does not match a tensor of shape 1"));
    QVERIFY(
        OperatorRun(trainingDomain + "Adagrad", inputs, {}, 3, 1).refusal().contains("outputs"));
    QVERIFY(OperatorRun(trainingDomain + "Momentum", inputs, {{"mode", std::string("heavy")}}, 1, 1)
                .refusal()
                .contains("\"heavy\""));
    QVERIFY(OperatorRun("com.microsoft.SGDOptimizer",
                        {floats({}, {1}), scalar(1), floats({2}, {1, 1})}, {}, 1, 1)
                .refusal()
                .contains("does not match a tensor of shape 1"));
    QVERIFY(OperatorRun("com.microsoft.SGDOptimizer", {floats({2}, {1, 1}), scalar(1), scalar(1)},
                        {}, 1, 1)
                .refusal()
                .contains("must be a single number"));
}

GRAPHLOOM_TESTS(EntriesTrainingTest)

} // namespace graphloom::test::entries_training_test

#include "entries_training_test.moc"
