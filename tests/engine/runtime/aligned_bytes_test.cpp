// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/aligned_bytes.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>

namespace graphloom::test::aligned_bytes_test {

class AlignedBytesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void buffersAreAlignedAndWritable_data();
    void buffersAreAlignedAndWritable();
};

void AlignedBytesTest::buffersAreAlignedAndWritable_data()
{
    QTest::addColumn<qint64>("bytes");
    for (const qint64 bytes : {0LL, 1LL, 63LL, 1LL << 20, 2LL << 20, (5LL << 20) + 7})
        QTest::addRow("%lld bytes", static_cast<long long>(bytes)) << bytes;
}

void AlignedBytesTest::buffersAreAlignedAndWritable()
{
    QFETCH(qint64, bytes);
    const AlignedBytes buffer = alignedBytes(bytes);
    QVERIFY(buffer);
    QCOMPARE(reinterpret_cast<std::uintptr_t>(buffer.get()) % bufferAlignment, std::uintptr_t(0));
    std::fill_n(buffer.get(), std::size_t(std::max<qint64>(bytes, 1)), std::byte{0x5a});
    QCOMPARE(std::ranges::count(buffer.get(), buffer.get() + bytes, std::byte{0x5a}), bytes);
}

GRAPHLOOM_TESTS(AlignedBytesTest)

} // namespace graphloom::test::aligned_bytes_test

#include "aligned_bytes_test.moc"
