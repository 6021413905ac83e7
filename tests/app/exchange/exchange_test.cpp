// SPDX-License-Identifier: GPL-3.0-or-later
// What is dropped, copied and pasted.
#include "app/exchange/offers.h"

#include "app/compare/compare_panel.h"
#include "app/graph/canvas_page.h"
#include "app/nodes/node_list_panel.h"
#include "app/shell/panel_docks.h"
#include "app/shell/view_exports.h"
#include "app/status/message_panel.h"
#include "app/widgets/copy_rows.h"
#include "app/workbench/colour_controller.h"
#include "tests/support/app/window_driver.h"

#include <QClipboard>
#include <QDragEnterEvent>
#include <QListView>
#include <QMimeData>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QSvgRenderer>
#include <QTableView>

#include <fstream>

namespace graphloom::test::exchange_test {

using test::sample;
using test::WindowDriver;

class ExchangeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>();
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
    }
    void cleanup() { m_driver.reset(); }

    // Dropping

    void aModelOnTheCanvasIsOpened()
    {
        const auto urls = urlsOf({sample("mobilenet_v2_224.onnx")});
        QVERIFY(enter(window().page(), urls));
        QCOMPARE(markOver(window()), QStringLiteral("Open mobilenet_v2_224.onnx"));
        QVERIFY(drop(window().page(), urls));
        QVERIFY(markOver(window()).isEmpty());
        QVERIFY(m_driver->settle());
        QCOMPARE(window().session().path(), sample("mobilenet_v2_224.onnx"));
    }

    void aFileThatIsMovedIsOnlyCopied()
    {
        const auto urls = urlsOf({sample("mobilenet_v2_224.onnx")});
        m_data.setUrls(urls);
        QVERIFY(enter(window().page(), urls));
        QDropEvent event(window().page().rect().center(), Qt::MoveAction | Qt::CopyAction, &m_data,
                         Qt::LeftButton, {});
        event.setDropAction(Qt::MoveAction);
        QApplication::sendEvent(&window().page(), &event);
        QCOMPARE(event.dropAction(), Qt::CopyAction); // or the other program deletes it
    }

    void theMarkGoesWithThePointer()
    {
        QVERIFY(enter(window().page(), urlsOf({sample("mobilenet_v2_224.onnx")})));
        QDragLeaveEvent leave;
        QApplication::sendEvent(&window().page(), &leave);
        QVERIFY(markOver(window()).isEmpty());
    }

    void tablesOnTheCanvasColourNodes()
    {
        const auto urls = urlsOf({writeData("a.csv"), writeData("b.csv")});
        QVERIFY(enter(window().page(), urls));
        QCOMPARE(markOver(window()), QStringLiteral("Load node data from 2 files"));
        QVERIFY(drop(window().page(), urls));
        QTRY_COMPARE(ownData().size(), std::size_t(2)); // one after the other
        QCOMPARE(ownData().back().name, QStringLiteral("b.csv"));
    }

    void aTableWithoutAModelIsRefused()
    {
        window().bench().documents.close();
        QVERIFY(m_driver->settle());
        const auto urls = urlsOf({writeData("a.csv")});
        QVERIFY(enter(window(), urls));
        QVERIFY(markOver(window()).startsWith(QStringLiteral("Open a model first")));
        QVERIFY(!move(window(), urls));
        QVERIFY(!drop(window(), urls));
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Open a model first")));
    }

    void severalModelsAreRefused()
    {
        const auto urls = urlsOf({sample("bert_tiny.onnx"), sample("mobilenet_v2_224.onnx")});
        QVERIFY(enter(window(), urls));
        QCOMPARE(markOver(window()), QStringLiteral("Only one model can be opened at a time"));
        QVERIFY(!drop(window(), urls));
        QVERIFY(!window().session().isOpening());
    }

    void aFolderIsRefused()
    {
        const auto urls = urlsOf({sample("bert_tiny.onnx").parent_path()});
        QVERIFY(enter(window(), urls));
        QVERIFY(!drop(window(), urls));
        QVERIFY(m_driver->message().contains(QStringLiteral("is a folder")));
    }

    void aModelWithATableIsRefused()
    {
        const auto urls = urlsOf({sample("mobilenet_v2_224.onnx"), writeData("a.csv")});
        QVERIFY(enter(window(), urls));
        QVERIFY(markOver(window()).startsWith(QStringLiteral("Models and node data")));
        QVERIFY(!drop(window(), urls));
        QVERIFY(!window().session().isOpening());
    }

    void aModelOnTheComparisonIsCompared()
    {
        window().panels().raise(QStringLiteral("compare"));
        ComparePanel &panel = window().view<ComparePanel>();
        const auto urls = urlsOf({sample("mobilenet_v2_224.onnx")});
        QVERIFY(enter(panel, urls));
        QCOMPARE(markOver(panel), QStringLiteral("Compare with mobilenet_v2_224.onnx"));
        QVERIFY(drop(panel, urls));
        QTRY_VERIFY_WITH_TIMEOUT(panel.difference(), 30'000);
        QCOMPARE(window().session().path(), sample("bert_tiny.onnx"));
    }

    void aTableOnTheComparisonIsRefused()
    {
        ComparePanel &panel = window().view<ComparePanel>();
        window().panels().raise(QStringLiteral("compare"));
        const auto urls = urlsOf({writeData("a.csv")});
        QVERIFY(enter(panel, urls));
        QVERIFY(!drop(panel, urls));
        QVERIFY(m_driver->message().contains(QStringLiteral("neither a model")));
        QVERIFY(ownData().empty());
    }

    // Pasting

    void aPastedFileIsOpened()
    {
        auto *data = new QMimeData;
        data->setUrls({url(sample("mobilenet_v2_224.onnx"))});
        QApplication::clipboard()->setMimeData(data);
        paste();
        QVERIFY(m_driver->settle());
        QCOMPARE(window().session().path(), sample("mobilenet_v2_224.onnx"));
    }

    void aPastedPathIsOpened()
    {
        QApplication::clipboard()->setText(
            QString::fromStdString(sample("mobilenet_v2_224.onnx").string()) + '\n');
        paste();
        QVERIFY(m_driver->settle());
        QCOMPARE(window().session().path(), sample("mobilenet_v2_224.onnx"));
    }

    void aPastedTableColoursNodes()
    {
        QApplication::clipboard()->setText(table().replace(',', '\t'));
        paste();
        QTRY_COMPARE(ownData().size(), std::size_t(1));
        QCOMPARE(ownData().front().name, QStringLiteral("clipboard"));
        QVERIFY(window().bench().colours.metric());
    }

    void otherTextIsRefused()
    {
        QApplication::clipboard()->setText(QStringLiteral("hello"));
        paste();
        QVERIFY(m_driver->message().startsWith(QStringLiteral("The clipboard has no file")));
    }

    void aFieldTakesWhatIsPastedIntoIt()
    {
        QApplication::clipboard()->setText(QStringLiteral("op:Conv"));
        QLineEdit &edit = window().view<NodeListPanel>().filterEdit();
        window().panels().raise(QStringLiteral("nodes"));
        edit.setFocus();
        QTest::keyClick(&edit, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(edit.text(), QStringLiteral("op:Conv"));
    }

    // Copying

    void rowsAreCopiedInThreeForms()
    {
        window().panels().raise(QStringLiteral("nodes"));
        QTableView &table = window().view<NodeListPanel>().table();
        table.setFocus();
        table.selectRow(1);
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        const QMimeData *data = QApplication::clipboard()->mimeData();
        const QStringList lines = data->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2); // titles first
        const QString csv = QString::fromUtf8(data->data(QStringLiteral("text/csv")));
        QCOMPARE(csv.count(QStringLiteral("\r\n")), 2);
        QCOMPARE(data->html().count(QStringLiteral("<tr>")), 2);
        QVERIFY(lines[1].contains(table.model()->index(1, 1).data().toString()));
    }

    void formulasAreCopiedAsTexts()
    {
        QStandardItemModel model(1, 3);
        model.setItem(0, 0, new QStandardItem(QStringLiteral("=HYPERLINK(\"x\")")));
        model.setItem(0, 1, new QStandardItem(QStringLiteral("a\tb")));
        model.setItem(0, 2, new QStandardItem(QStringLiteral("-1.5 %")));
        QTableView view;
        view.setModel(&model);
        const std::unique_ptr<QMimeData> data(copiedRows(view, CopiedRows::All));
        QCOMPARE(data->text().split(u'\n')[1], QStringLiteral("'=HYPERLINK(\"x\")\ta b\t-1.5 %"));
        QVERIFY2(data->html().contains(QStringLiteral("<td>'=HYPERLINK")),
                 qPrintable(data->html()));
    }

    void longTablesAreCopiedWhole()
    {
        constexpr int rows = 20'000;
        QStandardItemModel model(rows, 2);
        for (int row = 0; row < rows; ++row)
            model.setItem(row, 0, new QStandardItem(QString::number(row)));
        QTableView view;
        view.setModel(&model);
        copyRows(view, CopiedRows::All);
        QTRY_COMPARE(QApplication::clipboard()->text().count(u'\n'), rows + 1);
    }

    void messagesAreCopied()
    {
        window().panels().raise(QStringLiteral("messages"));
        QListView &list = window().view<MessagePanel>().list();
        QVERIFY(m_driver->settle());
        list.setFocus();
        QVERIFY(list.hasFocus());
        list.selectionModel()->setCurrentIndex(list.model()->index(0, 0),
                                               QItemSelectionModel::ClearAndSelect);
        QVERIFY(list.selectionModel()->hasSelection());
        QTest::keyClick(&list, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), m_driver->message() + '\n');
    }

    void aPictureOfTheGraphIsCopied()
    {
        window().page().canvas().setFocus();
        QSignalSpy noticed(&window().bench(), &Workbench::noticed);
        QTest::keyClick(&window().page().canvas(), Qt::Key_C,
                        Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(noticed.wait(20'000));
        const QMimeData *data = QApplication::clipboard()->mimeData();
        QVERIFY(data->hasImage());
        const auto image = data->imageData().value<QImage>();
        QVERIFY(image.width() > 100 && std::max(image.width(), image.height()) <= 4096);
        QVERIFY(QSvgRenderer(data->data(QStringLiteral("image/svg+xml"))).isValid());
    }

    void anEmptyViewHasNoPicture()
    {
        QVERIFY(window().exports().find(QStringLiteral("memory")));
        window().panels().raise(QStringLiteral("compare"));
        ComparePanel &panel = window().view<ComparePanel>();
        panel.setFocusPolicy(Qt::StrongFocus);
        panel.setFocus();
        QVERIFY(panel.hasFocus());
        window().actions().copyPicture->trigger();
        QVERIFY2(m_driver->message().contains(QStringLiteral("is empty")),
                 qPrintable(m_driver->message()));
    }

private:
    MainWindow &window() { return m_driver->window(); }
    const std::vector<OwnData> &ownData() { return window().bench().colours.ownData(); }
    static QUrl url(const std::filesystem::path &file)
    {
        return QUrl::fromLocalFile(QString::fromStdString(file.string()));
    }
    static QList<QUrl> urlsOf(const std::vector<std::filesystem::path> &files)
    {
        QList<QUrl> urls;
        for (const auto &file : files)
            urls << url(file);
        return urls;
    }
    QString table()
    {
        const Graph &graph = window().session().snapshot()->graph();
        return QStringLiteral("name,figure\n%1,3\n")
            .arg(QString::fromStdString(graph.node(graph.order().front()).name));
    }
    std::filesystem::path writeData(const std::string &name)
    {
        const auto file = m_driver->scratch(name);
        std::ofstream(file) << (window().session().snapshot() ? table().toStdString()
                                                              : std::string("name,x\na,1\n"));
        return file;
    }
    /// Drags over a widget, as the window system does; whether it, or a widget around it, looks.
    bool enter(QWidget &place, const QList<QUrl> &urls)
    {
        m_data.setUrls(urls);
        QDragEnterEvent event(place.rect().center(), Qt::CopyAction, &m_data, Qt::LeftButton, {});
        event.ignore();
        QApplication::sendEvent(&place, &event);
        return event.isAccepted();
    }
    bool move(QWidget &place, const QList<QUrl> &urls)
    {
        m_data.setUrls(urls);
        QDragMoveEvent event(place.rect().center(), Qt::CopyAction, &m_data, Qt::LeftButton, {});
        QApplication::sendEvent(&place, &event);
        return event.isAccepted();
    }
    bool drop(QWidget &place, const QList<QUrl> &urls)
    {
        m_data.setUrls(urls);
        QDropEvent event(place.rect().center(), Qt::CopyAction, &m_data, Qt::LeftButton, {});
        event.ignore();
        QApplication::sendEvent(&place, &event);
        return event.isAccepted();
    }
    /// Returns the text of the mark over a widget or a part of it.
    QString markOver(QWidget &widget)
    {
        for (const DropPlace *place : widget.findChildren<DropPlace *>())
            if (const QString text = place->shownText(); !text.isEmpty())
                return text;
        return {};
    }
    void paste()
    {
        window().page().canvas().setFocus();
        QTest::keyClick(&window().page().canvas(), Qt::Key_V, Qt::ControlModifier);
    }

    QMimeData m_data;
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(ExchangeTest)

} // namespace graphloom::test::exchange_test

#include "exchange_test.moc"
