// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/host_machine.h"

#include "engine/cost/device.h"
#include "engine/cost/machine_text.h"
#include "engine/system/json_text.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::host_machine_test {

namespace {

/// A processor with two caches of its own per core, one shared by all, and lines of 64 bytes.
HostFacts facts()
{
    HostFacts facts;
    facts.cpu = "Processor";
    facts.cores = 4;
    facts.l1Bytes = 32 << 10;
    facts.l2Bytes = 1 << 20;
    facts.l3Bytes = 32 << 20;
    facts.lineBytes = 64;
    return facts;
}

HostPeaks peaks()
{
    HostPeaks peaks;
    peaks.flops = 100e9;
    peaks.flopsOfAll = 360e9;
    peaks.memory = 20e9;
    peaks.memoryOfAll = 50e9;
    peaks.l1 = 400e9;
    peaks.l2 = 200e9;
    peaks.l3OfAll = 150e9;
    peaks.l3Bytes = 32 << 20;
    peaks.l1Latency = 1e-9;
    peaks.memoryLatency = 100e-9;
    peaks.loop = 2e-6;
    return peaks;
}

const InstructionSet &set()
{
    return instructionSets().back();
}

} // namespace

class HostMachineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figuresAreDerivedFromWhatWasMeasured()
    {
        const Device device =
            deviceOf(std::make_shared<const Machine>(hostMachine(facts(), set(), peaks())));
        QCOMPARE(device.units, 4);
        QCOMPARE(device.lanes, set().lanes);
        QCOMPARE(device.peakFlops, 360e9);
        QCOMPARE(device.bandwidth, 50e9);
        QCOMPARE(device.cacheBandwidth, 4 * 200e9); // of the L2 caches
        QCOMPARE(device.launchSeconds, 2e-6);
        QCOMPARE(device.cacheLineBytes, 64.0);
    }

    void theDescriptionCanBeReadBack()
    {
        const auto json = jsonOf(hostMachine(facts(), set(), peaks()));
        const auto read = parseMachine(jsonText(json));
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(jsonOf(*read), json);
        QCOMPARE(read->units.front().memory.size(), std::size_t(2));
        QCOMPARE(read->memory.back().latency->value, 100e-9);
        QVERIFY(!read->memory.front().latency); // was not measured
    }

    void whatOthersTakeOfASharedCacheIsNotCounted()
    {
        HostPeaks shared = peaks();
        shared.l3Bytes = 8 << 20;
        const MachineFigure bytes = *hostMachine(facts(), set(), shared).memory.front().bytes;
        QCOMPARE(bytes.value, double(8 << 20));
        QVERIFY2(bytes.source.ends_with("the system reports 32 MiB"), bytes.source.c_str());
    }

    void unknownLevelsAreLeftOut()
    {
        HostFacts unknown = facts();
        unknown.l1Bytes = unknown.l2Bytes = unknown.l3Bytes = unknown.lineBytes = 0;
        const Machine machine = hostMachine(unknown, set(), peaks());
        QVERIFY(machine.units.front().memory.empty());
        QCOMPARE(machine.memory.size(), std::size_t(1));
        QCOMPARE(machine.scratch, machine.memory.front().name);
        QCOMPARE(machine.memory.front().line->evidence, Evidence::Assumed);
    }
};

GRAPHLOOM_TESTS(HostMachineTest)

} // namespace graphloom::test::host_machine_test

#include "host_machine_test.moc"
