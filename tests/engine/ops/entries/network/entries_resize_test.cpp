// SPDX-License-Identifier: Apache-2.0
// Resize: extents, index maps and refusals; values against sums worked out by hand.
#include "engine/ops/describe/stage.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_resize_test {

namespace {

Given reals(std::vector<float> values)
{
    return Given(
        TensorData::fromValues<float>(DataType::Float, {std::int64_t(values.size())}, values));
}
Given nothing()
{
    return Given::weights({0});
}

constexpr auto coordinates = "coordinate_transformation_mode";
const Shape picture{1, 3, 10, 20};
const Shape symbolic{Dim::symbol("n"), 3, Dim::symbol("h"), Dim::symbol("w")};

QString mapOf(const OperatorCase &call)
{
    const auto described = call.describe();
    if (!described)
        return QString::fromStdString(described.error().text());
    if (described->isOpaque())
        return "opaque";
    const Stage &stage = described->stages.back();
    QStringList parts;
    for (const Index &index : stage.reads[0].map)
        parts << QString::fromStdString(textOf(index, stage.axes));
    return parts.join(',');
}

} // namespace

class EntriesResizeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shapesAndMaps_data();
    void shapesAndMaps();
    void refusals_data();
    void refusals();
    void wholeScalesStaySymbolic();
    void unknownScalesAreABarrier();
    void antialiasingWidensTheFilter();
    void antialiasingOfExtremeScales();
    void values_data();
    void values();
};

void EntriesResizeTest::shapesAndMaps_data()
{
    using A = std::vector<Attribute>;
    using G = std::vector<Given>;
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("map");
    QTest::addColumn<int>("mapping");
    const auto row = [](const char *name, const char *shape, const char *map, MappingType mapping,
                        const G &inputs, const A &attributes) {
        QTest::newRow(name) << std::make_shared<OperatorCase>("Resize", inputs, attributes, 1, 19)
                            << QString(shape) << QString(map) << int(mapping);
    };
    using enum MappingType;
    row("nearest", "1x3x20x40", "n,c,h/2,w/2", OneToMany, {picture, nothing(), reals({1, 1, 2, 2})},
        {});
    row("nearest of rank 1", "10", "i/2", OneToMany, {Shape{5}, nothing(), reals({2})}, {});
    row("nearest asymmetric", "1x3x20x40", "n,c,h/2,w/2", OneToMany,
        {picture, nothing(), reals({1, 1, 2, 2})},
        {word(coordinates, "asymmetric"), word("nearest_mode", "floor")});
    row("nearest asymmetric ceil", "1x3x20x20", "n,c,(h+1)/2,w", OneToMany,
        {picture, nothing(), reals({1, 1, 2, 1})},
        {word(coordinates, "asymmetric"), word("nearest_mode", "ceil")});
    row("nearest by half is a slice", "1x3x5x10", "n,c,2*h,2*w", OneToOne,
        {picture, nothing(), reals({1, 1, .5, .5})},
        {word(coordinates, "asymmetric"), word("nearest_mode", "floor")});
    // (h + 1/2) * 10/7 - 1/2, halves rounded down
    row("nearest to sizes", "1x3x7x20", "n,c,(10*h+4)/7,w", OneToMany,
        {picture, nothing(), nothing(), Given::integers({1, 3, 7, 20})}, {});
    row("in single precision", "1x3x7x20", "n,c,(16777216*h+8388607)/11744051,w", OneToMany,
        {picture, nothing(), reals({1, 1, .7f, 1})}, {});
    row("of axes", "1x3x5x6", "n,c,2*h+1,(10*w+6)/3", OneToMany,
        {picture, nothing(), nothing(), Given::integers({6, 5})},
        {{"axes", std::vector<std::int64_t>{3, 2}}, word("nearest_mode", "ceil")});
    row("not larger", "1x3x4x8", "n,c,(5*h+2)/2,(5*w+2)/2", OneToMany,
        {picture, nothing(), nothing(), Given::integers({7, 8})},
        {{"axes", std::vector<std::int64_t>{2, 3}},
         word("keep_aspect_ratio_policy", "not_larger")});
    row("not smaller", "1x3x7x14", "n,c,(10*h+4)/7,(10*w+4)/7", OneToMany,
        {picture, nothing(), nothing(), Given::integers({7, 8})},
        {{"axes", std::vector<std::int64_t>{2, 3}},
         word("keep_aspect_ratio_policy", "not_smaller")});
    row("linear", "1x3x20x20", "n,c,(h+2*kh-1)/2,w", ManyToMany,
        {picture, nothing(), reals({1, 1, 2, 1})}, {word("mode", "linear")});
    row("linear, corners aligned", "1x3x19x20", "n,c,(h+2*kh)/2,w", ManyToMany,
        {picture, nothing(), nothing(), Given::integers({1, 3, 19, 20})},
        {word("mode", "linear"), word(coordinates, "align_corners")});
    row("linear that meets elements", "1x3x5x20", "n,c,2*h,w", OneToOne,
        {picture, nothing(), reals({1, 1, .5, 1})},
        {word("mode", "linear"), word(coordinates, "asymmetric")});
    row("cubic", "1x3x20x20", "n,c,(h+2*kh-3)/2,w", ManyToMany,
        {picture, nothing(), reals({1, 1, 2, 1})}, {word("mode", "cubic")});
    row("cropped", "1x3x3x20", "n,c,(9*h+4*kh+9)/4,w", ManyToMany,
        {picture, reals({0, 0, .25f, 0, 1, 1, .75f, 1}), nothing(), Given::integers({1, 3, 3, 20})},
        {word("mode", "linear"), word(coordinates, "tf_crop_and_resize")});
    row("as it is", "1x3x10x20", "n,c,h,w", OneToOne, {picture, nothing(), reals({1, 1, 1, 1})},
        {word("mode", "cubic")});
}

