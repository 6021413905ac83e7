// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a person uses it: looking, finding, arranging.
#include "app/drawing/legend.h"
#include "app/graph/canvas_page.h"
#include "app/graph/minimap.h"
#include "app/help/command_palette.h"
#include "app/properties/properties_panel.h"
#include "app/query/search_bar.h"
#include "app/shell/panel_docks.h"
#include "app/tabs/window_place.h"
#include "tests/support/app/window_driver.h"

#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QScreen>

namespace graphloom::test::main_window_test {

using test::sample;
using test::WindowDriver;

class MainWindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<WindowDriver>(); }
    void cleanup() { m_driver.reset(); }

    void withoutAModelItSaysHowToOpenOne()
    {
        QCOMPARE(status("workStatus"), QStringLiteral("No model is open"));
        QVERIFY(!window().page().isVisible());
        for (QAction *action : window().actions().needModel())
            QVERIFY2(!action->isEnabled(), qPrintable(action->text()));
        QVERIFY(!window().actions().run->isEnabled());
    }

    void theWindowIsNotWiderThanTheScreen()
    {
        window().resize(5000, 4000);
        showOnScreen(window());
        const QSize room = window().screen()->availableSize(), least = window().minimumSizeHint();
        QVERIFY2(
            window().width() <= std::max(room.width(), least.width()) &&
                window().height() <= std::max(room.height(), least.height()),
            qPrintable(QStringLiteral("%1 x %2").arg(window().width()).arg(window().height())));
    }

    void dialogsInDialogsEndWithTheWindow()
    {
        MainWindowOptions options;
        options.settingsFile = QString::fromStdString(m_driver->scratch("other.ini").string());
        auto other = std::make_unique<MainWindow>(std::move(options));
        const QPointer<QDialog> inner = new QDialog(new QDialog(other.get()));
        other.reset();
        QVERIFY(!inner);
    }

    void missingPartsOfTheProgramAreErrors()
    {
        MainWindowOptions options;
        options.missing = {{ProgramPart::Kind::Helper, "/usr/bin/graphloom-worker",
                            "is missing, so no pass can run"}};
        options.settingsFile = QString::fromStdString(m_driver->scratch("other.ini").string());
        MainWindow other(std::move(options));
        const MessageModel &messages = other.session().messages();
        QCOMPARE(messages.rowCount(), 1);
        QCOMPARE(messages.index(0, 0).data().toString(),
                 QStringLiteral("graphloom-worker is missing, so no pass can run"));
        QVERIFY(other.panels().dock(QStringLiteral("messages")).isVisibleTo(&other));
    }

    void theStatusSaysWhatTheModelIs()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QCOMPARE(
            status("nodeStatus"),
            QStringLiteral("%1 nodes").arg(window().session().snapshot()->graph().nodeCount()));
        QVERIFY2(status("costStatus").startsWith(QStringLiteral("301 M MACs · 3.")),
                 qPrintable(status("costStatus")));
        QCOMPARE(status("planStatus"), QStringLiteral("no pass has run"));
    }

    void aClickFillsTheProperties()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<PropertiesPanel>().isEmpty());
        GraphCanvas &canvas = window().page().canvas();
        canvas.zoomToItem(Item::of(firstNode()));
        const QPoint place =
            canvas.mapFromScene(canvas.drawing()->rectOf(Item::of(firstNode()))->center());
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, place);
        QCOMPARE(window().selection().item(), Item::of(firstNode()));
        const PropertyModel &model = window().view<PropertiesPanel>().model();
        const QModelIndex section = model.index(0, 0);
        QCOMPARE(model.index(0, PropertyModel::Value, section).data().toString(),
                 QStringLiteral("Conv"));
    }

    void findsByTheKeyboard()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        window().activateWindow();
        QTest::keyClick(&window(), Qt::Key_F, Qt::ControlModifier);
        SearchBar &search = window().page().search();
        QVERIFY(search.isVisible());
        QTest::keyClicks(&search.edit(), QStringLiteral("add\r"));
        QCOMPARE(window().selection().item(), search.matches().front().item);
        QTest::keyClick(&window(), Qt::Key_F3);
        QCOMPARE(window().selection().item(), search.matches()[1].item);
        QTest::keyClick(&window(), Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(window().selection().item(), search.matches()[0].item);
        QVERIFY(seen(window().selection().item()));
        QTest::keyClick(&search.edit(), Qt::Key_Escape);
        QVERIFY(!search.isVisible());
    }

    void keysZoom()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        GraphCanvas &canvas = window().page().canvas();
        canvas.setFocus();
        QTest::keyClick(&window(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(canvas.scale(), 1.0);
        QTest::keyClick(&window(), Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(canvas.scale(), 1.25);
        QTest::keyClick(&window(), Qt::Key_Minus, Qt::ControlModifier);
        QCOMPARE(canvas.scale(), 1.0);
        QTest::keyClick(&window(), Qt::Key_F);
        QVERIFY(canvas.visibleScene().contains(canvas.drawing()->bounds));
        window().selection().select(Item::of(firstNode()));
        QTest::keyClick(&window(), Qt::Key_F, Qt::ShiftModifier);
        QVERIFY(seen(Item::of(firstNode())));
    }

    void theThemeSwitches()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const QColor dark = window().palette().color(QPalette::Window);
        QTest::keyClick(&window(), Qt::Key_T, Qt::ControlModifier);
        QVERIFY(!window().theme().dark);
        QVERIFY(m_driver->settle());
        QVERIFY(window().palette().color(QPalette::Window).lightness() > dark.lightness() + 100);
        QCOMPARE(window().page().canvas().backgroundBrush().color(),
                 window().theme().canvas.background);
        QVERIFY(window().actions().themeLight->isChecked());
        window().actions().nextTheme->trigger();
        QVERIFY(window().theme().dark);
    }

    void minimapAndLegendCanBeSwitchedOff()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        window().page().canvas().zoomTo(2);
        QVERIFY(window().page().minimap().isVisible());
        window().actions().minimap->trigger();
        QVERIFY(!window().page().minimap().isVisible());
        QVERIFY(window().page().legend().isVisible());
        window().actions().legend->trigger();
        QVERIFY(!window().page().legend().isVisible());
    }

    void settingsAreRemembered()
    {
        window().actions().minimap->trigger();
        window().actions().columns->setChecked(false);
        window().panels().dock(QStringLiteral("nodes")).hide();
        m_driver->restart();
        QVERIFY(!window().actions().minimap->isChecked());
        QVERIFY(!window().actions().columns->isChecked());
        QVERIFY(!window().bench().drawings.options().columns);
        QVERIFY(window().panels().dock(QStringLiteral("nodes")).isHidden());
        window().actions().resetLayout->trigger();
        QVERIFY(!window().panels().dock(QStringLiteral("nodes")).isHidden());
    }

    void oneColumnIsNarrower()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        const QRectF before = window().page().canvas().drawing()->bounds;
        window().actions().columns->trigger();
        QVERIFY(waitForDrawing(false));
        const QRectF after = window().page().canvas().drawing()->bounds;
        QVERIFY(after.width() < before.width() && after.height() > before.height());
    }

    void theCommandPaletteRunsCommands()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        window().page().canvas().zoomTo(2);
        QTest::keyClick(&window(), Qt::Key_K, Qt::ControlModifier);
        QVERIFY(window().view<CommandPalette>().isVisible());
        QTest::keyClicks(&window().view<CommandPalette>().edit(), QStringLiteral("actual size\r"));
        QCOMPARE(window().page().canvas().scale(), 1.0);
    }

    void helpOpens()
    {
        QTest::keyClick(&window(), Qt::Key_F1);
        QVERIFY(window().panels().dock(QStringLiteral("help")).isVisible());
    }

    void everyCommandIsInAMenuAndHasHelp()
    {
        for (const QAction *action : window().actions().all()) {
            bool inMenu = false;
            for (const QObject *object : action->associatedObjects())
                inMenu = inMenu || qobject_cast<const QMenu *>(object);
            QVERIFY2(inMenu, qPrintable(action->text()));
            QVERIFY2(!action->statusTip().isEmpty(), qPrintable(action->text()));
        }
    }

    void noTwoCommandsShareAKey()
    {
        std::map<QKeySequence, QString> owners;
        for (const QAction *action : window().findChildren<QAction *>())
            for (const QKeySequence &key : action->shortcuts()) {
                if (action->shortcutContext() == Qt::WidgetShortcut)
                    continue;
                const auto [it, added] = owners.emplace(key, action->text());
                QVERIFY2(added || it->second == action->text(),
                         qPrintable(key.toString() + ": " + it->second + ", " + action->text()));
            }
    }

    void noTwoCommandsOfAMenuShareAMnemonic()
    {
        QList<QWidget *> menus{window().menuBar()};
        for (QMenu *menu : window().menuBar()->findChildren<QMenu *>())
            menus << menu;
        QStringList clashes;
        for (const QWidget *menu : menus) {
            std::map<QKeySequence, QString> owners;
            for (const QAction *action : menu->actions()) {
                const QKeySequence key = QKeySequence::mnemonic(action->text());
                const auto [it, added] = owners.emplace(key, action->text());
                if (!added && !key.isEmpty())
                    clashes << it->second + QStringLiteral(" | ") + action->text();
            }
        }
        QVERIFY2(clashes.isEmpty(), qPrintable(clashes.join('\n')));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    NodeId firstNode() { return window().session().snapshot()->graph().order().front(); }
    bool waitForDrawing(bool columns)
    {
        return QTest::qWaitFor(
            [&] {
                return window().page().canvas().drawing()->options.columns == columns &&
                       window().isSettled();
            },
            20'000);
    }
    QString status(const char *name)
    {
        return window().findChild<QLabel *>(QLatin1String(name))->text();
    }
    bool seen(const Item &item)
    {
        GraphCanvas &canvas = window().page().canvas();
        return canvas.visibleScene().contains(*canvas.drawing()->rectOf(item));
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowTest)

} // namespace graphloom::test::main_window_test

#include "main_window_test.moc"
