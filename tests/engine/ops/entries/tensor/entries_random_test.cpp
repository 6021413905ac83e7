// SPDX-License-Identifier: Apache-2.0
// Operators that draw random numbers, and determinants.
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::entries_random_test {

namespace {

struct Moments {
    double mean = 0, variance = 0, least = HUGE_VAL, most = -HUGE_VAL;
};

Moments momentsOf(const OperatorRun &call)
{
    const auto outputs = call.run();
    if (!outputs)
        qFatal("%s", outputs.error().text().c_str());
    Moments moments;
    const TensorData &data = outputs->front();
    for (std::int64_t i = 0; i < data.elements(); ++i) {
        moments.mean += data.real(i) / double(data.elements());
        moments.variance += data.real(i) * data.real(i) / double(data.elements());
        moments.least = std::min(moments.least, data.real(i));
        moments.most = std::max(moments.most, data.real(i));
    }
    moments.variance -= moments.mean * moments.mean;
    return moments;
}

const Attribute many{"shape", std::vector<std::int64_t>{100, 100}}, seed{"seed", 7.f};

} // namespace

class EntriesRandomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void neverFolded();
    void distributions();
    void seedsDecide();
    void classesByProbability();
    void dropsInTraining();
    void dropsNothingOtherwise();
    void determinants();
    void refusals();
};

void EntriesRandomTest::neverFolded()
{
    const OperatorCase like("RandomNormalLike", {Shape{Dim::symbol("n"), 3}},
                            {{"dtype", std::int64_t{11}}});
    QVERIFY(like.describe() && like.description().isOpaque());
    QCOMPARE(QString::fromStdString(like.shape()), QString("nx3"));
    QCOMPARE(like.description().values[0].type, DataType::Double);
    const OperatorCase uniform("RandomUniform", {}, {many});
    QCOMPARE(QString::fromStdString(uniform.shape()), QString("100x100"));
    QVERIFY(uniform.description().isOpaque());
}

void EntriesRandomTest::distributions()
{
    const Moments normal =
        momentsOf({"RandomNormal", {}, {many, seed, {"mean", 3.f}, {"scale", 2.f}}});
    QVERIFY(std::fabs(normal.mean - 3) < 0.1 && std::fabs(normal.variance - 4) < 0.25);
    const Moments uniform =
        momentsOf({"RandomUniform", {}, {many, seed, {"low", -1.f}, {"high", 2.f}}});
    QVERIFY(std::fabs(uniform.mean - 0.5) < 0.05 && uniform.least >= -1 && uniform.most < 2);
    QVERIFY(uniform.least < -0.99 && uniform.most > 1.99);
    const TensorData quarter = floats({10000}, std::vector<double>(10000, 0.25));
    const Moments coins = momentsOf({"Bernoulli", {quarter}, {seed}});
    QVERIFY(std::fabs(coins.mean - 0.25) < 0.02 && coins.least == 0 && coins.most == 1);
}

void EntriesRandomTest::seedsDecide()
{
    const OperatorRun first("RandomUniform", {}, {many, seed}),
        again("RandomUniform", {}, {many, seed});
    const OperatorRun other("RandomUniform", {}, {many, {"seed", 8.f}});
    QCOMPARE(first.result(), again.result());
    QVERIFY(first.result() != other.result());
    const OperatorRun unseeded("RandomUniform", {}, {many});
    QCOMPARE(unseeded.result(), unseeded.result());
}

void EntriesRandomTest::classesByProbability()
{
    // Logarithms of 1 : 3, and a class that cannot occur.
    const TensorData logarithms = floats({2, 3}, {0, std::log(3.), -1e9, 500, -1e9, -1e9});
    const OperatorRun call("Multinomial", {logarithms},
                           {{"sample_size", std::int64_t{5000}}, seed});
    const auto outputs = call.run();
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    QCOMPARE(outputs->front().type(), DataType::Int32);
    QVERIFY(outputs->front().extents() == (TensorData::Extents{2, 5000}));
    double ones = 0;
    for (std::int64_t i = 0; i < 5000; ++i) {
        QVERIFY(outputs->front().integer(i) < 2);
        ones += double(outputs->front().integer(i)) / 5000;
        QCOMPARE(outputs->front().integer(5000 + i), std::int64_t{0});
    }
    QVERIFY(std::fabs(ones - 0.75) < 0.03);
}

