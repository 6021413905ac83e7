// SPDX-License-Identifier: Apache-2.0
// What the times of small kernels say of a device.
#include "engine/target/calibration.h"

#include "engine/cost/machine_text.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <map>

namespace graphloom::test::calibration_test {

namespace {

MachineFigure figure(double value)
{
    return {value, Evidence::Measured, "in a test"};
}

/// A machine with two units, which have a cache each.
Machine machineWithPeaks()
{
    Machine machine;
    machine.name = "machine";
    machine.title = "Machine";
    UnitKind &unit = machine.units.emplace_back();
    unit.name = "core";
    unit.count = figure(2);
    unit.flops = figure(100e9);
    unit.lanes = figure(8);
    unit.memory.push_back({"L2", figure(1 << 20), figure(80e9), {}, figure(64), {}});
    machine.memory.push_back({"memory", {}, figure(30e9), {}, figure(64), {}});
    machine.scratch = "L2";
    machine.launch = figure(1e-7);
    return machine;
}

KernelRates rates()
{
    return {.products = figure(160e9),
            .windows = figure(110e9),
            .streams = figure(17e9),
            .operations = figure(50e9),
            .functions = figure(5e9),
            .strided = figure(30e9),
            .pointRows = figure(1.25),
            .windowRows = figure(1.75),
            .transforms = figure(4e9)};
}

Device deviceWith(const std::optional<KernelRates> &known)
{
    Machine machine = machineWithPeaks();
    machine.rates = known;
    if (known)
        machine.launch = figure(6e-7);
    return deviceOf(std::make_shared<const Machine>(std::move(machine)));
}

/// Returns the seconds of the kernels on a device with rates().
std::vector<double> secondsOf(const std::vector<RateKernel> &kernels, bool usesWinograd = true)
{
    KernelRates known = rates();
    if (!usesWinograd)
        known.transforms.reset();
    const Device device = deviceWith(known);
    std::vector<double> seconds;
    for (const RateKernel &kernel : kernels) {
        double products = 0;
        for (const MatrixWork &product : kernel.work.products)
            products += productSeconds(device, product);
        const double factor = kernel.rate == "point_rows"    ? rates().pointRows.value
                              : kernel.rate == "window_rows" ? rates().windowRows.value
                                                             : 1;
        seconds.push_back(kernelSeconds(device, kernel.work) + (factor - 1) * products);
    }
    return seconds;
}

bool isNear(const MachineFigure &found, const MachineFigure &expected)
{
    constexpr double share = 0.01;
    if (std::abs(found.value - expected.value) <= share * expected.value)
        return true;
    qWarning("%g instead of %g", found.value, expected.value);
    return false;
}

} // namespace

class CalibrationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto made = rateKernels();
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        m_kernels = std::move(made->kernels);
    }

    void everyRateHasSeveralKernels()
    {
        std::map<std::string_view, int> counts;
        for (const RateKernel &kernel : m_kernels)
            ++counts[kernel.rate];
        QCOMPARE(counts.size(), std::size_t(10));
        for (const auto &[rate, count] : counts)
            QVERIFY2(count >= 2, std::string(rate).c_str());
    }

    void timesShowTheRates()
    {
        const auto found = withRates(deviceWith({}), m_kernels, secondsOf(m_kernels), "");
        QVERIFY(found);
        const KernelRates &learned = *found->rates(), expected = rates();
        QVERIFY(isNear(learned.products, expected.products));
        QVERIFY(isNear(learned.windows, expected.windows));
        QVERIFY(isNear(learned.streams, expected.streams));
        QVERIFY(isNear(learned.operations, expected.operations));
        QVERIFY(isNear(learned.functions, expected.functions));
        QVERIFY(isNear(learned.strided, expected.strided));
        QVERIFY(isNear(learned.pointRows, expected.pointRows));
        QVERIFY(isNear(learned.windowRows, expected.windowRows));
        QVERIFY(learned.transforms && isNear(*learned.transforms, *expected.transforms));
        QVERIFY(isNear(figure(found->launchSeconds), figure(6e-7)));
    }

    void anOutlierChangesNothing()
    {
        std::vector<double> seconds = secondsOf(m_kernels);
        const auto first = std::ranges::find(m_kernels, "product_gflops", &RateKernel::rate);
        seconds[std::size_t(first - m_kernels.begin())] *= 20;
        const auto found = withRates(deviceWith({}), m_kernels, seconds, "");
        QVERIFY(found);
        QVERIFY(isNear(found->rates()->products, rates().products));
    }

    void aTargetWithoutWinogradHasNoRateOfIt()
    {
        const std::vector<double> seconds = secondsOf(m_kernels, false);
        const auto found = withRates(deviceWith({}), m_kernels, seconds, "");
        QVERIFY(found);
        QVERIFY(!found->rates()->transforms);
        QVERIFY(isNear(found->rates()->products, rates().products));
    }

    void whatIsExplainedByTheRestStaysAtThePeak()
    {
        std::vector<double> seconds = secondsOf(m_kernels);
        for (std::size_t k = 0; k < m_kernels.size(); ++k)
            if (m_kernels[k].rate == "strided_gb_per_s")
                seconds[k] = 1e-9; // less than its bytes take
        const auto found = withRates(deviceWith({}), m_kernels, seconds, "");
        QVERIFY(found);
        QCOMPARE(found->rates()->strided.value, 2 * 80e9);
        QCOMPARE(found->rates()->strided.evidence, Evidence::Assumed);
    }

    void aDescriptionKeepsTheRates()
    {
        const auto found = withRates(deviceWith({}), m_kernels, secondsOf(m_kernels), "");
        QVERIFY(found);
        const auto read = parseMachine(textOf(*found->machine));
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(read->rates && isNear(read->rates->products, rates().products));
        QVERIFY(read->rates->transforms && isNear(*read->rates->transforms, *rates().transforms));
    }

    void sourcesSayTheSpreadAndTheDay()
    {
        const auto found =
            withRates(deviceWith({}), m_kernels, secondsOf(m_kernels), "on 2026-11-28");
        QVERIFY(found);
        QCOMPARE(found->rates()->windows.source,
                 std::string("median of 5 kernels, which show 110 to 110, on 2026-11-28"));
    }

    void aRateWithoutTimesIsAnError()
    {
        std::vector<double> seconds = secondsOf(m_kernels);
        for (std::size_t k = 0; k < m_kernels.size(); ++k)
            if (m_kernels[k].rate == "giga_functions")
                seconds[k] = 0;
        const auto found = withRates(deviceWith({}), m_kernels, seconds, "");
        QVERIFY(!found);
        QVERIFY(found.error().text().find("giga_functions") != std::string::npos);
    }

private:
    std::vector<RateKernel> m_kernels;
};

GRAPHLOOM_TESTS(CalibrationTest)

} // namespace graphloom::test::calibration_test

#include "calibration_test.moc"
