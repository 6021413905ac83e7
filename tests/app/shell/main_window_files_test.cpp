// SPDX-License-Identifier: GPL-3.0-or-later
// How models come to the window, and what it writes.
#include "app/graph/canvas_page.h"
#include "app/status/message_panel.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/onnx_builder.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>

#include <fstream>

namespace graphloom::test::main_window_files_test {

using test::sample;
using test::WindowDriver;

class MainWindowFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<WindowDriver>(); }
    void cleanup() { m_driver.reset(); }

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
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Cannot open gone.onnx")));
    }

    void aRefusedFileIsSaidAndWhatIsOpenStays()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const SnapshotPointer before = window().session().snapshot();
        const auto path = m_driver->scratch("broken.onnx");
        std::ofstream(path) << "this is no model";
        QVERIFY(!m_driver->open(path));
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Cannot open broken.onnx: ")));
        QVERIFY(window().view<MessagePanel>().isVisible()); // raised above its neighbours
        QCOMPARE(window().session().snapshot(), before);
        QCOMPARE(window().page().canvas().drawing()->snapshot, before);
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("bert_tiny.onnx")));
        QVERIFY(window().actions().exportOnnx->isEnabled());
    }

    void aRefusedFirstFileLeavesTheFirstPage()
    {
        QVERIFY(!m_driver->open("/no/such/model.onnx"));
        QVERIFY(m_driver->message().startsWith(QStringLiteral("Cannot open model.onnx: ")));
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

    void exportsByTheMenu_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *file : {"x.onnx", "x.dot", "x.json", "x.html"})
            QTest::newRow(file) << QString::fromUtf8(file);
    }
    void exportsByTheMenu()
    {
        QFETCH(QString, file);
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const Actions &actions = window().actions();
        (file.endsWith(QLatin1String("onnx"))   ? actions.exportOnnx
         : file.endsWith(QLatin1String("dot"))  ? actions.exportDot
         : file.endsWith(QLatin1String("html")) ? actions.exportHtml
                                                : actions.exportReport)
            ->trigger();
        auto *dialog = window().findChild<QFileDialog *>();
        QVERIFY(dialog && dialog->acceptMode() == QFileDialog::AcceptSave);
        const auto path = m_driver->scratch(file.toStdString());
        dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))
            ->setText(QString::fromStdString(path.string()));
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        QVERIFY(QMetaObject::invokeMethod(dialog, "accept"));
        QVERIFY(said.wait(20'000));
        QCOMPARE(m_driver->message(), QStringLiteral("Wrote ") + file);
        QVERIFY(std::filesystem::file_size(path) > 200);
    }

    void anHtmlReportHasPicturesAndFigures()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier); // verify
        QVERIFY(m_driver->settle());
        const auto path = m_driver->scratch("report.html");
        window().bench().documents.exportTo(path);
        QVERIFY(window().bench().documents.isWriting());
        QVERIFY(m_driver->settle());
        QFile file(QString::fromStdString(path.string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        QVERIFY(page.startsWith(QStringLiteral("<!DOCTYPE html>")));
        for (const char *section : {"model", "graph", "memory", "verification", "environment"})
            QVERIFY2(
                page.contains(QStringLiteral("<section id=\"%1\"").arg(QLatin1String(section))),
                section);
        QVERIFY(page.count(QStringLiteral("<svg")) >= 2); // the graph and its memory
        QVERIFY(page.contains(QStringLiteral("1 check passed")));
    }

    void anUnverifiedReportHasNoChecks()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        const auto path = m_driver->scratch("report.html");
        window().bench().documents.exportTo(path);
        QVERIFY(m_driver->settle());
        QFile file(QString::fromStdString(path.string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        QVERIFY(page.contains(QStringLiteral("<section id=\"graph\"")));
        QVERIFY(!page.contains(QStringLiteral("check passed")));
    }

    void onnxIsExportedFlatIfAsked()
    {
        QVERIFY(m_driver->show(test::fusedSample("bert_tiny.onnx")));
        const auto functionsOf = [&](int form) {
            window().actions().exportOnnx->trigger();
            auto *dialog = window().findChild<QFileDialog *>();
            if (!dialog || dialog->nameFilters().size() != 2)
                return -1;
            auto *types = dialog->findChild<QComboBox *>(QStringLiteral("fileTypeCombo"));
            const int preset = types->currentIndex();
            types->setCurrentIndex(form);
            Q_EMIT types->activated(form);
            const auto path = m_driver->scratch("form" + std::to_string(form) + ".onnx");
            dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))
                ->setText(QString::fromStdString(path.string()));
            QMetaObject::invokeMethod(dialog, "accept");
            if (!m_driver->settle())
                return -2;
            onnx::ModelProto model;
            std::ifstream file(path, std::ios::binary);
            if (!model.ParseFromIstream(&file))
                return -3;
            QTest::qWait(0); // the dialog goes
            return preset == 0 || form == 1 ? model.functions_size() : -4;
        };
        QVERIFY(functionsOf(0) > 0);
        QCOMPARE(functionsOf(1), 0);
        window().actions().exportOnnx->trigger(); // the choice is kept
        auto *dialog = window().findChild<QFileDialog *>();
        QCOMPARE(dialog->selectedNameFilter(), dialog->nameFilters().at(1));
        dialog->close();
    }

    void anExportThatFailsIsSaid()
    {
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        window().bench().documents.exportTo(m_driver->scratch("no such folder") / "x.dot");
        QVERIFY(said.wait(20'000));
        QVERIFY2(m_driver->message().startsWith(QStringLiteral("Cannot write x.dot: ")),
                 qPrintable(m_driver->message()));
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
        QVERIFY2(m_driver->message().contains(QStringLiteral("cycle")),
                 qPrintable(m_driver->message()));
    }

    void theWindowClosesWhileAModelIsOpened()
    {
        window().bench().documents.open(sample("mobilevit_s_256.onnx"));
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
    QString status(const char *name)
    {
        return window().findChild<QLabel *>(QLatin1String(name))->text();
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

GRAPHLOOM_WINDOW_TESTS(MainWindowFilesTest)

} // namespace graphloom::test::main_window_files_test

#include "main_window_files_test.moc"
