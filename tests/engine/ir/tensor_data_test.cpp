// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/tensor_data.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

namespace graphloom::test::tensor_data_test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint32_t encoded(DataType type, double value)
{
    std::uint32_t bits = 0;
    encodeReal(type, value, reinterpret_cast<std::byte *>(&bits));
    return bits;
}

double decoded(DataType type, std::uint32_t bits)
{
    return decodeReal(type, reinterpret_cast<const std::byte *>(&bits));
}

std::vector<std::byte> bytesOf(std::initializer_list<int> values)
{
    std::vector<std::byte> bytes;
    for (const int value : values)
        bytes.push_back(std::byte(value));
    return bytes;
}

} // namespace

class TensorDataTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCodeOfSmallFloatsRoundTrips_data();
    void everyCodeOfSmallFloatsRoundTrips();
    void nearestCodeIsTaken_data() { everyCodeOfSmallFloatsRoundTrips_data(); }
    void nearestCodeIsTaken();
    void knownCodes();
    void eightBitsSaturate();
    void widerFloats();
    void integersKeepTheirValues();
    void realsSaturateAsIntegers();
    void fourBitsArePacked();
    void splatsTakeOneElement();
    void mappedBytesAreNotCopied();
    void reshapedSharesElements();
    void hashesTellContentApart();
    void equality();
    void strings();
    void emptyTensors();
};

void TensorDataTest::everyCodeOfSmallFloatsRoundTrips_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("bits");
    for (const auto &[type, bits] : {std::pair(DataType::Float16, 16),
                                     {DataType::BFloat16, 16},
                                     {DataType::Float8E4M3FN, 8},
                                     {DataType::Float8E4M3FNUZ, 8},
                                     {DataType::Float8E5M2, 8},
                                     {DataType::Float8E5M2FNUZ, 8},
                                     {DataType::Float4E2M1, 4}})
        QTest::newRow(std::string(nameOf(type)).c_str()) << int(type) << bits;
}

void TensorDataTest::everyCodeOfSmallFloatsRoundTrips()
{
    QFETCH(int, type);
    QFETCH(int, bits);
    const auto dataType = DataType(type);
    int numbers = 0;
    for (std::uint32_t code = 0; code < 1u << bits; ++code) {
        const double value = decoded(dataType, code);
        const std::uint32_t again = encoded(dataType, value);
        if (std::isnan(value)) {
            QVERIFY(std::isnan(decoded(dataType, again)));
        } else {
            QVERIFY2(again == code,
                     qPrintable(
                         QString("code %1 is %2, encodes as %3").arg(code).arg(value).arg(again)));
            ++numbers;
        }
    }
    QVERIFY(numbers >= (1 << bits) / 2);
}

void TensorDataTest::nearestCodeIsTaken()
{
    // Round to nearest, ties to the even code, against a search through all codes.
    QFETCH(int, type);
    QFETCH(int, bits);
    const auto dataType = DataType(type);
    std::vector<std::pair<double, std::uint32_t>> numbers; // non-negative ones, ascending
    for (std::uint32_t code = 0; code < 1u << (bits - 1); ++code)
        if (const double value = decoded(dataType, code); std::isfinite(value))
            numbers.emplace_back(value, code);
    std::sort(numbers.begin(), numbers.end());
    const auto nearest = [&](double value) {
        const auto above = std::lower_bound(numbers.begin(), numbers.end(), std::pair(value, 0u));
        if (above == numbers.begin())
            return above->second;
        const auto belowIt = above - 1;
        const double up = above->first - value, down = value - belowIt->first;
        return up < down || (up == down && above->second % 2 == 0) ? above->second
                                                                   : belowIt->second;
    };
    test::Random random(1);
    for (int i = 0; i < 20000; ++i) {
        const auto at = test::below(random, numbers.size() - 1);
        const double low = numbers[at].first, high = numbers[at + 1].first;
        const double value = i % 3 == 0 ? (low + high) / 2 // a tie
                                        : low + (high - low) * double(random() >> 11) * 0x1p-53;
        QVERIFY2(encoded(dataType, value) == nearest(value),
                 qPrintable(QString::number(value, 'g', 17)));
        if (value != 0)
            QCOMPARE(encoded(dataType, -value) & ((1u << (bits - 1)) - 1), nearest(value));
    }
}

