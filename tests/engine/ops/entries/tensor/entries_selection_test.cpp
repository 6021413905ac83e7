// SPDX-License-Identifier: Apache-2.0
// Operators that pick elements by their values: what is known beforehand, and what they pick.
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::entries_selection_test {

namespace {

using Inputs = OperatorRun::Inputs;

} // namespace

class EntriesSelectionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void knownExtentsAndBarrier();
    void values_data();
    void values();
    void uniqueTellsPlaces();
    void nanIsLargest();
    void overlapsAreSuppressed();
    void boxesByTheirCenter();
    void refusals_data();
    void refusals();
};

void EntriesSelectionTest::knownExtentsAndBarrier()
{
    const Shape x{Dim::symbol("n"), 5, 7};
    const auto described = [&](std::string op, std::vector<Given> inputs,
                               std::vector<Attribute> attributes, int outputs = 1) {
        const OperatorCase call(std::move(op), std::move(inputs), std::move(attributes), outputs);
        const auto description = call.describe();
        if (!description)
            qFatal("%s", description.error().text().c_str());
        if (call.mapping() != MappingType::Opaque)
            qFatal("not a barrier");
        return *description;
    };
    const auto known = described("TopK", {x, Given::integers({3})}, {}, 2);
    for (const Value &value : known.values)
        QVERIFY(*value.shape == (Shape{Dim::symbol("n"), 5, 3}));
    QCOMPARE(known.values[0].type, DataType::Float);
    QCOMPARE(known.values[1].type, DataType::Int64);
    const auto unknown =
        described("TopK", {x, Given(Shape{1}, DataType::Int64)}, {integer("axis", 1)}, 2);
    QVERIFY(build::isUnknown((*unknown.values[0].shape)[1]));
    QVERIFY((*unknown.values[0].shape)[2] == Dim(7));
    const auto positions = described("NonZero", {x}, {});
    QVERIFY((*positions.values[0].shape)[0] == Dim(3) &&
            build::isUnknown((*positions.values[0].shape)[1]));
    const auto slices = described("Unique", {x}, {integer("axis", 1)}, 4);
    QVERIFY((*slices.values[0].shape)[0] == Dim::symbol("n") &&
            build::isUnknown((*slices.values[0].shape)[1]));
    QVERIFY((*slices.values[2].shape)[0] == Dim(5));
    const auto kept = described("Compress", {x, Given(numbers(DataType::Bool, {4}, {1, 0, 1, 0}))},
                                {integer("axis", 2)});
    QVERIFY(*kept.values[0].shape == (Shape{Dim::symbol("n"), 5, 2}));
}

void EntriesSelectionTest::values_data()
{
    QTest::addColumn<std::shared_ptr<OperatorRun>>("call");
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    const auto row = [](const char *name, const char *first, const char *second, std::string op,
                        Inputs inputs, std::vector<Attribute> attributes = {}) {
        const int outputs = *second ? 2 : 1;
        QTest::newRow(name) << std::make_shared<OperatorRun>(std::move(op), std::move(inputs),
                                                             std::move(attributes), outputs)
                            << QString(first) << QString(second);
    };
    const TensorData x = floats({2, 3}, {0, 5, -1, 7, 0, 5});
    row("NonZero", "int64 2x4: 0 0 1 1 1 2 0 2", "", "NonZero", {x});
    row("NonZero of a scalar", "int64 0x1: ", "", "NonZero", {floats({}, {3})});
    row("TopK", "float 2x2: 5 0 7 5", "int64 2x2: 1 0 0 2", "TopK", {x, int64s({1}, {2})});
    row("TopK smallest of columns", "float 1x3: 0 0 -1", "int64 1x3: 0 1 0", "TopK",
        {x, int64s({1}, {1})}, {integer("axis", 0), integer("largest", 0)});
    row("TopK of equals", "float 3: 1 1 1", "int64 3: 0 1 2", "TopK",
        {floats({4}, {1, 1, 1, 1}), int64s({1}, {3})});
    row("TopK of large integers", "uint64 1: 1.84467e+19", "int64 1: 1", "TopK",
        {numbers(DataType::Uint64, {2}, {5, -1}), int64s({1}, {1})});
    row("TopK of nothing", "float 2x0: ", "int64 2x0: ", "TopK", {x, int64s({1}, {0})});
    row("Compress", "float 2: 5 0", "", "Compress",
        {x, numbers(DataType::Bool, {5}, {0, 1, 0, 0, 1})});
    row("Compress columns", "float 2x2: 0 -1 7 5", "", "Compress",
        {x, numbers(DataType::Bool, {3}, {1, 0, 1})}, {integer("axis", 1)});
    row("Compress strings", "string 1: b", "", "Compress",
        {TensorData::fromStrings({2}, {"a", "b"}), numbers(DataType::Bool, {2}, {0, 1})});
    row("Compress four bits", "int4 2: -3 7", "", "Compress",
        {numbers(DataType::Int4, {3}, {-3, 1, 7}), numbers(DataType::Bool, {3}, {1, 0, 1})});
}

void EntriesSelectionTest::values()
{
    QFETCH(std::shared_ptr<OperatorRun>, call);
    QFETCH(QString, first);
    QFETCH(QString, second);
    QCOMPARE(call->result(0), first);
    if (!second.isEmpty())
        QCOMPARE(call->result(1), second);
}

