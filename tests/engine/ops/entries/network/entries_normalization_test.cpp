// SPDX-License-Identifier: Apache-2.0
// Normalizations: values by hand, refusals.
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_normalization_test {

class EntriesNormalizationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void batchesWithoutChannels();
    void parametersForEachChannel();
};

namespace {

const Attribute training{"training_mode", std::int64_t{1}}, exact{"epsilon", 0.f},
    half{"momentum", 0.5f};

std::vector<OperatorRun::Input> batch(const TensorData &x, std::int64_t parameters)
{
    const std::vector<double> ones(std::size_t(parameters), 1), zeros(std::size_t(parameters), 0);
    const auto scale = floats({parameters}, ones), bias = floats({parameters}, zeros);
    return {x, scale, bias, /*mean*/ bias, /*variance*/ scale};
}

} // namespace

/// An input of rank 1 is one channel.
void EntriesNormalizationTest::batchesWithoutChannels()
{
    const TensorData x = floats({2}, {1, 5}); // mean 3, variance 4
    QCOMPARE(OperatorRun("BatchNormalization", batch(x, 1), {exact}).result(),
             QString("float 2: 1 5"));
    const OperatorRun trained("BatchNormalization", batch(x, 1), {training, exact, half}, 3);
    QCOMPARE(trained.result(), QString("float 2: -1 1"));
    QCOMPARE(trained.result(1), QString("float 1: 1.5"));
    QCOMPARE(trained.result(2), QString("float 1: 2.5"));
}

void EntriesNormalizationTest::parametersForEachChannel()
{
    const TensorData line = floats({2}, {1, 5}), image = floats({1, 2, 1}, {1, 5});
    QCOMPARE(OperatorRun("BatchNormalization", batch(image, 2)).refusal(), QString());
    for (const auto &wrong : {batch(line, 0), batch(line, 2), batch(image, 1), batch(image, 3)}) {
        const QString refusal = OperatorRun("BatchNormalization", wrong).refusal();
        QVERIFY2(refusal.contains("does not match"), qPrintable(refusal));
    }
}

GRAPHLOOM_TESTS(EntriesNormalizationTest)

} // namespace graphloom::test::entries_normalization_test

#include "entries_normalization_test.moc"
