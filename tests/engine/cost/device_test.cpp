// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/device.h"

#include "engine/cost/device_files.h"

#include <QTest>

using namespace graphloom;

namespace {

QString refusalOf(QString text)
{
    const auto device = parseDevice(text.toStdString());
    return device ? QString() : QString::fromStdString(device.error().text());
}

const QString minimal = R"({"name": "d", "title": "D", "units": 1, "lanes": 4, "peak_gflops": 2,
    "bandwidth_gb_per_s": 1, "cache_gb_per_s": 4, "launch_us": 5, "cache_line_bytes": 64})";

} // namespace

class DeviceTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyShippedDescriptionIsRead();
    void everyShippedFigureSaysWhereItIsFrom();
    void unitsAreThoseOfTheField();
    void aMissingFigureIsNamed();
    void anUnknownKeyIsNamed();
    void noObjectIsNoDevice();
    void secondsAddUp();
};

void DeviceTest::everyShippedDescriptionIsRead()
{
    QCOMPARE(devices().size(), deviceFiles.size());
    QVERIFY(findDevice("phone-cpu"));
    QVERIFY(!findDevice("no such device"));
}

void DeviceTest::everyShippedFigureSaysWhereItIsFrom()
{
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
    const auto device = parseDevice(minimal.toStdString());
    QVERIFY(device);
    QCOMPARE(device->peakFlops, 2e9);
    QCOMPARE(device->launchSeconds, 5e-6);
}

void DeviceTest::aMissingFigureIsNamed()
{
    QCOMPARE(refusalOf(QString(minimal).replace("\"peak_gflops\": 2", "\"peak_gflops\": 0")),
             "device \"d\": \"peak_gflops\" must be a number above 0");
}

void DeviceTest::anUnknownKeyIsNamed()
{
    QCOMPARE(refusalOf(QString(minimal).replace("\"units\": 1", "\"units\": 1, \"unit\": 2")),
             "device \"d\": there is no key \"unit\"");
}

void DeviceTest::noObjectIsNoDevice()
{
    QCOMPARE(refusalOf("[1]"), "a device description is a JSON object");
}

void DeviceTest::secondsAddUp()
{
    const auto device = parseDevice(minimal.toStdString());
    QCOMPARE(kernelSeconds(*device, {2e9, 1e9, 4e9}), 5e-6 + 1 + 1 + 1);
}

QTEST_APPLESS_MAIN(DeviceTest)
#include "device_test.moc"
