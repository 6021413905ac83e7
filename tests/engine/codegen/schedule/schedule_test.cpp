// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/nests/joined_axes.h"
#include "engine/ops/describe/stage.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::schedule_test {

namespace {

IndexForm v(int axis)
{
    return IndexForm::variable(AxisIndex(axis));
}

/// A nest reads the first tensor, and writes or reads the second one.
constexpr BlockTensorIndex firstTensor(0), secondTensor(1);

/// c[m, n] = sum over k of a[m, k] * b[k, n]; read 2 looks up, read 3 may be outside.
Nest product()
{
    const IndexForm m = v(0), n = v(1), k = v(2);
    Nest nest;
    nest.axes = {{"m", 60, false}, {"n", 100, false}, {"k", 30, true}};
    nest.reads = {{firstTensor, {m, k}, false, 0},
                  {secondTensor, {k, n}, false, 0},
                  {secondTensor, {IndexForm::lookup(ReadIndex(0), 30), n}, false, 0},
                  {secondTensor, {k - 1, n}, true, 0}};
    nest.combine = Combine::Sum;
    return nest;
}

/// t[w[m], n] += g[m, n, k]: rows are looked up, so that points of m and k may share an element.
Nest scatter()
{
    Nest nest;
    nest.axes = {{"m", 60, false, true}, {"n", 100, false}, {"k", 30, false, true}};
    nest.reads = {{firstTensor, {v(0)}, false, 0}};
    nest.stores = {{secondTensor, {IndexForm::lookup(ReadIndex(0), 30), v(1)}, {}}};
    nest.stores[0].update = Combine::Sum;
    return nest;
}

QString error(const Result<void> &done)
{
    return done ? QString() : QString::fromStdString(done.error().message);
}

QStringList names(const Schedule &schedule)
{
    QStringList list;
    for (const Loop &loop : schedule.loops())
        list << QString::fromStdString(loop.name);
    return list;
}

} // namespace

class ScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void axesAreSerialLoops();
    void axesOfOnePointHaveNoLoop();
    void tilesOfTiles();
    void primitivesThatAreRefused_data();
    void primitivesThatAreRefused();
    void illegalSchedules_data();
    void illegalSchedules();
    void legalSchedules_data();
    void legalSchedules();
    void textsApply();
    void textsOfSeveralComeApart_data();
    void textsOfSeveralComeApart();
    void whatMayWriteTheSameElementKeepsItsOrder();
    void packing();
    void prefetching();
    void images();
    void joinedAxesHaveNamesOfTheirOwn();
    void moreIterationsThanLanesAreRefused();
};

void ScheduleTest::axesAreSerialLoops()
{
    const Schedule schedule(product());
    QCOMPARE(names(schedule), QStringList({"m", "n", "k"}));
    QVERIFY(schedule.check().has_value());
    QVERIFY(schedule.reduces(schedule.loops().back()));
    QVERIFY(schedule.text().empty());
}

void ScheduleTest::axesOfOnePointHaveNoLoop()
{
    Nest nest = product();
    nest.axes.front().extent = 1;
    QCOMPARE(names(Schedule(nest)), QStringList({"n", "k"}));
}

void ScheduleTest::tilesOfTiles()
{
    Schedule schedule(product());
    QVERIFY(schedule.tile("n", 32).has_value());
    QVERIFY(schedule.tile("n.i", 8).has_value());
    QCOMPARE(names(schedule), QStringList({"m", "n.o", "n.i.o", "n.i.i", "k"}));
    QCOMPARE(schedule.loops()[LoopIndex(1)].step, std::int64_t(32));
    QCOMPARE(schedule.loops()[LoopIndex(2)].step, std::int64_t(8));
    QCOMPARE(schedule.loops()[LoopIndex(3)].step, std::int64_t(1));
}

