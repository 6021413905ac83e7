// SPDX-License-Identifier: GPL-3.0-or-later
// The tour, walked by somebody who does what its notes ask for.
#include "app/graph/canvas_page.h"
#include "app/help/coach_mark.h"
#include "app/help/welcome_page.h"
#include "app/runs/pass_panel.h"
#include "app/shell/panel_docks.h"
#include "app/shell/window_tour.h"
#include "app/workbench/edit_actions.h"
#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QPushButton>

namespace graphloom::test::main_window_tour_test {

using test::sample;
using test::WindowDriver;

class MainWindowTourTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<WindowDriver>(test::builtPlugins()); }
    void cleanup() { m_driver.reset(); }

    void doesNotComeUnasked() { QVERIFY(!window().findChild<CoachMark *>()); }

    void isOfferedOnce()
    {
        window().tour().offer();
        QVERIFY(window().tour().tour()->isRunning());
        m_driver->restart();
        window().tour().offer();
        QVERIFY(!window().tour().tour());
        window().actions().tour->trigger(); // but starts when wanted
        QVERIFY(window().tour().tour()->isRunning());
    }

    void advancesWhenTheStepIsDone()
    {
        window().tour().start();
        QCOMPARE(title(), QStringLiteral("Open a model"));
        QVERIFY(mark().isVisible() && window().rect().contains(mark().geometry()));
        QTest::mouseClick(window().findChild<QPushButton *>(QStringLiteral("sampleButton")),
                          Qt::LeftButton);
        QVERIFY(m_driver->settle());
        QVERIFY(until("Run a pass"));
        QVERIFY(window().view<PassPanel>().choose("dnnfusion"));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        QVERIFY(until("Look at a block"));
        // A block of several nodes.
        const SnapshotPointer snapshot = window().session().snapshot();
        std::uint32_t block = 0;
        while (snapshot->nodesOf({Item::Kind::Block, block}).size() < 2)
            ++block;
        window().selection().select({Item::Kind::Block, block});
        QVERIFY(until("Change a block"));
        window().selection().select(
            Item::of(*snapshot->nodesOf({Item::Kind::Block, block}).begin()));
        QVERIFY(QTest::qWaitFor([&] { return window().bench().edits.split->isEnabled(); }));
        QTest::keyClick(&window(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(until("Undo"));
        QVERIFY(m_driver->settle());
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(until("See the memory"));
        window().panels().dock(QStringLiteral("memory")).raise();
        QVERIFY(until("Export the plan"));
        QVERIFY(m_driver->settle());
        window().bench().documents.exportTo(m_driver->scratch("plan.onnx"));
        QVERIFY(until("You are ready"));
        QVERIFY(!mark().skipButton().isVisible());
        QTest::mouseClick(&mark().endButton(), Qt::LeftButton);
        QVERIFY(!window().tour().tour()->isRunning());
    }

    void stepsCanBeSkippedByKeys()
    {
        window().tour().start();
        window().activateWindow();
        QTest::keyClick(&window(), Qt::Key_F1, Qt::ControlModifier);
        QVERIFY(mark().skipButton().hasFocus());
        QTest::keyClick(&mark().skipButton(), Qt::Key_Space);
        QCOMPARE(title(), QStringLiteral("Run a pass"));
        QTest::keyClick(&mark(), Qt::Key_Escape);
        QVERIFY(!window().tour().tour()->isRunning());
    }

    void blocksNothing()
    {
        window().tour().start();
        QVERIFY(!QApplication::activeModalWidget());
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QTest::keyClick(&window(), Qt::Key_K, Qt::ControlModifier);
        QVERIFY(QApplication::focusWidget() && !mark().isAncestorOf(QApplication::focusWidget()));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    CoachMark &mark() { return *window().tour().tour()->mark(); }
    QString title() { return mark().title(); }
    bool until(const char *wanted)
    {
        return QTest::qWaitFor([&] { return title() == QLatin1String(wanted); }, 20'000);
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowTourTest)

} // namespace graphloom::test::main_window_tour_test

#include "main_window_tour_test.moc"
