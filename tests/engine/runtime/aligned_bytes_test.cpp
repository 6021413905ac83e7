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
    void buffersOfAPoolAreAlignedAndApart();
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

/// More than a piece holds, and some that take a piece of their own.
void AlignedBytesTest::buffersOfAPoolAreAlignedAndApart()
{
    BytePool pool;
    std::vector<std::pair<std::byte *, qint64>> buffers;
    for (int round = 0; round < 12; ++round)
        for (const qint64 bytes : {0LL, 1LL, 65LL, 3LL << 20, (1LL << 20) + 1, 1LL << 20}) {
            std::byte *buffer = pool.take(bytes);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(buffer) % bufferAlignment, std::uintptr_t(0));
            std::fill_n(buffer, std::size_t(std::max<qint64>(bytes, 1)), std::byte{0x5a});
            buffers.emplace_back(buffer, std::max<qint64>(bytes, 1));
        }
    std::ranges::sort(buffers);
    for (std::size_t b = 1; b < buffers.size(); ++b)
        QVERIFY(buffers[b - 1].first + buffers[b - 1].second <= buffers[b].first);
}

GRAPHLOOM_TESTS(AlignedBytesTest)

} // namespace graphloom::test::aligned_bytes_test

#include "aligned_bytes_test.moc"
