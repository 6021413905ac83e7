// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/mapping_table.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::mapping_table_test {

using enum MappingType;

class MappingTableTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fusedTypes_data();
    void fusedTypes();
    void redCells();
    void yellowCells();
    void opaqueFusesWithNothing();
};

/// The printed table, row by row.
void MappingTableTest::fusedTypes_data()
{
    QTest::addColumn<int>("first");
    QTest::addColumn<QList<int>>("fused"); // by second operator
    const auto row = [](MappingType first, QList<MappingType> fused) {
        QList<int> numbers;
        for (const MappingType type : fused)
            numbers.push_back(int(type));
        QTest::newRow(std::string(nameOf(first)).c_str()) << int(first) << numbers;
    };
    row(OneToOne, {OneToOne, OneToMany, ManyToMany, Reorganize, Shuffle});
    row(OneToMany, {OneToMany, OneToMany, ManyToMany, OneToMany, OneToMany});
    row(ManyToMany, {ManyToMany, ManyToMany, ManyToMany, ManyToMany, ManyToMany});
    row(Reorganize, {Reorganize, OneToMany, ManyToMany, Reorganize, Reorganize});
    row(Shuffle, {Shuffle, OneToMany, ManyToMany, Reorganize, Shuffle});
}

void MappingTableTest::fusedTypes()
{
    QFETCH(int, first);
    QFETCH(QList<int>, fused);
    const MappingType columns[] = {OneToOne, OneToMany, ManyToMany, Reorganize, Shuffle};
    for (int i = 0; i < 5; ++i)
        QCOMPARE(int(fusionCell(MappingType(first), columns[i]).mapping), fused[i]);
}

void MappingTableTest::redCells()
{
    int red = 0;
    for (const MappingType first : {OneToOne, Reorganize, Shuffle, OneToMany, ManyToMany})
        for (const MappingType second : {OneToOne, Reorganize, Shuffle, OneToMany, ManyToMany})
            red += fusionCell(first, second).verdict == FusionVerdict::Red;
    QCOMPARE(red, 2); // 23 of 25 cells have a code generation rule (section 4.4.1)
    QCOMPARE(fusionCell(OneToMany, ManyToMany).verdict, FusionVerdict::Red);
    QCOMPARE(fusionCell(ManyToMany, ManyToMany).verdict, FusionVerdict::Red);
}

void MappingTableTest::yellowCells()
{
    for (const MappingType moved : {Reorganize, Shuffle})
        for (const MappingType strong : {OneToMany, ManyToMany}) {
            QCOMPARE(fusionCell(moved, strong).verdict, FusionVerdict::Yellow);
            QCOMPARE(fusionCell(strong, moved).verdict, FusionVerdict::Yellow);
        }
    QCOMPARE(fusionCell(ManyToMany, OneToMany).verdict, FusionVerdict::Yellow);
    for (const MappingType any : {OneToOne, Reorganize, Shuffle, OneToMany, ManyToMany}) {
        QCOMPARE(fusionCell(OneToOne, any).verdict, FusionVerdict::Green);
        QCOMPARE(fusionCell(any, OneToOne).verdict, FusionVerdict::Green);
    }
}

void MappingTableTest::opaqueFusesWithNothing()
{
    QCOMPARE(fusionCell(Opaque, OneToOne).verdict, FusionVerdict::Red);
    QCOMPARE(fusionCell(OneToOne, Opaque).verdict, FusionVerdict::Red);
}

GRAPHLOOM_TESTS(MappingTableTest)

} // namespace graphloom::test::mapping_table_test

#include "mapping_table_test.moc"
