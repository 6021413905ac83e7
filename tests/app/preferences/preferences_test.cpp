// SPDX-License-Identifier: GPL-3.0-or-later
// Preferences, as a person changes them.
#include "app/preferences/preferences_dialog.h"

#include "app/common/format.h"
#include "app/kernels/kernel_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/preferences/appearance_page.h"
#include "app/preferences/defaults_page.h"
#include "app/preferences/devices_page.h"
#include "app/preferences/folders_page.h"
#include "app/preferences/window_preferences.h"
#include "app/runs/objective_form.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "engine/codegen/build/kernel_folder.h"
#include "tests/support/app/window_driver.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include <fstream>

namespace graphloom::test::preferences_test {

using test::WindowDriver;

class PreferencesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8()); // it is cleared
    }

    void init()
    {
        auto plugins = test::builtPlugins();
        plugins.push_back({{}, std::make_shared<test::ScriptedPass>(test::splitUntilStopped), {}});
        m_driver = std::make_unique<WindowDriver>(
            std::move(plugins), ThemeChoice::Dark,
            std::vector<TargetPlugin>{{"broken.so", nullptr, "needs another version"}});
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        QTest::keyClick(&window(), Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(dialog().isVisible());
    }
    void cleanup()
    {
        page<AppearancePage>().reset(); // fonts are those of the program
        m_driver.reset();
    }

    void theWindowStaysUsable()
    {
        QVERIFY(!dialog().isModal());
        QTRY_VERIFY(dialog().filterEdit().hasFocus());
        QCOMPARE(dialog().list().count(), 5);
        QTest::keyClick(&dialog(), Qt::Key_Escape);
        QVERIFY(!dialog().isVisible());
    }

    void theFilterFindsRowsOfAllPages()
    {
        QTest::keyClicks(&dialog().filterEdit(), QStringLiteral("seed"));
        QCOMPARE(visiblePages(), QStringList(QStringLiteral("Defaults")));
        QCOMPARE(dialog().current(), static_cast<const PreferencePage *>(&page<DefaultsPage>()));
        QVERIFY(field<QSpinBox>("defaultSeed").isVisible());
        QVERIFY(!field<QSpinBox>("defaultRuns").isVisible());
    }

    void theFilterFindsTheStart()
    {
        QTest::keyClicks(&dialog().filterEdit(), QStringLiteral("restore tabs"));
        QVERIFY(visiblePages().contains(QStringLiteral("Defaults")));
        QVERIFY(field<QComboBox>("startChoice").isVisible());
        QVERIFY(!field<QComboBox>("defaultPass").isVisible());
    }

    void theFilterFindsCommands()
    {
        QTest::keyClicks(&dialog().filterEdit(), QStringLiteral("export onnx"));
        QCOMPARE(visiblePages(), QStringList(QStringLiteral("Shortcuts")));
    }

    void aFilterWithoutMatchesSaysSo()
    {
        QTest::keyClicks(&dialog().filterEdit(), QStringLiteral("nosuchthing"));
        QVERIFY(visiblePages().isEmpty());
        QVERIFY(!dialog().current());
        QVERIFY(!dialog().resetButton().isEnabled());
        dialog().filterEdit().clear();
        QCOMPARE(visiblePages().size(), 5);
    }

    void arrowsOfTheFilterWalkThroughThePages()
    {
        QTest::keyClick(&dialog().filterEdit(), Qt::Key_Down);
        QCOMPARE(dialog().current(), static_cast<const PreferencePage *>(&page<DefaultsPage>()));
    }

    void theThemeChangesAtOnce()
    {
        auto &theme = field<QComboBox>("themeChoice");
        QCOMPARE(theme.currentIndex(), 1); // dark
        theme.setFocus();
        QTest::keyClick(&theme, Qt::Key_Down);
        QVERIFY(!window().theme().dark);
        QVERIFY(window().actions().themeLight->isChecked());
        window().actions().themeDark->trigger();
        QTRY_COMPARE(theme.currentIndex(), 1);
    }

    void theFontGrowsEverywhereAndIsRemembered()
    {
        const int before = QApplication::font().pointSize();
        const int row =
            window().view<NodeListPanel>().table().verticalHeader()->defaultSectionSize();
        auto &points = field<QSpinBox>("fontPoints");
        points.setValue(before + 6);
        QCOMPARE(QApplication::font().pointSize(), before + 6);
        QTRY_COMPARE(window().font().pointSize(), before + 6);
        QVERIFY(window().view<NodeListPanel>().table().verticalHeader()->defaultSectionSize() >
                row);
        m_driver->restart();
        QTRY_COMPARE(window().font().pointSize(), before + 6);
        page<AppearancePage>().reset();
        QTRY_COMPARE(window().font().pointSize(), before);
    }

    void aColourIsThatOfItsThemeOnly()
    {
        const QColor usual = window().theme().of(OperatorClass::Contraction);
        page<AppearancePage>().setColour(OperatorClass::Contraction, QColor(200, 10, 10));
        QCOMPARE(window().theme().of(OperatorClass::Contraction), QColor(200, 10, 10));
        window().actions().themeLight->trigger();
        QVERIFY(window().theme().of(OperatorClass::Contraction) != QColor(200, 10, 10));
        window().actions().themeDark->trigger();
        auto &reset = field<QToolButton>("resetColour0");
        QTRY_VERIFY(reset.isEnabled());
        QTest::mouseClick(&reset, Qt::LeftButton);
        QCOMPARE(window().theme().of(OperatorClass::Contraction), usual);
        QVERIFY(!reset.isEnabled());
    }

    void defaultsReachThePanelsAtOnce()
    {
        dialog().choose(page<DefaultsPage>());
        auto &pass = field<QComboBox>("defaultPass");
        pass.setCurrentIndex(pass.findData(QStringLiteral("scripted")));
        field<QSpinBox>("defaultSeed").setValue(7);
        field<QSpinBox>("defaultRuns").setValue(12);
        field<QSpinBox>("defaultTuneSeconds").setValue(9);
        const PassPanel &panel = window().view<PassPanel>();
        QCOMPARE(panel.pass()->name(), std::string_view("scripted"));
        QCOMPARE(panel.request().seed, std::uint64_t(7));
        QCOMPARE(window().view<KernelPanel>().options().runs, 12);
        QCOMPARE(window().view<KernelPanel>().limits().seconds, 9);
    }

    void theStartIsRemembered()
    {
        auto &start = field<QComboBox>("startChoice");
        QCOMPARE(start.currentText(), QStringLiteral("Show the start page"));
        dialog().choose(page<DefaultsPage>());
        start.setFocus();
        QTest::keyClick(&start, Qt::Key_Down);
        QVERIFY(defaultsIn(*window().bench().settings).restoresTabs);
        m_driver->restart();
        dialog().open();
        QCOMPARE(field<QComboBox>("startChoice").currentText(),
                 QStringLiteral("Restore the tabs of the last time"));
    }

    void theStartIsResetWithItsPage()
    {
        dialog().choose(page<DefaultsPage>());
        field<QComboBox>("startChoice").setCurrentIndex(1);
        QTest::mouseClick(&dialog().resetButton(), Qt::LeftButton);
        QCOMPARE(field<QComboBox>("startChoice").currentIndex(), 0);
        QVERIFY(!defaultsIn(*window().bench().settings).restoresTabs);
    }

    void defaultsAreThoseOfANewWindow()
    {
        auto &pass = field<QComboBox>("defaultPass");
        pass.setCurrentIndex(pass.findData(QStringLiteral("scripted")));
        field<QSpinBox>("defaultThreads").setValue(3);
        m_driver->restart();
        QCOMPARE(window().view<PassPanel>().pass()->name(), std::string_view("scripted"));
        QCOMPARE(window().view<PassPanel>().request().threads, 3U);
    }

    void theTimeOfAPassIsThatOfAllThatHaveOne()
    {
        PassPanel &panel = window().view<PassPanel>();
        QVERIFY(panel.choose("magis"));
        const double own = panel.form()->settings().real("seconds");
        field<QSpinBox>("defaultSeconds").setValue(11);
        QCOMPARE(panel.form()->settings().real("seconds"), 11.0);
        dialog().choose(page<DefaultsPage>());
        QTest::mouseClick(&dialog().resetButton(), Qt::LeftButton);
        QCOMPARE(panel.form()->settings().real("seconds"), own);
    }

    void whatThePanelHasIsShown()
    {
        RunOptions options;
        options.runs = 33;
        window().view<KernelPanel>().setOptions(options);
        dialog().open();
        QCOMPARE(field<QSpinBox>("defaultRuns").value(), 33);
    }

    void aDefaultLeavesTheOtherFieldsAlone()
    {
        PassPanel &panel = window().view<PassPanel>();
        QVERIFY(panel.choose("magis"));
        panel.objective().setThreads(5);
        field<QSpinBox>("defaultSeed").setValue(7);
        QCOMPARE(panel.pass()->name(), std::string_view("magis"));
        QCOMPARE(panel.request().threads, 5U);
    }

    void theFirstPassIsChosenAgain()
    {
        const auto first = window().view<PassPanel>().pass()->name();
        auto &pass = field<QComboBox>("defaultPass");
        pass.setCurrentIndex(pass.findData(QStringLiteral("scripted")));
        pass.setCurrentIndex(0);
        QCOMPARE(window().view<PassPanel>().pass()->name(), first);
    }

    void aPassThatIsMissingStaysTheDefault()
    {
        window().bench().settings->setValue(QStringLiteral("defaults/pass"), "gone");
        m_driver->restart();
        dialog().open();
        field<QSpinBox>("defaultSeed").setValue(7);
        QCOMPARE(field<QComboBox>("defaultPass").currentText(), QStringLiteral("gone (missing)"));
        QCOMPARE(defaultsIn(*window().bench().settings).pass, QStringLiteral("gone"));
    }

    void defaultsReachOtherWindows()
    {
        MainWindow *other = window().openWindow();
        field<QSpinBox>("defaultRuns").setValue(12);
        QCOMPARE(other->view<KernelPanel>().options().runs, 12);
        other->close();
    }

    void theCacheOfKernelsIsCleared()
    {
        const auto folder =
            defaultKernelFolder(qEnvironmentVariable("XDG_CACHE_HOME").toStdString(),
                                qEnvironmentVariable("HOME").toStdString());
        QVERIFY(folder && makeOwnFolder(*folder));
        const auto kernel = *folder / "0123456789abcdef.so", other = *folder / "notes.txt";
        std::ofstream(kernel) << std::string(2048, 'x');
        std::ofstream(other) << "stays";
        auto &folders = page<FoldersPage>();
        dialog().choose(folders);
        folders.refresh();
        QTRY_COMPARE(folders.use().text(), QStringLiteral("%1 in 1 kernel").arg(formatBytes(2048)));
        QTest::mouseClick(&folders.clearButton(), Qt::LeftButton);
        QTRY_COMPARE(folders.use().text(), QStringLiteral("%1 in 0 kernels").arg(formatBytes(0)));
        QVERIFY(!std::filesystem::exists(kernel));
        QVERIFY(std::filesystem::exists(other));
        QVERIFY(!folders.clearButton().isEnabled());
        std::filesystem::remove(other);
    }

    void longPathsAreElidedInTheMiddle()
    {
        dialog().choose(page<FoldersPage>());
        field<QSpinBox>("fontPoints").setValue(Appearance::mostPoints); // as on a scaled display
        dialog().resize(dialog().minimumSizeHint());
        QTRY_VERIFY(!paths().isEmpty() && paths().front()->text().contains(QChar(0x2026)));
        for (const QLabel *path : paths())
            QVERIFY2(path->fontMetrics().horizontalAdvance(path->text()) <= path->width(),
                     qPrintable(path->text()));
    }

    void aTargetThatCannotBeUsedSaysWhy()
    {
        QTRY_VERIFY(!page<DevicesPage>().isBusy());
        const QTreeWidget &tree = page<DevicesPage>().tree();
        QCOMPARE(tree.topLevelItem(0)->text(0), QStringLiteral("broken.so"));
        QCOMPARE(tree.topLevelItem(0)->text(1), QStringLiteral("Cannot be used"));
        QCOMPARE(tree.topLevelItem(0)->text(2), QStringLiteral("needs another version"));
        QVERIFY(tree.topLevelItem(1)->childCount() > 0); // described devices
    }

private:
    MainWindow &window() { return m_driver->window(); }
    PreferencesDialog &dialog() { return window().preferences().dialog(); }
    template <class Page> Page &page() { return dialog().page<Page>(); }
    template <class Widget> Widget &field(const char *name)
    {
        return *dialog().findChild<Widget *>(QLatin1String(name));
    }
    /// Returns the labels of the folders that are shown.
    QList<QLabel *> paths()
    {
        return page<FoldersPage>().findChildren<QLabel *>(QStringLiteral("folderPath"));
    }
    QStringList visiblePages()
    {
        QStringList names;
        for (int row = 0; row < dialog().list().count(); ++row)
            if (!dialog().list().item(row)->isHidden())
                names << dialog().list().item(row)->text();
        return names;
    }

    QTemporaryDir m_cache;
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(PreferencesTest)

} // namespace graphloom::test::preferences_test

#include "preferences_test.moc"