void EntriesSelectionTest::uniqueTellsPlaces()
{
    const TensorData x = floats({6}, {2, 1, 1, 3, 4, 3});
    const OperatorRun sorted("Unique", {x}, {}, 4);
    QCOMPARE(sorted.result(0), QString("float 4: 1 2 3 4"));
    QCOMPARE(sorted.result(1), QString("int64 4: 1 0 3 4"));
    QCOMPARE(sorted.result(2), QString("int64 6: 1 0 0 2 3 2"));
    QCOMPARE(sorted.result(3), QString("int64 4: 2 1 2 1"));
    const OperatorRun unsorted("Unique", {x}, {integer("sorted", 0)}, 4);
    QCOMPARE(unsorted.result(0), QString("float 4: 2 1 3 4"));
    QCOMPARE(unsorted.result(1), QString("int64 4: 0 1 3 4"));
    QCOMPARE(unsorted.result(2), QString("int64 6: 0 1 1 2 3 2"));
    QCOMPARE(unsorted.result(3), QString("int64 4: 1 2 2 1"));
    const OperatorRun rows("Unique", {floats({3, 2}, {1, 0, 0, 2, 1, 0})}, {integer("axis", 0)}, 4);
    QCOMPARE(rows.result(0), QString("float 2x2: 0 2 1 0"));
    QCOMPARE(rows.result(2), QString("int64 3: 1 0 1"));
}

void EntriesSelectionTest::nanIsLargest()
{
    const OperatorRun call("TopK", {floats({3}, {1, std::nan(""), 2}), int64s({1}, {2})}, {}, 2);
    QCOMPARE(call.result(1), QString("int64 2: 1 2"));
}

void EntriesSelectionTest::overlapsAreSuppressed()
{
    // The second box shares 90 of 110 with the first; the third stands alone.
    const TensorData boxes = floats({1, 3, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 2, 2, 3, 3});
    const TensorData scores = floats({1, 1, 3}, {0.9, 0.8, 0.7});
    const auto selected = [&](double most, double overlap, double score) {
        return OperatorRun("NonMaxSuppression", {boxes, scores, int64s({1}, {most}),
                                                 floats({1}, {overlap}), floats({1}, {score})})
            .result();
    };
    QCOMPARE(selected(3, 0.5, 0), QString("int64 2x3: 0 0 0 0 0 2"));
    QCOMPARE(selected(3, 0.9, 0), QString("int64 3x3: 0 0 0 0 0 1 0 0 2"));
    QCOMPARE(selected(1, 0.5, 0), QString("int64 1x3: 0 0 0"));
    QCOMPARE(selected(3, 0.5, 0.75), QString("int64 1x3: 0 0 0"));
    QCOMPARE(OperatorRun("NonMaxSuppression", {boxes, scores}).result(), QString("int64 0x3: "));
}

void EntriesSelectionTest::boxesByTheirCenter()
{
    // The same corners, once in the wrong order and once by center and extents.
    const TensorData scores = floats({1, 1, 2}, {0.5, 0.6});
    const Inputs limits{std::nullopt, std::nullopt, int64s({1}, {2}), floats({1}, {0.5})};
    Inputs flipped = limits, centered = limits;
    flipped[0] = floats({1, 2, 4}, {1, 1, 0, 0, 0, 0, 1, 1});
    centered[0] = floats({1, 2, 4}, {0.5, 0.5, 1, 1, 0.5, 0.5, 1, 1});
    flipped[1] = centered[1] = scores;
    QCOMPARE(OperatorRun("NonMaxSuppression", flipped).result(), QString("int64 1x3: 0 0 1"));
    QCOMPARE(OperatorRun("NonMaxSuppression", centered, {integer("center_point_box", 1)}).result(),
             QString("int64 1x3: 0 0 1"));
}

void EntriesSelectionTest::refusals_data()
{
    QTest::addColumn<std::shared_ptr<OperatorRun>>("call");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const char *reason, std::string op, Inputs inputs,
                        std::vector<Attribute> attributes = {}) {
        QTest::newRow(name) << std::make_shared<OperatorRun>(std::move(op), std::move(inputs),
                                                             std::move(attributes))
                            << QString(reason);
    };
    const TensorData x = floats({2, 3}, {0, 5, -1, 7, 0, 5});
    row("too many", "cannot take 4 of 3", "TopK", {x, int64s({1}, {4})});
    row("negative count", "cannot take -1 of 3", "TopK", {x, int64s({1}, {-1})});
    row("two counts", "must be a single number", "TopK", {x, int64s({2}, {1, 1})});
    row("axis", "axis 2 is not", "TopK", {x, int64s({1}, {1})}, {integer("axis", 2)});
    row("Unique axis", "axis -3 is not", "Unique", {x}, {integer("axis", -3)});
    row("condition of numbers", "must be a list of Booleans", "Compress", {x, floats({2}, {0, 1})});
    row("condition too long", "3 Booleans for 2", "Compress",
        {x, numbers(DataType::Bool, {3}, {0, 1, 1})}, {integer("axis", 0)});
    row("boxes of five numbers", "do not match", "NonMaxSuppression",
        {floats({1, 1, 5}, {0, 0, 0, 0, 0}), floats({1, 1, 1}, {0})});
    row("boxes without scores", "do not match", "NonMaxSuppression",
        {floats({1, 1, 4}, {0, 0, 0, 0}), floats({1, 1, 2}, {0, 0})});
    row("NonZero of complex numbers", "complex", "NonZero",
        {TensorData::fromBytes(DataType::Complex64, {1}, std::vector<std::byte>(8))});
}

void EntriesSelectionTest::refusals()
{
    QFETCH(std::shared_ptr<OperatorRun>, call);
    QFETCH(QString, reason);
    const QString message = call->refusal();
    QVERIFY2(message.contains(reason), qPrintable(message));
}

GRAPHLOOM_TESTS(EntriesSelectionTest)

} // namespace graphloom::test::entries_selection_test

#include "entries_selection_test.moc"
