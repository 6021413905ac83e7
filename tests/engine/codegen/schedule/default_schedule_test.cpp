// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/default_schedule.h"

#include "engine/codegen/emit/plan_kernels.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::default_schedule_test {

using graphloom::test::floats;
using graphloom::test::GraphMaker;

class DefaultScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void transposedResultsAreStoredByLaneAfterLongReductions_data();
    void transposedResultsAreStoredByLaneAfterLongReductions();
    void weightsBeyondACoresCachesArePrefetched_data();
    void weightsBeyondACoresCachesArePrefetched();
    void channelsOfWindowsAreOutermostInSmallImages_data();
    void channelsOfWindowsAreOutermostInSmallImages();
    void windowsTakeOneVectorWhereRegistersAreFew_data();
    void windowsTakeOneVectorWhereRegistersAreFew();
    void rowsThatFitInNoCacheAreReadOnce_data();
    void rowsThatFitInNoCacheAreReadOnce();
    void columnsOfWindowsNeedRegisters_data();
    void columnsOfWindowsNeedRegisters();

private:
    /// Returns the schedule by default of a depthwise convolution of 64 channels between two
    /// pointwise ones.
    std::string scheduleOfDepthwise(std::int64_t extent, const ScheduleTarget &target);
};

void DefaultScheduleTest::weightsBeyondACoresCachesArePrefetched_data()
{
    QTest::addColumn<std::int64_t>("rows");
    QTest::addColumn<std::int64_t>("columns");
    QTest::addColumn<QString>("prefetched");
    QTest::newRow("one row") << std::int64_t{1} << std::int64_t{512} << "prefetch 1 4096";
    QTest::newRow("many rows") << std::int64_t{512} << std::int64_t{512} << "prefetch 1 tile";
    QTest::newRow("weights that a core's caches hold") << std::int64_t{1} << std::int64_t{64} << "";
}

void DefaultScheduleTest::weightsBeyondACoresCachesArePrefetched()
{
    QFETCH(std::int64_t, rows);
    QFETCH(std::int64_t, columns);
    QFETCH(QString, prefetched);
    GraphMaker make;
    const TensorId x = make.input("x", {rows, 128});
    const TensorId w = make.constant(
        "w", floats({128, columns}, std::vector<float>(std::size_t(128 * columns), 0.5F)));
    const Graph graph = make.finish({make.call("MatMul", {x, w}, {rows, columns})});
    for (const int lanes : {8, 16}) {
        GenerateOptions options;
        options.target = test::targetOf(lanes);
        const auto made =
            generateKernels(graph, test::KernelBatch().opsets(), {test::allNodes(graph)}, options);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const std::string text = made->kernels.back()->schedules.front().text();
        const std::size_t begin = text.find("prefetch");
        const std::string done = begin == std::string::npos ? "" : text.substr(begin);
        QCOMPARE(QString::fromStdString(done), prefetched);
    }
}

void DefaultScheduleTest::transposedResultsAreStoredByLaneAfterLongReductions_data()
{
    QTest::addColumn<std::int64_t>("depth");
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("end");
    // One vector along the rows of x, gathered, and a column of w for each of many results.
    QTest::newRow("short") << std::int64_t{40} << "tile m 16; tile n 30;"
                           << "vectorize m.i; pack 1";
    QTest::newRow("long") << std::int64_t{96} << "tile n 16; tile m 6;"
                          << "vectorize n.i; pack 1";
}

void DefaultScheduleTest::transposedResultsAreStoredByLaneAfterLongReductions()
{
    QFETCH(std::int64_t, depth);
    QFETCH(QString, begin);
    QFETCH(QString, end);
    GraphMaker make;
    const TensorId x = make.input("x", {64, depth});
    const TensorId w =
        make.constant("w", floats({depth, 60}, std::vector<float>(std::size_t(depth * 60), 0.5F)));
    const TensorId y = make.call("MatMul", {x, w}, {64, 60});
    const Graph graph = make.finish(
        {make.call("Transpose", {y}, {60, 64}, {{"perm", std::vector<std::int64_t>{1, 0}}})});
    GenerateOptions options;
    options.target = {16, 32, 1};
    const auto made =
        generateKernels(graph, test::KernelBatch().opsets(), {test::allNodes(graph)}, options);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    const auto text = QString::fromStdString(made->kernels.back()->schedules.front().text());
    QVERIFY2(text.startsWith(begin) && text.endsWith(end), qPrintable(text));
}

void DefaultScheduleTest::channelsOfWindowsAreOutermostInSmallImages_data()
{
    QTest::addColumn<std::int64_t>("extent");
    QTest::addColumn<bool>("outermost");
    QTest::newRow("image of 50 KB") << std::int64_t{14} << true;
    QTest::newRow("image of 800 KB") << std::int64_t{56} << false;
}

