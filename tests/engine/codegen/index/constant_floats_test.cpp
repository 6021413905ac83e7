// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/constant_floats.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <array>

namespace graphloom::test::constant_floats_test {

class ConstantFloatsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mappedOnesMayBeginAnywhere();
    void ofASplatAllAreTheOne();
};

/// Undefined where a float has to begin at a multiple of its size: for the sanitizer.
void ConstantFloatsTest::mappedOnesMayBeginAnywhere()
{
    const std::array<float, 3> values = {1.5F, -2.25F, 1e30F};
    std::array<std::byte, sizeof values + 3> file{};
    std::memcpy(file.data() + 3, values.data(), sizeof values);
    const TensorData data = TensorData::fromMapped(
        DataType::Float, {3}, std::span<const std::byte>(file).subspan(3), nullptr);
    for (std::int64_t i = 0; i < 3; ++i)
        QCOMPARE(floatAt(data, i), values[std::size_t(i)]);
}

void ConstantFloatsTest::ofASplatAllAreTheOne()
{
    const float value = 0.75F;
    const auto bytes = std::as_bytes(std::span(&value, 1));
    const TensorData data =
        TensorData::splat(DataType::Float, {1000, 1000}, {bytes.begin(), bytes.end()});
    QCOMPARE(floatAt(data, 999'999), value);
}

GRAPHLOOM_TESTS(ConstantFloatsTest)

} // namespace graphloom::test::constant_floats_test

#include "constant_floats_test.moc"
