// SPDX-License-Identifier: Apache-2.0
// MaxUnpool, Col2Im and CenterCropPad: shapes, mapping types, refusals, values by hand.
#include "engine/ops/describe/build.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_rearrangement_test {

class EntriesRearrangementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unpoolingPutsElementsBack();
    void unpoolingRefusesPlacesOutside();
    void columnsAreAddedUp();
    void columnsWithStridesAndPads();
    void columnsInOneDimension();
    void middle();
    void shapes();
    void refusals();
};

void EntriesRearrangementTest::unpoolingPutsElementsBack()
{
    const std::vector<Attribute> window{ints("kernel_shape", {2, 2}), ints("strides", {2, 2})};
    const TensorData x = floats({1, 2, 1, 2}, {1, 2, 3, 4}),
                     places = int64s({1, 2, 1, 2}, {5, 2, 8, 15});
    QCOMPARE(OperatorRun("MaxUnpool", {x, places}, window).result(),
             QString("float 1x2x2x4: 0 0 2 0 0 1 0 0 3 0 0 0 0 0 0 4"));
    // Places are those of the pooled tensor; a larger output has room behind it.
    QCOMPARE(OperatorRun("MaxUnpool", {x, places, int64s({4}, {1, 2, 3, 5})}, window).result(),
             QString("float 1x2x3x5: 0 0 2 0 0 0 1 0 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0 4 0 0 0 0 0 0"));
}

void EntriesRearrangementTest::unpoolingRefusesPlacesOutside()
{
    const OperatorRun call("MaxUnpool", {floats({1, 1, 1}, {1}), int64s({1, 1, 1}, {2})},
                           {ints("kernel_shape", {2})});
    QVERIFY2(call.result().contains("outside"), qPrintable(call.result()));
}

void EntriesRearrangementTest::columnsAreAddedUp()
{
    // Four blocks of 2 x 2 ones over an image of 3 x 3: the middle is covered four times.
    const TensorData columns = floats({1, 4, 4}, std::vector<double>(16, 1));
    QCOMPARE(OperatorRun("Col2Im", {columns, int64s({2}, {3, 3}), int64s({2}, {2, 2})}, {}, 1, 18)
                 .result(),
             QString("float 1x1x3x3: 1 2 1 2 4 2 1 2 1"));
}

void EntriesRearrangementTest::columnsWithStridesAndPads()
{
    // Blocks of 2 elements 2 apart, every 3 elements, one element of padding on both sides:
    // columns 1, 2 hold positions -1, 1 and columns 3, 4 positions 2, 4.
    const TensorData columns = floats({1, 2, 2}, {1, 3, 2, 4});
    QCOMPARE(OperatorRun("Col2Im", {columns, int64s({1}, {5}), int64s({1}, {2})},
                         {ints("strides", {3}), ints("dilations", {2}), ints("pads", {1, 1})}, 1,
                         18)
                 .result(),
             QString("float 1x1x5: 0 2 3 0 4"));
}

void EntriesRearrangementTest::columnsInOneDimension()
{
    // Two channels, blocks of one element: nothing but a copy.
    const TensorData columns = floats({1, 2, 3}, {1, 2, 3, 4, 5, 6});
    QCOMPARE(
        OperatorRun("Col2Im", {columns, int64s({1}, {3}), int64s({1}, {1})}, {}, 1, 18).result(),
        QString("float 1x2x3: 1 2 3 4 5 6"));
}

void EntriesRearrangementTest::middle()
{
    const TensorData x = floats({5}, {1, 2, 3, 4, 5}), square = floats({2, 2}, {1, 2, 3, 4});
    const auto cut = [](const TensorData &data, double extent) {
        return OperatorRun("CenterCropPad", {data, int64s({1}, {extent})}, {ints("axes", {0})}, 1,
                           18)
            .result();
    };
    QCOMPARE(cut(x, 3), QString("float 3: 2 3 4"));
    QCOMPARE(cut(x, 2), QString("float 2: 2 3"));
    QCOMPARE(cut(x, 8), QString("float 8: 0 1 2 3 4 5 0 0"));
    QCOMPARE(cut(x, 5), QString("float 5: 1 2 3 4 5"));
    QCOMPARE(OperatorRun("CenterCropPad", {square, int64s({2}, {1, 4})}, {}, 1, 18).result(),
             QString("float 1x4: 0 1 2 0"));
}

