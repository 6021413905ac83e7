// SPDX-License-Identifier: Apache-2.0
// Gathers, scatters and their kin: shapes, mapping types, refusals, and values worked out by hand.
#include "engine/ops/describe/build.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_indexing_test {

namespace {

const TensorData square = floats({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});

} // namespace

class EntriesIndexingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shapes_data();
    void shapes();
    void values_data();
    void values();
    void refusals_data();
    void refusals();
    void edgesLeaveOutLookedUpDimensions();
    void unknownTupleLengthsAreABarrier();
    void indicesOutsideAreRefusedByNode();
};

void EntriesIndexingTest::shapes_data()
{
    using G = std::vector<Given>;
    QTest::addColumn<std::shared_ptr<OperatorCase>>("call");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<int>("mapping");
    const auto row = [](const char *name, const char *shape, MappingType mapping, std::string op,
                        G inputs, std::vector<Attribute> attributes = {}) {
        QTest::newRow(name) << std::make_shared<OperatorCase>(std::move(op), std::move(inputs),
                                                              std::move(attributes))
                            << QString(shape) << int(mapping);
    };
    using enum MappingType;
    const Shape x{Dim::symbol("n"), 5, 7};
    const auto indices = [](Shape shape) { return Given(std::move(shape), DataType::Int64); };
    row("GatherElements", "nx2x7", OneToMany, "GatherElements",
        G{x, indices({Dim::symbol("n"), 2, 7})}, {integer("axis", 1)});
    row("GatherND", "4x7", OneToMany, "GatherND", G{x, indices({4, 2})});
    row("GatherND in batches", "nx3x7", OneToMany, "GatherND",
        G{x, indices({Dim::symbol("n"), 3, 1})}, {integer("batch_dims", 1)});
    row("ScatterElements", "nx5x7", OneToMany, "ScatterElements",
        G{x, indices({1, 2, 3}), Shape{1, 2, 3}}, {integer("axis", 2)});
    row("ScatterND", "nx5x7", OneToMany, "ScatterND", G{x, indices({4, 1}), Shape{4, 5, 7}});
    row("OneHot", "2x9x3", OneToMany, "OneHot",
        G{indices({2, 3}), Given(TensorData::scalar(9)), Shape{2}}, {integer("axis", 1)});
    row("Trilu", "nx5x7", OneToOne, "Trilu", G{x});
    row("EyeLike", "4x6", OneToOne, "EyeLike", G{Shape{4, 6}});
    row("ReverseSequence", "nx5x7", OneToMany, "ReverseSequence", G{x, indices({5})});
}

void EntriesIndexingTest::shapes()
{
    QFETCH(std::shared_ptr<OperatorCase>, call);
    QFETCH(QString, shape);
    QFETCH(int, mapping);
    QCOMPARE(QString::fromStdString(call->shape()), shape);
    QCOMPARE(int(call->mapping()), mapping);
}

