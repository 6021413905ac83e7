// SPDX-License-Identifier: GPL-3.0-or-later
// All keys of the window, listed once, each with one meaning.
#include "app/help/key_rows.h"
#include "app/shell/panel_docks.h"

#include "app/docks/in_sight.h"
#include "app/graph/canvas_page.h"
#include "app/help/help_view.h"
#include "app/help/key_list.h"
#include "app/memory/memory_panel.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/view_keys.h"
#include "tests/support/app/window_driver.h"

#include <QClipboard>
#include <QDockWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>

namespace graphloom::test::key_rows_test {

using test::sample;
using test::WindowDriver;

class KeyRowsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<WindowDriver>(); }
    void cleanup() { m_driver.reset(); }

    void everyActionWithAShortcutIsListed()
    {
        const auto rows = keyRowsOf(window(), window().allCommands());
        int shortcuts = 0;
        for (const QAction *action : window().findChildren<QAction *>()) {
            if (action->shortcuts().isEmpty())
                continue;
            ++shortcuts;
            const QString text = plainTextOf(*action);
            QVERIFY2(std::ranges::any_of(rows,
                                         [&](const KeyRow &row) {
                                             return row.command == text &&
                                                    row.keys.contains(action->shortcut().toString(
                                                        QKeySequence::NativeText));
                                         }),
                     qPrintable(text + " is not listed"));
        }
        QVERIFY(shortcuts > 60);
    }

    void everyCommandIsListedOnce()
    {
        const auto rows = keyRowsOf(window(), window().allCommands());
        for (const QAction *action : window().allCommands())
            QCOMPARE(std::ranges::count_if(rows,
                                           [&](const KeyRow &row) {
                                               return row.command == plainTextOf(*action) &&
                                                      row.meaning == action->statusTip();
                                           }),
                     1);
    }

    void noTwoActionsOfTheWindowHaveTheSameKeys()
    {
        std::map<QKeySequence, const QAction *> known;
        for (const QAction *action : window().findChildren<QAction *>()) {
            if (action->shortcutContext() != Qt::WindowShortcut)
                continue;
            for (const QKeySequence &keys : action->shortcuts()) {
                if (keys.isEmpty())
                    continue;
                const auto [at, isNew] = known.emplace(keys, action);
                QVERIFY2(isNew, qPrintable(QStringLiteral("%1: %2 and %3")
                                               .arg(keys.toString(), plainTextOf(*at->second),
                                                    plainTextOf(*action))));
            }
        }
    }

    void noViewGivesAKeyTwoMeanings()
    {
        int views = 0;
        for (const QWidget *widget : window().findChildren<QWidget *>()) {
            const auto *view = dynamic_cast<const KeyedView *>(widget);
            if (!view)
                continue;
            ++views;
            std::set<int> known;
            for (const ViewKeys::Entry &entry : view->keys().entries())
                for (const QKeyCombination key : entry.keys)
                    QVERIFY2(known.insert(key.toCombined()).second,
                             qPrintable(view->keys().title() + ": " + entry.text()));
        }
        QVERIFY(views >= 4); // graph, search, memory, Pareto
    }

    void aViewGoesBeforeTheWindowWhileItHasTheFocus()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        window().panels().dock(QStringLiteral("memory")).show();
        window().panels().dock(QStringLiteral("memory")).raise();
        QVERIFY(m_driver->settle());
        MemoryView &view = window().view<MemoryPanel>().view();
        const double scale = window().page().canvas().scale();
        view.setFocus();
        view.showRange(1, 5);
        QTest::keyClick(&view, Qt::Key_F);
        QVERIFY(view.scene().look.to > 5); // the whole timeline
        QCOMPARE(window().page().canvas().scale(), scale);
    }

    void everyPanelHasAKey()
    {
        window().activateWindow();
        for (const QDockWidget *panel : window().findChildren<QDockWidget *>()) {
            const QAction *action =
                window().findChild<QAction *>(QStringLiteral("panel:") + panel->objectName());
            QVERIFY2(action && !action->shortcut().isEmpty(), qPrintable(panel->windowTitle()));
        }
    }

    void theKeyOfAPanelBringsItToTheTop()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QDockWidget &hierarchy = window().panels().dock(QStringLiteral("hierarchy"));
        QAction *action = window().findChild<QAction *>(QStringLiteral("panel:hierarchy"));
        QVERIFY(!isInSight(hierarchy)); // behind the nodes
        const QKeyCombination keys = action->shortcut()[0];
        window().activateWindow();
        QTest::keyClick(&window(), keys.key(), keys.keyboardModifiers());
        QVERIFY(isInSight(hierarchy));
        QVERIFY(QApplication::focusWidget() && hierarchy.isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), keys.key(), keys.keyboardModifiers());
        QVERIFY(hierarchy.isHidden()); // once more
        QVERIFY(!action->isChecked());
    }

    void theListIsSearchedAndCopied()
    {
        window().activateWindow();
        QTest::keyClick(&window(), Qt::Key_Question);
        auto *list = window().findChild<KeyList *>();
        QVERIFY(list && list->isVisible() && !list->isModal());
        list->activateWindow(); // the offscreen platform has nobody to do that
        QVERIFY(QTest::qWaitFor([&] { return list->table().edit().hasFocus(); }));
        QTest::keyClicks(&list->table().edit(), QStringLiteral("zoom in"));
        const auto *rows = list->table().table().model();
        QCOMPARE(rows->rowCount(), 3); // of the graph, and of the two timelines
        QCOMPARE(rows->index(0, KeyModel::Place).data().toString(), QStringLiteral("View"));
        QVERIFY(
            rows->index(0, KeyModel::Keys).data().toString().contains(QStringLiteral("Ctrl++")));
        list->findChild<QAction *>(QStringLiteral("copyKeys"))->trigger();
        QTRY_VERIFY(QApplication::clipboard()->text().contains(
            QStringLiteral("View\tZoom in\tCtrl++, Ctrl+=\tZoom in\n")));
        QTest::keyClick(list, Qt::Key_Escape);
        QVERIFY(!list->isVisible());
    }

    void theListIsPrinted()
    {
        const auto file = m_driver->scratch("keys.pdf");
        QVERIFY(printKeys(keyRowsOf(window(), window().allCommands()), file).has_value());
        QFile written(QString::fromStdString(file.string()));
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY(written.readAll().startsWith("%PDF"));
    }

    void theHelpHasTheSameKeys()
    {
        window().view<HelpView>().showPage(QStringLiteral("keys"));
        const QString text = window().view<HelpView>().browser().toPlainText();
        QVERIFY(text.contains(QStringLiteral("Ctrl+Shift+J")));
        QVERIFY(text.contains(QStringLiteral("Follow edges")));
    }

private:
    MainWindow &window() { return m_driver->window(); }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(KeyRowsTest)

} // namespace graphloom::test::key_rows_test

#include "key_rows_test.moc"
