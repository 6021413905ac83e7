// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, windows, mel weights and affine grids: shapes, refusals, values by hand.
#include "engine/ops/describe/build.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::entries_signal_test {

namespace {

/// Values rounded to thousandths, without negative zeros.
QString rounded(const OperatorRun &call)
{
    const auto outputs = call.run();
    if (!outputs)
        return QString::fromStdString(outputs.error().text());
    QStringList values;
    for (std::int64_t i = 0; i < outputs->front().elements(); ++i)
        values << QString::number(std::round(outputs->front().real(i) * 1000) / 1000 + 0.0);
    return values.join(' ');
}

const TensorData signal = floats({1, 4, 1}, {1, 2, 3, 4});

} // namespace

class EntriesSignalTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void transforms();
    void inverseUndoesIt();
    void transformedAxisMovedToAnInput();
    void frames();
    void shapes();
    void windows();
    void melTriangles();
    void affineGrids();
    void refusals();
};

void EntriesSignalTest::transforms()
{
    QCOMPARE(rounded({"DFT", {signal}}), QString("10 0 -2 2 -2 0 -2 -2"));
    QCOMPARE(rounded({"DFT", {signal}, {integer("onesided", 1)}}), QString("10 0 -2 2 -2 0"));
    QCOMPARE(rounded({"DFT", {signal, int64s({}, {2})}}), QString("3 0 -1 0")); // cut off
    QCOMPARE(rounded({"DFT", {floats({1, 2, 1}, {1, 2}), int64s({}, {4})}}),
             QString("3 0 1 -2 -1 0 1 2"));                                   // zeros behind
    const TensorData turning = floats({1, 4, 2}, {1, 0, 0, 1, -1, 0, 0, -1}); // i^t: one frequency
    QCOMPARE(rounded({"DFT", {turning}}), QString("0 0 4 0 0 0 0 0"));
}

void EntriesSignalTest::inverseUndoesIt()
{
    const TensorData spectrum = floats({1, 4, 2}, {10, 0, -2, 2, -2, 0, -2, -2});
    QCOMPARE(rounded({"DFT", {spectrum}, {integer("inverse", 1)}}), QString("1 0 2 0 3 0 4 0"));
}

void EntriesSignalTest::transformedAxisMovedToAnInput()
{
    const TensorData two = floats({2, 2, 1}, {1, 2, 3, 4});
    QCOMPARE(rounded({"DFT", {two}, {}, 1, 17}), QString("3 0 -1 0 7 0 -1 0"));
    QCOMPARE(rounded({"DFT", {two}, {}, 1, 20}), QString("3 0 -1 0 7 0 -1 0"));
    QCOMPARE(rounded({"DFT", {two, std::nullopt, int64s({}, {0})}, {}, 1, 20}),
             QString("4 0 6 0 -2 0 -2 0"));
}

void EntriesSignalTest::frames()
{
    const TensorData step = int64s({}, {2});
    QCOMPARE(rounded({"STFT", {signal, step, std::nullopt, int64s({}, {2})}}),
             QString("3 0 -1 0 7 0 -1 0"));
    QCOMPARE(rounded({"STFT", {signal, step, floats({2}, {1, 10})}}),
             QString("21 0 -19 0 43 0 -37 0"));
    QCOMPARE(rounded({"STFT",
                      {signal, int64s({}, {1}), floats({4}, {1, 0, 0, 0})},
                      {integer("onesided", 0)}}),
             QString("1 0 1 0 1 0 1 0"));
}

void EntriesSignalTest::shapes()
{
    const OperatorCase transform("DFT", {Shape{Dim::symbol("n"), Dim::symbol("t"), 1}},
                                 {integer("onesided", 1)});
    QVERIFY((*transform.description().values[0].shape)[1] ==
            Dim::floorDiv(Dim::symbol("t"), 2) + Dim(1));
    QCOMPARE(transform.mapping(), MappingType::ManyToMany);
    const OperatorCase frames("STFT", {Shape{2, 128, 1}, Given(TensorData::scalar(8)), Shape{16}});
    QCOMPARE(QString::fromStdString(frames.shape()), QString("2x15x9x2"));
    const OperatorCase unknown("STFT",
                               {Shape{2, 128, 1}, Given(Shape{}, DataType::Int64), Shape{16}});
    QVERIFY(unknown.describe() && unknown.description().isOpaque());
    QVERIFY(build::isUnknown((*unknown.description().values[0].shape)[1]));
}

