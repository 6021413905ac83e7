// SPDX-License-Identifier: Apache-2.0
#include "engine/system/energy_meter.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <thread>

namespace graphloom::test::energy_meter_test {

class EnergyMeterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_sys = std::make_unique<QTemporaryDir>(); }
    void countersOfPackagesAreAdded();
    void aFullCounterStartsAnew();
    void aBatteryDeliversPower();
    void aBatteryThatIsChargedTellsNothing();
    void aSensorOfTheBoardMeasures();
    void withoutAMeterThereIsNoSource();

private:
    std::filesystem::path sys() const { return m_sys->path().toStdString(); }
    void write(const char *file, const char *content) const
    {
        const auto path = sys() / "class" / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << content << '\n';
    }

    std::unique_ptr<QTemporaryDir> m_sys;
};

void EnergyMeterTest::countersOfPackagesAreAdded()
{
    for (const char *zone : {"powercap/intel-rapl:0", "powercap/intel-rapl:1"}) {
        write((std::string(zone) + "/name").c_str(), "package-0");
        write((std::string(zone) + "/energy_uj").c_str(), "1000000");
    }
    write("powercap/intel-rapl:0:0/name", "core"); // a part of the package
    write("powercap/intel-rapl:0:0/energy_uj", "1000000");
    EnergyMeter meter(sys());
    QCOMPARE(meter.source(), std::string_view("processor"));
    write("powercap/intel-rapl:0/energy_uj", "3000000");
    write("powercap/intel-rapl:1/energy_uj", "1500000");
    write("powercap/intel-rapl:0:0/energy_uj", "2000000");
    QCOMPARE(meter.joules(), 2.5);
    QCOMPARE(meter.joules(), 2.5);
}

void EnergyMeterTest::aFullCounterStartsAnew()
{
    write("powercap/intel-rapl:0/name", "package-0");
    write("powercap/intel-rapl:0/max_energy_range_uj", "10000000");
    write("powercap/intel-rapl:0/energy_uj", "9000000");
    EnergyMeter meter(sys());
    write("powercap/intel-rapl:0/energy_uj", "1000000");
    QCOMPARE(meter.joules(), 2.0);
}

void EnergyMeterTest::aBatteryDeliversPower()
{
    write("power_supply/usb/type", "USB");
    write("power_supply/battery/type", "Battery");
    write("power_supply/battery/status", "Discharging");
    write("power_supply/battery/current_now", "-500000"); // 0.5 A out of it
    write("power_supply/battery/voltage_now", "4000000");
    EnergyMeter meter(sys());
    QCOMPARE(meter.source(), std::string_view("battery"));
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double joules = meter.joules();
    const std::chrono::duration<double> most = std::chrono::steady_clock::now() - begin;
    QVERIFY(joules >= 2 * 0.05);
    QVERIFY(joules <= 2 * (most.count() + 0.1));
}

void EnergyMeterTest::aBatteryThatIsChargedTellsNothing()
{
    write("power_supply/battery/type", "Battery");
    write("power_supply/battery/status", "Charging");
    write("power_supply/battery/power_now", "5000000");
    QCOMPARE(EnergyMeter(sys()).source(), std::string_view());
}

void EnergyMeterTest::aSensorOfTheBoardMeasures()
{
    write("hwmon/hwmon0/temp1_input", "40000");
    write("hwmon/hwmon1/power1_input", "7000000");
    EnergyMeter meter(sys());
    QCOMPARE(meter.source(), std::string_view("board"));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    QVERIFY(meter.joules() >= 7 * 0.02);
}

void EnergyMeterTest::withoutAMeterThereIsNoSource()
{
    EnergyMeter meter(sys());
    QCOMPARE(meter.source(), std::string_view());
    QCOMPARE(meter.joules(), 0.0);
}

GRAPHLOOM_TESTS(EnergyMeterTest)

} // namespace graphloom::test::energy_meter_test

#include "energy_meter_test.moc"