void DefaultScheduleTest::channelsOfWindowsAreOutermostInSmallImages()
{
    QFETCH(std::int64_t, extent);
    QFETCH(bool, outermost);
    const std::string text = scheduleOfDepthwise(extent, {16, 32, 1});
    QVERIFY2((text.find("reorder g.o ") != std::string::npos) == outermost, text.c_str());
}

void DefaultScheduleTest::windowsTakeOneVectorWhereRegistersAreFew_data()
{
    QTest::addColumn<std::int64_t>("extent");
    QTest::addColumn<int>("registers");
    QTest::addColumn<QString>("tiles");
    QTest::newRow("rows of 14, 16 registers") << std::int64_t{14} << 16 << "tile g 8; tile w 7; ";
    // Seven tiles of two vectors, but eight of one.
    QTest::newRow("rows of 28, 16 registers")
        << std::int64_t{28} << 16 << "tile g 16; tile g.i 8; tile w 4; ";
    QTest::newRow("rows of 14, 32 registers")
        << std::int64_t{14} << 32 << "tile g 16; tile g.i 8; tile w 7; ";
}

void DefaultScheduleTest::windowsTakeOneVectorWhereRegistersAreFew()
{
    QFETCH(std::int64_t, extent);
    QFETCH(int, registers);
    QFETCH(QString, tiles);
    const std::string text = scheduleOfDepthwise(extent, {8, registers, 1});
    QVERIFY2(text.starts_with(tiles.toStdString()), text.c_str());
}

/// Else each tile of columns would read them again from behind the caches of a core.
void DefaultScheduleTest::rowsThatFitInNoCacheAreReadOnce_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cache");
    QTest::addColumn<bool>("rowsOutside");
    QTest::newRow("rows fit") << 256 << 512 * 1024 << false;
    QTest::newRow("rows do not fit") << 4096 << 512 * 1024 << true;
    QTest::newRow("neither do columns") << 4096 << 32 * 1024 << false;
    QTest::newRow("caches are unknown") << 4096 << 0 << false;
}

void DefaultScheduleTest::rowsThatFitInNoCacheAreReadOnce()
{
    QFETCH(int, rows);
    QFETCH(int, cache);
    QFETCH(bool, rowsOutside);
    constexpr int depth = 64, columns = 256;
    GraphMaker make;
    const TensorId x = make.input("x", {Dim(rows), Dim(depth)});
    const TensorId w = make.constant(
        "w", floats({depth, columns}, std::vector<float>(std::size_t(depth * columns), 1)));
    const Graph graph = make.finish({make.call("MatMul", {x, w}, {Dim(rows), Dim(columns)})});
    GenerateOptions options;
    options.target = {4, 32, 1, true, true, cache};
    const auto made =
        generateKernels(graph, test::KernelBatch().opsets(), test::nodeBlocks(graph), options);
    QVERIFY(made);
    const std::string text = made->kernels[made->firstGiven()]->schedules.front().text();
    QVERIFY2(text.find(rowsOutside ? "reorder m.o n.o " : "reorder n.o m.o ") != std::string::npos,
             text.c_str());
}

/// Where operands of multiply-adds are always registers.
void DefaultScheduleTest::columnsOfWindowsNeedRegisters_data()
{
    QTest::addColumn<std::int64_t>("extent");
    QTest::addColumn<QString>("tiles");
    QTest::newRow("many rows hide latencies") << std::int64_t{14} << "tile g 4; tile w 7; ";
    QTest::newRow("few rows take two vectors") << std::int64_t{4} << "tile g 8; tile g.i 4; ";
}

void DefaultScheduleTest::columnsOfWindowsNeedRegisters()
{
    QFETCH(std::int64_t, extent);
    QFETCH(QString, tiles);
    const std::string text = scheduleOfDepthwise(extent, {4, 32, 1, true, true});
    QVERIFY2(text.starts_with(tiles.toStdString()), text.c_str());
}

std::string DefaultScheduleTest::scheduleOfDepthwise(std::int64_t extent,
                                                     const ScheduleTarget &target)
{
    GraphMaker make;
    const TensorId point = make.constant("p", floats({64, 64, 1, 1}, std::vector<float>(4096, 1)));
    const auto pointwise = [&](TensorId of) {
        return make.call("Conv", {of, point}, {1, 64, extent, extent});
    };
    const TensorId w = make.constant("w", floats({64, 1, 3, 3}, std::vector<float>(576, 0.5F)));
    const TensorId y = make.call(
        "Conv", {pointwise(make.input("x", {1, 64, extent, extent})), w}, {1, 64, extent, extent},
        {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}, {"group", std::int64_t{64}}});
    const Graph graph = make.finish({pointwise(y)});
    GenerateOptions options;
    options.target = target;
    const auto made =
        generateKernels(graph, test::KernelBatch().opsets(), test::nodeBlocks(graph), options);
    return made ? made->kernels[made->blockOf(PartIndex(1))]->schedules.back().text()
                : made.error().text();
}

GRAPHLOOM_TESTS(DefaultScheduleTest)

} // namespace graphloom::test::default_schedule_test

#include "default_schedule_test.moc"
