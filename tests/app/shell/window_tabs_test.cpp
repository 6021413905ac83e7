// SPDX-License-Identifier: GPL-3.0-or-later
// Models as tabs of one window: opened, shown, moved and closed, as a person does it.
#include "app/docks/dock_areas.h"
#include "app/docks/in_sight.h"
#include "app/graph/canvas_page.h"
#include "tests/support/app/tabs_driver.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>

#include <fstream>

namespace graphloom::test::window_tabs_test {

class WindowTabsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<TabsDriver>(); }
    void cleanup() { m_driver.reset(); }

    void oneModelNeedsNoTabs()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QCOMPARE(window().count(), 1);
        QVERIFY(!window().bar().isVisible());
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("a.onnx")));
    }

    void anotherModelHasATabOfItsOwn()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QVERIFY(m_driver->openModels({"b.onnx"}));
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx", "b.onnx"}));
        QVERIFY(window().bar().isVisible());
        QCOMPARE(window().bar().currentIndex(), 1);
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("b.onnx")));
        QVERIFY(!m_driver->tab(0).isVisible());
        QVERIFY(m_driver->tab(0).session().snapshot());
    }

    void anOpenModelIsBroughtToTheFront()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        m_driver->click(1);
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QCOMPARE(window().count(), 2);
        QCOMPARE(window().bar().currentIndex(), 0);
    }

    void aSavedSessionIsBroughtToTheFront()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        const auto file = m_driver->scratch("a.gloom");
        QSignalSpy saved(&m_driver->tab(0).session(), &Session::saved);
        m_driver->tab(0).bench().documents.saveTo(file);
        QVERIFY(saved.wait(patience));
        m_driver->click(1);
        QVERIFY(m_driver->open({file}));
        QCOMPARE(m_driver->titles(), QStringList({"a.gloom", "b.onnx"}));
        QCOMPARE(window().bar().currentIndex(), 0);
    }

    void equalNamesTellTheirFolders()
    {
        QVERIFY(m_driver->openModels({"big/m.onnx", "small/m.onnx"}));
        QCOMPARE(m_driver->titles(),
                 QStringList({QStringLiteral("m.onnx — big"), QStringLiteral("m.onnx — small")}));
        QVERIFY2(window().bar().tabToolTip(1).contains(QStringLiteral("small/m.onnx")),
                 qPrintable(window().bar().tabToolTip(1)));
    }

    void keysShowTheNextTab_data()
    {
        QTest::addColumn<Qt::Key>("key");
        QTest::addColumn<Qt::KeyboardModifiers>("modifiers");
        QTest::addColumn<int>("shown");
        QTest::newRow("Ctrl+Tab") << Qt::Key_Tab << Qt::KeyboardModifiers(Qt::ControlModifier) << 1;
        QTest::newRow("Ctrl+PgDown")
            << Qt::Key_PageDown << Qt::KeyboardModifiers(Qt::ControlModifier) << 1;
        QTest::newRow("Ctrl+Shift+Tab")
            << Qt::Key_Tab << Qt::KeyboardModifiers(Qt::ControlModifier | Qt::ShiftModifier) << 2;
        QTest::newRow("Ctrl+PgUp")
            << Qt::Key_PageUp << Qt::KeyboardModifiers(Qt::ControlModifier) << 2;
    }
    void keysShowTheNextTab()
    {
        QFETCH(Qt::Key, key);
        QFETCH(Qt::KeyboardModifiers, modifiers);
        QFETCH(int, shown);
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        QCOMPARE(window().bar().currentIndex(), 0);
        m_driver->press(key, modifiers);
        QCOMPARE(window().bar().currentIndex(), shown);
        QVERIFY(m_driver->tab(shown).isVisible());
        QVERIFY(!m_driver->tab(0).isVisible());
    }

    void aClickShowsTheTabWithTheFocusOnItsGraph()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        m_driver->click(1);
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->tab(1).isVisible());
        QVERIFY(m_driver->tab(1).page().canvas().drawing());
        QVERIFY(window().focusWidget());
        QVERIFY(m_driver->tab(1).isAncestorOf(window().focusWidget()));
    }

    void dragsMoveATab()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        QWidget *const moved = &m_driver->tab(2);
        drag(2, 0);
        QTRY_COMPARE(m_driver->titles(), QStringList({"c.onnx", "a.onnx", "b.onnx"}));
        QCOMPARE(static_cast<QWidget *>(&window().current()), moved);
        QVERIFY(moved->isVisible());
        m_driver->press(Qt::Key_Tab, Qt::ControlModifier); // in the order that is shown
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("a.onnx")));
    }

    void closesATab_data()
    {
        QTest::addColumn<QString>("how");
        for (const char *how : {"key", "middle click", "button"})
            QTest::newRow(how) << QString::fromLatin1(how);
    }
    void closesATab()
    {
        QFETCH(QString, how);
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        m_driver->click(1);
        const QPointer<MainWindow> closed = &m_driver->tab(1);
        if (how == QLatin1String("key"))
            m_driver->press(Qt::Key_W, Qt::ControlModifier);
        else if (how == QLatin1String("button"))
            QTest::mouseClick(window().bar().tabButton(1, QTabBar::RightSide), Qt::LeftButton);
        else
            m_driver->click(1, Qt::MiddleButton);
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx", "c.onnx"}));
        QCOMPARE(window().bar().currentIndex(), 1);
        QVERIFY(m_driver->tab(1).isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!closed, patience); // its memory is free
    }

    void closingATabBehindLeavesTheOther()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        m_driver->click(1, Qt::MiddleButton);
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx"}));
        QVERIFY(m_driver->tab(0).isVisible());
        QVERIFY(!window().bar().isVisible());
    }

    void closingTheLastModelLeavesTheStartPage()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        m_driver->press(Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(window().count(), 1);
        QVERIFY(!m_driver->tab(0).session().snapshot());
        QVERIFY(window().isVisible());
    }

    void theMenuOfATabClosesTheOthers()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        QAction *action = m_driver->tab(1).actions().closeOthers;
        QMenu *menu = menuOf(1);
        QVERIFY(menu && menu->actions().contains(action));
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        QTRY_COMPARE(m_driver->titles(), QStringList({"b.onnx"}));
        QVERIFY(m_driver->tab(0).isVisible());
    }

    void theMenuOfATabCopiesItsPath()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        QAction *action = m_driver->tab(1).actions().copyPath;
        QMenu *menu = menuOf(1);
        QVERIFY(menu);
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        QCOMPARE(QApplication::clipboard()->text(),
                 QString::fromStdString(m_driver->scratch("b.onnx").string()));
        QCOMPARE(window().bar().currentIndex(), 0);
    }

    void aTabMovesToAWindowOfItsOwn()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        const SnapshotPointer shown = m_driver->tab(1).session().snapshot();
        m_driver->tab(1).actions().moveTab->trigger();
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx"}));
        TabbedWindow *other = otherWindow();
        QVERIFY(other && other->isVisible());
        QCOMPARE(other->count(), 1);
        QCOMPARE(other->current().session().snapshot(), shown);
        QVERIFY(other->current().isVisible());
        QVERIFY(other->windowTitle().startsWith(QStringLiteral("b.onnx")));
        other->open({m_driver->model("c.onnx")}); // it is a window like the first one
        QTRY_COMPARE(other->count(), 2);
        QCOMPARE(window().count(), 1);
        delete other;
    }

    void severalDroppedFilesOpenInTabs()
    {
        QMimeData data;
        data.setUrls({urlOf("a.onnx"), urlOf("b.onnx"), urlOf("c.onnx")});
        QVERIFY(drop(window().current(), data));
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"a.onnx", "b.onnx", "c.onnx"}),
                                  patience);
        QCOMPARE(window().bar().currentIndex(), 0);
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->tab(2).session().snapshot());
    }

    void aDroppedFileOpensInATab()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QMimeData data;
        data.setUrls({urlOf("b.onnx")});
        QVERIFY(drop(window().current().page(), data));
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx", "b.onnx"}));
        QVERIFY(m_driver->settle());
    }

    void aFolderAmongDroppedModelsIsRefused()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QMimeData data;
        data.setUrls({urlOf("folder/b.onnx"), QUrl::fromLocalFile(QString::fromStdString(
                                                  m_driver->scratch("folder").string()))});
        QVERIFY(!drop(window().current().page(), data));
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx"}));
    }

    void filesCanBeDroppedOnTheTabs()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        QMimeData data;
        data.setUrls({urlOf("c.onnx")});
        QVERIFY(drop(window(), data));
        QTRY_COMPARE(window().count(), 3);
        QVERIFY(m_driver->settle());
    }

    void filesChosenLaterDoNotWaitForEarlierOnes()
    {
        window().open(
            {m_driver->model("a.onnx"), m_driver->model("b.onnx"), m_driver->model("c.onnx")});
        window().open({m_driver->model("d.onnx")});
        QTRY_COMPARE(m_driver->titles()[window().bar().currentIndex()], QStringLiteral("d.onnx"));
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(),
                                  QStringList({"a.onnx", "d.onnx", "b.onnx", "c.onnx"}), patience);
        QVERIFY(m_driver->settle());
    }

    void aRefusedFileLeavesNoTab()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        const auto broken = m_driver->scratch("broken.onnx");
        std::ofstream(broken) << "no model";
        window().open({broken});
        QCOMPARE(window().count(), 2);
        QTRY_COMPARE_WITH_TIMEOUT(window().count(), 1, patience);
        QVERIFY(m_driver->tab(0).isVisible());
        QVERIFY(m_driver->tab(0).session().messages().index(0).data().toString().startsWith(
            QStringLiteral("Cannot open broken.onnx")));
    }

    void panelsStayWhereTheyAre()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        dock(0, "messages").raise();
        dock(0, "properties").hide();
        QTest::qWait(0); // for the layout
        m_driver->click(1);
        QVERIFY(dock(1, "properties").isHidden());
        QVERIFY(isInSight(dock(1, "messages")));
        QCOMPARE(dock(1, "messages").geometry(), dock(0, "messages").geometry());
    }

    void aMaximizedPanelStaysSo()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        dock(0, "messages").raise();
        m_driver->tab(0).panels().raise(QStringLiteral("messages"));
        m_driver->tab(0).actions().maximizePanel->trigger();
        QVERIFY(!m_driver->tab(0).centralWidget()->isVisible());
        m_driver->click(1);
        QVERIFY(m_driver->tab(1).actions().maximizePanel->isChecked());
        QVERIFY(!m_driver->tab(1).centralWidget()->isVisible());
        m_driver->tab(1).actions().maximizePanel->trigger();
        m_driver->click(0);
        QVERIFY(m_driver->tab(0).centralWidget()->isVisible());
    }

    void thePanelOfTheTabThatWasClickedIsMaximized()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        MainWindow &tab = m_driver->tab(0);
        tab.panels().raise(QStringLiteral("memory"));
        QCoreApplication::processEvents();
        for (QTabBar *bar : dockTabBars(tab))
            for (int i = 0; i < bar->count(); ++i)
                if (dockOfTab(*bar, i) == &dock(0, "nodes") && bar->isVisible())
                    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
        tab.actions().maximizePanel->trigger();
        QVERIFY(isInSight(dock(0, "nodes")));
        QVERIFY(!isInSight(dock(0, "memory")));
        tab.actions().maximizePanel->trigger();
        tab.panels().raise(QStringLiteral("pareto")); // as the pass magis does
        tab.actions().maximizePanel->trigger();
        QVERIFY(isInSight(dock(0, "pareto")));
    }

    void aMaximizedPanelIsKnownWhileTheWindowIsHidden()
    {
        m_driver->tab(0).panels().raise(QStringLiteral("messages"));
        m_driver->tab(0).actions().maximizePanel->trigger();
        const QString maximized = m_driver->tab(0).panels().layout().maximized;
        QVERIFY(!maximized.isEmpty());
        window().hide();
        QCOMPARE(m_driver->tab(0).panels().layout().maximized, maximized);
    }

    void errorsAtTheStartRaiseTheMessages()
    {
        MainWindowOptions options;
        options.missing = {{ProgramPart::Kind::Helper, "/usr/bin/graphloom-worker",
                            "is missing, so no pass can run"}};
        options.settingsFile = QString::fromStdString(m_driver->scratch("other.ini").string());
        TabbedWindow other(std::move(options));
        other.resize(1600, 1000);
        other.show();
        QDockWidget &messages = other.current().panels().dock(QStringLiteral("messages"));
        QTRY_VERIFY(isInSight(messages));
    }

    void floatingPanelsAreThoseOfTheTabShown()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        dock(0, "messages").setFloating(true);
        m_driver->click(1);
        QVERIFY(!dock(0, "messages").isVisible());
        QVERIFY(dock(1, "messages").isFloating() && dock(1, "messages").isVisible());
        m_driver->click(0);
        QVERIFY(dock(0, "messages").isFloating() && dock(0, "messages").isVisible());
        QVERIFY(!dock(1, "messages").isVisible());
    }

    void panelsAreStillThereAfterARestart()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        m_driver->click(1);
        dock(1, "properties").hide();
        m_driver->click(0, Qt::MiddleButton); // saves nothing, as it is not shown
        QVERIFY(window().close());
        m_driver->restart();
        QVERIFY(dock(0, "properties").isHidden());
        QVERIFY(!dock(0, "passes").isHidden());
        QVERIFY(!window().bar().isVisible());
        QVERIFY(!m_driver->tab(0).findChild<QWidget *>(QStringLiteral("tabRow"))->isVisible());
    }

    void allTabsHaveOneTheme()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        m_driver->press(Qt::Key_T, Qt::ControlModifier);
        QVERIFY(!m_driver->tab(0).theme().dark);
        QVERIFY(!m_driver->tab(1).theme().dark);
        QVERIFY(m_driver->openModels({"c.onnx"}));
        QVERIFY(!m_driver->tab(2).theme().dark);
    }

    void recentFilesOpenInTabsOfTheirOwn()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        m_driver->click(1, Qt::MiddleButton);
        QAction *recent = nullptr; // listed although another tab has opened it
        for (QAction *action : m_driver->tab(0).findChildren<QAction *>())
            if (action->toolTip().endsWith(QStringLiteral("b.onnx")))
                recent = action;
        QVERIFY(recent);
        recent->trigger();
        QCOMPARE(window().count(), 2);
        QVERIFY(m_driver->settle());
    }

    void comparesWithTheModelOfAnotherTab()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QMenu *menu = compareMenu(0);
        QVERIFY(menu && !menu->isEnabled());
        QVERIFY(m_driver->openModels({"b.onnx"}));
        m_driver->click(0);
        Q_EMIT static_cast<QMenu *>(menu->parentWidget())->aboutToShow();
        QVERIFY(menu->isEnabled());
        QCOMPARE(menu->actions().size(), 1);
        QCOMPARE(menu->actions().front()->text(), QStringLiteral("b.onnx"));
        menu->actions().front()->trigger();
        ComparisonController &comparison = m_driver->tab(0).bench().comparison;
        QTRY_VERIFY_WITH_TIMEOUT(comparison.difference() != nullptr, patience);
        QCOMPARE(comparison.difference()->before, m_driver->tab(1).session().snapshot()->plan);
    }

    void anUnsavedModelIsComparedByItsPath()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        QVERIFY(m_driver->change(1));
        QTRY_COMPARE(m_driver->titles()[1], QStringLiteral("b.onnx •"));
        QMenu *menu = compareMenu(0);
        Q_EMIT static_cast<QMenu *>(menu->parentWidget())->aboutToShow();
        QCOMPARE(menu->actions().front()->text(), QStringLiteral("b.onnx"));
        menu->actions().front()->trigger();
        ComparisonController &comparison = m_driver->tab(0).bench().comparison;
        QTRY_VERIFY_WITH_TIMEOUT(comparison.difference() != nullptr, patience);
        QCOMPARE(comparison.source().file, m_driver->scratch("b.onnx"));
    }