void ScheduleTest::primitivesThatAreRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *text, const char *message) {
        QTest::newRow(text) << text << message;
    };
    row("tile x 4", "there is no loop \"x\"; there are m, n, k");
    row("tile n 0", "a tile of 0 iterations of \"n\"");
    row("tile n", "a tile of -1 iterations of \"n\"");
    row("vectorize n; tile n 4", "\"n\" is vectorize already; tile it before");
    row("parallel m; tile m 4", "\"m\" is parallel already; tile it before");
    row("reorder m n", "a new order must name all 3 loops once");
    row("reorder m n n", "the new order names \"n\" twice");
    row("reorder m n z", "there is no loop \"z\"; there are m, n, k");
    row("tile n 8; reorder m n.i n.o k",
        "\"n.o\" must stay outside \"n.i\", which runs inside of its tiles");
    row("vectorize z", "there is no loop \"z\"; there are m, n, k");
    row("tile n 8; vectorize n.o", "\"n.o\" runs over tiles: adjacent iterations cannot be lanes");
    row("vectorize n; vectorize m", "there is a vector loop already");
    row("unroll z", "there is no loop \"z\"; there are m, n, k");
    row("parallel z", "there is no loop \"z\"; there are m, n, k");
    row("parallel k", "\"k\" runs over a reduction, whose iterations depend on each other");
    row("pack 9", "there is no read 9");
    row("pack", "there is no read -1");
    row("pack 2", "read 2 cannot be packed: it reads at positions known only at run time");
    row("pack 3", "read 3 cannot be packed: it reads at positions known only at run time");
    row("prefetch 1 64", "read 1 is not packed, and cannot be prefetched");
    row("prefetch 1 tile", "read 1 is not packed, and cannot be prefetched");
    row("pack 1; prefetch 1 0", "read 1 can be prefetched by 1 to 1048576 bytes, not by 0");
    row("pack 1; prefetch 1", "read 1 can be prefetched by 1 to 1048576 bytes, not by -1");
    row("twist m", "\"twist\" is not a schedule primitive");
}

void ScheduleTest::primitivesThatAreRefused()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    Schedule schedule(product());
    const auto applied = schedule.apply(text.toStdString());
    QCOMPARE(error(applied), message);
    QCOMPARE(applied.error().kind, Error::Kind::Usage);
}

void ScheduleTest::illegalSchedules_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *text, const char *message) {
        QTest::newRow(text) << text << message;
    };
    row("reorder k m n", "the loop \"m\" inside the reduction must be unrolled or vectorized: its "
                         "points are accumulators");
    row("parallel n", "the parallel loop \"n\" must not be inside a sequential one");
    row("unroll n", "\"k\" is inside an unrolled loop");
    row("reorder m k n; unroll n; vectorize k", "the vector loop must be the innermost one");
}

void ScheduleTest::illegalSchedules()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    Schedule schedule(product());
    QVERIFY(schedule.apply(text.toStdString()).has_value());
    QCOMPARE(error(schedule.check()), message);
}

void ScheduleTest::legalSchedules_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text :
         {"parallel m; parallel n", "reorder m k n; unroll k; unroll n",
          "tile m 6; tile n 64; tile n.i 16; reorder n.o m.o k m.i n.i.o n.i.i; parallel n.o; "
          "parallel m.o; unroll m.i; unroll n.i.o; vectorize n.i.i; pack 1",
          "tile k 8; vectorize k.i"})
        QTest::newRow(text) << text;
}

void ScheduleTest::legalSchedules()
{
    QFETCH(QString, text);
    Schedule schedule(product());
    QCOMPARE(error(schedule.apply(text.toStdString())), QString());
    QCOMPARE(error(schedule.check()), QString());
}

void ScheduleTest::textsApply()
{
    Schedule schedule(product());
    QVERIFY(schedule.tile("m", 6).has_value());
    QVERIFY(schedule.tile("n", 16).has_value());
    QVERIFY(schedule.reorder({"n.o", "m.o", "k", "m.i", "n.i"}).has_value());
    QVERIFY(schedule.parallelize("n.o").has_value());
    QVERIFY(schedule.unroll("m.i").has_value());
    QVERIFY(schedule.vectorize("n.i").has_value());
    QVERIFY(schedule.pack(ReadIndex(1)).has_value());
    Schedule again(product());
    QVERIFY(again.apply(schedule.text()).has_value());
    QCOMPARE(again.text(), schedule.text());
    QCOMPARE(names(again), names(schedule));
    for (const LoopIndex i : again.loops().indices()) {
        QCOMPARE(again.loops()[i].kind, schedule.loops()[i].kind);
        QCOMPARE(again.loops()[i].step, schedule.loops()[i].step);
    }
    QCOMPARE(again.packed(), schedule.packed());
}

void ScheduleTest::textsOfSeveralComeApart_data()
{
    QTest::addColumn<QStringList>("texts");
    QTest::newRow("one") << QStringList{"tile m 4"};
    QTest::newRow("three") << QStringList{"tile m 4", "unroll k", "tile n 8; vectorize n.i"};
    QTest::newRow("the first has none") << QStringList{"", "unroll k"};
    QTest::newRow("the last has none") << QStringList{"unroll k", ""};
}

void ScheduleTest::textsOfSeveralComeApart()
{
    QFETCH(QStringList, texts);
    IndexedVector<MemberIndex, Schedule> schedules;
    for (const QString &text : texts) {
        schedules.emplace_back(product());
        QCOMPARE(error(schedules.back().apply(text.toStdString())), QString());
    }
    QStringList apart;
    for (const std::string &text : schedulesIn(textOf(schedules.span())))
        apart << QString::fromStdString(text);
    QCOMPARE(apart, texts);
}