void EntriesResizeTest::shapesAndMaps()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(QString, shape);
    QFETCH(QString, map);
    QFETCH(int, mapping);
    QCOMPARE(QString::fromStdString(call->shape()), shape);
    QCOMPARE(mapOf(*call), map);
    QCOMPARE(int(call->mapping()), mapping);
}

void EntriesResizeTest::refusals_data()
{
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const char *reason, const std::vector<Given> &inputs,
                        const std::vector<Attribute> &attributes) {
        QTest::newRow(name) << std::make_shared<OperatorCase>("Resize", inputs, attributes, 1, 18)
                            << QString(reason);
    };
    row("neither", "neither scales nor sizes", {picture}, {});
    row("both", "both scales and sizes",
        {picture, nothing(), reals({1, 1, 1, 1}), Given::integers({1, 3, 2, 2})}, {});
    row("too few scales", "3 scales; expected 4", {picture, nothing(), reals({1, 1, 1})}, {});
    row("too few sizes", "1 sizes; expected 2",
        {picture, nothing(), nothing(), Given::integers({4})},
        {{"axes", std::vector<std::int64_t>{2, 3}}});
    row("negative scale", "out of range", {picture, nothing(), reals({1, 1, -1, 1})}, {});
    row("scale that is no number", "out of range",
        {picture, nothing(), reals({1, 1, 0.f / 0.f, 1})}, {});
    row("endless scale", "out of range", {picture, nothing(), reals({1, 1, 1e30f, 1})}, {});
    row("negative size", "has the invalid size -2",
        {picture, nothing(), nothing(), Given::integers({1, 3, -2, 2})}, {});
    row("of nothing", "cannot resize an extent of 0",
        {Shape{1, 3, 0, 2}, nothing(), nothing(), Given::integers({1, 3, 2, 2})}, {});
    row("axis out of range", "axis 4 is not a dimension", {picture, nothing(), reals({2})},
        {{"axes", std::vector<std::int64_t>{4}}});
    row("axis twice", "has a duplicate axis", {picture, nothing(), reals({2, 2})},
        {{"axes", std::vector<std::int64_t>{3, -1}}});
    row("mode", "mode \"lanczos\"", {picture, nothing(), reals({1, 1, 2, 2})},
        {word("mode", "lanczos")});
    row("coordinates", "coordinate_transformation_mode \"x\"",
        {picture, nothing(), reals({1, 1, 2, 2})}, {word(coordinates, "x")});
    row("region", "numbers for its region", {picture, reals({0, 1}), reals({1, 1, 2, 2})},
        {word(coordinates, "tf_crop_and_resize")});
    row("more elements than there can be", "more elements",
        {Shape{4096, 4096, 4096, 4096}, nothing(), reals({4096, 4096, 4096, 4096})}, {});
}