void EntriesIndexingTest::values_data()
{
    QTest::addColumn<std::shared_ptr<OperatorRun>>("call");
    QTest::addColumn<QString>("result");
    using I = std::vector<OperatorRun::Input>;
    const auto row = [](const char *name, const char *result, std::string op, I inputs,
                        std::vector<Attribute> attributes = {}) {
        QTest::newRow(name) << std::make_shared<OperatorRun>(std::move(op), std::move(inputs),
                                                             std::move(attributes))
                            << QString(result);
    };
    const TensorData strings = TensorData::fromStrings({2, 2}, {"a", "b", "c", "d"});
    row("GatherElements", "float 2x3: 4 8 3 7 2 3", "GatherElements",
        I{square, int64s({2, 3}, {1, 2, 0, 2, 0, -3})}, {integer("axis", 0)});
    row("GatherElements of strings", "string 2x1: b c", "GatherElements",
        I{strings, int64s({2, 1}, {1, 0})}, {integer("axis", 1)});
    row("GatherND", "float 2: 2 9", "GatherND", I{square, int64s({2, 2}, {0, 1, -1, -1})});
    row("GatherND of rows", "float 1x3: 7 8 9", "GatherND", I{square, int64s({1, 1}, {2})});
    row("GatherND in batches", "float 3: 2 4 9", "GatherND", I{square, int64s({3, 1}, {1, 0, 2})},
        {integer("batch_dims", 1)});
    row("ScatterElements", "float 3x3: 1 20 3 4 5 6 10 8 30", "ScatterElements",
        I{square, int64s({1, 3}, {2, 0, -1}), floats({1, 3}, {10, 20, 30})});
    row("ScatterElements that add up", "float 3x3: 1 2 3 34 5 6 7 8 9", "ScatterElements",
        I{square, int64s({2, 1}, {1, 1}), floats({2, 1}, {10, 20})}, {word("reduction", "add")});
    row("ScatterElements maximum", "float 3x3: 1 2 3 4 5 6 7 8 9", "ScatterElements",
        I{square, int64s({1, 1}, {2}), floats({1, 1}, {6})}, {word("reduction", "max")});
    row("ScatterElements minimum", "float 3x3: 1 2 3 4 5 6 6 8 9", "ScatterElements",
        I{square, int64s({1, 1}, {2}), floats({1, 1}, {6})}, {word("reduction", "min")});
    row("the last update counts", "float 3x3: 1 2 3 20 5 6 7 8 9", "ScatterElements",
        I{square, int64s({2, 1}, {1, 1}), floats({2, 1}, {10, 20})});
    row("ScatterND", "float 3x3: 1 2 3 4 5 6 -1 -2 -3", "ScatterND",
        I{square, int64s({1, 1}, {2}), floats({1, 3}, {-1, -2, -3})});
    row("ScatterND that multiplies", "float 3x3: 1 2 3 4 5 600 7 8 9", "ScatterND",
        I{square, int64s({2, 2}, {1, 2, 1, -1}), floats({2}, {10, 10})},
        {word("reduction", "mul")});
    row("ScatterND of nothing", "float 3x3: 1 2 3 4 5 6 7 8 9", "ScatterND",
        I{square, int64s({0, 2}, {}), floats({0}, {})});
    row("OneHot", "float 3x3: 0 5 0 0 0 5 0 0 0", "OneHot",
        I{int64s({3}, {1, -1, 7}), int64s({}, {3}), floats({2}, {0, 5})});
    row("OneHot first", "int64 2x2: 1 0 0 1", "OneHot",
        I{floats({2}, {0, 1}), floats({1}, {2}), int64s({2}, {0, 1})}, {integer("axis", 0)});
    row("EyeLike", "double 2x3: 0 1 0 0 0 1", "EyeLike", I{int64s({2, 3}, {0, 0, 0, 0, 0, 0})},
        {integer("k", 1), integer("dtype", 11)});
    row("Trilu", "float 3x3: 1 2 3 0 5 6 0 0 9", "Trilu", I{square});
    row("Trilu lower, below the diagonal", "float 3x3: 0 0 0 4 0 0 7 8 0", "Trilu",
        I{square, int64s({}, {-1})}, {integer("upper", 0)});
    row("ReverseSequence", "float 3x3: 1 5 9 4 2 6 7 8 3", "ReverseSequence",
        I{square, int64s({3}, {1, 2, 3})});
    row("ReverseSequence, batch first", "float 3x3: 1 2 3 5 4 6 9 8 7", "ReverseSequence",
        I{square, int64s({3}, {1, 2, 3})}, {integer("batch_axis", 0), integer("time_axis", 1)});
}

void EntriesIndexingTest::values()
{
    QFETCH(std::shared_ptr<OperatorRun>, call);
    QFETCH(QString, result);
    QCOMPARE(call->result(), result);
}

