// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/register_tiles.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::register_tiles_test {

class RegisterTilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tilesFillTheRegisters();
    void gatheredVectorsServeManyRows();
    void whatComesFromTheSecondCacheServesManyRows();
    void shortRowsAreTakenTogether();
    void rowsOfElementsNeedRegisters();
    void everyPipeHasEnoughChains();
    void tilesFitIntoTheRegisters_data();
    void tilesFitIntoTheRegisters();
};

void RegisterTilesTest::tilesFillTheRegisters()
{
    const RegisterTile tile = registerTiles({768, 768}, {16, 32, 1}).front();
    // Two thirds of the registers hold results: each vector that is loaded serves several of them.
    QVERIFY(tile.rows * tile.vectors >= 20);
    QVERIFY(tile.vectors > 1);
}

void RegisterTilesTest::gatheredVectorsServeManyRows()
{
    const RegisterTile tile = registerTiles({768, 128}, {16, 32, 1}, true).front();
    QCOMPARE(tile.vectors, std::int64_t(1));
    // It takes a load for each of its 16 lanes: no more loads than there are multiply-adds for it.
    QVERIFY(tile.rows >= 16);
}

/// Four vectors of 512 rows are 128 KiB: for six rows they would be read again and again.
void RegisterTilesTest::whatComesFromTheSecondCacheServesManyRows()
{
    const ScheduleTarget target{16, 32, 1};
    const RegisterTile near = registerTiles({13, 1000, 32, 1, 13}, target).front();
    const RegisterTile far = registerTiles({13, 1000, 512, 1, 13}, target).front();
    QVERIFY(far.rows > near.rows);
    QVERIFY(far.vectors < near.vectors);
    QCOMPARE(far.rows, std::int64_t(13));
}

/// The weights of an image of 2 x 2 points are read once, with results enough to hide latencies.
void RegisterTilesTest::shortRowsAreTakenTogether()
{
    const RegisterTile tile = registerTiles({2, 1152, 192, 2}, {16, 32, 1}).front();
    QCOMPARE(tile.rows, std::int64_t(2));
    QCOMPARE(tile.outerRows, std::int64_t(2));
    QVERIFY(tile.rows * tile.outerRows * tile.vectors >= 8);
}

/// Where a multiply-add takes an element of a vector, each row has a vector of its own.
void RegisterTilesTest::rowsOfElementsNeedRegisters()
{
    const ScheduleTarget target{4, 32, 1, true, true};
    for (const RegisterTile &tile : registerTiles({768, 768}, target))
        QVERIFY((tile.rows + 1) * (tile.vectors + 1) - 1 <= 32);
    const RegisterTile best = registerTiles({768, 768}, target).front();
    QVERIFY(best.rows * best.vectors >= 16);
}

void RegisterTilesTest::everyPipeHasEnoughChains()
{
    ScheduleTarget target{4, 32, 1, true, true};
    target.pipes = 4;
    const RegisterTile tile = registerTiles({16, 160, 960}, target).front();
    QVERIFY(tile.rows * tile.vectors >= 16);
}

void RegisterTilesTest::tilesFitIntoTheRegisters_data()
{
    QTest::addColumn<int>("lanes");
    QTest::addColumn<int>("registers");
    QTest::addColumn<bool>("gathered");
    for (const bool gathered : {false, true}) {
        const char *how = gathered ? "gathered" : "contiguous";
        QTest::addRow("AVX-512, %s", how) << 16 << 32 << gathered;
        QTest::addRow("AVX2, %s", how) << 8 << 16 << gathered;
        QTest::addRow("NEON, %s", how) << 4 << 32 << gathered;
    }
}

void RegisterTilesTest::tilesFitIntoTheRegisters()
{
    QFETCH(int, lanes);
    QFETCH(int, registers);
    QFETCH(bool, gathered);
    const auto tiles = registerTiles({3, 768, 1, 8}, {lanes, registers, 1}, gathered);
    QVERIFY(!tiles.empty());
    for (const RegisterTile &tile : tiles) {
        // Results, a row of vectors of one operand, and one of the other.
        const std::int64_t needed = tile.rows * tile.outerRows * tile.vectors + tile.vectors + 1;
        QVERIFY2(needed <= registers, qPrintable(QString::number(needed)));
    }
}

GRAPHLOOM_TESTS(RegisterTilesTest)

} // namespace graphloom::test::register_tiles_test

#include "register_tiles_test.moc"
