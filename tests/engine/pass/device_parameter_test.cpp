// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/device_parameter.h"

#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <array>

namespace graphloom::test::device_parameter_test {

namespace {

const std::array<Parameter, 1> &table()
{
    static const std::array<Parameter, 1> parameters = {deviceParameter("For tests.")};
    return parameters;
}

class PlanningPass final : public Pass {
public:
    std::string_view name() const override { return "planning"; }
    std::string_view help() const override { return "For tests."; }
    std::span<const Parameter> parameters() const override { return table(); }
    Result<Plan> run(Plan plan, const Context &) const override { return plan; }
};

class PassWithoutDevice final : public Pass {
public:
    std::string_view name() const override { return "other"; }
    std::string_view help() const override { return "For tests."; }
    std::span<const Parameter> parameters() const override { return {}; }
    Result<Plan> run(Plan plan, const Context &) const override { return plan; }
};

/// Describes a device, and times nothing.
class DescribingTimer final : public CallTimer {
public:
    Result<Device> device(const TimingLimits &) const override
    {
        Device device;
        device.name = "measured";
        device.target = "host:cpu";
        return device;
    }
    std::vector<Result<double>> time(const Graph &, const Opsets &, std::span<const CallPart> calls,
                                     const TimingLimits &) override
    {
        return std::vector<Result<double>>(calls.size(), fail(Error::Kind::Missing, "no timer"));
    }
    std::vector<Result<KernelTime>> timeBlocks(const Graph &, const Opsets &,
                                               std::span<const std::vector<NodeId>> blocks,
                                               const TimingLimits &) override
    {
        return std::vector<Result<KernelTime>>(blocks.size(),
                                               fail(Error::Kind::Missing, "no timer"));
    }
};

Context contextWith(std::string_view choice)
{
    Context context;
    context.settings = Settings(table());
    if (!choice.empty() && !context.settings.set("device", choice))
        qFatal("unknown choice");
    return context;
}

Plan planFor(std::string_view device)
{
    Plan plan = *initialPlan(modelOf(transformer(40)));
    if (!device.empty())
        plan.device = sharedDevice(*findDevice(device));
    return plan;
}

} // namespace

class DeviceParameterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePlanHasTheDevice()
    {
        const auto device = deviceFor(planFor("rtx-3090"), contextWith({}));
        QVERIFY(device);
        QCOMPARE((*device)->name, std::string("rtx-3090"));
    }

    void aPassMayPlanForAnotherOne()
    {
        const auto device = deviceFor(planFor("rtx-3090"), contextWith("phone-gpu"));
        QVERIFY(device);
        QCOMPARE((*device)->name, std::string("phone-gpu"));
    }

    void aPlanWithoutADeviceIsForTheFirstDescription()
    {
        const auto device = deviceFor(planFor({}), contextWith({}));
        QVERIFY(device);
        QCOMPARE((*device)->name, devices().front().name);
    }

    void thisMachineIsMeasured()
    {
        Context context = contextWith(thisMachine);
        std::string asked;
        context.timers = [&asked](std::string_view target) -> Result<std::shared_ptr<CallTimer>> {
            asked = target;
            return std::make_shared<DescribingTimer>();
        };
        const auto device = deviceFor(planFor("rtx-3090"), context);
        QVERIFY(device);
        QCOMPARE((*device)->name, std::string("measured"));
        QCOMPARE(asked, std::string(thisMachine));
    }

    void aMachineThatCannotBeMeasuredIsAnError()
    {
        QVERIFY(!deviceFor(planFor("rtx-3090"), contextWith(thisMachine)));
    }

    void onlyTheInitialChoiceUsesTheDeviceOfThePlan()
    {
        QVERIFY(usesPlanDevice(PlanningPass(), contextWith({}).settings));
        QVERIFY(!usesPlanDevice(PlanningPass(), contextWith("phone-cpu").settings));
        QVERIFY(!usesPlanDevice(PassWithoutDevice(), Settings()));
    }

    void describedDevicesCannotTime()
    {
        QVERIFY(mayTime(contextWith({}).settings));
        QVERIFY(mayTime(contextWith(thisMachine).settings));
        QVERIFY(!mayTime(contextWith("phone-cpu").settings));
    }
};

GRAPHLOOM_TESTS(DeviceParameterTest)

} // namespace graphloom::test::device_parameter_test

#include "device_parameter_test.moc"