void EntriesSignalTest::windows()
{
    const TensorData four = int64s({}, {4}), three = int64s({}, {3});
    QCOMPARE(rounded({"HannWindow", {four}}), QString("0 0.5 1 0.5"));
    QCOMPARE(rounded({"HannWindow", {three}, {integer("periodic", 0)}}), QString("0 1 0"));
    QCOMPARE(rounded({"HammingWindow", {three}, {integer("periodic", 0)}}),
             QString("0.087 1 0.087"));
    QCOMPARE(rounded({"BlackmanWindow", {three}, {integer("periodic", 0)}}), QString("0 1 0"));
    QCOMPARE(OperatorRun("HannWindow", {int64s({}, {1})},
                         {integer("output_datatype", 11), integer("periodic", 0)})
                 .result(),
             QString("double 1: 0"));
    const OperatorCase unknown("HannWindow", {Given(Shape{}, DataType::Int64)});
    QVERIFY(unknown.describe() && unknown.description().isOpaque());
}

void EntriesSignalTest::melTriangles()
{
    // Edges at 700 (10^(k/2595 ...) - 1): with 0 … 6300 Hz, that is one decade, and two bands the
    // edges are at 700 (10^(k/4) - 1) for k = 0 … 3: 0, 544.8, 1513.6, 3236.4 Hz.
    const OperatorRun call("MelWeightMatrix",
                           {int64s({}, {2}), int64s({}, {15}), int64s({}, {16000}), floats({}, {0}),
                            floats({}, {6300})});
    // In steps of 1000 Hz: 0, 0, 1, 3.
    QCOMPARE(rounded(call), QString("1 0 0 1 0 0.5 0 0 0 0 0 0 0 0 0 0"));
}

void EntriesSignalTest::affineGrids()
{
    const TensorData identity = floats({1, 2, 3}, {1, 0, 0, 0, 1, 0}),
                     size = int64s({4}, {1, 1, 2, 2});
    QCOMPARE(rounded({"AffineGrid", {identity, size}, {}, 1, 20}),
             QString("-0.5 -0.5 0.5 -0.5 -0.5 0.5 0.5 0.5"));
    QCOMPARE(rounded({"AffineGrid", {identity, size}, {integer("align_corners", 1)}, 1, 20}),
             QString("-1 -1 1 -1 -1 1 1 1"));
    const TensorData moved = floats({1, 2, 3}, {0, 2, 1, 3, 0, 0});
    QCOMPARE(rounded({"AffineGrid", {moved, size}, {integer("align_corners", 1)}, 1, 20}),
             QString("-1 -3 -1 3 3 -3 3 3"));
    const TensorData volume = floats({1, 3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 7});
    QCOMPARE(rounded({"AffineGrid", {volume, int64s({5}, {1, 1, 1, 1, 2})}, {}, 1, 20}),
             QString("-0.5 0 7 0.5 0 7"));
}

void EntriesSignalTest::refusals()
{
    const TensorData two = floats({1, 2, 2}, {1, 0, 1, 0}),
                     three = floats({1, 2, 3}, {1, 0, 0, 1, 0, 0});
    QVERIFY(refused({"DFT", {three}}, "real and imaginary parts"));
    QVERIFY(refused({"DFT", {signal}, {integer("axis", 2)}},
                    "along the dimension of real and imaginary"));
    QVERIFY(refused({"DFT", {two}, {integer("onesided", 1)}}, "onesided does not apply"));
    QVERIFY(refused({"DFT", {signal, int64s({}, {0})}}, "has the invalid length 0"));
    QVERIFY(refused({"STFT", {signal, int64s({}, {1})}}, "neither a window nor"));
    QVERIFY(refused({"STFT", {signal, int64s({}, {1}), floats({2}, {1, 1}), int64s({}, {3})}},
                    "its frames of 3"));
    QVERIFY(refused({"STFT", {signal, int64s({}, {0}), floats({2}, {1, 1})}}, "must be positive"));
    QVERIFY(
        refused({"STFT", {two, int64s({}, {1}), floats({2}, {1, 1})}}, "onesided does not apply"));
    QVERIFY(refused({"HannWindow", {int64s({2}, {3, 3})}}, "must be a single number"));
    QVERIFY(refused({"HannWindow", {int64s({}, {-3})}}, "negative extent"));
    QVERIFY(refused({"HannWindow", {int64s({}, {3})}, {integer("output_datatype", 8)}},
                    "output_datatype"));
    QVERIFY(refused(
        {"AffineGrid", {floats({1, 2, 2}, {1, 0, 0, 1}), int64s({4}, {1, 1, 2, 2})}, {}, 1, 20},
        "expected n x 2 x 3"));
    QVERIFY(refused({"AffineGrid",
                     {floats({1, 2, 3}, {1, 0, 0, 0, 1, 0}), int64s({4}, {2, 1, 2, 2})},
                     {},
                     1,
                     20},
                    "its size"));
}

GRAPHLOOM_TESTS(EntriesSignalTest)

} // namespace graphloom::test::entries_signal_test

#include "entries_signal_test.moc"