void EntriesRearrangementTest::shapes()
{
    const Shape x{Dim::symbol("n"), 3, 6, 7};
    const OperatorCase unpool(
        "MaxUnpool", {x, Given(x, DataType::Int64)},
        {ints("kernel_shape", {3, 2}), ints("strides", {2, 2}), ints("pads", {1, 0, 0, 0})});
    QCOMPARE(QString::fromStdString(unpool.shape()), QString("nx3x12x14"));
    QCOMPARE(unpool.mapping(), MappingType::OneToMany);
    const OperatorCase columns(
        "Col2Im",
        {Shape{Dim::symbol("n"), 27, 36}, Given::integers({8, 8}), Given::integers({3, 3})}, {}, 1,
        18);
    QCOMPARE(QString::fromStdString(columns.shape()), QString("nx3x8x8"));
    QCOMPARE(columns.mapping(), MappingType::ManyToMany);
    const OperatorCase crop("CenterCropPad", {x, Given::integers({4, 4})}, {ints("axes", {2, 3})},
                            1, 18);
    QCOMPARE(QString::fromStdString(crop.shape()), QString("nx3x4x4"));
    QCOMPARE(crop.mapping(), MappingType::OneToOne);
    const OperatorCase unknown("CenterCropPad", {x, Given(Shape{1}, DataType::Int64)},
                               {ints("axes", {2})}, 1, 18);
    QVERIFY(unknown.describe() && unknown.description().isOpaque());
    QVERIFY(build::isUnknown((*unknown.description().values[0].shape)[2]));
}

void EntriesRearrangementTest::refusals()
{
    const TensorData x = floats({1, 1, 2}, {1, 2}), places = int64s({1, 1, 2}, {0, 1});
    QVERIFY(refused({"MaxUnpool", {x, places}, {ints("kernel_shape", {2, 2})}},
                    "kernel_shape does not match"));
    QVERIFY(refused({"MaxUnpool", {x, places}, {ints("kernel_shape", {0})}},
                    "kernel_shape does not match"));
    QVERIFY(refused({"MaxUnpool", {x, int64s({1, 1, 1}, {0})}, {ints("kernel_shape", {1})}},
                    "its indices of shape"));
    QVERIFY(refused({"MaxUnpool", {x, places, int64s({3}, {1, 1, 1})}, {ints("kernel_shape", {1})}},
                    "is smaller than"));
    const TensorData columns = floats({1, 4, 4}, std::vector<double>(16, 1)),
                     three = int64s({2}, {3, 3});
    QVERIFY(refused({"Col2Im", {x, three}, {}, 1, 18}, "needs 3 inputs"));
    QVERIFY(refused({"Col2Im", {columns, int64s({2}, {4, 3}), int64s({2}, {2, 2})}, {}, 1, 18},
                    "6 blocks of 4"));
    QVERIFY(
        refused({"Col2Im", {columns, three, int64s({1}, {2})}, {}, 1, 18}, "number of dimensions"));
    QVERIFY(refused({"CenterCropPad", {x, int64s({2}, {1, 1})}, {}, 1, 18}, "2 extents for 3"));
    QVERIFY(refused({"CenterCropPad", {x, int64s({1}, {-1})}, {ints("axes", {0})}, 1, 18},
                    "negative extent"));
}

GRAPHLOOM_TESTS(EntriesRearrangementTest)

} // namespace graphloom::test::entries_rearrangement_test

#include "entries_rearrangement_test.moc"
