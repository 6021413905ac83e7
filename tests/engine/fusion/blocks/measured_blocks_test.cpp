// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/measured_blocks.h"

#include "engine/profile/kernel_key.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::measured_blocks_test {

class MeasuredBlocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_database.emplace(*ProfileDatabase::inMemory()); }

    void theFastestScheduleCounts()
    {
        record("slow", 3e3);
        record("fast", 1e3);
        record("middling", 2e3);
        QCOMPARE(seconds("d"), std::optional(1e3 * 1e-9));
    }

    void theLeastTimeCounts()
    {
        record("", 1e3, Provenance::Host, 5e3);
        QCOMPARE(seconds("d"), std::optional(1e3 * 1e-9));
    }

    void theRealDeviceGoesBeforeEmulation()
    {
        record("a", 2e3, Provenance::Device);
        record("b", 1e3, Provenance::Emulated);
        QCOMPARE(seconds("d"), std::optional(2e3 * 1e-9));
    }

    void modelledTimesDoNotCount()
    {
        record("", 1e3, Provenance::Modelled);
        QCOMPARE(seconds("d"), std::nullopt);
    }

    void formsAreKnownApart()
    {
        record("tile i 4", 1e3);
        record("by default in version 1", 2e3);
        QCOMPARE(seconds("d", KernelForm::Tuned), std::optional(1e3 * 1e-9));
        QCOMPARE(seconds("d", KernelForm::ByDefault), std::optional(2e3 * 1e-9));
        QCOMPARE(seconds("d"), std::optional(1e3 * 1e-9));
    }

    void otherDevicesDoNotCount()
    {
        record("", 1e3);
        QCOMPARE(seconds("e"), std::nullopt);
    }

private:
    static Graph product()
    {
        Sketch g;
        return g.finish({g.call("MatMul", {g.input("x", {8, 8}), g.weight({8, 8})})});
    }
    void record(const char *schedule, double leastNs, Provenance provenance = Provenance::Host,
                double medianNs = 0)
    {
        auto key = kernelKeyOf(m_graph, sketchOpset, m_graph.order(), "d");
        QVERIFY(key);
        key->schedule = schedule;
        LatencySamples samples;
        samples.minNs = leastNs;
        samples.medianNs = std::max(leastNs, medianNs);
        samples.count = 1;
        samples.provenance = provenance;
        QVERIFY(m_database->record(*key, samples));
    }
    std::optional<double> seconds(const char *device, KernelForm form = KernelForm::Any) const
    {
        const Opsets opsets = sketchOpset;
        const auto known = BlockMeasurements::of(&*m_database, device, m_graph, opsets);
        if (!known)
            return std::nullopt;
        const auto found = measuredBlocks(*known).lookup(m_graph.order(), form);
        return found ? std::optional(found->seconds) : std::nullopt;
    }

    const Graph m_graph = product();
    std::optional<ProfileDatabase> m_database;
};

GRAPHLOOM_TESTS(MeasuredBlocksTest)

} // namespace graphloom::test::measured_blocks_test

#include "measured_blocks_test.moc"
