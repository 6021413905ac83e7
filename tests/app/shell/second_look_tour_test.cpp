// SPDX-License-Identifier: GPL-3.0-or-later
// What a demanding user does in an hour with mouse, wheel and keys, in one window: he applies plans
// of running searches, runs passes one after the other, makes the window small, scrolls forms,
// watches the canvas and the progress of searches, saves, returns, and changes the theme. Pictures
// of every step are left in the folder that GRAPHLOOM_TOUR_PICTURES names, if it does;
// tests/desktop/tour runs it under a window manager.
#include "app/fission/fission_panel.h"
#include "app/graph/canvas_page.h"
#include "app/help/help_view.h"
#include "app/kernels/kernel_panel.h"
#include "app/lanes/lane_panel.h"
#include "app/preferences/preferences_dialog.h"
#include "app/preferences/window_preferences.h"
#include "app/properties/properties_panel.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/shell/panel_docks.h"
#include "app/tensors/tensor_panel.h"
#include "app/verification/verification_panel.h"
#include "app/workbench/fission_actions.h"
#include "engine/codegen/build/c_compiler.h"
#include "engine/plan/memory_plan.h"
#include "tests/support/app/painted_texts.h"
#include "tests/support/app/window_driver.h"

#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QWheelEvent>

#include <set>

