// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/spill.h"

#include "engine/system/scratch_file.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::spill_test {

using graphloom::test::ScopedVariable;

class SpillTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void largeResultsMoveToAFile();
    void smallOnesStay();
    void resultsStayWhereThereIsNoRoom();
    void splatsStay();
    void mappedInputsReadTheSameAfterwards();
    void detachedTensorsAreCopies_data();
    void detachedTensorsAreCopies();
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
    const ScopedVariable place("TMPDIR", "/no/such/folder");
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

void SpillTest::mappedInputsReadTheSameAfterwards()
{
    const TensorData data = numbers(300'000);
    const auto file = ScratchFile::of(data.bytes());
    QVERIFY(file);
    const TensorData input =
        TensorData::fromMapped(data.type(), data.extents(), file->bytes(), file);
    spilled({}, {&input}); // gives the memory of its pages back
    QVERIFY(std::ranges::equal(input.bytes(), data.bytes()));
}

void SpillTest::detachedTensorsAreCopies_data()
{
    QTest::addColumn<int>("elements");
    QTest::newRow("few") << 1000;
    QTest::newRow("many") << 300'000;
}

void SpillTest::detachedTensorsAreCopies()
{
    QFETCH(int, elements);
    const TensorData data = numbers(elements);
    const auto file = ScratchFile::of(data.bytes());
    QVERIFY(file);
    const TensorData own =
        detached(TensorData::fromMapped(data.type(), data.extents(), file->bytes(), file));
    QVERIFY(own.bytes().data() != file->bytes().data());
    QVERIFY(own == data);
}

GRAPHLOOM_TESTS(SpillTest)

} // namespace graphloom::test::spill_test

#include "spill_test.moc"
