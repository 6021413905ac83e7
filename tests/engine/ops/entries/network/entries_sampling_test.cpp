// SPDX-License-Identifier: Apache-2.0
// GridSample, RoiAlign and MaxRoiPool: shapes, mapping types, refusals, and values by hand.
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::entries_sampling_test {

namespace {

using Inputs = OperatorRun::Inputs;

/// 0 1 2 3 / 10 11 12 13 / 20 21 22 23: element (y, x) is 10y + x, so that interpolation inside
/// gives 10y + x for any position.
TensorData ramp()
{
    std::vector<double> values;
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x)
            values.push_back(10 * y + x);
    return floats({1, 1, 3, 4}, values);
}

/// Grid coordinates of position (y, x) with corners aligned.
TensorData at(double y, double x)
{
    return floats({1, 1, 1, 2}, {x / 1.5 - 1, y - 1});
}

QString sampled(double y, double x, const char *mode, const char *padding)
{
    return OperatorRun(
               "GridSample", {ramp(), at(y, x)},
               {word("mode", mode), word("padding_mode", padding), integer("align_corners", 1)}, 1,
               20)
        .result()
        .section(' ', 2);
}

} // namespace

class EntriesSamplingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shapes();
    void gridPositions();
    void gridPadding();
    void gridWithoutAlignedCorners();
    void gridOfVolumes();
    void regionAverages();
    void regionsOnTheBorder();
    void adaptiveSamplesAgree();
    void pooledRegions();
    void refusals_data();
    void refusals();
};

void EntriesSamplingTest::shapes()
{
    const Shape x{Dim::symbol("n"), 3, Dim::symbol("h"), Dim::symbol("w")};
    const OperatorCase grid("GridSample", {x, Shape{Dim::symbol("n"), 5, 6, 2}});
    QCOMPARE(QString::fromStdString(grid.shape()), QString("nx3x5x6"));
    QCOMPARE(grid.mapping(), MappingType::ManyToMany);
    const OperatorCase nearest("GridSample", {x, Shape{Dim::symbol("n"), 5, 6, 2}},
                               {word("mode", "nearest")});
    QCOMPARE(nearest.mapping(), MappingType::OneToMany);
    const OperatorCase regions(
        "RoiAlign",
        {x, Shape{Dim::symbol("r"), 4}, Given(Shape{Dim::symbol("r")}, DataType::Int64)},
        {integer("output_height", 7), integer("output_width", 5), integer("sampling_ratio", 2)});
    QCOMPARE(QString::fromStdString(regions.shape()), QString("rx3x7x5"));
    QCOMPARE(regions.mapping(), MappingType::ManyToMany);
    const OperatorCase adaptive(
        "RoiAlign",
        {x, Shape{Dim::symbol("r"), 4}, Given(Shape{Dim::symbol("r")}, DataType::Int64)},
        {integer("output_height", 7), integer("output_width", 5)});
    QVERIFY(adaptive.describe() && adaptive.description().isOpaque());
    QCOMPARE(QString::fromStdString(adaptive.shape()), QString::fromStdString(regions.shape()));
    const OperatorCase pooled("MaxRoiPool", {x, Shape{Dim::symbol("r"), 5}},
                              {{"pooled_shape", std::vector<std::int64_t>{2, 3}}});
    QCOMPARE(QString::fromStdString(pooled.shape()), QString("rx3x2x3"));
}

void EntriesSamplingTest::gridPositions()
{
    QCOMPARE(sampled(1, 2, "nearest", "zeros"), QString("12"));
    QCOMPARE(sampled(1.25, 1.5, "linear", "zeros"), QString("14"));
    QCOMPARE(sampled(2, 3, "linear", "zeros"), QString("23"));
    // On a row that is constant in y, cubic convolution gives back a ramp away from the border.
    QCOMPARE(sampled(1, 1.5, "cubic", "border"), QString("11.5"));
    QCOMPARE(sampled(0.75, 0, "linear", "border"), QString("7.5"));
}