void EntriesIndexingTest::refusals_data()
{
    QTest::addColumn<std::shared_ptr<OperatorRun>>("call");
    QTest::addColumn<QString>("reason");
    using I = std::vector<OperatorRun::Input>;
    const auto row = [](const char *name, const char *reason, std::string op, I inputs,
                        std::vector<Attribute> attributes = {}) {
        QTest::newRow(name) << std::make_shared<OperatorRun>(std::move(op), std::move(inputs),
                                                             std::move(attributes))
                            << QString(reason);
    };
    const TensorData pair = floats({2}, {0, 1});
    row("axis", "axis 2 is not a dimension", "GatherElements", I{square, int64s({1, 1}, {0})},
        {integer("axis", 2)});
    row("rank of indices", "do not match", "GatherElements", I{square, int64s({1}, {0})});
    row("extents of indices", "do not match", "GatherElements",
        I{square, int64s({1, 4}, {0, 0, 0, 0})});
    row("real indices", "must be int32 or int64", "GatherElements", I{square, square});
    row("too long tuples", "more components than", "GatherND",
        I{square, int64s({1, 3}, {0, 0, 0})});
    row("batch_dims", "batch_dims 2 does not match", "GatherND",
        I{square, int64s({3, 1}, {0, 0, 0})}, {integer("batch_dims", 2)});
    row("batch extents", "differ in a batch dimension", "GatherND",
        I{square, int64s({2, 1}, {0, 0})}, {integer("batch_dims", 1)});
    row("updates", "do not match", "ScatterElements",
        I{square, int64s({1, 3}, {0, 0, 0}), floats({1, 2}, {0, 0})});
    row("type of updates", "its updates are int64", "ScatterElements",
        I{square, int64s({1, 1}, {0}), int64s({1, 1}, {0})});
    row("reduction", "reduction \"mean\"", "ScatterElements",
        I{square, int64s({1, 1}, {0}), floats({1, 1}, {0})}, {word("reduction", "mean")});
    row("ScatterND updates", "its updates have shape 2; expected 1x3", "ScatterND",
        I{square, int64s({1, 1}, {0}), pair});
    row("OneHot values", "must have shape 2", "OneHot",
        I{int64s({1}, {0}), int64s({}, {3}), floats({3}, {0, 1, 2})});
    row("OneHot negative depth", "negative extent", "OneHot",
        I{int64s({1}, {0}), int64s({}, {-3}), pair});
    row("EyeLike of rank 1", "must be a matrix", "EyeLike", I{pair});
    row("EyeLike of strings", "\"dtype\"", "EyeLike", I{square}, {integer("dtype", 8)});
    row("Trilu of rank 1", "must be matrices", "Trilu", I{pair});
    row("lengths", "do not match", "ReverseSequence", I{square, int64s({2}, {1, 1})});
    row("batch and time", "batch and time", "ReverseSequence", I{square, int64s({3}, {1, 1, 1})},
        {integer("batch_axis", 2)});
}

void EntriesIndexingTest::refusals()
{
    QFETCH(std::shared_ptr<OperatorRun>, call);
    QFETCH(QString, reason);
    const QString message = refusalOf(call->describe());
    QVERIFY2(message.contains(reason), qPrintable(message));
}

void EntriesIndexingTest::edgesLeaveOutLookedUpDimensions()
{
    const OperatorCase call("GatherElements", {Shape{4, 5}, Given(Shape{4, 2}, DataType::Int64)},
                            {integer("axis", 1)});
    QStringList edges;
    for (const DimensionEdge &e : dimensionEdges(call.description()))
        edges << QString("%1.%2>%3").arg(e.input).arg(e.inputDim).arg(e.outputDim);
    edges.sort();
    QCOMPARE(edges.join(' '), QString("0.0>0 1.0>0 1.1>1"));
}

void EntriesIndexingTest::unknownTupleLengthsAreABarrier()
{
    const Given indices(Shape{3, Dim::symbol("parts")}, DataType::Int64);
    const OperatorCase gather("GatherND", {Shape{4, 5}, indices});
    QVERIFY(gather.describe() && gather.description().isOpaque());
    QVERIFY(!gather.description().values[0].shape);
    const OperatorCase scatter("ScatterND", {Shape{4, 5}, indices, Shape{3}});
    QVERIFY(scatter.describe() && scatter.description().isOpaque());
    QCOMPARE(QString::fromStdString(scatter.shape()), QString("4x5"));
    const OperatorCase oneHot(
        "OneHot", {Given(Shape{3}, DataType::Int64), Given(Shape{}, DataType::Int64), Shape{2}});
    QVERIFY(oneHot.describe() && oneHot.description().isOpaque());
    QCOMPARE(oneHot.description().values[0].shape->front(), Dim(3));
    QVERIFY(build::isUnknown(oneHot.description().values[0].shape->back()));
}

void EntriesIndexingTest::indicesOutsideAreRefusedByNode()
{
    for (const double index : {3., -4.}) {
        const OperatorRun gather("GatherElements", {square, int64s({1, 1}, {index})});
        const OperatorRun scatter("ScatterND",
                                  {square, int64s({1, 1}, {index}), floats({1, 3}, {0, 0, 0})});
        for (const auto *call : {&gather, &scatter}) {
            const auto outputs = call->run();
            QVERIFY(!outputs);
            QCOMPARE(outputs.error().kind, Error::Kind::Model);
            const QString message = QString::fromStdString(outputs.error().text());
            QVERIFY2(message.contains("under test") && message.contains("outside"),
                     qPrintable(message));
        }
    }
}

GRAPHLOOM_TESTS(EntriesIndexingTest)

} // namespace graphloom::test::entries_indexing_test

#include "entries_indexing_test.moc"
