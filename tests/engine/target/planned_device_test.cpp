// SPDX-License-Identifier: Apache-2.0
// Which device passes plan for, and which target builds a plan.
#include "engine/target/target_plugins.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::planned_device_test {

namespace {

/// A target of this machine, some of whose devices cannot be measured.
class PartlyMeasuredTarget final : public Target {
public:
    explicit PartlyMeasuredTarget(std::set<std::string> unmeasured)
        : m_unmeasured(std::move(unmeasured))
    {
    }
    std::string_view name() const override { return "here"; }
    std::string_view help() const override { return "For tests."; }
    bool isThisMachine() const override { return true; }
    std::vector<std::string> devices() const override { return {"cpu", "wide"}; }
    Result<Device> describe(const std::string &device, std::stop_token stop) const override
    {
        if (stop.stop_requested())
            return fail(Error::Kind::Fault, "stopped");
        if (m_unmeasured.contains(device))
            return fail(Error::Kind::Missing, "no compiler");
        Device described;
        described.name = "host";
        return described;
    }
    std::vector<Finding> probe() const override { return {}; }
    std::string fingerprint(const std::string &device) const override { return device; }
    Result<std::vector<SourceFile>> generate(const Plan &, const BuildOptions &) const override
    {
        return {};
    }
    Result<Plan> tune(const Plan &plan, const TuneOptions &) const override
    {
        return plan;
    }
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &, const BuildOptions &) const override
    {
        return nullptr;
    }
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>>,
                                             const MeasureOptions &) const override
    {
        return {};
    }

private:
    std::set<std::string> m_unmeasured;
};

ChosenTarget chosen(const std::string &device, std::set<std::string> unmeasured = {})
{
    return {std::make_shared<PartlyMeasuredTarget>(std::move(unmeasured)), device};
}

Plan planFor(const std::string &target)
{
    Device device;
    device.name = "host";
    device.target = target;
    Plan plan;
    plan.device = std::make_shared<const Device>(std::move(device));
    return plan;
}

} // namespace

class PlannedDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theChosenDeviceIsMeasured()
    {
        const auto planned = plannedDeviceOn(chosen("wide"), {});
        QVERIFY(planned);
        QCOMPARE(planned->device->target, std::string("here:wide"));
        QCOMPARE(planned->instead, std::string());
    }

    void theFirstDeviceStandsForOneThatCannotBeMeasured()
    {
        const auto planned = plannedDeviceOn(chosen("wide", {"wide"}), {});
        QVERIFY(planned);
        QCOMPARE(planned->device->target, std::string("here:cpu"));
        QCOMPARE(planned->instead, std::string("Passes plan for here:cpu: no compiler"));
    }

    void aDescriptionStandsForAMachineThatCannotBeMeasured()
    {
        const auto planned = plannedDeviceOn(chosen("wide", {"cpu", "wide"}), {});
        QVERIFY(planned);
        QCOMPARE(planned->device->name, devices().front().name);
        QVERIFY(planned->instead.ends_with("no compiler"));
    }

    void beingStoppedIsAnError()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!plannedDeviceOn(chosen("cpu"), {.stop = stop.get_token()}));
    }

    void aPlanIsBuiltForItsDevice_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("device");
        QTest::newRow("one of the target") << "here:wide"
                                           << "wide";
        QTest::newRow("one of an unknown target") << "there:wide"
                                                  << "cpu";
        QTest::newRow("one that is only described") << ""
                                                    << "cpu";
    }
    void aPlanIsBuiltForItsDevice()
    {
        QFETCH(QString, target);
        QFETCH(QString, device);
        const auto found =
            targetOf(planFor(target.toStdString()), {{"here.so", chosen("cpu").target, {}}});
        QVERIFY(found);
        QCOMPARE(found->device, device.toStdString());
    }
};

GRAPHLOOM_TESTS(PlannedDeviceTest)

} // namespace graphloom::test::planned_device_test

#include "planned_device_test.moc"
