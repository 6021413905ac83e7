// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_map.h"

#include "tests/support/index_values.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::index_map_test {

class IndexMapTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dependsOnAnyOfItsForms();
    void rowMajorOffset();
    void offsetWithMargins();
    void offsetJoinsQuotientAndRemainder();
};

void IndexMapTest::dependsOnAnyOfItsForms()
{
    const IndexForms map{v(0) + v(2), IndexForm(1)};
    QVERIFY(dependsOn(map, AxisIndex(2)));
    QVERIFY(!dependsOn(map, AxisIndex(1)));
}

void IndexMapTest::rowMajorOffset()
{
    QVERIFY(offsetOf(IndexForms{v(0), v(1), v(2)}, Storage::rowMajor({2, 3, 5})) ==
            v(0) * 15 + v(1) * 5 + v(2));
    QVERIFY(offsetOf(IndexForms{}, Storage::rowMajor({})) == IndexForm(0));
}

void IndexMapTest::offsetWithMargins()
{
    const Storage storage = Storage::dense({4, 6}, {0, 1}, {{1, 1}, {2, 0}});
    QVERIFY(offsetOf(IndexForms{v(0), v(1)}, storage) == v(0) * 8 + v(1) + IndexForm(10));
}

void IndexMapTest::offsetJoinsQuotientAndRemainder()
{
    const AxisExtents extents{12};
    const IndexForms map{IndexForm::quotient(v(0), 4, extents),
                         IndexForm::remainder(v(0), 4, extents)};
    QVERIFY(offsetOf(map, Storage::rowMajor({3, 4})) == v(0));
}

GRAPHLOOM_TESTS(IndexMapTest)

} // namespace graphloom::test::index_map_test

#include "index_map_test.moc"
