// SPDX-License-Identifier: GPL-3.0-or-later
// Shortcuts that the user chooses.
#include "app/preferences/shortcut_page.h"

#include "app/help/command_palette.h"
#include "app/help/key_rows.h"
#include "app/preferences/preferences_dialog.h"
#include "app/preferences/window_preferences.h"
#include "tests/support/app/window_driver.h"

#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>

#include <set>

namespace graphloom::test::shortcut_page_test {

using test::WindowDriver;

class ShortcutPageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>();
        window().preferences().open();
        dialog().choose(page());
        dialog().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&dialog()));
    }
    void cleanup() { m_driver.reset(); }

    void everyCommandHasANameOfItsOwn()
    {
        std::set<QString> names;
        for (const QAction *command : window().allCommands()) {
            QVERIFY2(!command->objectName().isEmpty(), qPrintable(command->text()));
            QVERIFY2(names.insert(command->objectName()).second, qPrintable(command->text()));
        }
    }

    void recordedKeysRunTheCommand()
    {
        record(*window().actions().about, Qt::Key_F12);
        QCOMPARE(window().actions().about->shortcut(), QKeySequence(Qt::Key_F12));
        QVERIFY(window().actions().about->toolTip().contains(QStringLiteral("F12")));
        dialog().close();
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        QSignalSpy triggered(window().actions().about, &QAction::triggered);
        QTest::keyClick(&window(), Qt::Key_F12);
        QCOMPARE(triggered.size(), 1);
    }

    void paletteAndListOfKeysNameThem()
    {
        record(*window().actions().about, Qt::Key_F12);
        const auto rows = keyRowsOf(window(), window().allCommands());
        const auto row = std::ranges::find(rows, window().actions().about, &KeyRow::action);
        QCOMPARE(row->keys, QStringLiteral("F12"));
    }

    void keysOfAnotherCommandAreRefused()
    {
        record(*window().actions().about, Qt::Key_E, Qt::ControlModifier);
        QVERIFY(window().actions().about->shortcuts().isEmpty());
        QVERIFY2(page().note().text().contains(QStringLiteral("Export ONNX")),
                 qPrintable(page().note().text()));
        QVERIFY(page().reassignButton().isVisible());
        QCOMPARE(window().actions().exportOnnx->shortcut(), QKeySequence(QStringLiteral("Ctrl+E")));
    }

    void theyAreReassignedByChoice()
    {
        record(*window().actions().about, Qt::Key_E, Qt::ControlModifier);
        QTest::mouseClick(&page().reassignButton(), Qt::LeftButton);
        QCOMPARE(window().actions().about->shortcut(), QKeySequence(QStringLiteral("Ctrl+E")));
        QVERIFY(window().actions().exportOnnx->shortcuts().isEmpty());
        QVERIFY(!page().reassignButton().isVisible());
    }

    void aCommandKeepsItsOtherKeys()
    {
        const Actions &a = window().actions();
        record(*a.about, Qt::Key_Y, Qt::ControlModifier); // the second key of Redo
        QTest::mouseClick(&page().reassignButton(), Qt::LeftButton);
        QCOMPARE(a.redo->shortcuts(),
                 QList<QKeySequence>{QKeySequence(QStringLiteral("Ctrl+Shift+Z"))});
    }

    void oneIsReset()
    {
        record(*window().actions().fit, Qt::Key_F12);
        const auto usual = window().preferences().shortcuts().usualOf(*window().actions().fit);
        QVERIFY(page().resetButton().isEnabled());
        QTest::mouseClick(&page().resetButton(), Qt::LeftButton);
        QCOMPARE(window().actions().fit->shortcuts(), usual);
        QVERIFY(!page().resetButton().isEnabled());
    }

    void aCommandIsLeftWithoutAShortcut()
    {
        page().choose(*window().actions().exportOnnx);
        QTest::mouseClick(&page().removeButton(), Qt::LeftButton);
        QVERIFY(window().actions().exportOnnx->shortcuts().isEmpty());
    }

    void allAreReset()
    {
        record(*window().actions().about, Qt::Key_F12);
        record(*window().actions().fit, Qt::Key_F11);
        QTest::mouseClick(&dialog().resetButton(), Qt::LeftButton);
        for (const QAction *command : window().allCommands())
            QVERIFY(!window().preferences().shortcuts().isChanged(*command));
    }

    void theyAreRemembered()
    {
        record(*window().actions().about, Qt::Key_F12);
        m_driver->restart();
        QCOMPARE(window().actions().about->shortcut(), QKeySequence(Qt::Key_F12));
        window().preferences().shortcuts().resetAll();
        m_driver->restart();
        QVERIFY(window().actions().about->shortcuts().isEmpty());
    }

    void anotherWindowHasThemToo()
    {
        MainWindow *other = window().openWindow();
        record(*window().actions().about, Qt::Key_F12);
        QCOMPARE(other->actions().about->shortcut(), QKeySequence(Qt::Key_F12));
        other->close();
    }

    void thePageOfAnotherWindowFollows()
    {
        MainWindow *other = window().openWindow();
        auto &page = other->preferences().dialog().page<ShortcutPage>();
        page.choose(*other->actions().about);
        record(*window().actions().about, Qt::Key_F12);
        QCOMPARE(page.edit().keySequence(), QKeySequence(Qt::Key_F12));
        other->close();
    }

    void chosenKeysGoBeforeThoseOfTheProgram()
    {
        window().bench().settings->setValue(QStringLiteral("shortcuts/") +
                                                window().actions().about->objectName(),
                                            QStringLiteral("Ctrl+E"));
        m_driver->restart();
        QCOMPARE(window().actions().about->shortcut(), QKeySequence(QStringLiteral("Ctrl+E")));
        QVERIFY(window().actions().exportOnnx->shortcuts().isEmpty());
    }

    void keysThatBeginAsThoseOfAnotherAreNamed()
    {
        window().preferences().shortcuts().assign(*window().actions().fit,
                                                  QKeySequence(QStringLiteral("F12, F11")));
        record(*window().actions().about, Qt::Key_F12);
        QVERIFY2(page().note().text().contains(QStringLiteral("F12, F11")),
                 qPrintable(page().note().text()));
    }

    void keysOfAViewAreNamed()
    {
        record(*window().actions().about, Qt::Key_Home);
        QCOMPARE(window().actions().about->shortcut(), QKeySequence(Qt::Key_Home));
        QVERIFY2(page().note().text().contains(QStringLiteral("Select the first input")),
                 qPrintable(page().note().text()));
    }

    void theKeyOfADisabledEditFollows()
    {
        QAction *merge = window().bench().edits.merge;
        QVERIFY(!merge->isEnabled()); // no model
        record(*merge, Qt::Key_F12);
        dialog().close();
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        QSignalSpy refused(&window().bench(), &Workbench::refused);
        QTest::keyClick(&window(), Qt::Key_F12);
        QCOMPARE(refused.size(), 1); // it says why
    }

private:
    MainWindow &window() { return m_driver->window(); }
    PreferencesDialog &dialog() { return window().preferences().dialog(); }
    ShortcutPage &page() { return dialog().page<ShortcutPage>(); }
    /// Presses keys in the editor while a command is current.
    void record(const QAction &command, Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        page().choose(command);
        QSignalSpy finished(&page().edit(), &QKeySequenceEdit::editingFinished);
        page().edit().setFocus();
        QTest::keyClick(&page().edit(), key, modifiers);
        QVERIFY(finished.wait(5000)); // after a second without further keys
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(ShortcutPageTest)

} // namespace graphloom::test::shortcut_page_test

#include "shortcut_page_test.moc"
