// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/host_peaks.h"

#include "tests/support/instruction_sets.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace graphloom::test::host_peaks_test {

namespace fs = std::filesystem;

class HostPeaksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init()
    {
        m_parent = std::make_unique<QTemporaryDir>();
        m_folder = fs::path(m_parent->path().toStdString());
    }
    void peaksArePlausible();
    void whatWasMeasuredIsReadBack();
    void brokenFilesAreMeasuredAnew();
    void peaksOfOtherMachinesStay();
    void stoppingIsNoMeasurement();

private:
    const InstructionSet &m_set = test::testedSet();
    CCompiler m_compiler;
    std::unique_ptr<QTemporaryDir> m_parent;
    fs::path m_folder;
};

void HostPeaksTest::initTestCase()
{
    const auto found = findCCompiler(nullptr);
    if (!found)
        QSKIP("needs gcc or clang");
    m_compiler = *found;
    if (const std::string reason = test::whyNotRun(); !reason.empty())
        QSKIP(reason.c_str());
}

void HostPeaksTest::peaksArePlausible()
{
    KernelCache cache(m_folder, 1 << 20);
    const auto peaks = measureHostPeaks(m_set, cache, m_compiler, {});
    QVERIFY2(peaks, peaks ? "" : peaks.error().text().c_str());
    // Of any machine of the last twenty years, and of the next ten.
    for (const double flops : {peaks->flops, peaks->flopsOfAll})
        QVERIFY2(flops > 1e8 && flops < 1e15, qPrintable(QString::number(flops)));
    QVERIFY2(peaks->loop > 1e-9 && peaks->loop < 1e-2, qPrintable(QString::number(peaks->loop)));
    for (const double bytes :
         {peaks->memory, peaks->memoryOfAll, peaks->l3OfAll, peaks->l2, peaks->l1})
        QVERIFY2(bytes == 0 || (bytes > 1e7 && bytes < 1e14), qPrintable(QString::number(bytes)));
    for (const double latency :
         {peaks->l1Latency, peaks->l2Latency, peaks->l3Latency, peaks->memoryLatency})
        QVERIFY2(latency >= 0 && latency < 1e-4, qPrintable(QString::number(latency)));
    QVERIFY(peaks->memoryLatency > peaks->l1Latency);
    QVERIFY2(peaks->l3Bytes <= double(hostFacts().l3Bytes),
             qPrintable(QString::number(peaks->l3Bytes)));
    qInfo("%.1f and %.1f GFLOP/s; %.1f and %.1f GB/s from memory, %.1f from L2, %.1f from L1",
          peaks->flops / 1e9, peaks->flopsOfAll / 1e9, peaks->memory / 1e9,
          peaks->memoryOfAll / 1e9, peaks->l2 / 1e9, peaks->l1 / 1e9);
}

void HostPeaksTest::whatWasMeasuredIsReadBack()
{
    KernelCache cache(m_folder, 1 << 20);
    QVERIFY(!readHostPeaks(m_folder, m_set));
    const auto measured = measureHostPeaks(m_set, cache, m_compiler, {});
    const auto read = readHostPeaks(m_folder, m_set);
    QVERIFY(measured && read);
    QCOMPARE(read->flops, measured->flops);
    QCOMPARE(read->flopsOfAll, measured->flopsOfAll);
    QCOMPARE(read->memory, measured->memory);
    QCOMPARE(read->memoryOfAll, measured->memoryOfAll);
    QCOMPARE(read->l2, measured->l2);
    QCOMPARE(read->l1, measured->l1);
    QCOMPARE(read->l3OfAll, measured->l3OfAll);
    QCOMPARE(read->l3Bytes, measured->l3Bytes);
    QCOMPARE(read->loop, measured->loop);
    QCOMPARE(read->memoryLatency, measured->memoryLatency);
}

void HostPeaksTest::brokenFilesAreMeasuredAnew()
{
    for (const char *text : {"", "[]", "{\"x\"", "{\"a\": 1}"}) {
        std::ofstream(m_folder / "host_peaks.json") << text;
        QVERIFY(!readHostPeaks(m_folder, m_set));
    }
    KernelCache cache(m_folder, 1 << 20);
    QVERIFY(measureHostPeaks(m_set, cache, m_compiler, {}));
    QVERIFY(readHostPeaks(m_folder, m_set));
}

void HostPeaksTest::peaksOfOtherMachinesStay()
{
    std::ofstream(m_folder / "host_peaks.json") << R"({"another": {"flops": 1}})";
    KernelCache cache(m_folder, 1 << 20);
    QVERIFY(measureHostPeaks(m_set, cache, m_compiler, {}));
    std::ifstream file(m_folder / "host_peaks.json");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    QVERIFY(text.find("\"another\"") != std::string::npos);
}

void HostPeaksTest::stoppingIsNoMeasurement()
{
    KernelCache cache(m_folder, 1 << 20);
    std::stop_source stop;
    stop.request_stop();
    const auto peaks = measureHostPeaks(m_set, cache, m_compiler, stop.get_token());
    QVERIFY(!peaks);
    QVERIFY(!readHostPeaks(m_folder, m_set));
}

GRAPHLOOM_TESTS(HostPeaksTest)

} // namespace graphloom::test::host_peaks_test

#include "host_peaks_test.moc"
