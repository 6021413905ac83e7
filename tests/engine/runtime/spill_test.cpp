// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/spill.h"

#include <QtTest>

using namespace graphloom;

class SpillTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv("TMPDIR"); }
    void largeResultsMoveToAFile();
    void smallOnesStay();
    void resultsStayWhereThereIsNoRoom();
    void splatsStay();
};

namespace {

TensorData numbers(std::int64_t count)
{
    std::vector<float> values(std::size_t(count), 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float(i) / 3;
    return TensorData::fromValues<float>(DataType::Float, {count}, values);
}

TensorData spilledOne(const TensorData &data)
{
    return spilled(std::vector{data}, {}).front();
}

} // namespace

void SpillTest::largeResultsMoveToAFile()
{
    const TensorData data = numbers(300'000);
    const TensorData kept = spilledOne(data);
    QVERIFY(kept.isMapped());
    QVERIFY(kept == data);
    QCOMPARE(kept.hash(), data.hash());
}

void SpillTest::smallOnesStay()
{
    QVERIFY(!spilledOne(numbers(1000)).isMapped());
}

void SpillTest::resultsStayWhereThereIsNoRoom()
{
    qputenv("TMPDIR", "/no/such/folder");
    const TensorData data = numbers(300'000);
    const TensorData kept = spilledOne(data);
    QVERIFY(!kept.isMapped());
    QVERIFY(kept == data);
}

void SpillTest::splatsStay()
{
    const float one = 1;
    const auto bytes = std::as_bytes(std::span(&one, 1));
    const TensorData kept =
        spilledOne(TensorData::splat(DataType::Float, {1'000'000}, {bytes.begin(), bytes.end()}));
    QVERIFY(kept.isSplat());
    QCOMPARE(kept.bytes().size(), sizeof one);
}

QTEST_APPLESS_MAIN(SpillTest)
#include "spill_test.moc"