void TensorDataTest::knownCodes()
{
    // From the formats' definitions (IEEE 754 binary16; OCP 8-bit floats; ONNX's table).
    QCOMPARE(encoded(DataType::Float16, 1), 0x3c00u);
    QCOMPARE(encoded(DataType::Float16, -2), 0xc000u);
    QCOMPARE(encoded(DataType::Float16, 65504), 0x7bffu);
    QCOMPARE(encoded(DataType::Float16, 65520), 0x7c00u); // rounds to infinity
    QCOMPARE(encoded(DataType::Float16, 0x1p-24), 1u);    // the smallest subnormal
    QCOMPARE(encoded(DataType::Float16, 0x1p-26), 0u);
    QCOMPARE(encoded(DataType::Float16, -0.0), 0x8000u);
    QCOMPARE(encoded(DataType::Float16, infinity), 0x7c00u);
    QCOMPARE(encoded(DataType::BFloat16, 1), 0x3f80u);
    QCOMPARE(encoded(DataType::BFloat16, -infinity), 0xff80u);
    QCOMPARE(encoded(DataType::Float8E4M3FN, 448), 0x7eu);
    QCOMPARE(encoded(DataType::Float8E4M3FN, 1), 0x38u);
    QCOMPARE(decoded(DataType::Float8E4M3FN, 0x01), 0x1p-9);
    QCOMPARE(encoded(DataType::Float8E4M3FNUZ, 240), 0x7fu);
    QCOMPARE(encoded(DataType::Float8E4M3FNUZ, -0.0), 0u); // 0x80 is NaN there
    QCOMPARE(encoded(DataType::Float8E5M2, 57344), 0x7bu);
    QCOMPARE(encoded(DataType::Float8E5M2FNUZ, 57344), 0x7fu);
    for (const auto type : {DataType::Float8E4M3FNUZ, DataType::Float8E5M2FNUZ}) {
        QVERIFY(std::isnan(decoded(type, 0x80)));
        QCOMPARE(encoded(type, std::nan("")), 0x80u);
    }
    QCOMPARE(decoded(DataType::Float4E2M1, 7), 6.0);
    QCOMPARE(decoded(DataType::Float4E2M1, 1), 0.5);
}

void TensorDataTest::eightBitsSaturate()
{
    for (const auto type : {DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                            DataType::Float8E5M2FNUZ}) {
        const double largest = decoded(type, encoded(type, 1e30));
        QVERIFY(std::isfinite(largest) && largest >= 240);
        const bool hasInfinity = type == DataType::Float8E5M2;
        QCOMPARE(decoded(type, encoded(type, infinity)), hasInfinity ? infinity : largest);
        QCOMPARE(decoded(type, encoded(type, -infinity)), hasInfinity ? -infinity : -largest);
        QVERIFY(std::isnan(decoded(type, encoded(type, std::nan("")))));
    }
}

void TensorDataTest::widerFloats()
{
    for (const double value : {0.0, -0.0, 1.5, -1e-310, 1e300, infinity}) {
        double bits = 0;
        encodeReal(DataType::Double, value, reinterpret_cast<std::byte *>(&bits));
        QCOMPARE(std::bit_cast<std::uint64_t>(bits), std::bit_cast<std::uint64_t>(value));
    }
    QCOMPARE(decoded(DataType::Float, encoded(DataType::Float, 0.1)), double(0.1f));
    QCOMPARE(decoded(DataType::Float, encoded(DataType::Float, 1e300)), infinity);
}