void EntriesSamplingTest::gridPadding()
{
    QCOMPARE(sampled(0, -0.25, "linear", "zeros"), QString("0"));
    QCOMPARE(sampled(1, -0.25, "linear", "zeros"), QString("7.5"));
    QCOMPARE(sampled(1, -3, "linear", "zeros"), QString("0"));
    QCOMPARE(sampled(1, 9, "linear", "border"), QString("13"));
    QCOMPARE(sampled(1, -1, "linear", "reflection"), QString("11"));
    QCOMPARE(sampled(1, 4, "nearest", "reflection"), QString("12"));
    QCOMPARE(sampled(1, 6.5, "linear", "reflection"),
             QString("10.5")); // 0 at 6, then upwards again
    QCOMPARE(sampled(1, 9, "nearest", "zeros"), QString("0"));
    QVERIFY(sampled(1, std::nan(""), "linear", "border").contains("nan"));
}

void EntriesSamplingTest::gridWithoutAlignedCorners()
{
    // -1 is the outer edge of the first element: half an element before its center.
    const auto corner = [](const char *padding) {
        return OperatorRun("GridSample", {ramp(), floats({1, 1, 1, 2}, {-1, -1})},
                           {word("padding_mode", padding)})
            .result();
    };
    QCOMPARE(corner("border"), QString("float 1x1x1x1: 0"));
    QCOMPARE(corner("reflection"), QString("float 1x1x1x1: 0"));
    const OperatorRun last("GridSample", {ramp(), floats({1, 1, 1, 2}, {1, 1})});
    QCOMPARE(last.result(), QString("float 1x1x1x1: 5.75")); // a quarter of 23
}

void EntriesSamplingTest::gridOfVolumes()
{
    const TensorData volume = floats({1, 1, 2, 2, 2}, {0, 1, 10, 11, 100, 101, 110, 111});
    const OperatorRun center("GridSample", {volume, floats({1, 1, 1, 1, 3}, {0, 0, 0})},
                             {word("mode", "linear")}, 1, 20);
    QCOMPARE(center.result(), QString("float 1x1x1x1x1: 55.5"));
    const OperatorRun corner("GridSample", {volume, floats({1, 1, 1, 1, 3}, {1, -1, 1})},
                             {word("mode", "linear"), integer("align_corners", 1)}, 1, 20);
    QCOMPARE(corner.result(), QString("float 1x1x1x1x1: 101"));
}

namespace {

std::vector<Attribute> regionSettings(std::int64_t height, std::int64_t width, std::int64_t samples)
{
    return {integer("output_height", height), integer("output_width", width),
            integer("sampling_ratio", samples)};
}

} // namespace

void EntriesSamplingTest::regionAverages()
{
    const TensorData first = int64s({1}, {0});
    // The average of a ramp over a region is its value in the middle: x 1…3, y 1…2, less a half.
    const OperatorRun one("RoiAlign", {ramp(), floats({1, 4}, {1, 1, 3, 2}), first},
                          regionSettings(1, 1, 2));
    QCOMPARE(one.result(), QString("float 1x1x1x1: 11.5"));
    const OperatorRun cells("RoiAlign", {ramp(), floats({1, 4}, {1, 1, 3, 2}), first},
                            regionSettings(1, 2, 3));
    QCOMPARE(cells.result(), QString("float 1x1x1x2: 11 12"));
    auto settings = regionSettings(1, 1, 2);
    settings.push_back(word("coordinate_transformation_mode", "output_half_pixel"));
    settings.push_back(real("spatial_scale", 0.5f));
    const OperatorRun scaled("RoiAlign", {ramp(), floats({1, 4}, {2, 2, 4, 4}), first}, settings);
    QCOMPARE(scaled.result(), QString("float 1x1x1x1: 16.5"));
    settings = regionSettings(1, 1, 1);
    settings.push_back(word("mode", "max"));
    // One sample at (1, 1.5): half of 11 and half of 12, of which the larger one counts.
    const OperatorRun largest("RoiAlign", {ramp(), floats({1, 4}, {1, 1, 3, 2}), first}, settings);
    QCOMPARE(largest.result(), QString("float 1x1x1x1: 6"));
}

