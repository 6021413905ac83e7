// SPDX-License-Identifier: GPL-3.0-or-later
// Work in tabs that are not shown, and work that would be lost.
#include "app/runs/pass_panel.h"
#include "app/status/job_status.h"
#include "tests/support/app/tabs_driver.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>

namespace graphloom::test::window_tabs_work_test {

namespace fs = std::filesystem;

class WindowTabsWorkTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        std::vector<PassPlugin> plugins;
        plugins.push_back({{}, std::make_shared<ScriptedPass>(splitUntilStopped), {}});
        m_driver = std::make_unique<TabsDriver>(std::move(plugins));
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        QCOMPARE(window().bar().currentIndex(), 0);
    }
    void cleanup() { m_driver.reset(); }

    void aPassGoesOnBehindAnotherTab()
    {
        m_driver->press(Qt::Key_F5);
        QVERIFY(m_driver->tab(0).session().isRunning());
        m_driver->press(Qt::Key_Tab, Qt::ControlModifier);
        QVERIFY(m_driver->tab(1).isVisible());
        QSignalSpy published(&m_driver->tab(0).session(), &Session::snapshotChanged);
        QTRY_VERIFY_WITH_TIMEOUT(published.size() > 2, patience);
        QTRY_VERIFY(!window().bar().tabIcon(0).isNull()); // marked as at work
        QVERIFY(window().bar().tabIcon(1).isNull());
        QVERIFY(!m_driver->tab(1).session().isRunning());
        m_driver->click(0);
        m_driver->press(Qt::Key_F8); // applies its plan
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->tab(0).session().snapshot()->partition);
        QVERIFY(!m_driver->tab(1).session().snapshot()->partition);
        QTRY_VERIFY(window().bar().tabIcon(0).isNull());
        QTRY_COMPARE(m_driver->titles(), QStringList({"a.onnx •", "b.onnx"}));
    }

    void aTabWhosePassRunsIsFreed()
    {
        m_driver->press(Qt::Key_F5);
        QVERIFY(m_driver->tab(0).session().isRunning());
        const QPointer<MainWindow> closed = &m_driver->tab(0);
        m_driver->press(Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(m_driver->titles(), QStringList({"b.onnx"}));
        QTRY_VERIFY_WITH_TIMEOUT(!closed, patience);
    }

    void theDialogsOfATabCloseWithIt()
    {
        m_driver->tab(0).actions().open->trigger();
        const QPointer<QDialog> dialog = m_driver->tab(0).findChild<QFileDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        m_driver->tab(0).actions().close->trigger();
        QVERIFY(!dialog || !dialog->isVisible());
    }

    void theListOfJobsDoesNotComeBackWithItsTab()
    {
        m_driver->press(Qt::Key_F5);
        QVERIFY(m_driver->tab(0).session().isRunning());
        m_driver->press(Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        auto *list = m_driver->tab(0).findChild<JobPopup *>();
        QVERIFY(list && list->isVisible());
        m_driver->tab(0).actions().nextTab->trigger();
        m_driver->tab(1).actions().nextTab->trigger();
        QCOMPARE(window().bar().currentIndex(), 0);
        QVERIFY(!list->isVisible());
        m_driver->tab(0).session().cancel();
        QVERIFY(m_driver->settle());
    }

    void closingATabAsksAndCancelKeepsIt()
    {
        QVERIFY(m_driver->change(1));
        m_driver->click(1, Qt::MiddleButton);
        QVERIFY(boxOf(1)); // on its tab, which is shown now
        QCOMPARE(window().bar().currentIndex(), 1);
        answer(1, QMessageBox::Cancel);
        QCOMPARE(window().count(), 2);
        QVERIFY(m_driver->tab(1).session().isModified());
    }

    void closingATabAsksAndDiscardCloses()
    {
        QVERIFY(m_driver->change(1));
        m_driver->click(1, Qt::MiddleButton);
        const QPointer<MainWindow> closed = &m_driver->tab(1);
        answer(1, QMessageBox::Discard);
        QTRY_COMPARE(m_driver->titles(), QStringList({"a.onnx"}));
        QTRY_VERIFY_WITH_TIMEOUT(!closed, patience);
    }

    void closingATabAsksAndSaveSavesAndCloses()
    {
        const fs::path file = m_driver->scratch("b.gloom");
        QSignalSpy saved(&m_driver->tab(1).session(), &Session::saved);
        m_driver->tab(1).bench().documents.saveTo(file);
        QVERIFY(saved.wait(patience));
        const auto before = fs::last_write_time(file);
        QVERIFY(m_driver->change(1));
        m_driver->click(1, Qt::MiddleButton);
        answer(1, QMessageBox::Save);
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"a.onnx"}), patience);
        QVERIFY(fs::last_write_time(file) > before);
    }

    void quittingAsksForEachTab()
    {
        QVERIFY(m_driver->change(0));
        QVERIFY(m_driver->change(1));
        m_driver->press(Qt::Key_Q, Qt::ControlModifier);
        QVERIFY(boxOf(0) && !boxOf(1));
        answer(0, QMessageBox::Discard);
        QVERIFY(window().isVisible());
        QTRY_VERIFY(boxOf(1));
        answer(1, QMessageBox::Discard);
        QTRY_VERIFY(!window().isVisible());
    }

    void quittingStopsWhereTheUserCancels()
    {
        QVERIFY(m_driver->change(0));
        QVERIFY(m_driver->change(1));
        QVERIFY(!window().close());
        answer(0, QMessageBox::Discard);
        QTRY_VERIFY(boxOf(1));
        answer(1, QMessageBox::Cancel);
        QVERIFY(window().isVisible());
        QCOMPARE(window().count(), 2);
        QTRY_VERIFY(!boxOf(1));
        QVERIFY(!window().close()); // asks for the first one again, which is still there
        QTRY_VERIFY(boxOf(0));
        answer(0, QMessageBox::Cancel);
    }

    void workOfEachTabIsRecovered()
    {
        QVERIFY(m_driver->change(0));
        QVERIFY(m_driver->change(1));
        QVERIFY(m_driver->crash(2));
        QVERIFY(window().current().actions().recover->isEnabled());
        window().current().actions().recover->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(window().count(), 1); // in the empty tab
        QVERIFY(window().current().actions().recover->isEnabled());
        window().current().actions().recover->trigger();
        QVERIFY(m_driver->settle());
        QStringList titles = m_driver->titles();
        titles.sort();
        QCOMPARE(titles, QStringList({"a.onnx •", "b.onnx •"}));
        QVERIFY(!window().current().actions().recover->isEnabled());
        for (int tab : {0, 1})
            m_driver->tab(tab).session().discardJournal();
    }

    void recoveredWorkTakesThePlaceOfItsModel()
    {
        QVERIFY(m_driver->change(0));
        QVERIFY(m_driver->crash(1));
        QVERIFY(m_driver->openModels({"b.onnx", "a.onnx", "c.onnx"}));
        window().current().actions().recover->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"b.onnx", "a.onnx •", "c.onnx"}),
                                  patience);
        QCOMPARE(window().bar().currentIndex(), 1);
        QVERIFY(m_driver->settle());
        m_driver->tab(1).session().discardJournal();
    }

    void recoveredWorkLeavesOtherWorkOnItsModel()
    {
        QVERIFY(m_driver->change(0));
        QVERIFY(m_driver->crash(1));
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QVERIFY(m_driver->change(0));
        window().current().actions().recover->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"a.onnx •", "a.onnx •"}),
                                  patience);
        QVERIFY(m_driver->settle());
        for (int tab : {0, 1})
            m_driver->tab(tab).session().discardJournal();
    }

private:
    TabbedWindow &window() { return m_driver->window(); }
    QMessageBox *boxOf(int tab)
    {
        return m_driver->tab(tab).findChild<QMessageBox *>(QStringLiteral("unsavedBox"));
    }
    void answer(int tab, QMessageBox::StandardButton button)
    {
        QTest::mouseClick(boxOf(tab)->button(button), Qt::LeftButton);
    }

    std::unique_ptr<TabsDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(WindowTabsWorkTest)

} // namespace graphloom::test::window_tabs_work_test

#include "window_tabs_work_test.moc"
