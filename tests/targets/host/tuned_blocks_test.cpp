// SPDX-License-Identifier: Apache-2.0
// What tuning has measured, as fusion finds it.
#include "engine/fusion/blocks/measured_blocks.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/target/target_plugins.h"
#include "targets/host/host_target.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::tuned_blocks_test {

namespace {

Plan product()
{
    Sketch g;
    return *initialPlan(
        modelOf(g.finish({g.call("MatMul", {g.input("x", {48, 64}), g.weight({64, 64})})})));
}

} // namespace

class TunedBlocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_target = std::make_shared<host::HostTarget>();
        auto device = described({m_target, m_target->devices().front()}, {});
        QVERIFY2(device, device ? "" : device.error().text().c_str());
        m_device = *std::move(device);
        auto database = ProfileDatabase::inMemory();
        QVERIFY(database);
        m_database = std::make_shared<ProfileDatabase>(*std::move(database));
        TuneOptions options;
        options.threads = 1;
        options.cache = m_folder.path().toStdString();
        options.seconds = 3000; // the trials end it
        options.trials = 4;
        options.database = m_database;
        const auto tuned = m_target->tune(m_plan, options);
        QVERIFY2(tuned, tuned ? "" : tuned.error().text().c_str());
        m_milliseconds = tuned->kernels->blocks[0][0].time->value;
    }

    void fusionFindsTheTimeOfTheBlock()
    {
        const auto found = secondsOn(profiledDevice(m_device, 1));
        QVERIFY(found);
        QCOMPARE(found->provenance, Provenance::Host);
        QVERIFY(std::abs(found->seconds * 1e3 - m_milliseconds) < 1e-6 * m_milliseconds);
    }

    void timesOfOtherDevicesAreNotFound_data()
    {
        QTest::addColumn<QString>("device");
        QTest::newRow("other threads") << QString::fromStdString(profiledDevice(m_device, 7));
        QTest::newRow("other machine")
            << QString::fromStdString(profiledDevice("another processor", 1));
    }
    void timesOfOtherDevicesAreNotFound()
    {
        QFETCH(QString, device);
        QVERIFY(!secondsOn(device.toStdString()));
    }

private:
    std::optional<BlockSeconds> secondsOn(const std::string &device) const
    {
        const Opsets opsets = opsetsOf(*m_plan.model);
        const auto known = BlockMeasurements::of(m_database.get(), device, m_plan.graph, opsets);
        return known ? measuredBlocks(*known).lookup(m_plan.graph.order(), KernelForm::Any)
                     : std::nullopt;
    }

    QTemporaryDir m_folder;
    Plan m_plan = product();
    std::shared_ptr<const host::HostTarget> m_target;
    Device m_device;
    std::shared_ptr<ProfileDatabase> m_database;
    double m_milliseconds = 0;
};

GRAPHLOOM_TESTS(TunedBlocksTest)

} // namespace graphloom::test::tuned_blocks_test

#include "tuned_blocks_test.moc"
