// SPDX-License-Identifier: Apache-2.0
// Casts: between numbers and text, and to 8-bit reals with and without saturation; literals.
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <limits>

namespace graphloom::test::entries_elementwise_test {

namespace {

Attribute to(DataType type)
{
    return {"to", std::int64_t(type)};
}

TensorData words(std::vector<std::string> strings)
{
    const auto count = std::int64_t(strings.size());
    return TensorData::fromStrings({count}, std::move(strings));
}

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

class EntriesElementwiseTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersToText();
    void textToNumbers();
    void textThatIsNoNumber();
    void textLikeAnotherInput();
    void castsOfWhatIsNoNumber();
    void saturation_data();
    void saturation();
    void literalsThatNoIntegerCanBe();
};

void EntriesElementwiseTest::numbersToText()
{
    const TensorData reals = floats({6}, {0.1, -2, 1e-5, infinity, -infinity, std::nan("")});
    QCOMPARE(OperatorRun("Cast", {reals}, {to(DataType::String)}).result(),
             QString("string 6: 0.1 -2 1e-05 INF -INF NaN"));
    QCOMPARE(OperatorRun("Cast", {numbers(DataType::Double, {1}, {0.1})}, {to(DataType::String)})
                 .result(),
             QString("string 1: 0.1"));
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const auto natural = TensorData::fromValues<std::uint64_t>(DataType::Uint64, {1}, {&most, 1});
    QCOMPARE(OperatorRun("Cast", {natural}, {to(DataType::String)}).result(),
             QString("string 1: 18446744073709551615"));
}

void EntriesElementwiseTest::textToNumbers()
{
    const TensorData text = words({"3", "+4.75", "-1e2"});
    QCOMPARE(OperatorRun("Cast", {text}, {to(DataType::Float)}).result(),
             QString("float 3: 3 4.75 -100"));
    QCOMPARE(OperatorRun("Cast", {text}, {to(DataType::Int32)}).result(),
             QString("int32 3: 3 4 -100"));
    QCOMPARE(OperatorRun("Cast", {words({"-INF", "0"})}, {to(DataType::Float16)}).result(),
             QString("float16 2: -inf 0"));
    QCOMPARE(OperatorRun("Cast", {words({"18446744073709551615"})}, {to(DataType::Uint64)})
                 .run()
                 ->front()
                 .integer(0),
             std::int64_t(-1));
}

void EntriesElementwiseTest::textThatIsNoNumber()
{
    for (const char *text : {"", "two", "3 ", "0x10", "++1"}) {
        const auto failed = OperatorRun("Cast", {words({text})}, {to(DataType::Float)}).run();
        QVERIFY2(!failed, text);
        QVERIFY(failed.error().text().find("is not a valid float") != std::string::npos);
    }
    QVERIFY(!OperatorRun("Cast", {words({"nan"})}, {to(DataType::Int64)}).run());
}

void EntriesElementwiseTest::textLikeAnotherInput()
{
    QCOMPARE(OperatorRun("CastLike", {floats({1}, {0.5}), words({"any"})}).result(),
             QString("string 1: 0.5"));
    QCOMPARE(OperatorRun("CastLike", {words({"0.5"}), floats({1}, {9})}).result(),
             QString("float 1: 0.5"));
}

void EntriesElementwiseTest::castsOfWhatIsNoNumber()
{
    const auto refused =
        OperatorCase("Cast", {Given(Shape{2}, DataType::Complex64)}, {to(DataType::Float)})
            .describe();
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("cannot cast complex64 to float") != std::string::npos);
}

void EntriesElementwiseTest::saturation_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("saturated");
    QTest::addColumn<QString>("unsaturated");
    // 448 and 240 and 57344 are the greatest numbers; halfway to the next step is rounded to even.
    QTest::newRow("E4M3FN") << int(DataType::Float8E4M3FN) << "448 448 448 448 -448"
                            << "448 448 nan nan nan";
    QTest::newRow("E4M3FNUZ") << int(DataType::Float8E4M3FNUZ) << "240 240 240 240 -240"
                              << "240 nan nan nan nan";
    QTest::newRow("E5M2") << int(DataType::Float8E5M2) << "57344 57344 57344 57344 -57344"
                          << "57344 inf inf inf -inf";
    QTest::newRow("E5M2FNUZ") << int(DataType::Float8E5M2FNUZ) << "57344 57344 57344 57344 -57344"
                              << "57344 nan nan nan nan";
}

void EntriesElementwiseTest::saturation()
{
    QFETCH(int, type);
    QFETCH(QString, saturated);
    QFETCH(QString, unsaturated);
    const double greatest = saturated.section(' ', 0, 0).toDouble();
    const double halfway = greatest == 448 ? 464 : greatest == 240 ? 248 : 61440;
    const TensorData x = floats({5}, {greatest, halfway, halfway * 1.01, infinity, -infinity});
    const auto cast = [&](std::int64_t saturate) {
        return OperatorRun("Cast", {x}, {to(DataType(type)), {"saturate", saturate}}, 1, 19)
            .result()
            .section(": ", 1);
    };
    QCOMPARE(cast(1), saturated);
    QCOMPARE(cast(0), unsaturated);
    const auto quantized = [&](std::int64_t saturate) {
        const TensorData zero = numbers(DataType(type), {}, {0});
        return OperatorRun("QuantizeLinear", {x, floats({}, {1}), zero}, {{"saturate", saturate}},
                           1, 19)
            .result()
            .section(": ", 1);
    };
    QCOMPARE(quantized(1), saturated);
    QCOMPARE(quantized(0), unsaturated);
}

/// A description must have a defined value for whatever a file writes down.
void EntriesElementwiseTest::literalsThatNoIntegerCanBe()
{
    const auto elu = [](double alpha) {
        return OperatorRun("Elu", {int64s({2}, {1, -1})}, {{"alpha", float(alpha)}}).describe();
    };
    for (const double alpha : {infinity, -infinity, 1e30, double(std::nan(""))})
        QVERIFY(elu(alpha));
}

GRAPHLOOM_TESTS(EntriesElementwiseTest)

} // namespace graphloom::test::entries_elementwise_test

#include "entries_elementwise_test.moc"