namespace graphloom::test::second_look_tour_test {

namespace fs = std::filesystem;

class SecondLookTourTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_driver = std::make_unique<WindowDriver>(builtPlugins(), ThemeChoice::Dark,
                                                  loadTargetPlugins(GRAPHLOOM_TARGETS));
        window().resize(1600, 1000);
        window().show();
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        picture("00-opened");
    }
    void cleanupTestCase() { m_driver.reset(); }

    /// F8 gave the figures of the memory plan, but not its graph.
    void appliesThePlanOfARunningSearch()
    {
        const std::size_t nodes = plan().graph.nodeCount();
        startMagis(600);
        const auto hasSplit = [this] {
            const auto runs = window().session().runs().runs();
            const auto &latest = runs.empty() ? nullptr : runs.back()->latest;
            return latest && latest->memory && !latest->memory->fissions.empty() &&
                   latest->memory->after.peakBytes < latest->memory->before.peakBytes;
        };
        QVERIFY(QTest::qWaitFor(hasSplit, patience));
        QTest::keyClick(&window(), Qt::Key_F8);
        QVERIFY(m_driver->settle());
        QVERIFY2(plan().memory->realized, plan().memory->unrealized.c_str());
        QVERIFY(plan().graph.nodeCount() > nodes);
        QVERIFY(label("planStatus").contains(formatBytes(double(peakBytesOf(plan())))));
        picture("01-applied");
    }

    /// A region had other numbers of nodes in the F-Tree and in its properties.
    void figuresOfARegionAgree()
    {
        window().panels().raise(QStringLiteral("fissions"));
        const auto &fissions = plan().memory->fissions;
        const auto at = std::ranges::find_if(
            fissions, [](const MemoryPlan::Fission &one) { return one.number > 1; });
        QVERIFY(at != fissions.end());
        auto &panel = window().view<FissionPanel>();
        panel.choose(int(at - fissions.begin()));
        const Item region = window().selection().item();
        QVERIFY(region.isGroup());
        const auto nodes = window().bench().navigator.shown()->factsOf(region).nodes;
        const QAbstractItemModel &rows = *panel.findChild<QTableView *>()->model();
        QStringList row;
        for (int column = 0; column < rows.columnCount(); ++column)
            row << rows.index(panel.findChild<QTableView *>()->currentIndex().row(), column)
                       .data()
                       .toString();
        QVERIFY2(row.contains(QString::number(nodes)), qPrintable(row.join(QLatin1Char('|'))));
        picture("02-region");
    }

    /// `magis` after `ago` ran for its whole time, and failed.
    void runsAPassAfterAnother()
    {
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(window().view<PassPanel>().choose("ago"));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        startMagis(1);
        QVERIFY(m_driver->settle());
        QVERIFY2(plan().memory && plan().history.back().pass == "magis",
                 qPrintable(m_driver->message()));
        picture("03-ago-magis");
    }

    /// The wheel changed the values that the pointer passed over.
    void theWheelScrollsForms()
    {
        window().resize(1024, 600);
        window().panels().raise(QStringLiteral("passes"));
        QVERIFY(window().view<PassPanel>().choose("ago"));
        QVERIFY(m_driver->settle());
        PassForm &form = *window().view<PassPanel>().form();
        window().page().canvas().setFocus();
        int fields = 0;
        for (auto *box : form.findChildren<QComboBox *>()) {
            const int before = box->currentIndex();
            turnWheel(*box);
            QCOMPARE(box->currentIndex(), before);
            ++fields;
        }
        for (auto *box : form.findChildren<QDoubleSpinBox *>()) {
            const double before = box->value();
            turnWheel(*box);
            QCOMPARE(box->value(), before);
            ++fields;
        }
        QVERIFY(fields > 1);
        window().view<PassPanel>().setAdvancedShown(true);
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        const auto boxes = form.findChildren<QDoubleSpinBox *>();
        const auto visible = std::ranges::find_if(
            boxes, [](const QDoubleSpinBox *box) { return box->isVisible() && box->isEnabled(); });
        QVERIFY(visible != boxes.end());
        QDoubleSpinBox &focused = **visible;
        const double own = focused.value();
        focused.setValue((focused.minimum() + focused.maximum()) / 2); // not at an end
        const double before = focused.value();
        focused.setFocus();
        QVERIFY(focused.hasFocus());
        turnWheel(focused);
        QVERIFY(focused.value() < before); // the user turns it there on purpose
        focused.setValue(own);
        window().view<PassPanel>().setAdvancedShown(false);
        picture("04-wheel");
    }

    /// With recent files, the bottom of the window was off the screen.
    void fitsASmallScreen()
    {
        QCOMPARE(window().size(), QSize(1024, 600));
        for (const PanelPointer &panel : window().panels().panels()) {
            window().panels().raise(panel->facts().key);
            QVERIFY(m_driver->settle());
            QCOMPARE(window().size(), QSize(1024, 600));
            picture("05-small-" + panel->facts().key);
        }
        window().resize(1600, 1000);
    }

    /// The canvas was blank for moments while plans of a search were shown.
    void theCanvasIsNeverBlank()
    {
        startMagis(3);
        int looks = 0;
        while (window().session().isRunning()) {
            QTest::qWait(20);
            QVERIFY2(coloursOf(window().page().canvas().viewport()->grab().toImage()) > 2,
                     qPrintable(QStringLiteral("at look %1").arg(looks)));
            ++looks;
        }
        QVERIFY(looks > 5);
        QVERIFY(m_driver->settle());
    }

    /// The view was lost after collapsing, and after a pass on a fitted view.
    void theViewIsKept()
    {
        GraphCanvas &canvas = window().page().canvas();
        QTest::keyClick(&canvas, Qt::Key_F);
        QVERIFY(m_driver->settle());
        QVERIFY(isWholeInView());
        QTest::keyClick(&window(), Qt::Key_Minus, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(isWholeInView());
        picture("06-collapsed");
        QTest::keyClick(&window(), Qt::Key_Plus, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        QVERIFY(isWholeInView());
        picture("07-fused-fitted");
    }

    /// Progress went back, and a paused search said that it was searching.
    void progressGoesForward()
    {
        startMagis(4);
        auto *bar = window().findChild<QProgressBar *>(QStringLiteral("runProgress"));
        int before = 0;
        QString task; // whose progress is shown
        bool paused = false;
        while (window().session().isRunning()) {
            QTest::qWait(20);
            if (!window().session().isRunning())
                break;
            if (bar->maximum() == 0) // it is not known how much is left, such as of a layout
                continue;
            const QString now =
                window().findChild<QToolButton *>(QStringLiteral("runCancel"))->toolTip();
            if (std::exchange(task, now) != now)
                before = 0; // the progress of another task
            QVERIFY2(bar->value() >= before,
                     qPrintable(QStringLiteral("%1 after %2").arg(bar->value()).arg(before)));
            before = bar->value();
            if (!paused && before > bar->maximum() / 4) {
                paused = true;
                QTest::keyClick(&window(), Qt::Key_F7);
                QTest::qWait(300);
                QVERIFY2(
                    label("workStatus").contains(QStringLiteral("paused"), Qt::CaseInsensitive),
                    qPrintable(label("workStatus")));
                picture("08-paused");
                QTest::keyClick(&window(), Qt::Key_F7);
            }
        }
        QVERIFY(paused); // the progress came that far
        QVERIFY(m_driver->settle());
    }

    /// The list of background tasks stayed open.
    void theListOfTasksCloses()
    {
        auto *popup = window().findChild<QWidget *>(QStringLiteral("jobPopup"));
        const auto open = [&] {
            QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
            QVERIFY(popup->isVisible());
        };
        open();
        picture("09-tasks");
        QTest::keyClick(&window().page().canvas(), Qt::Key_Escape);
        QVERIFY(!popup->isVisible());
        open();
        QTest::mouseClick(window().page().canvas().viewport(), Qt::LeftButton, {}, {40, 40});
        QVERIFY(!popup->isVisible());
    }

    /// Times, roofline and heat were gone, and the help was blank.
    void theNextDayEverythingIsThere()
    {
        QTest::keyClick(&window(), Qt::Key_F1);
        QVERIFY(m_driver->settle());
        QVERIFY(!helpText().isEmpty());
        const bool measures = bool(findCCompiler());
        if (measures) {
            QTest::keyClick(&window(), Qt::Key_F6);
            QVERIFY(m_driver->settle());
            QVERIFY2(window().view<KernelPanel>().model().rowCount() > 10,
                     qPrintable(m_driver->message()));
        }
        const fs::path file = m_driver->scratch("work.gloom");
        window().bench().documents.saveTo(file);
        QVERIFY(m_driver->settle());
        picture("10-saved");
        m_driver->restart();
        window().resize(1600, 1000);
        window().show();
        window().bench().documents.open(file);
        QVERIFY(m_driver->settle());
        QVERIFY(!helpText().isEmpty());
        if (measures) {
            QVERIFY(window().view<KernelPanel>().model().rowCount() > 10);
            QTest::keyClick(&window(), Qt::Key_H, Qt::ControlModifier);
            QVERIFY(window().actions().heat->isChecked());
            QVERIFY(m_driver->settle());
        }
        picture("11-next-day");
    }

    /// What the user looked for in vain: each is shown, and read in both themes.
    void whatWasMissingIsThere()
    {
        QTest::keyClick(&window(), Qt::Key_Backslash, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(window().actions().sideBySide->isChecked());
        look("20-sides");
        QTest::keyClick(&window(), Qt::Key_Backslash, Qt::ControlModifier);
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!window().view<VerificationPanel>().isEmpty());
        look("21-verification");
        if (findCCompiler()) {
            QTest::keyClick(&window(), Qt::Key_F6, Qt::ControlModifier);
            QVERIFY(m_driver->settle());
            QVERIFY(!window().view<LanePanel>().isEmpty());
            look("22-timeline");
        }
        window().selection().select(
            Item::of(window().session().snapshot()->graph().order().front()));
        QTest::keyClick(&window(), Qt::Key_I);
        QVERIFY(m_driver->settle());
        QVERIFY(!window().view<TensorPanel>().isEmpty());
        look("23-tensor");
        window().panels().raise(QStringLiteral("history"));
        look("24-history");
        window().bench().documents.exportTo(m_driver->scratch("exported.onnx"));
        QVERIFY(m_driver->settle());
        look("25-toast");
    }

    void preferencesCanBeRead()
    {
        QTest::keyClick(&window(), Qt::Key_Comma, Qt::ControlModifier);
        PreferencesDialog &dialog = window().preferences().dialog();
        QTRY_VERIFY(dialog.isVisible());
        for (int theme = 0; theme < 2; ++theme) {
            for (int page = 0; page < dialog.list().count(); ++page) {
                dialog.list().setCurrentRow(page);
                QTest::qWait(300); // pages ask the disk and targets
                QVERIFY(m_driver->settle());
                const QStringList faults = textFaults(dialog);
                QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
                save(dialog, QStringLiteral("30-preferences-%1-%2").arg(page).arg(theme));
            }
            window().actions().nextTheme->trigger();
        }
        dialog.close();
    }

    /// Boxes, links and texts could not be read in one of the themes.
    void bothThemesCanBeRead()
    {
        for (int i = 0; i < 2; ++i) {
            QTest::keyClick(&window(), Qt::Key_T, Qt::ControlModifier);
            QVERIFY(m_driver->settle());
            const QStringList faults = textFaults(window());
            QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
            picture(i == 0 ? "12-light" : "13-dark");
        }
    }

private:
    MainWindow &window() { return m_driver->window(); }
    const Plan &plan() { return *window().session().snapshot()->plan; }
    QString label(const char *name)
    {
        return window().findChild<QLabel *>(QLatin1String(name))->text();
    }
    QString helpText()
    {
        return window().view<HelpView>().findChild<QTextBrowser *>()->toPlainText();
    }

    void startMagis(double seconds)
    {
        QVERIFY(window().view<PassPanel>().choose("magis"));
        window().view<PassPanel>().form()->setValue("seconds", seconds);
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(window().session().isRunning());
    }

    static void turnWheel(QWidget &widget)
    {
        const QPointF place = widget.rect().center();
        QWheelEvent event(place, widget.mapToGlobal(place), {}, {0, -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&widget, &event);
    }

    static std::size_t coloursOf(const QImage &picture)
    {
        std::set<QRgb> colours;
        for (int y = 0; y < picture.height(); y += 3)
            for (int x = 0; x < picture.width(); x += 3)
                colours.insert(picture.pixel(x, y));
        return colours.size();
    }

    bool isWholeInView()
    {
        const GraphCanvas &canvas = window().page().canvas();
        const QRectF bounds = canvas.drawing()->bounds;
        const QRectF seen = canvas.visibleScene();
        return seen.adjusted(-1, -1, 1, 1).contains(bounds) &&
               (bounds.width() > 0.4 * seen.width() || bounds.height() > 0.4 * seen.height() ||
                canvas.view().scale >= 1);
    }

    /// Reads the window, and leaves a picture, in both themes.
    void look(const QString &name)
    {
        for (const char *theme : {"one", "other"}) {
            QVERIFY(m_driver->settle());
            const QStringList faults = textFaults(window());
            QVERIFY2(faults.isEmpty(), qPrintable(name + '\n' + faults.join(QLatin1Char('\n'))));
            picture(name + '-' + QLatin1String(theme));
            window().actions().nextTheme->trigger();
        }
    }
    void picture(const QString &name) { save(window(), name); }
    static void save(QWidget &widget, const QString &name)
    {
        const QString folder = qEnvironmentVariable("GRAPHLOOM_TOUR_PICTURES");
        if (folder.isEmpty())
            return;
        QDir().mkpath(folder);
        QVERIFY(widget.grab().save(QDir(folder).filePath(name + QStringLiteral(".png"))));
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(SecondLookTourTest)

} // namespace graphloom::test::second_look_tour_test

#include "second_look_tour_test.moc"
