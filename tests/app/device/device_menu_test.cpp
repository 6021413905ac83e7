// SPDX-License-Identifier: GPL-3.0-or-later
// The chooser of the device in the toolbar, as a person uses it.
#include "app/device/device_menu.h"

#include "app/runs/pass_panel.h"
#include "app/workbench/workbench.h"
#include "engine/plan/fusion_plan.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QToolButton>
#include <atomic>

namespace graphloom::test::device_menu_test {

class DeviceMenuTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { start({}); }
    void cleanup() { m_driver.reset(); }

    void theButtonNamesTheDevice()
    {
        QCOMPARE(button().text(), QStringLiteral("phone-cpu"));
        QVERIFY(button().toolTip().contains(QStringLiteral("phone-cpu")));
        QVERIFY(button().isVisible());
    }

    void passesPlanForTheDevice()
    {
        choose("phone-gpu");
        QCOMPARE(button().text(), QStringLiteral("phone-gpu"));
        QVERIFY(runFusion());
        QCOMPARE(plan().fusion->device, std::string("phone-gpu"));
    }

    void choosingPricesThePlanAgainAndCanBeUndone()
    {
        QVERIFY(runFusion());
        const FusionPlan before = *plan().fusion;
        QCOMPARE(before.device, std::string("phone-cpu"));
        choose("rtx-3090");
        QCOMPARE(plan().device->name, std::string("rtx-3090"));
        QCOMPARE(plan().fusion->device, std::string("rtx-3090"));
        QVERIFY(plan().fusion->costMs != before.costMs);
        QCOMPARE(plan().fusion->blocks.size(), before.blocks.size());
        window().actions().undo->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(plan().fusion->costMs, before.costMs);
        QCOMPARE(button().text(), QStringLiteral("phone-cpu"));
    }

    void theChoiceIsKept()
    {
        choose("phone-gpu");
        m_driver->restart();
        QCOMPARE(button().text(), QStringLiteral("phone-gpu"));
    }

    void theDeviceOfThePlanIsMarked()
    {
        choose("phone-gpu");
        for (const QAction *entry : menu().actions())
            QCOMPARE(entry->isChecked(), isEntryOf(*entry, "phone-gpu"));
    }

    void whatIsMissingIsSaid()
    {
        const auto target = std::make_shared<ScriptedTarget>(ScriptedTarget::Build());
        target->refusal = fail(Error::Kind::Missing, "install a compiler");
        start({{"host.so", target, {}}});
        QCOMPARE(button().text(), QStringLiteral("This machine"));
        Q_EMIT menu().aboutToShow();
        const QAction *entry = menu().actions().front();
        QTRY_VERIFY(entry->text().contains(QStringLiteral("Cannot be used")));
        QVERIFY(!entry->isEnabled());
        QVERIFY(entry->toolTip().contains(QStringLiteral("install a compiler")));
    }

    /// Also before any device was chosen.
    void passesPlanForThisMachineAsItIsMeasured()
    {
        std::atomic<int> builds = 0;
        const auto target = std::make_shared<ScriptedTarget>(
            [&](const BuildOptions &) -> Result<std::shared_ptr<BuiltPlan>> {
                ++builds;
                return fail(Error::Kind::Missing, "nothing runs");
            });
        target->described = devices().front();
        start({{"host.so", target, {}}});
        QVERIFY(runFusion());
        QVERIFY(builds > 0);
        m_driver.reset();
    }

private:
    void start(std::vector<TargetPlugin> targets)
    {
        m_driver =
            std::make_unique<WindowDriver>(builtPlugins(), ThemeChoice::Dark, std::move(targets));
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
    }
    MainWindow &window() { return m_driver->window(); }
    const Plan &plan() { return *window().session().snapshot()->plan; }
    QToolButton &button()
    {
        return *window().findChild<QToolButton *>(QStringLiteral("deviceButton"));
    }
    QMenu &menu() { return *button().menu(); }
    /// Tells whether the text of an entry, before its state, is the name of the device.
    static bool isEntryOf(const QAction &entry, const char *device)
    {
        return entry.text().section(u'\t', 0, 0) == QLatin1String(device);
    }
    void choose(const char *device)
    {
        for (QAction *entry : menu().actions())
            if (isEntryOf(*entry, device))
                entry->trigger();
        QVERIFY(m_driver->settle());
    }
    bool runFusion()
    {
        if (!window().view<PassPanel>().choose("dnnfusion"))
            return false;
        window().actions().run->trigger();
        return m_driver->settle() && plan().fusion;
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(DeviceMenuTest)

} // namespace graphloom::test::device_menu_test

#include "device_menu_test.moc"