void TensorDataTest::integersKeepTheirValues()
{
    const auto check = [](DataType type, auto value) {
        using T = decltype(value);
        const T values[] = {0, value};
        const auto data = TensorData::fromValues<T>(type, {2}, values);
        QCOMPARE(data.integer(1), std::int64_t(value));
        QCOMPARE(data.real(1), double(value));
        QCOMPARE(data.integers(), (std::vector<std::int64_t>{0, std::int64_t(value)}));
    };
    check(DataType::Int8, std::int8_t(-128));
    check(DataType::Uint8, std::uint8_t(255));
    check(DataType::Int16, std::int16_t(-32768));
    check(DataType::Uint16, std::uint16_t(65535));
    check(DataType::Int32, std::int32_t(INT32_MIN));
    check(DataType::Uint32, std::uint32_t(UINT32_MAX));
    check(DataType::Int64, std::int64_t(INT64_MIN));
    check(DataType::Uint64, std::uint64_t(UINT64_MAX)); // keeps its bits as an integer
    const auto flags = TensorData::fromBytes(DataType::Bool, {3}, bytesOf({0, 1, 7}));
    QCOMPARE(flags.integers(), (std::vector<std::int64_t>{0, 1, 1}));
}

void TensorDataTest::realsSaturateAsIntegers()
{
    const double values[] = {2.9, -2.9, 1e300, -1e300, std::nan(""), 9.2233720368547758e18};
    const auto data = TensorData::fromValues<double>(DataType::Double, {6}, values);
    QCOMPARE(data.integers(),
             (std::vector<std::int64_t>{2, -2, INT64_MAX, INT64_MIN, INT64_MIN, INT64_MAX}));
}

void TensorDataTest::fourBitsArePacked()
{
    // Low nibble first; an odd number of elements leaves the last high nibble unused.
    const auto bytes = bytesOf({0x21, 0xf8, 0x07});
    const auto unsignedData = TensorData::fromBytes(DataType::Uint4, {5}, bytes);
    QCOMPARE(unsignedData.storedBytes(), std::uint64_t(3));
    QCOMPARE(unsignedData.integers(), (std::vector<std::int64_t>{1, 2, 8, 15, 7}));
    const auto signedData = TensorData::fromBytes(DataType::Int4, {5}, bytes);
    QCOMPARE(signedData.integers(), (std::vector<std::int64_t>{1, 2, -8, -1, 7}));
    QCOMPARE(signedData.real(3), -1.0);
    const auto reals = TensorData::fromBytes(DataType::Float4E2M1, {5}, bytes);
    QCOMPARE(reals.real(0), 0.5);
    QCOMPARE(reals.real(1), 1.0);
    QCOMPARE(reals.real(2), -0.0);
    QCOMPARE(reals.real(3), -6.0);
    QCOMPARE(reals.real(4), 6.0);
    const auto splat = TensorData::splat(DataType::Int4, {7}, bytesOf({0x0d}));
    QCOMPARE(splat.integers(), std::vector<std::int64_t>(7, -3));
}

