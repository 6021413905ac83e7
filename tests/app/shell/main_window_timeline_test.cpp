// SPDX-License-Identifier: GPL-3.0-or-later
// The window where a plan is run beside the original, and its threads are looked at.
#include "app/docks/in_sight.h"
#include "app/graph/canvas_page.h"
#include "app/kernels/kernel_panel.h"
#include "app/lanes/lane_panel.h"
#include "app/shell/panel_docks.h"
#include "engine/codegen/build/c_compiler.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

namespace graphloom::test::main_window_timeline_test {

class MainWindowTimelineTest : public QObject {
    Q_OBJECT

private:
    MainWindow &window() { return m_driver->window(); }
    LanePanel &panel() { return window().view<LanePanel>(); }
    LaneView &view() { return panel().view(); }
    const Lanes &lanes() { return view().picture().lanes(); }
    QString hint() { return panel().findChild<QLabel *>(QStringLiteral("hint"))->text(); }

    void use(std::vector<TargetPlugin> targets)
    {
        m_driver = std::make_unique<WindowDriver>(std::vector<PassPlugin>(), ThemeChoice::Dark,
                                                  std::move(targets));
        window().view<KernelPanel>().setOptions({3, 1});
        window().resize(1400, 900);
    }
    bool press(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(&window(), key, modifiers);
        return m_driver->settle();
    }
    /// Runs the plan beside the original, which brings the timeline up.
    bool runBeside()
    {
        return m_driver->show(m_plain) && press(Qt::Key_F6, Qt::ControlModifier) &&
               isInSight(*view().viewport());
    }
    /// Returns the place of the slice of a step, in the middle of what is visible of it.
    QPoint placeOf(const Lanes::Run &run, std::uint32_t step)
    {
        const Lanes::Slice &slice = lanes().slices[run.steps[step].slice];
        const LanePicture::Row &row = *view().picture().rowOf(slice.lane);
        return view().picture().rectOf(row, slice.start, slice.end()).center().toPoint();
    }
    /// Zooms to a step by keys and the wheel would take many; the view does it at once.
    QPoint zoomedTo(const Lanes::Run &run, std::uint32_t step)
    {
        view().zoomTo(run.steps[step].slice);
        return placeOf(run, step);
    }

private Q_SLOTS:
    void initTestCase() { m_plain = test::rewritten(); } // Relu(x) - x, of Relu(Relu(x)) + x
    void init() { use(loadTargetPlugins(GRAPHLOOM_TARGETS)); }
    void cleanup() { m_driver.reset(); }

    void hintsTellWhatFillsIt()
    {
        QVERIFY(panel().isEmpty());
        QVERIFY(hint().startsWith(QStringLiteral("Open a model")));
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(hint().startsWith(QStringLiteral("Benchmark the plan against the original")));
        bool found = false;
        for (const QToolButton *button : panel().findChildren<QToolButton *>())
            found = found || (button->defaultAction() == window().actions().runBesideOriginal &&
                              button->toolButtonStyle() == Qt::ToolButtonTextBesideIcon);
        QVERIFY(found);
    }

    void bothRunsAreShownOnOneScale()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY2(runBeside(), qPrintable(m_driver->message()));
        QCOMPARE(lanes().runs.size(), std::size_t(2));
        QCOMPARE(lanes().runs[0].kind, Lanes::Run::Kind::Original);
        QCOMPARE(lanes().runs[0].steps.size(), std::size_t(3));
        QCOMPARE(lanes().runs[1].steps.size(), std::size_t(2));
        QCOMPARE(view().scene().to, lanes().seconds);
        QVERIFY(panel().summary().contains(QStringLiteral("speedup over the unfused original")));
        QVERIFY(m_driver->message().contains(QStringLiteral("unfused original")));
    }

    void aClickOnASliceSelectsItInTheGraph()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY2(runBeside(), qPrintable(m_driver->message()));
        const NodeId last = m_plain->graph().order().back();
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, zoomedTo(lanes().runs[1], 1));
        QCOMPARE(window().selection().item(), Item::of(last));
        window().selection().clear();
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, zoomedTo(lanes().runs[0], 2));
        QCOMPARE(window().selection().item(), Item::of(last)); // the Add became that Sub
    }

    void aDoubleClickShowsItInTheGraph()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY2(runBeside(), qPrintable(m_driver->message()));
        QSignalSpy activated(&window().bench(), &Workbench::activated);
        QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, zoomedTo(lanes().runs[1], 1));
        QCOMPARE(activated.size(), qsizetype(1));
        QCOMPARE(activated[0][0].value<Item>(), Item::of(m_plain->graph().order().back()));
    }

    void whatIsSelectedInTheGraphIsMarked()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY2(runBeside(), qPrintable(m_driver->message()));
        window().selection().select(Item::of(m_plain->graph().order().front()));
        QCOMPARE(view().marks().selected[1], (std::vector{true, false}));
        QVERIFY(view().marks().selected[0][0]);
        QCOMPARE(view().marks().current, std::optional(lanes().runs[1].steps[0].slice));
    }

    void anotherPlanMakesItStaleUntilItIsUndone()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY2(runBeside(), qPrintable(m_driver->message()));
        window().session().edit(QStringLiteral("fuse"), [](Plan plan) {
            plan.fusion = test::fused(test::rewritten())->plan->fusion;
            return plan;
        });
        QVERIFY(m_driver->settle());
        QVERIFY(panel().summary().contains(QStringLiteral("another plan")));
        QVERIFY(press(Qt::Key_Z, Qt::ControlModifier));
        QVERIFY(!panel().summary().contains(QStringLiteral("another plan")));
    }

    void theKeyOfThePanelBringsItUp()
    {
        QVERIFY(m_driver->show(m_plain));
        const QAction *action = window().findChild<QAction *>(QStringLiteral("panel:timeline"));
        const QKeyCombination keys = action->shortcut()[0];
        window().activateWindow();
        QVERIFY(!isInSight(panel()));
        QVERIFY(press(keys.key(), keys.keyboardModifiers()));
        QVERIFY(isInSight(panel()));
    }

    void aRunAloneHasLanesOfItsOwn()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(press(Qt::Key_F6));
        QVERIFY2(!panel().isEmpty(), qPrintable(m_driver->message()));
        QCOMPARE(lanes().runs.size(), std::size_t(1));
    }

    void aRunWithoutTraceSaysSo()
    {
        use(test::scripted(test::fakeBuild(m_log)));
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(press(Qt::Key_F6));
        QVERIFY(panel().isEmpty());
        QVERIFY2(hint().startsWith(QStringLiteral("The last run has no times of single kernels")),
                 qPrintable(hint()));
    }

    void coloursAreKept()
    {
        panel().button(QStringLiteral("laneMappings"))->click();
        m_driver->restart();
        QCOMPARE(panel().colours(), LaneColours::Mappings);
    }

private:
    SnapshotPointer m_plain;
    std::vector<std::string> m_log;
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowTimelineTest)

} // namespace graphloom::test::main_window_timeline_test

#include "main_window_timeline_test.moc"
