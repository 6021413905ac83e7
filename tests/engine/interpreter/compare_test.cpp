// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/compare.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>

namespace graphloom::test::compare_test {

namespace {

constexpr float notNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

TensorData floats(const std::vector<float> &values)
{
    return TensorData::fromValues<float>(DataType::Float, {std::int64_t(values.size())}, values);
}

} // namespace

class CompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalTensors();
    void errorIsRelativeToTheScale();
    void smallTensorsHaveALeastScale();
    void worstElementIsNamed();
    void notANumber();
    void infinities();
    void otherTypeOrExtents();
    void integersMustBeEqual();
    void largeUnsignedIntegers();
    void strings();
    void complexParts();
    void splats();
    void backendTolerance();
    void emptyTensors();
    void bfloat16MayBeCutOff();
    void sequencesAndOptionals();
};

void CompareTest::equalTensors()
{
    const auto result = compare(floats({1, -2, 0}), floats({1, -2, 0}));
    QCOMPARE(result.maxAbsError, 0.0);
    QCOMPARE(result.maxRelError, 0.0);
    QCOMPARE(result.finite, 3);
    QVERIFY(result.withinBackendTolerance && result.worst.empty());
}

void CompareTest::errorIsRelativeToTheScale()
{
    // 0.5 on an element near zero counts against the tensor's greatest magnitude, 100.
    const auto result = compare(floats({-100, 0.001f}), floats({-100, 0.501f}));
    QVERIFY(std::abs(result.maxAbsError - 0.5) < 1e-6);
    QVERIFY(std::abs(result.maxRelError - 0.005) < 1e-8);
}

void CompareTest::smallTensorsHaveALeastScale()
{
    const auto result = compare(floats({0, 0}), floats({0, 1e-9f}));
    QVERIFY(result.maxRelError < 1.1e-6 && result.maxRelError > 0.9e-6);
}

void CompareTest::worstElementIsNamed()
{
    const auto result = compare(floats({1, 2, 3, 4}), floats({1, 2.5f, 5, 4}));
    QVERIFY2(result.worst.starts_with("element 2 is 5, expected 3"), result.worst.c_str());
}

void CompareTest::notANumber()
{
    const auto same = compare(floats({notNumber, 1}), floats({notNumber, 1}));
    QCOMPARE(same.maxAbsError, 0.0);
    QCOMPARE(same.finite, 1);
    for (const auto &[expected, actual] :
         {std::pair{notNumber, 1.0f}, std::pair{1.0f, notNumber}}) {
        const auto result = compare(floats({0, expected}), floats({0, actual}));
        QVERIFY(std::isinf(result.maxAbsError) && std::isinf(result.maxRelError));
        QVERIFY(!result.withinBackendTolerance);
        QVERIFY(result.worst.starts_with("element 1"));
    }
}

void CompareTest::infinities()
{
    QCOMPARE(compare(floats({infinity, -infinity}), floats({infinity, -infinity})).maxRelError,
             0.0);
    for (const auto &[expected, actual] :
         {std::pair{infinity, 1e30f}, std::pair{1e30f, infinity}, std::pair{infinity, -infinity}}) {
        const auto result = compare(floats({expected}), floats({actual}));
        QVERIFY(std::isinf(result.maxAbsError));
        QVERIFY(!result.withinBackendTolerance);
    }
}

void CompareTest::otherTypeOrExtents()
{
    const auto one = floats({1, 2});
    const auto other =
        TensorData::fromValues<float>(DataType::Float, {2, 1}, std::vector<float>{1, 2});
    QVERIFY(std::isinf(compare(one, other).maxRelError));
    QCOMPARE(compare(one, other).worst, std::string("expected float[2], got float[2,1]"));
    QVERIFY(std::isinf(compare(one, TensorData::fromInt64s({1, 2})).maxRelError));
}

void CompareTest::integersMustBeEqual()
{
    const std::int64_t big = (std::int64_t{1} << 60) + 1; // no double
    QCOMPARE(compare(TensorData::fromInt64s({big}), TensorData::fromInt64s({big})).maxRelError,
             0.0);
    const auto result =
        compare(TensorData::fromInt64s({0, big}), TensorData::fromInt64s({0, big - 1}));
    QVERIFY(std::isinf(result.maxAbsError) && !result.withinBackendTolerance);
    QVERIFY(result.worst.starts_with("element 1 is 1152921504606846976"));
    const auto truths = [](std::vector<std::uint8_t> values) {
        return TensorData::fromValues<std::uint8_t>(DataType::Bool, {2}, values);
    };
    QCOMPARE(compare(truths({1, 0}), truths({1, 0})).maxRelError, 0.0);
    QVERIFY(std::isinf(compare(truths({1, 0}), truths({1, 1})).maxRelError));
}

