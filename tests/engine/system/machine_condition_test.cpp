// SPDX-License-Identifier: Apache-2.0
#include "engine/system/machine_condition.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace graphloom::test::machine_condition_test {

class MachineConditionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFastestProcessorAndTheHottestZone();
    void whatIsNotToldIsZero();

private:
    static void write(const std::filesystem::path &file, const char *text)
    {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text << '\n';
    }
};

void MachineConditionTest::theFastestProcessorAndTheHottestZone()
{
    const QTemporaryDir folder;
    const std::filesystem::path sys = folder.path().toStdString();
    write(sys / "devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1800000");
    write(sys / "devices/system/cpu/cpu4/cpufreq/scaling_cur_freq", "2600000");
    write(sys / "devices/system/cpu/cpuidle/cpufreq/scaling_cur_freq", "none");
    write(sys / "class/thermal/thermal_zone0/temp", "38500");
    write(sys / "class/thermal/thermal_zone1/temp", "41000");
    write(sys / "class/thermal/thermal_zone2/temp", "2147483647"); // nonsense, as some zones tell
    const MachineCondition condition = machineCondition(sys);
    QCOMPARE(condition.megahertz, 2600.0);
    QCOMPARE(condition.celsius, 41.0);
}

void MachineConditionTest::whatIsNotToldIsZero()
{
    const QTemporaryDir folder;
    const MachineCondition condition = machineCondition(folder.path().toStdString());
    QCOMPARE(condition.megahertz, 0.0);
    QCOMPARE(condition.celsius, 0.0);
}

GRAPHLOOM_TESTS(MachineConditionTest)

} // namespace graphloom::test::machine_condition_test

#include "machine_condition_test.moc"
