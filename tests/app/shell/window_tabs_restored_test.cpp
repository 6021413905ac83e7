// SPDX-License-Identifier: GPL-3.0-or-later
// Tabs of the last time, and what becomes of them where files or the program have failed.
#include "app/docks/in_sight.h"
#include "app/preferences/defaults.h"
#include "app/tabs/last_tabs.h"
#include "tests/support/app/tabs_driver.h"

#include <QDockWidget>

namespace graphloom::test::window_tabs_restored_test {

class WindowTabsRestoredTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<TabsDriver>();
        prefer(true);
    }
    void cleanup() { m_driver.reset(); }

    void theStartPageIsTheDefault()
    {
        prefer(Defaults().restoresTabs);
        QVERIFY(closeWith({"a.onnx"}, 0));
        start();
        QVERIFY(!m_driver->tab(0).session().isOpening());
    }

    void tabsAreInTheirOrder()
    {
        QVERIFY(closeWith({"a.onnx", "b.onnx", "c.onnx", "d.onnx"}, 2));
        start();
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(),
                                  QStringList({"a.onnx", "b.onnx", "c.onnx", "d.onnx"}), patience);
        QVERIFY(m_driver->settle());
        for (int tab = 0; tab < 4; ++tab)
            QVERIFY(m_driver->tab(tab).session().snapshot());
    }

    void theOneInFrontIsInFrontAgain()
    {
        QVERIFY(closeWith({"a.onnx", "b.onnx", "c.onnx"}, 1));
        start();
        QTRY_COMPARE_WITH_TIMEOUT(window().count(), 3, patience);
        QCOMPARE(window().bar().currentIndex(), 1);
        QVERIFY(m_driver->tab(1).isVisible());
        QVERIFY(m_driver->settle());
    }

    void theOneInFrontOpensFirst()
    {
        QVERIFY(closeWith({"a.onnx", "b.onnx", "c.onnx"}, 1));
        start();
        QCOMPARE(m_driver->titles(), QStringList({"b.onnx"}));
        QVERIFY(m_driver->tab(0).session().isOpening());
    }

    void aSessionIsOpened()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        m_driver->tab(0).bench().documents.saveTo(m_driver->scratch("a.gloom"));
        QVERIFY(m_driver->settle());
        QVERIFY(window().close());
        start();
        QVERIFY(m_driver->settle());
        QCOMPARE(m_driver->tab(0).session().file(), m_driver->scratch("a.gloom"));
    }

    void aVanishedFileLeavesTheOthers()
    {
        QVERIFY(closeWith({"a.onnx", "b.onnx", "c.onnx"}, 0));
        std::filesystem::remove(m_driver->scratch("b.onnx"));
        start();
        QTRY_COMPARE_WITH_TIMEOUT(messagesOf("b.onnx"), 1, patience);
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"a.onnx", "c.onnx"}), patience);
        QVERIFY(m_driver->settle());
        QCOMPARE(messagesOf("b.onnx"), 1); // and no more
    }

    void aVanishedFileInFrontLeavesTheFirstOne()
    {
        QVERIFY(closeWith({"a.onnx", "b.onnx", "c.onnx"}, 2));
        std::filesystem::remove(m_driver->scratch("c.onnx"));
        start();
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx"}));
        QTRY_COMPARE_WITH_TIMEOUT(messagesOf("c.onnx"), 1, patience);
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"a.onnx", "b.onnx"}), patience);
        QCOMPARE(window().bar().currentIndex(), 0);
        QVERIFY(m_driver->settle());
    }

    void withoutAnyFileLeftThereIsTheStartPage()
    {
        QVERIFY(closeWith({"a.onnx", "b.onnx"}, 0));
        std::filesystem::remove(m_driver->scratch("a.onnx"));
        std::filesystem::remove(m_driver->scratch("b.onnx"));
        start();
        QTRY_VERIFY_WITH_TIMEOUT(messagesOf("a.onnx") == 1 && messagesOf("b.onnx") == 1, patience);
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"Start page"}), patience);
    }

    void filesThatWaitAreKept()
    {
        window().open(
            {m_driver->model("a.onnx"), m_driver->model("b.onnx"), m_driver->model("c.onnx")});
        QCOMPARE(window().count(), 1);
        QVERIFY(window().close());
        QCOMPARE(kept().files, pathsOf({"a.onnx", "b.onnx", "c.onnx"}));
    }

    void filesThatWaitAreKeptInTheirOrder()
    {
        QVERIFY(closeWith({"a.onnx", "b.onnx", "c.onnx"}, 1));
        start();
        QCOMPARE(window().count(), 1);
        QVERIFY(window().close());
        QCOMPARE(kept().files, pathsOf({"a.onnx", "b.onnx", "c.onnx"}));
        QCOMPARE(kept().front, 1);
    }

    void aTabWithoutAFileIsNotKept()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        window().emptyBench();
        QCOMPARE(window().count(), 2);
        QVERIFY(window().close());
        QCOMPARE(kept().files, pathsOf({"a.onnx"}));
    }

    void theWindowThatIsClosedLastCounts()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        TabbedWindow *other = window().moveToWindow(m_driver->tab(1));
        QVERIFY(window().close());
        QVERIFY(other->close());
        QCOMPARE(kept().files, pathsOf({"b.onnx"}));
    }

    void unsavedWorkIsToldOf()
    {
        QVERIFY(crashWithWorkOn("a.onnx"));
        window().restoreTabs();
        QVERIFY(m_driver->tab(0).actions().recover->isEnabled());
        const QDockWidget &messages = m_driver->tab(0).panels().dock(QStringLiteral("messages"));
        QTRY_VERIFY(isInSight(messages));
        QVERIFY(m_driver->settle());
    }

    void unsavedWorkTakesThePlaceOfItsFile()
    {
        QVERIFY(crashWithWorkOn("b.onnx"));
        window().restoreTabs();
        QTRY_COMPARE_WITH_TIMEOUT(window().count(), 3, patience);
        QVERIFY(m_driver->settle());
        window().current().actions().recover->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"a.onnx", "b.onnx •", "c.onnx"}),
                                  patience);
        QVERIFY(m_driver->settle());
        m_driver->tab(1).session().discardJournal();
    }

    void unsavedWorkThatIsRecoveredAtOnceStandsForItsFile()
    {
        QVERIFY(crashWithWorkOn("c.onnx"));
        window().restoreTabs();
        window().current().actions().recover->trigger(); // while files wait
        QTRY_VERIFY_WITH_TIMEOUT(m_driver->titles().contains(QStringLiteral("c.onnx •")), patience);
        QTRY_COMPARE_WITH_TIMEOUT(window().count(), 3, patience);
        QVERIFY(m_driver->settle());
        QCOMPARE(m_driver->titles().count(QStringLiteral("c.onnx")), 0);
        window().current().session().discardJournal();
    }

