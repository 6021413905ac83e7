// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/device.h"

#include "engine/cost/device_files.h"
#include "tests/support/simple_machine.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::device_test {

namespace {

/// One unit with 2 GFLOP/s, memory with 1 GB/s and scratch memory with 4 GB/s.
Device simple()
{
    const auto device = parseDevice(simpleMachine);
    return device ? *device : Device();
}

} // namespace

class DeviceTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyShippedDescriptionIsRead();
    void everyShippedFigureSaysWhereItIsFrom();
    void unitsAreThoseOfTheField();
    void secondsAddUp();
    void theHostLinkIsOptional();
    void kindsOfUnitsAddUp();
    void oneTileMoreThanUnitsTakesAnotherWave();
    void smallProductsHaveSmallTiles();
    void smallTilesAreNotDoneAtFullSpeed();
    void partialSumsNeedAWorkspace();
    void theHarsherGraphicsCardIsSlowerInEverything();
    void vectorsHaveNoTiles();
    void fewTilesOfLongSumsAreCut();
    void operationsAndBytesMayOverlap();
    void kernelsRunAtTheirRates();
    void bytesGoThroughTheNearestLevel();
    void theFasterAlgorithmCounts();
};

void DeviceTest::everyShippedDescriptionIsRead()
{
    QCOMPARE(devices().size(), deviceFiles.size());
    QVERIFY(findDevice("phone-cpu"));
    QVERIFY(!findDevice("no such device"));
}

void DeviceTest::everyShippedFigureSaysWhereItIsFrom()
{
    QVERIFY(devices().size() >= 3);
    for (const Device &device : devices())
        for (const char *key : {"peak_gflops", "bandwidth_gb_per_s", "cache_gb_per_s", "launch_us"})
            QVERIFY2(std::ranges::count_if(device.sources,
                                           [&](const auto &source) {
                                               return source.first == key && !source.second.empty();
                                           }) == 1,
                     key);
}

void DeviceTest::unitsAreThoseOfTheField()
{
    const Device device = simple();
    QCOMPARE(device.peakFlops, 2e9);
    QCOMPARE(device.launchSeconds, 5e-6);
}

void DeviceTest::secondsAddUp()
{
    QCOMPARE(kernelSeconds(simple(), {2e9, 1e9, 4e9}), 5e-6 + 1 + 1 + 1);
}

void DeviceTest::theHostLinkIsOptional()
{
    QCOMPARE(simple().hostLink, 0.0);
    QCOMPARE(findDevice("rtx-3090")->hostLink, 12e9);
}

void DeviceTest::kindsOfUnitsAddUp()
{
    const Device *phone = findDevice("phone-cpu");
    QCOMPARE(phone->units, 8);
    QCOMPARE(phone->peakFlops / 1e9, 45.44 + 3 * 38.72 + 4 * 14.4);
    QCOMPARE(phone->bandwidth, 44e9);
    QCOMPARE(phone->cacheBandwidth / 1e9, 45.4 + 3 * 38.7 + 4 * 14.4);
    QCOMPARE(phone->lanes, 4);
}

namespace {

/// Four units that do a tile of 128 x 128 in a second for each element of the sum.
Device tiled()
{
    Device device;
    device.units = 4;
    device.tile = 128;
    device.peakFlops = 4 * 2 * 128 * 128;
    device.bandwidth = 1e6;
    device.cacheBandwidth = 1;
    return device;
}

} // namespace

void DeviceTest::oneTileMoreThanUnitsTakesAnotherWave()
{
    const Device device = tiled();
    const auto seconds = [&](double rows) { return productSeconds(device, {1, rows, 128, 10}); };
    QCOMPARE(seconds(128), 10.0); // a unit alone is no faster
    QCOMPARE(seconds(4 * 128), 10.0);
    QCOMPARE(seconds(4 * 128 + 1), 20.0);
    QCOMPARE(seconds(8 * 128), 20.0);
    QCOMPARE(productSeconds(device, {5, 128, 128, 10}), 20.0); // so do five products
    Device even = device;
    even.tile = 0;
    QCOMPARE(productSeconds(even, {1, 5 * 128, 128, 10}), 12.5);
}

void DeviceTest::smallProductsHaveSmallTiles()
{
    QCOMPARE(productSeconds(tiled(), {1, 64, 128, 10}), 5.0);
    QCOMPARE(productSeconds(tiled(), {1, 60, 60, 10}), 2.5); // padded to 64 x 64
}

void DeviceTest::smallTilesAreNotDoneAtFullSpeed()
{
    Device device = tiled();
    device.smallTileShare = 0.6;
    const auto seconds = [&](double rows, double columns) {
        return productSeconds(device, {1, rows, columns, 10});
    };
    QCOMPARE(seconds(128, 128), 10.0);
    QCOMPARE(seconds(16, 16), 10.0 / 64 / 0.6);
    QCOMPARE(seconds(16, 128), 10.0 / 8 / 0.8);  // halfway, in doublings
    QCOMPARE(seconds(5, 128), seconds(16, 128)); // no tile is smaller
}