private:
    TabbedWindow &window() { return m_driver->window(); }
    QDockWidget &dock(int tab, const char *key)
    {
        return m_driver->tab(tab).panels().dock(QLatin1String(key));
    }
    QUrl urlOf(const char *place) const
    {
        return QUrl::fromLocalFile(QString::fromStdString(m_driver->model(place).string()));
    }
    /// Whether a widget took what was dropped on it.
    static bool drop(QWidget &target, QMimeData &data)
    {
        const QPoint place = target.rect().center();
        QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, {});
        enter.ignore();
        QApplication::sendEvent(&target, &enter);
        if (!enter.isAccepted())
            return false;
        QDropEvent event(place, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&target, &event);
        return event.isAccepted();
    }
    /// Drags a tab to the place of another one with the mouse, from a tab that is not shown.
    void drag(int from, int to)
    {
        ModelTabBar &bar = window().bar();
        QWindow *handle = window().windowHandle();
        const QPoint begin = bar.mapTo(&window(), bar.tabRect(from).center()),
                     end = bar.mapTo(&window(), bar.tabRect(to).center());
        QTest::mousePress(handle, Qt::LeftButton, {}, begin);
        for (int step = 1; step <= 10; ++step)
            QTest::mouseMove(handle, begin + (end - begin) * step / 10);
        QTest::mouseRelease(handle, Qt::LeftButton, {}, end);
    }
    /// Opens the context menu of a tab.
    QMenu *menuOf(int tab)
    {
        ModelTabBar &bar = window().bar();
        const QPoint place = bar.tabRect(tab).center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, place, bar.mapToGlobal(place));
        QApplication::sendEvent(&bar, &event);
        return bar.findChild<QMenu *>(QStringLiteral("tabMenu"));
    }
    QMenu *compareMenu(int tab)
    {
        for (QMenu *menu : m_driver->tab(tab).findChildren<QMenu *>())
            if (menu->title().startsWith(QStringLiteral("Compare with open")))
                return menu;
        return nullptr;
    }
    TabbedWindow *otherWindow()
    {
        for (QWidget *widget : QApplication::topLevelWidgets())
            if (auto *other = qobject_cast<TabbedWindow *>(widget); other && other != &window())
                return other;
        return nullptr;
    }

    std::unique_ptr<TabsDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(WindowTabsTest)

} // namespace graphloom::test::window_tabs_test

#include "window_tabs_test.moc"