private:
    TabbedWindow &window() { return m_driver->window(); }
    QSettings &settings() { return *window().current().bench().settings; }
    LastTabs kept() { return lastTabsIn(settings()); }
    void prefer(bool restoresTabs)
    {
        Defaults defaults;
        defaults.restoresTabs = restoresTabs;
        keep(defaults, settings());
    }
    QStringList pathsOf(std::initializer_list<const char *> names)
    {
        QStringList paths;
        for (const char *name : names)
            paths << QString::fromStdString(m_driver->scratch(name).string());
        return paths;
    }
    /// Closes the window with these models open, one of which is in front.
    bool closeWith(std::initializer_list<const char *> names, int front)
    {
        if (!m_driver->openModels(names))
            return false;
        window().bar().setCurrentIndex(front);
        return window().close();
    }
    /// Starts again as without a document.
    void start()
    {
        m_driver->restart();
        window().restoreTabs();
    }
    /// Leaves "a.onnx", "b.onnx" and "c.onnx" as tabs of the last time, and after that work on one
    /// of them without its journal having been discarded.
    bool crashWithWorkOn(const char *name)
    {
        if (!closeWith({"a.onnx", "b.onnx", "c.onnx"}, 0))
            return false;
        m_driver->restart();
        return m_driver->openModels({name}) && m_driver->change(0) && m_driver->crash(1);
    }
    /// Returns how many messages about a file the tab in front has.
    int messagesOf(const char *name)
    {
        const MessageModel &messages = window().current().session().messages();
        int count = 0;
        for (int row = 0; row < messages.rowCount(); ++row)
            count += messages.index(row).data().toString().startsWith(
                QStringLiteral("Cannot open ") + QLatin1String(name));
        return count;
    }

    std::unique_ptr<TabsDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(WindowTabsRestoredTest)

} // namespace graphloom::test::window_tabs_restored_test

#include "window_tabs_restored_test.moc"