void TensorDataTest::splatsTakeOneElement()
{
    const float half = 0.5f;
    const auto element = std::as_bytes(std::span(&half, 1));
    const auto data = TensorData::splat(DataType::Float, {1'000'000, 1'000'000},
                                        {element.begin(), element.end()});
    QVERIFY(data.isSplat());
    QCOMPARE(data.elements(), std::int64_t(1'000'000'000'000));
    QCOMPARE(data.storedBytes(), std::uint64_t(4'000'000'000'000));
    QCOMPARE(data.bytes().size(), std::size_t(4));
    QCOMPARE(data.real(999'999'999'999), 0.5);
    for (const auto type :
         {DataType::Int64, DataType::Uint8, DataType::Double, DataType::Float16}) {
        std::vector<std::byte> zero(std::size_t(bitsOf(type) / 8), std::byte(0));
        QCOMPARE(TensorData::splat(type, {5}, zero).real(4), 0.0);
    }
}

void TensorDataTest::mappedBytesAreNotCopied()
{
    const auto owner = std::make_shared<std::vector<std::byte>>(bytesOf({1, 2, 3, 4}));
    const std::weak_ptr<void> alive = owner;
    {
        const auto data = TensorData::fromMapped(DataType::Uint8, {4}, *owner, owner, 7);
        QVERIFY(data.isMapped());
        QCOMPARE(data.bytes().data(), owner->data());
        QCOMPARE(data.integer(2), std::int64_t(3));
        const auto other = TensorData::fromMapped(DataType::Uint8, {4}, *owner, owner, 8);
        QVERIFY(data.hash() != other.hash()); // the identity stands for the content
        QVERIFY(data == other);
        const auto hashed = TensorData::fromMapped(DataType::Uint8, {4}, *owner, owner);
        QCOMPARE(hashed.hash(),
                 TensorData::fromBytes(DataType::Uint8, {4}, bytesOf({1, 2, 3, 4})).hash());
        QCOMPARE(alive.use_count(), 4L);
    }
    QCOMPARE(alive.use_count(), 1L);
}

void TensorDataTest::reshapedSharesElements()
{
    const auto data = TensorData::fromInt64s({1, 2, 3, 4, 5, 6});
    const auto square = data.reshaped({2, 3});
    QCOMPARE(square.bytes().data(), data.bytes().data());
    QCOMPARE(square.extents(), (TensorData::Extents{2, 3}));
    QVERIFY(square.hash() != data.hash());
    QVERIFY(!(square == data));
    QCOMPARE(square.reshaped({6}).hash(), data.hash());
}

void TensorDataTest::hashesTellContentApart()
{
    std::set<std::uint64_t> hashes;
    hashes.insert(TensorData::fromInt64s({1, 2}).hash());
    hashes.insert(TensorData::fromInt64s({2, 1}).hash());
    hashes.insert(TensorData::fromInt64s({1, 2, 0}).hash());
    hashes.insert(TensorData::fromInt64s({}).hash());
    hashes.insert(TensorData::scalar(1).hash());
    hashes.insert(TensorData::fromBytes(DataType::Uint8, {2}, bytesOf({1, 2})).hash());
    hashes.insert(TensorData::fromBytes(DataType::Int8, {2}, bytesOf({1, 2})).hash());
    hashes.insert(TensorData::fromBytes(DataType::Int8, {2, 1}, bytesOf({1, 2})).hash());
    hashes.insert(TensorData::splat(DataType::Int8, {2}, bytesOf({1})).hash());
    hashes.insert(TensorData::splat(DataType::Int8, {3}, bytesOf({1})).hash());
    QCOMPARE(hashes.size(), std::size_t(10));
    QCOMPARE(TensorData::fromInt64s({5, 6}).hash(), TensorData::fromInt64s({5, 6}).hash());
}

void TensorDataTest::equality()
{
    QVERIFY(TensorData::fromInt64s({1, 2}) == TensorData::fromInt64s({1, 2}));
    QVERIFY(!(TensorData::fromInt64s({1, 2}) == TensorData::fromInt64s({1, 3})));
    QVERIFY(!(TensorData::fromInt64s({1}) == TensorData::scalar(1)));
    QVERIFY(!(TensorData::fromBytes(DataType::Int8, {1}, bytesOf({1})) ==
              TensorData::fromBytes(DataType::Uint8, {1}, bytesOf({1}))));
}

void TensorDataTest::strings()
{
    const auto data = TensorData::fromStrings({2}, {"a", "bc"});
    QCOMPARE(data.type(), DataType::String);
    QCOMPARE(data.elements(), std::int64_t(2));
    QVERIFY(data == TensorData::fromStrings({2}, {"a", "bc"}));
    QVERIFY(!(data == TensorData::fromStrings({2}, {"ab", "c"})));
    QVERIFY(data.hash() != TensorData::fromStrings({2}, {"ab", "c"}).hash());
    QVERIFY(!(data == TensorData::fromInt64s({1, 2})));
}

void TensorDataTest::emptyTensors()
{
    const auto data = TensorData::fromBytes(DataType::Float, {0, 5}, {});
    QCOMPARE(data.elements(), std::int64_t(0));
    QVERIFY(data.bytes().empty());
    QVERIFY(data.integers().empty());
    QVERIFY(data == TensorData::fromBytes(DataType::Float, {0, 5}, {}));
    QVERIFY(!(data == TensorData::fromBytes(DataType::Float, {5, 0}, {})));
}

GRAPHLOOM_TESTS(TensorDataTest)

} // namespace graphloom::test::tensor_data_test

#include "tensor_data_test.moc"