void DeviceTest::partialSumsNeedAWorkspace()
{
    Device device = tiled();
    device.tileDepth = 1000;
    QCOMPARE(productWorkspace(device, {1, 128, 128, 4000}), std::int64_t(4 * 128 * 128 * 4));
    QCOMPARE(productWorkspace(device, {4, 128, 128, 4000}), std::int64_t(0)); // nothing is cut
    KernelWork work;
    work.products = {{1, 128, 128, 4000}, {1, 64, 128, 4000}};
    QCOMPARE(workspaceBytes(device, work), std::int64_t(4 * 128 * 128 * 4));
}

void DeviceTest::theHarsherGraphicsCardIsSlowerInEverything()
{
    const Device *usual = findDevice("rtx-3090"), *harsher = findDevice("rtx-3090-measured");
    QVERIFY(usual && harsher);
    QVERIFY(harsher->launchSeconds > usual->launchSeconds);
    QVERIFY(harsher->bandwidth < usual->bandwidth);
    QVERIFY(harsher->smallTileShare < usual->smallTileShare);
    QVERIFY(harsher->transferSeconds > usual->transferSeconds);
}

void DeviceTest::vectorsHaveNoTiles()
{
    QCOMPARE(productSeconds(tiled(), {1, 1, 128, 64}), 0.125); // as if shared out evenly
}

void DeviceTest::fewTilesOfLongSumsAreCut()
{
    Device device = tiled();
    const MatrixWork product{1, 128, 128, 4000};
    QCOMPARE(productSeconds(device, product), 4000.0);
    device.tileDepth = 1000;
    // Four pieces, one for each unit; they are written and read once more.
    QCOMPARE(productSeconds(device, product), 1000.0 + 2 * 4 * 128 * 128 * 4 / 1e6);
    QCOMPARE(productSeconds(device, {1, 128, 128, 1999}), 1999.0); // not worth two
    QCOMPARE(productSeconds(device, {4, 128, 128, 4000}), 4000.0); // all units have work
}

void DeviceTest::operationsAndBytesMayOverlap()
{
    Device device = simple();
    QCOMPARE(kernelSeconds(device, {4e9, 1e9, 0}), 5e-6 + 2 + 1);
    device.overlaps = true;
    QCOMPARE(kernelSeconds(device, {4e9, 1e9, 0}), 5e-6 + 2);
    QCOMPARE(kernelSeconds(device, {1e9, 1e9, 4e9}), 5e-6 + 1 + 1);
}

/// The same device with rates of kernels, and a cache of 1000 bytes and 10 GB/s.
Device rated()
{
    auto machine = std::make_shared<Machine>(*simple().machine);
    const auto figure = [](double value) {
        return MachineFigure{value, Evidence::Measured, "in a test"};
    };
    machine->units[0].memory = {
        {"L1", figure(1000), figure(10e9), std::nullopt, std::nullopt, std::nullopt}};
    machine->rates = KernelRates{.products = figure(1e9),
                                 .windows = figure(0.5e9),
                                 .streams = figure(0.1e9),
                                 .operations = figure(0.2e9),
                                 .functions = figure(0.01e9),
                                 .strided = figure(0.4e9),
                                 .pointRows = figure(1),
                                 .windowRows = figure(1),
                                 .transforms = figure(1e9)};
    return deviceOf(machine);
}

void DeviceTest::kernelsRunAtTheirRates()
{
    const Device device = rated();
    const auto seconds = [&](const KernelWork &work) {
        return kernelSeconds(device, work) - device.launchSeconds;
    };
    QCOMPARE(seconds({.products = {{1, 100, 100, 100}}}), 2e6 / 1e9);
    QCOMPARE(seconds({.products = {{100, 100, 1, 100}}}), 2e6 / 0.5e9);
    QCOMPARE(seconds({.products = {{1, 1, 100, 100, true}}}), 2e4 / 0.1e9);
    QCOMPARE(seconds({.flops = 1e6, .functions = 2e5}), 8e5 / 0.2e9 + 2e5 / 0.01e9);
    QCOMPARE(seconds({.strided = 1e6}), 1e6 / 0.4e9);
}

void DeviceTest::bytesGoThroughTheNearestLevel()
{
    const Device device = rated();
    QCOMPARE(kernelSeconds(device, {.bytes = 500}) - device.launchSeconds, 500 / 10e9);
    QCOMPARE(kernelSeconds(device, {.bytes = 1e6}) - device.launchSeconds, 1e6 / 1e9);
}

void DeviceTest::theFasterAlgorithmCounts()
{
    const Device device = rated();
    // 16 tiles of 2 x 2 results: 16 products instead of 36 for each, and their transforms.
    MatrixWork product{1, 64, 64, 64 * 9};
    const double direct = productSeconds(device, product);
    product.winograd = WinogradWork{64, 64, 16, 1e9};
    const double weights = 16.0 * 64 * 64 * 4;
    QCOMPARE(productSeconds(device, product),
             16.0 * 16 * (2 * 64 * 64 / 1e9 + 128 / 1e9) + weights / 1e9);
    product.winograd->tiles2 = 1e9; // of larger feature maps than the product
    QCOMPARE(productSeconds(device, product), direct);
}

GRAPHLOOM_TESTS(DeviceTest)

} // namespace graphloom::test::device_test

#include "device_test.moc"