void EntriesResizeTest::refusals()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(QString, reason);
    const QString message = refusalOf(call->describe());
    QVERIFY2(message.contains(reason), qPrintable(message));
}

void EntriesResizeTest::wholeScalesStaySymbolic()
{
    const OperatorCase nearest("Resize", {symbolic, nothing(), reals({1, 1, 2, 3})});
    QCOMPARE(nearest.shape(), std::string("nx3x2*hx3*w"));
    QCOMPARE(mapOf(nearest), QString("n,c,h/2,w/3"));
    QCOMPARE(nearest.mapping(), MappingType::OneToMany);
    // Positions are proved to stay inside without knowing the extents.
    QCOMPARE(nearest.description().stages[0].reads[0].outside, Read::Outside::Never);
    const OperatorCase linear("Resize", {symbolic, nothing(), reals({1, 1, 2, 2})},
                              {word("mode", "linear")});
    QCOMPARE(linear.shape(), std::string("nx3x2*hx2*w"));
    QCOMPARE(linear.mapping(), MappingType::ManyToMany);
    const OperatorCase half("Resize", {symbolic, nothing(), reals({1, 1, .5, .5})});
    QCOMPARE(QString::fromStdString(half.shape()), QString("nx3xfloor(h/2)xfloor(w/2)"));
}

void EntriesResizeTest::unknownScalesAreABarrier()
{
    const OperatorCase call("Resize", {picture, nothing(), Shape{4}});
    const auto described = call.describe();
    QVERIFY(described && described->isOpaque());
    QCOMPARE(call.mapping(), MappingType::Opaque);
    QCOMPARE(described->values[0].type, DataType::Float);
    QCOMPARE(described->values[0].shape->size(), std::size_t(4));
    for (const Dim &extent : *described->values[0].shape)
        QVERIFY(extent == Dim::symbol("?"));
}

/// The width of the filter is a number whatever the scale is.
void EntriesResizeTest::antialiasingOfExtremeScales()
{
    const auto resized = [](std::int64_t from, std::int64_t to) {
        return OperatorCase("Resize", {Shape{from}, nothing(), nothing(), Given::integers({to})},
                            {word("mode", "cubic"), integer("antialias", 1)}, 1, 18)
            .shape();
    };
    QCOMPARE(QString::fromStdString(resized(4, 0)), QString("0"));
    QCOMPARE(QString::fromStdString(resized(std::int64_t{1} << 62, 1)), QString("1"));
}

void EntriesResizeTest::antialiasingWidensTheFilter()
{
    const auto description = OperatorCase("Resize", {picture, nothing(), reals({1, 1, .5, 1})},
                                          {word("mode", "cubic"), integer("antialias", 1)}, 1, 18)
                                 .description();
    QCOMPARE(description.stages.size(), std::size_t(2)); // the sum of the weights comes first
    QCOMPARE(reductionAxes(description), 2);
    QCOMPARE(description.stages[1].axes.back().extent, Dim(8)); // 4 taps without
    const auto enlarged = OperatorCase("Resize", {picture, nothing(), reals({1, 1, 2, 1})},
                                       {word("mode", "cubic"), integer("antialias", 1)}, 1, 18)
                              .description();
    QCOMPARE(enlarged.stages.size(), std::size_t(1));
    QCOMPARE(enlarged.stages[0].axes.back().extent, Dim(4));
}