void EntriesRandomTest::dropsInTraining()
{
    constexpr std::int64_t count = 10000;
    const TensorData ones = floats({count}, std::vector<double>(count, 3));
    const TensorData quarter = floats({}, {0.25}), training = numbers(DataType::Bool, {}, {1});
    const Attribute number{"seed", std::int64_t(5)};
    const OperatorRun call("Dropout", {ones, quarter, training}, {number}, 2);
    const auto outputs = call.run();
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    double dropped = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const bool kept = (*outputs)[1].integer(i) != 0;
        dropped += kept ? 0 : 1;
        QCOMPARE((*outputs)[0].real(i), kept ? 4.0 : 0.0); // the expected sum stays the same
    }
    QVERIFY(std::fabs(dropped / count - 0.25) < 0.02);
    QCOMPARE(OperatorRun("Dropout", {ones, quarter, training}, {number}, 2).result(),
             call.result());
    QVERIFY(OperatorRun("Dropout", {ones, quarter, training}, {{"seed", std::int64_t(6)}}, 2)
                .result() != call.result());
    const TensorData all = floats({}, {1});
    QVERIFY(OperatorRun("Dropout", {ones, all, training}).result().contains("its ratio"));
}

void EntriesRandomTest::dropsNothingOtherwise()
{
    const auto isOpaque = [](std::vector<Given> more) {
        std::vector<Given> inputs{Shape{4}};
        inputs.insert(inputs.end(), more.begin(), more.end());
        return OperatorCase("Dropout", inputs, {}, 2).description().isOpaque();
    };
    const Given half(floats({}, {0.5})), zero(floats({}, {0}));
    const Given on(numbers(DataType::Bool, {}, {1})), off(numbers(DataType::Bool, {}, {0}));
    QVERIFY(!isOpaque({}));
    QVERIFY(!isOpaque({half, off}));
    QVERIFY(!isOpaque({zero, on}));
    QVERIFY(isOpaque({half, on}));
    QVERIFY(isOpaque({half, Given(Shape{}, DataType::Bool)})); // the running model tells
}

void EntriesRandomTest::determinants()
{
    QCOMPARE(OperatorRun("Det", {floats({2, 2}, {0, 1, 2, 3})}).result(),
             QString("float scalar: -2"));
    QCOMPARE(OperatorRun(
                 "Det", {floats({2, 3, 3}, {2, 0, 0, 0, 3, 0, 0, 0, 4, 1, 2, 3, 2, 4, 6, 0, 0, 1})})
                 .result(),
             QString("float 2: 24 0"));
    QCOMPARE(OperatorRun("Det", {floats({0, 0}, {})}).result(), QString("float scalar: 1"));
}

void EntriesRandomTest::refusals()
{
    QVERIFY(refused({"RandomUniform", {}}, "lacks the attribute \"shape\""));
    QVERIFY(refused({"RandomUniform", {}, {{"shape", std::vector<std::int64_t>{-1}}}},
                    "negative extent"));
    QVERIFY(refused({"RandomUniform", {}, {many, {"dtype", std::int64_t{8}}}}, "\"dtype\""));
    QVERIFY(refused({"Multinomial", {floats({2}, {0, 0})}}, "of shape 2"));
    QVERIFY(
        refused({"Det", {floats({2, 3}, {0, 0, 0, 0, 0, 0})}}, "square floating-point matrices"));
    QVERIFY(refused({"Det", {floats({2}, {0, 0})}}, "square floating-point matrices"));
}

GRAPHLOOM_TESTS(EntriesRandomTest)

} // namespace graphloom::test::entries_random_test

#include "entries_random_test.moc"
