// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a person uses it: opening, looking, finding, exporting.
#include "app/views/canvas_page.h"
#include "app/views/command_palette.h"
#include "app/views/legend.h"
#include "app/views/message_panel.h"
#include "app/views/minimap.h"
#include "app/views/properties_panel.h"
#include "app/views/search_bar.h"
#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolBar>

#include <fstream>

using namespace graphloom;
using testing::sample;
using testing::WindowDriver;

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

    void opensByTheMenu()
    {
        window().actions().open->trigger();
        auto *dialog = window().findChild<QFileDialog *>();
        QVERIFY(dialog);
        dialog->setDirectory(QString::fromUtf8(GRAPHLOOM_SAMPLES));
        dialog->selectFile(QStringLiteral("bert_tiny.onnx"));
        dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))
            ->setText(QString::fromStdString(sample("bert_tiny.onnx").string()));
        QVERIFY(QMetaObject::invokeMethod(dialog, "accept"));
        QVERIFY(waitForModel("bert_tiny.onnx"));
        QCOMPARE(status("modelStatus"), QStringLiteral("bert_tiny.onnx"));
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("bert_tiny.onnx")));
    }

    void opensWhatIsDropped()
    {
        QVERIFY(
            drop({QUrl::fromLocalFile(QString::fromStdString(sample("bert_tiny.onnx").string()))}));
        QVERIFY(waitForModel("bert_tiny.onnx"));
    }

    void doesNotTakeOtherThingsThatAreDropped()
    {
        QVERIFY(!drop({QUrl(QStringLiteral("https://example.org/model.onnx"))}));
        QVERIFY(!drop({QUrl::fromLocalFile(QStringLiteral("/a")),
                       QUrl::fromLocalFile(QStringLiteral("/b"))}));
        QVERIFY(!window().session().isOpening());
    }

    void opensARecentFile()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        m_driver->restart();
        QAction *recent = recentMenu()->actions().value(0);
        QVERIFY(recent && recent->text().contains(QStringLiteral("bert_tiny.onnx")));
        recent->trigger();
        QVERIFY(waitForModel("bert_tiny.onnx"));
    }

    void opensARecentFileFromTheFirstPage()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        m_driver->restart();
        for (QPushButton *button : window().centralWidget()->findChildren<QPushButton *>())
            if (button->text().startsWith(QStringLiteral("bert_tiny.onnx")))
                QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(waitForModel("bert_tiny.onnx"));
    }

    void forgetsARecentFileThatIsGone()
    {
        const auto path = m_driver->scratch("gone.onnx");
        std::filesystem::copy_file(sample("bert_tiny.onnx"), path);
        QVERIFY(m_driver->open(path));
        std::filesystem::remove(path);
        QCOMPARE(recentMenu()->actions().size(), 1);
        recentMenu()->actions().front()->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(recentMenu()->actions().size(), 0);
        QVERIFY(newestMessage().startsWith(QStringLiteral("Cannot open gone.onnx")));
    }

    void aRefusedFileIsSaidAndWhatIsOpenStays()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const SnapshotPointer before = window().session().snapshot();
        const auto path = m_driver->scratch("broken.onnx");
        std::ofstream(path) << "this is no model";
        QVERIFY(!m_driver->open(path));
        QVERIFY(newestMessage().startsWith(QStringLiteral("Cannot open broken.onnx: ")));
        QVERIFY(window().messages().isVisible()); // raised above its neighbours
        QCOMPARE(window().session().snapshot(), before);
        QCOMPARE(window().page().canvas().drawing()->snapshot, before);
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("bert_tiny.onnx")));
        QVERIFY(window().actions().exportOnnx->isEnabled());
    }

    void aRefusedFirstFileLeavesTheFirstPage()
    {
        QVERIFY(!m_driver->open("/no/such/model.onnx"));
        QVERIFY(newestMessage().startsWith(QStringLiteral("Cannot open model.onnx: ")));
        QVERIFY(!window().page().isVisible());
    }

    void closingBringsTheFirstPageBack()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        window().selection().select(Item::of(firstNode()));
        window().actions().close->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(!window().page().isVisible());
        QVERIFY(!window().page().canvas().drawing());
        QCOMPARE(window().selection().item(), Item());
        QCOMPARE(window().windowTitle(), QStringLiteral("Graphloom"));
        QVERIFY(!window().actions().exportOnnx->isEnabled());
    }

    void theStatusSaysWhatTheModelIs()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QCOMPARE(
            status("nodeStatus"),
            QStringLiteral("%1 nodes").arg(window().session().snapshot()->graph().nodeCount()));
        QVERIFY2(status("costStatus").startsWith(QStringLiteral("301 M MACs · 3.")),
                 qPrintable(status("costStatus")));
        QCOMPARE(status("planStatus"), QStringLiteral("no pass was run"));
    }

    void aClickFillsTheProperties()
    {
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().properties().isEmpty());
        GraphCanvas &canvas = window().page().canvas();
        canvas.zoomToItem(Item::of(firstNode()));
        const QPoint place =
            canvas.mapFromScene(canvas.drawing()->rectOf(Item::of(firstNode()))->center());
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, place);
        QCOMPARE(window().selection().item(), Item::of(firstNode()));
        const PropertyModel &model = window().properties().model();
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
        QCOMPARE(window().selection().item(), search.matches().front());
        QTest::keyClick(&window(), Qt::Key_F3);
        QCOMPARE(window().selection().item(), search.matches()[1]);
        QTest::keyClick(&window(), Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(window().selection().item(), search.matches()[0]);
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
        window().dock(QStringLiteral("nodes")).hide();
        m_driver->restart();
        QVERIFY(!window().actions().minimap->isChecked());
        QVERIFY(!window().actions().columns->isChecked());
        QVERIFY(!window().drawings().options().columns);
        QVERIFY(window().dock(QStringLiteral("nodes")).isHidden());
        window().actions().resetLayout->trigger();
        QVERIFY(!window().dock(QStringLiteral("nodes")).isHidden());
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
        QVERIFY(window().commands().isVisible());
        QTest::keyClicks(&window().commands().edit(), QStringLiteral("actual size\r"));
        QCOMPARE(window().page().canvas().scale(), 1.0);
    }

    void helpOpens()
    {
        QTest::keyClick(&window(), Qt::Key_F1);
        QVERIFY(window().dock(QStringLiteral("help")).isVisible());
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

    void exportsByTheMenu_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *file : {"x.onnx", "x.svg", "x.png", "x.dot", "x.json"})
            QTest::newRow(file) << QString::fromUtf8(file);
    }
    void exportsByTheMenu()
    {
        QFETCH(QString, file);
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const Actions &actions = window().actions();
        (file.endsWith(QLatin1String("onnx"))   ? actions.exportOnnx
         : file.endsWith(QLatin1String("dot"))  ? actions.exportDot
         : file.endsWith(QLatin1String("json")) ? actions.exportReport
                                                : actions.exportPicture)
            ->trigger();
        auto *dialog = window().findChild<QFileDialog *>();
        QVERIFY(dialog && dialog->acceptMode() == QFileDialog::AcceptSave);
        const auto path = m_driver->scratch(file.toStdString());
        dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))
            ->setText(QString::fromStdString(path.string()));
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        QVERIFY(QMetaObject::invokeMethod(dialog, "accept"));
        QVERIFY(said.wait(20'000));
        QCOMPARE(newestMessage(), QStringLiteral("Wrote ") + file);
        QVERIFY(std::filesystem::file_size(path) > 200);
    }

    void anExportThatFailsIsSaid()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        window().exportTo(m_driver->scratch("no such folder") / "x.svg");
        QVERIFY(said.wait(20'000));
        QVERIFY2(newestMessage().startsWith(QStringLiteral("Cannot write x.svg: ")),
                 qPrintable(newestMessage()));
    }

    void aDotFileIsDrawn()
    {
        const auto path = m_driver->scratch("small.dot");
        std::ofstream(path) << "digraph g { a [label=\"Conv\"]; a -> b; a -> c; b -> d; c -> d }";
        QVERIFY(m_driver->open(path));
        QCOMPARE(window().page().canvas().drawing()->nodes.size(),
                 std::size_t(5)); // and the output
    }

    void aDotFileWithACycleIsRefused()
    {
        const auto path = m_driver->scratch("cycle.dot");
        std::ofstream(path) << "digraph g { a -> b; b -> a }";
        QVERIFY(!m_driver->open(path));
        QVERIFY2(newestMessage().contains(QStringLiteral("cycle")), qPrintable(newestMessage()));
    }

    void theWindowClosesWhileAModelIsOpened()
    {
        window().openDocument(sample("mobilevit_s_256.onnx"));
        m_driver->restart(); // waits for nobody
        QVERIFY(!window().session().snapshot());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    NodeId firstNode() { return window().session().snapshot()->graph().order().front(); }
    bool waitForModel(const char *name)
    {
        return QTest::qWaitFor(
            [&] { return window().session().path() == sample(name) && window().isSettled(); },
            20'000);
    }
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
    QString newestMessage() { return window().session().messages().index(0).data().toString(); }
    bool seen(const Item &item)
    {
        GraphCanvas &canvas = window().page().canvas();
        return canvas.visibleScene().contains(*canvas.drawing()->rectOf(item));
    }
    QMenu *recentMenu()
    {
        for (QMenu *menu : window().findChildren<QMenu *>())
            if (menu->title() == QStringLiteral("Open &recent"))
                return menu;
        return nullptr;
    }
    /// Whether the window took what was dropped on it.
    bool drop(const QList<QUrl> &urls)
    {
        QMimeData data;
        data.setUrls(urls);
        const QPoint place = window().rect().center();
        QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, {});
        enter.ignore();
        QApplication::sendEvent(&window(), &enter);
        if (!enter.isAccepted())
            return false;
        QDropEvent event(place, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&window(), &event);
        return event.isAccepted();
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowTest)
#include "main_window_test.moc"