void CompareTest::largeUnsignedIntegers()
{
    const auto number = [](std::uint64_t value) {
        return TensorData::fromValues<std::uint64_t>(DataType::Uint64, {}, {&value, 1});
    };
    const auto result = compare(number(std::uint64_t{3} << 62), number(std::uint64_t{1} << 63));
    QCOMPARE(result.signal, 0x3p62 * 0x3p62);
    QCOMPARE(result.noise, 0x1p62 * 0x1p62);
    QCOMPARE(result.worst,
             std::string("element 0 is 9223372036854775808, expected 13835058055282163712"));
}

void CompareTest::strings()
{
    const auto one = TensorData::fromStrings({2}, {"a", "b"});
    QCOMPARE(compare(one, one).maxRelError, 0.0);
    const auto result = compare(one, TensorData::fromStrings({2}, {"a", "c"}));
    QVERIFY(std::isinf(result.maxRelError));
    QCOMPARE(result.worst, std::string("element 1 is \"c\", expected \"b\""));
}

void CompareTest::complexParts()
{
    const auto complex = [](std::vector<float> parts) {
        const auto bytes = std::as_bytes(std::span(parts));
        return TensorData::fromBytes(DataType::Complex64, {std::int64_t(parts.size() / 2)},
                                     {bytes.begin(), bytes.end()});
    };
    QCOMPARE(compare(complex({1, 2, 3, 4}), complex({1, 2, 3, 4})).maxAbsError, 0.0);
    QCOMPARE(compare(complex({1, 2, 3, 4}), complex({1, 2, 3, 6})).maxAbsError, 2.0);
}

void CompareTest::splats()
{
    const float half = 0.5f;
    const auto bytes = std::as_bytes(std::span(&half, 1));
    const auto splat = TensorData::splat(DataType::Float, {3}, {bytes.begin(), bytes.end()});
    QCOMPARE(compare(splat, floats({0.5f, 0.5f, 0.5f})).maxAbsError, 0.0);
    QCOMPARE(compare(floats({0.5f, 0.5f, 0.75f}), splat).maxAbsError, 0.25);
}

void CompareTest::backendTolerance()
{
    QVERIFY(compare(floats({1000}), floats({1000.9f})).withinBackendTolerance);
    QVERIFY(!compare(floats({1000}), floats({1001.2f})).withinBackendTolerance);
    // Each element counts for itself, unlike the error relative to the scale.
    QVERIFY(!compare(floats({1000, 0.01f}), floats({1000, 0.011f})).withinBackendTolerance);
    QVERIFY(compare(floats({0}), floats({0.9e-7f})).withinBackendTolerance);
    QVERIFY(!compare(floats({0}), floats({1.1e-7f})).withinBackendTolerance);
}

void CompareTest::emptyTensors()
{
    const auto result = compare(floats({}), floats({}));
    QCOMPARE(result.maxAbsError, 0.0);
    QVERIFY(result.withinBackendTolerance);
    QVERIFY(std::isinf(compare(floats({}), floats({1})).maxAbsError));
}

void CompareTest::bfloat16MayBeCutOff()
{
    const auto brain = [](std::uint16_t bits) {
        return TensorData::fromBytes(DataType::BFloat16, {1},
                                     {std::byte(bits & 0xff), std::byte(bits >> 8)});
    };
    QVERIFY(compare(brain(0x3f80), brain(0x3f81)).withinBackendTolerance); // the next number
    QVERIFY(!compare(brain(0x3f80), brain(0x3f82)).withinBackendTolerance);
}

void CompareTest::sequencesAndOptionals()
{
    const DataValue one = floats({1, 2}), other = floats({1, 2.5f});
    const auto sequence = [](std::vector<DataValue> of) {
        return DataValue::sequence(std::move(of));
    };
    QVERIFY(compare(sequence({one, one}), sequence({one, one})).worst.empty());
    QCOMPARE(compare(sequence({one, one}), sequence({one, one})).finite, 4);
    const Comparison differs = compare(sequence({one, one}), sequence({one, other}));
    QCOMPARE(differs.maxAbsError, 0.5);
    QVERIFY(differs.worst.starts_with("element 1: element 1 is 2.5"));
    for (const auto &[a, b] : {std::pair{sequence({one}), sequence({one, one})},
                               {sequence({one}), one},
                               {DataValue::optional(one), DataValue::optional(std::nullopt)},
                               {DataValue::optional(one), sequence({one})}}) {
        QVERIFY(std::isinf(compare(a, b).maxRelError) && !compare(a, b).withinBackendTolerance);
        QVERIFY(!differenceOfForm(a, b).empty());
    }
    QVERIFY(differenceOfForm(sequence({one}), sequence({other})).empty());
    QVERIFY(!differenceOfForm(sequence({one}), sequence({floats({1})})).empty());
}

GRAPHLOOM_TESTS(CompareTest)

} // namespace graphloom::test::compare_test

#include "compare_test.moc"
