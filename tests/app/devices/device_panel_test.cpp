// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of devices, as a person uses it.
#include "app/devices/device_panel.h"

#include "app/pareto/pareto_panel.h"
#include "app/workbench/workbench.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QToolButton>

#include <atomic>

namespace graphloom::test::device_panel_test {

using namespace std::chrono_literals;

/// With a target "host" of two devices, "cpu" and "other".
class DevicePanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_failures = 0;
        m_pause = 0ms;
        const auto target = std::make_shared<ScriptedTarget>(
            [this](const BuildOptions &options) { return build(options); });
        target->names = {"cpu", "other"};
        target->described = devices().front();
        m_driver = std::make_unique<WindowDriver>(
            builtPlugins(), ThemeChoice::Dark, std::vector<TargetPlugin>{{"host.so", target, {}}});
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        window().findChild<QDockWidget *>(QStringLiteral("devices"))->raise();
        QVERIFY(m_driver->settle());
    }
    void cleanup() { m_driver.reset(); }

    void theDevicesAreListedWithTheirStates()
    {
        panel().choose("host:other");
        const int row = panel().model().rowOfDevice("host:other");
        QTRY_COMPARE(panel().model().at(row).state, DeviceChoice::State::Ready);
        QVERIFY(panel().facts().contains(QStringLiteral("host:other")));
        QVERIFY(button("measureOnDevices").isEnabled());
        QVERIFY(!button("removeDevice").isEnabled()); // it was not added by the user
    }

    void whatIsOnlyDescribedCannotBeMeasured()
    {
        panel().choose("phone-gpu");
        QVERIFY(!button("measureOnDevices").isEnabled());
        QVERIFY(button("planForDevice").isEnabled());
    }

    void onePlanIsMeasuredOnSeveralDevices()
    {
        measureOn({"host:cpu", "host:other"});
        QVERIFY(m_driver->settle());
        QCOMPARE(stateOf(0), DeviceJob::State::Done);
        QCOMPARE(stateOf(1), DeviceJob::State::Done);
        QCOMPARE(bench().kernels.runs().size(), std::size_t(2));
        QVERIFY(!window().view<ParetoPanel>().isEmpty());
        QTRY_COMPARE(bench().deviceJobs.history().rowCount(), 2);
        QCOMPARE(bench().deviceJobs.history().at(0).model, std::string("bert_tiny.onnx"));
    }

    void aFailedJobSaysWhyAndCanBeRetried()
    {
        m_failures = 1;
        measureOn({"host:other"});
        QVERIFY(m_driver->settle());
        QCOMPARE(stateOf(0), DeviceJob::State::Failed);
        QVERIFY(panel().log().contains(QStringLiteral("the board is off")));
        button("retryJob").click();
        QVERIFY(m_driver->settle());
        QCOMPARE(stateOf(0), DeviceJob::State::Done);
        QVERIFY(panel().log().contains(QStringLiteral("the board is off"))); // it goes on
        QCOMPARE(queue().rowCount(), 1);
    }

    void jobsCanBeStopped()
    {
        m_pause = 20ms;
        measureOn({"host:cpu", "host:other"});
        QCOMPARE(stateOf(0), DeviceJob::State::Running);
        QCOMPARE(stateOf(1), DeviceJob::State::Waiting);
        QCOMPARE(panel().selectedJob(), queue().at(1).number); // the newest
        button("stopJob").click();
        QCOMPARE(stateOf(1), DeviceJob::State::Stopped);
        panel().jobs().choose(0);
        button("stopJob").click();
        QVERIFY(m_driver->settle());
        QCOMPARE(stateOf(0), DeviceJob::State::Stopped);
        button("removeJobs").click();
        QCOMPARE(queue().rowCount(), 0);
    }

    void aRunBringsItsPlanAndDeviceBack()
    {
        measureOn({"host:other"});
        QVERIFY(m_driver->settle());
        panel().choose("phone-gpu");
        button("planForDevice").click();
        QVERIFY(m_driver->settle());
        QCOMPARE(plan().device->name, std::string("phone-gpu"));
        button("loadJob").click();
        QVERIFY(m_driver->settle());
        QCOMPARE(plan().device->target, std::string("host:other"));
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(plan().device->name, std::string("phone-gpu"));
    }

    void anotherModelRemovesTheJobs()
    {
        m_pause = 20ms;
        measureOn({"host:cpu", "host:other"});
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QCOMPARE(queue().rowCount(), 0);
        QVERIFY(bench().kernels.runs().empty());
    }

private:
    /// Called on threads.
    Result<std::shared_ptr<BuiltPlan>> build(const BuildOptions &options)
    {
        if (m_failures.fetch_sub(1) > 0)
            return fail(Error::Kind::Missing, "the board is off");
        return fakeBuild(m_log, m_pause)(options);
    }
    MainWindow &window() { return m_driver->window(); }
    Workbench &bench() { return window().bench(); }
    const Plan &plan() { return *window().session().snapshot()->plan; }
    DevicePanel &panel() { return window().view<DevicePanel>(); }
    DeviceQueue &queue() { return bench().deviceJobs.queue(); }
    QToolButton &button(const char *name)
    {
        return *panel().findChild<QToolButton *>(QLatin1String(name));
    }
    DeviceJob::State stateOf(int row) { return queue().at(row).state; }
    void measureOn(const std::vector<std::string> &devices)
    {
        QItemSelectionModel &rows = *panel().devices().table().selectionModel();
        rows.clear();
        for (const std::string &device : devices)
            rows.select(panel().devices().filter().mapFromSource(
                            panel().model().index(panel().model().rowOfDevice(device), 0)),
                        QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QVERIFY(button("measureOnDevices").isEnabled());
        button("measureOnDevices").click();
    }

    std::unique_ptr<WindowDriver> m_driver;
    std::vector<std::string> m_log; // of fake plans
    std::atomic<int> m_failures = 0;
    std::chrono::milliseconds m_pause{};
};

GRAPHLOOM_WINDOW_TESTS(DevicePanelTest)

} // namespace graphloom::test::device_panel_test

#include "device_panel_test.moc"