void ScheduleTest::whatMayWriteTheSameElementKeepsItsOrder()
{
    const auto errorOf = [](const char *text) {
        Schedule schedule(scatter());
        return error(schedule.apply(text));
    };
    QCOMPARE(errorOf("parallel m"),
             QString("iterations of \"m\" may write the same element and must run in order"));
    QCOMPARE(errorOf("vectorize k"),
             QString("iterations of \"k\" may write the same element: they cannot be lanes"));
    const QString order(
        "loops whose iterations may write the same element must stay in their order");
    QCOMPARE(errorOf("reorder k m n"), order);
    QCOMPARE(errorOf("tile k 8; reorder n k.o m k.i"), order);
    QCOMPARE(errorOf("tile n 16; reorder n.o m k n.i; parallel n.o; vectorize n.i"), QString());
}

void ScheduleTest::packing()
{
    Schedule schedule(product());
    QVERIFY(schedule.pack(ReadIndex(0)).has_value());
    QCOMPARE(schedule.packed(), std::set{ReadIndex(0)});
    QVERIFY(schedule.isPackable(ReadIndex(1)));
    QVERIFY(!schedule.isPackable(ReadIndex(2)));
}

void ScheduleTest::prefetching()
{
    Schedule schedule(product());
    QCOMPARE(schedule.prefetchBytes(ReadIndex(0)), 0);
    QVERIFY(schedule.apply("pack 0; prefetch 0 4096").has_value());
    QCOMPARE(schedule.prefetchBytes(ReadIndex(0)), 4096);
    QVERIFY(schedule.apply("prefetch 0 tile").has_value());
    QCOMPARE(schedule.tilePrefetches(), std::set{ReadIndex(0)});
    QCOMPARE(schedule.text(), std::string("pack 0; prefetch 0 4096; prefetch 0 tile"));
}

void ScheduleTest::images()
{
    Schedule schedule(product());
    QVERIFY(schedule.apply("image 1").has_value());
    QCOMPARE(schedule.images(), std::set{ReadIndex(1)});
    QCOMPARE(schedule.text(), std::string("image 1"));
    QVERIFY(!schedule.apply("image 7").has_value());
}

void ScheduleTest::joinedAxesHaveNamesOfTheirOwn()
{
    // y[a, b, ab] = x[a, b, 2 * ab]: a and b become one axis, which would be called as the third.
    const IndexForm a = v(0), b = v(1), c = v(2);
    Nest nest;
    nest.axes = {{"a", 3, false}, {"b", 4, false}, {"ab", 5, false}};
    nest.reads = {{firstTensor, {a, b, c * 2}, false, 0}};
    nest.stores = {{secondTensor, {a, b, c}, Expr::load(0, DataType::Float)}};
    const BlockTensors tensors{
        {BlockTensor::Role::Input, {}, "x", DataType::Float, {3, 4, 11}, nullptr},
        {BlockTensor::Role::Output, {}, "y", DataType::Float, {3, 4, 5}, nullptr}};
    const BlockStorages storages{Storage::rowMajor({3, 4, 11}), Storage::rowMajor({3, 4, 5})};
    const Nest joined = withJoinedAxes(nest, tensors, storages);
    QCOMPARE(joined.points(true), nest.points(true));
    QCOMPARE(names(Schedule(joined)), QStringList({"ab", "ab'"}));
}

void ScheduleTest::moreIterationsThanLanesAreRefused()
{
    Nest nest;
    nest.name = "Neg";
    nest.axes = {{"i", 20, false}};
    nest.reads = {{firstTensor, {v(0)}, false, 0}};
    nest.stores = {{secondTensor, {v(0)}, -Expr::load(0, DataType::Float)}};
    const BlockTensors tensors{
        {BlockTensor::Role::Input, {}, "x", DataType::Float, {20}, nullptr},
        {BlockTensor::Role::Output, {}, "y", DataType::Float, {20}, nullptr}};
    const auto kernel =
        kernelOf({tensors, {nest}}, {Storage::rowMajor({20}), Storage::rowMajor({20})},
                 {"vectorize i"}, {8, 16, 1});
    QVERIFY(!kernel);
    QCOMPARE(kernel.error().kind, Error::Kind::Usage);
    QCOMPARE(QString::fromStdString(kernel.error().message),
             QString("the vector loop i has 20 iterations, and a vector has 8 lanes; tile it"));
}

GRAPHLOOM_TESTS(ScheduleTest)

} // namespace graphloom::test::schedule_test

#include "schedule_test.moc"
