// SPDX-License-Identifier: Apache-2.0
// Losses over classes: shapes, refusals, and values worked out by hand.
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::entries_loss_test {

namespace {

using Inputs = OperatorRun::Inputs;

Attribute reduction(const char *kind)
{
    return {"reduction", std::string(kind)};
}
Attribute ignore(std::int64_t index)
{
    return {"ignore_index", index};
}

/// Logarithms of probabilities of three classes, for two elements.
const TensorData scores = floats({2, 3}, {-1, -2, -3, -10, -20, -30});

QString loss(Inputs inputs, std::vector<Attribute> attributes)
{
    return OperatorRun("NegativeLogLikelihoodLoss", std::move(inputs), std::move(attributes))
        .result();
}

} // namespace

class EntriesLossTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reductions();
    void weightsCountInTheMean();
    void ignoredClassesMayLieOutside();
    void classesOutsideGiveNan();
    void positions();
    void crossEntropyOfSoftmax();
    void shapes();
    void refusals();
};

void EntriesLossTest::reductions()
{
    const Inputs inputs{scores, int64s({2}, {2, 0})};
    QCOMPARE(loss(inputs, {reduction("none")}), QString("float 2: 3 10"));
    QCOMPARE(loss(inputs, {reduction("sum")}), QString("float scalar: 13"));
    QCOMPARE(loss(inputs, {}), QString("float scalar: 6.5"));
}

void EntriesLossTest::weightsCountInTheMean()
{
    const Inputs inputs{scores, int64s({2}, {2, 0}), floats({3}, {3, 5, 1})};
    QCOMPARE(loss(inputs, {reduction("none")}), QString("float 2: 3 30"));
    QCOMPARE(loss(inputs, {}), QString("float scalar: 8.25"));
}

void EntriesLossTest::ignoredClassesMayLieOutside()
{
    for (const double ignored : {-7., 99., 1.}) {
        const Inputs plain{scores, int64s({2}, {ignored, 1})},
            weighted{scores, int64s({2}, {ignored, 0}), floats({3}, {2, 5, 1})};
        QCOMPARE(loss(weighted, {ignore(std::int64_t(ignored))}), QString("float scalar: 10"));
        QCOMPARE(loss(plain, {ignore(std::int64_t(ignored)), reduction("none")}),
                 ignored == 1 ? QString("float 2: 0 0") : QString("float 2: 0 20"));
    }
}

void EntriesLossTest::classesOutsideGiveNan()
{
    QCOMPARE(loss({scores, int64s({2}, {3, 0})}, {reduction("none")}), QString("float 2: nan 10"));
}

void EntriesLossTest::positions()
{
    const TensorData image = floats({1, 2, 2}, {-1, -2, -3, -4});
    QCOMPARE(loss({image, int64s({1, 2}, {1, 0})}, {reduction("none")}), QString("float 1x2: 3 2"));
}

void EntriesLossTest::crossEntropyOfSoftmax()
{
    // Softmax of (0, log 3) is (1/4, 3/4); adding 1000 to both changes nothing.
    const TensorData scores = floats({2, 2}, {0, std::log(3.), 1000, 1000 + std::log(3.)});
    const OperatorRun call("SoftmaxCrossEntropyLoss", {scores, int64s({2}, {0, 1})},
                           {reduction("none")}, 2);
    const auto outputs = call.run();
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    const double expected[] = {std::log(1. / 4), std::log(3. / 4)};
    for (int i = 0; i < 4; ++i)
        QVERIFY(std::fabs((*outputs)[1].real(i) - expected[i % 2]) < 1e-4);
    QVERIFY(std::fabs((*outputs)[0].real(0) + expected[0]) < 1e-4);
    QVERIFY(std::fabs((*outputs)[0].real(1) + expected[1]) < 1e-4);
    const OperatorRun mean("SoftmaxCrossEntropyLoss", {scores, int64s({2}, {0, 1})});
    const auto single = mean.run();
    QVERIFY(single && std::fabs((*single)[0].real(0) + (expected[0] + expected[1]) / 2) < 1e-4);
}

void EntriesLossTest::shapes()
{
    const Shape scores{Dim::symbol("n"), 10, 7};
    const Given target(Shape{Dim::symbol("n"), 7}, DataType::Int64);
    const OperatorCase mean("SoftmaxCrossEntropyLoss", {scores, target}, {}, 2);
    QCOMPARE(QString::fromStdString(mean.shape(0)), QString("scalar"));
    QCOMPARE(QString::fromStdString(mean.shape(1)), QString("nx10x7"));
    QCOMPARE(mean.mapping(), MappingType::ManyToMany);
    const OperatorCase none("NegativeLogLikelihoodLoss", {scores, target}, {reduction("none")});
    QCOMPARE(QString::fromStdString(none.shape()), QString("nx7"));
    QCOMPARE(none.mapping(), MappingType::OneToMany); // looked up
}

void EntriesLossTest::refusals()
{
    const auto refused = [](const OperatorRun &call, const char *reason) {
        if (!call.refusal().contains(reason))
            qWarning("%s", qPrintable(call.refusal()));
        return call.refusal().contains(reason);
    };
    const TensorData target = int64s({2}, {2, 0});
    for (const char *op : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) {
        QVERIFY(refused({op, {scores, int64s({3}, {0, 0, 0})}}, "do not match"));
        QVERIFY(refused({op, {scores, int64s({2, 1}, {0, 0})}}, "do not match"));
        QVERIFY(refused({op, {scores, floats({2}, {0, 0})}}, "do not match"));
        QVERIFY(refused({op, {scores, target, floats({2}, {0, 0})}}, "3 classes"));
        QVERIFY(refused({op, {scores, target}, {reduction("product")}}, "\"product\""));
    }
}

GRAPHLOOM_TESTS(EntriesLossTest)

} // namespace graphloom::test::entries_loss_test

#include "entries_loss_test.moc"
