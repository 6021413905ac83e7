// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_inverse.h"
#include "tests/support/index_values.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::index_inverse_test {

namespace {

/// Whether for every point of the reader `axes` is the point of the writer that writes the element.
bool inverts(const IndexForms &write, const AxisForms &axes, const IndexForms &element,
             const AxisExtents &extents)
{
    bool all = true;
    forEachPoint(extents, [&](const Point &at) {
        Point writer;
        for (const IndexForm &axis : axes)
            writer.push_back(valueAt(axis, at));
        for (std::size_t d = 0; d < write.size(); ++d)
            all = all && valueAt(write[d], writer) == valueAt(element[d], at);
    });
    return all;
}

} // namespace

class IndexInverseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void permutations();
    void mixedRadix();
    void axesOfOnePoint();
    void offsetsAreRefused();
    void stridesAreRefused();
    void axesThatAreNotWrittenAreRefused();
    void axesWrittenTwiceAreRefused();
    void throughAReshape();
    void reductionAxesAreRefused();
};

void IndexInverseTest::permutations()
{
    const IndexForms write{v(1), v(0)}, element{v(0), v(1)};
    const AxisExtents extents{4, 5};
    const auto axes = axesFrom(write, {5, 4}, element, extents);
    QVERIFY(axes.has_value());
    QVERIFY(inverts(write, *axes, element, extents));
}

void IndexInverseTest::mixedRadix()
{
    // Written as [3 * 4, 5] by axes of 3, 4 and 5; read along one axis of 60.
    const IndexForms write{v(0) * 4 + v(1), v(2)};
    const AxisExtents extents{60};
    const IndexForms element{IndexForm::quotient(v(0), 5, extents),
                             IndexForm::remainder(v(0), 5, extents)};
    const auto axes = axesFrom(write, {3, 4, 5}, element, extents);
    QVERIFY(axes.has_value());
    QVERIFY(inverts(write, *axes, element, extents));
}

void IndexInverseTest::axesOfOnePoint()
{
    const auto axes = axesFrom({v(0), 0}, {6, 1}, {v(0), 0}, {6});
    QVERIFY(axes.has_value());
    QVERIFY(axes->back() == IndexForm(0));
}

void IndexInverseTest::offsetsAreRefused()
{
    QVERIFY(!axesFrom({v(0) + 2}, {6}, {v(0)}, {8}));
}

void IndexInverseTest::stridesAreRefused()
{
    QVERIFY(!axesFrom({v(0) * 2}, {6}, {v(0)}, {12}));
}

void IndexInverseTest::axesThatAreNotWrittenAreRefused()
{
    QVERIFY(!axesFrom({v(0)}, {6, 3}, {v(0)}, {6}));
}

void IndexInverseTest::axesWrittenTwiceAreRefused()
{
    QVERIFY(!axesFrom({v(0), v(0)}, {6}, {v(0), v(1)}, {6, 6}));
}

void IndexInverseTest::throughAReshape()
{
    // A tensor of 6 x 10, written by axes of 6, 2 and 5, read by axes of 3 and 20.
    const AxisExtents readExtents{3, 20}, writeExtents{6, 2, 5};
    const IndexRange<AxisIndex> noReductions(AxisIndex(3), AxisIndex(3));
    const IndexForm position = v(0) * 20 + v(1);
    const IndexForms read{IndexForm::quotient(position, 10, readExtents),
                          IndexForm::remainder(position, 10, readExtents)};
    const IndexForms write{v(0), v(1) * 5 + v(2)};
    const auto axes = axesThrough(read, readExtents, {6, 10}, write, writeExtents, noReductions);
    QVERIFY(axes.has_value());
    QVERIFY(inverts(read, *axes, write, writeExtents));
}

void IndexInverseTest::reductionAxesAreRefused()
{
    QVERIFY(!axesThrough({v(0)}, {6}, {6}, {v(0)}, {6}, firstIndices<AxisIndex>(1)));
}

GRAPHLOOM_TESTS(IndexInverseTest)

} // namespace graphloom::test::index_inverse_test

#include "index_inverse_test.moc"
