// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/register_tiles.h"

#include <QTest>

using namespace graphloom;

class RegisterTilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tilesFillTheRegisters();
    void gatheredVectorsServeManyRows();
};

void RegisterTilesTest::tilesFillTheRegisters()
{
    const RegisterTile tile = registerTiles(768, 768, {16, 32, 1}).front();
    QVERIFY(tile.rows * tile.vectors >= 20);
    QVERIFY(tile.vectors > 1);
}

void RegisterTilesTest::gatheredVectorsServeManyRows()
{
    const RegisterTile tile = registerTiles(768, 128, {16, 32, 1}, true).front();
    QCOMPARE(tile.vectors, std::int64_t(1));
    QVERIFY(tile.rows >= 16);
}

QTEST_APPLESS_MAIN(RegisterTilesTest)
#include "register_tiles_test.moc"