void EntriesResizeTest::values_data()
{
    QTest::addColumn<std::shared_ptr<OperatorRun>>("call");
    QTest::addColumn<QString>("result");
    const auto row = [](const char *name, const char *result, const TensorData &x,
                        std::optional<TensorData> scales, std::optional<TensorData> sizes,
                        std::vector<Attribute> attributes, std::optional<TensorData> region = {}) {
        QTest::newRow(name) << std::make_shared<OperatorRun>(
                                   "Resize",
                                   std::vector<OperatorRun::Input>{x, region, scales, sizes},
                                   std::move(attributes), 1, 19)
                            << QString(result);
    };
    const TensorData steps = floats({4}, {0, 1, 2, 3}), twice = floats({1}, {2}),
                     half = floats({1}, {.5});
    row("nearest", "float 8: 0 0 1 1 2 2 3 3", steps, twice, {}, {});
    row("nearest of strings", "string 4: a a b b", TensorData::fromStrings({2}, {"a", "b"}), twice,
        {}, {});
    row("halves down", "float 8: 0 0 1 1 2 2 3 3", steps, {}, int64s({1}, {8}),
        {word(coordinates, "asymmetric")});
    row("halves up", "float 8: 0 1 1 2 2 3 3 3", steps, twice, {},
        {word(coordinates, "asymmetric"), word("nearest_mode", "round_prefer_ceil")});
    row("linear", "float 8: 0 0.25 0.75 1.25 1.75 2.25 2.75 3", steps, twice, {},
        {word("mode", "linear")});
    row("linear of integers", "int32 4: 0 2 7 10", numbers(DataType::Int32, {2}, {0, 10}), twice,
        {}, {word("mode", "linear")});
    row("corners", "float 7: 0 0.5 1 1.5 2 2.5 3", steps, {}, int64s({1}, {7}),
        {word("mode", "linear"), word(coordinates, "align_corners")});
    row("one position", "float 1: 0", steps, {}, int64s({1}, {1}),
        {word("mode", "linear"), word(coordinates, "pytorch_half_pixel")});
    // 3.2 elements are rounded down to 3, which lie in the middle: at 0.25, 1.5 and 2.75.
    row("symmetric", "float 3: 0.25 1.5 2.75", steps, floats({1}, {.8f}), {},
        {word("mode", "linear"), word(coordinates, "half_pixel_symmetric")});
    // At 0.5 and 2.5: weights 1/4, 3/4, 3/4, 1/4 over four elements.
    row("antialiased", "float 2: 0.625 2.375", steps, half, {},
        {word("mode", "linear"), integer("antialias", 1)});
    row("antialiased without outside", "float 2: 0.714286 2.28571", steps, half, {},
        {word("mode", "linear"), integer("antialias", 1), integer("exclude_outside", 1)});
    row("cubic between equals", "float 4: 5 5 5 5", floats({2}, {5, 5}), twice, {},
        {word("mode", "cubic")});
    row("cubic without outside", "float 4: 5 5 5 5", floats({2}, {5, 5}), twice, {},
        {word("mode", "cubic"), integer("exclude_outside", 1)});
    row("cropped", "float 3: 0.75 1.5 2.25", steps, {}, int64s({1}, {3}),
        {word("mode", "linear"), word(coordinates, "tf_crop_and_resize")}, floats({2}, {.25, .75}));
    row("beyond the region", "float 3: -7 1.5 -7", steps, {}, int64s({1}, {3}),
        {word("mode", "linear"),
         word(coordinates, "tf_crop_and_resize"),
         {"extrapolation_value", -7.f}},
        floats({2}, {-.25, 1.25}));
    row("nothing", "float 0: ", floats({0}, {}), twice, {}, {word("mode", "linear")});
}

void EntriesResizeTest::values()
{
    QFETCH(std::shared_ptr<OperatorRun>, call);
    QFETCH(QString, result);
    QCOMPARE(call->result(), result);
}

GRAPHLOOM_TESTS(EntriesResizeTest)

} // namespace graphloom::test::entries_resize_test

#include "entries_resize_test.moc"