void EntriesSamplingTest::regionsOnTheBorder()
{
    const TensorData regions =
        floats({3, 4}, {-9, -9, -8, -8, -0.5, 1.5, 0.5, 1.5, 3, 2.5, 5, 2.5});
    const OperatorRun call("RoiAlign", {ramp(), regions, int64s({3}, {0, 0, 0})},
                           regionSettings(1, 1, 1));
    // Far outside: 0; half an element outside: the border; behind the last one: the border.
    QCOMPARE(call.result(), QString("float 3x1x1x1: 0 10 23"));
}

void EntriesSamplingTest::adaptiveSamplesAgree()
{
    // Cells of 2 elements are given 2 samples, described or not.
    const TensorData regions = floats({2, 4}, {0.25, 0.5, 4.25, 2.5, 0, 0, 3.5, 1.75});
    for (const char *mode : {"avg", "max"}) {
        auto fixed = regionSettings(1, 2, 2), adaptive = regionSettings(1, 2, 0);
        fixed.push_back(word("mode", mode));
        adaptive.push_back(word("mode", mode));
        const Inputs inputs{ramp(), regions, int64s({2}, {0, 0})};
        const OperatorRun described("RoiAlign", inputs, fixed),
            opaque("RoiAlign", inputs, adaptive);
        QVERIFY(!described.describe()->isOpaque() && opaque.describe()->isOpaque());
        QCOMPARE(opaque.result(), described.result());
    }
    const OperatorRun outside("RoiAlign", {ramp(), regions, int64s({2}, {0, 1})},
                              regionSettings(1, 2, 0));
    QVERIFY2(outside.result().contains("image 1, but the number of images is 1"),
             qPrintable(outside.result()));
}

void EntriesSamplingTest::pooledRegions()
{
    const Attribute shape{"pooled_shape", std::vector<std::int64_t>{1, 2}};
    const OperatorRun call("MaxRoiPool", {ramp(), floats({2, 5}, {0, 0, 0, 3, 1, 0, 9, 9, 9, 9})},
                           {shape});
    QCOMPARE(call.result(), QString("float 2x1x1x2: 11 13 0 0"));
    const double nan = std::nan("");
    const OperatorRun nowhere("MaxRoiPool", {ramp(), floats({1, 5}, {0, nan, 0, 3, nan})}, {shape});
    QCOMPARE(nowhere.result(), QString("float 1x1x1x2: 0 0"));
}

void EntriesSamplingTest::refusals_data()
{
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const char *reason, std::string op,
                        std::vector<Given> inputs, std::vector<Attribute> attributes) {
        QTest::newRow(name) << std::make_shared<OperatorCase>(std::move(op), std::move(inputs),
                                                              std::move(attributes))
                            << QString(reason);
    };
    const Shape x{2, 3, 8, 9};
    const Given batch(Shape{4}, DataType::Int64);
    row("grid of the wrong rank", "do not match", "GridSample", {x, Shape{2, 5, 2}}, {});
    row("grid of other images", "do not match", "GridSample", {x, Shape{3, 5, 6, 2}}, {});
    row("coordinates of three parts", "do not match", "GridSample", {x, Shape{2, 5, 6, 3}}, {});
    row("mode", "mode \"area\"", "GridSample", {x, Shape{2, 5, 6, 2}}, {word("mode", "area")});
    row("padding", "padding_mode \"wrap\"", "GridSample", {x, Shape{2, 5, 6, 2}},
        {word("padding_mode", "wrap")});
    row("regions of five numbers", "do not match", "RoiAlign", {x, Shape{4, 5}, batch}, {});
    row("regions without images", "do not match", "RoiAlign", {x, Shape{3, 4}, batch}, {});
    row("no output", "out of range", "RoiAlign", {x, Shape{4, 4}, batch},
        {integer("output_height", 0)});
    row("region mode", "mode \"min\"", "RoiAlign", {x, Shape{4, 4}, batch}, {word("mode", "min")});
    row("pooled shape", "do not match", "MaxRoiPool", {x, Shape{4, 5}}, {});
}

void EntriesSamplingTest::refusals()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(QString, reason);
    const QString message = refusalOf(call->describe());
    QVERIFY2(message.contains(reason), qPrintable(message));
}

GRAPHLOOM_TESTS(EntriesSamplingTest)

} // namespace graphloom::test::entries_sampling_test

#include "entries_sampling_test.moc"
