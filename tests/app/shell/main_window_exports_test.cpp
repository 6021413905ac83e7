// SPDX-License-Identifier: GPL-3.0-or-later
// What views are written to files, as a person does it.
#include "app/export/export_dialog.h"
#include "app/memory/memory_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/pareto/pareto_view.h"
#include "app/runs/pass_panel.h"
#include "app/shell/panel_docks.h"
#include "app/shell/view_exports.h"
#include "tests/support/app/made_memory.h"
#include "tests/support/app/program.h"
#include "tests/support/app/window_driver.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSvgRenderer>
#include <QTableView>

#include <nlohmann/json.hpp>

namespace graphloom::test::main_window_exports_test {

using test::contentOf;
using test::sample;
using test::WindowDriver;

class MainWindowExportsTest : public QObject {
    Q_OBJECT

private:
    MainWindow &window() { return m_driver->window(); }
    ExportDialog *dialog() { return window().findChild<ExportDialog *>(); }
    template <class Widget> Widget &part(const char *name)
    {
        return *dialog()->findChild<Widget *>(QLatin1String(name));
    }
    void choose(const char *box, const QString &data)
    {
        auto &combo = part<QComboBox>(box);
        combo.setCurrentIndex(combo.findData(data));
    }
    QString file(const std::string &name)
    {
        return QString::fromStdString(m_driver->scratch(name).string());
    }
    /// Types a path and presses Enter; whether it was written.
    bool writeTo(const QString &path)
    {
        part<QLineEdit>("exportPath").setText(path);
        QTest::keyClick(&part<QLineEdit>("exportPath"), Qt::Key_Return);
        return QTest::qWaitFor([&] { return !dialog(); }, 20'000);
    }

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(std::vector<PassPlugin>{
            {{},
             std::make_shared<test::ScriptedPass>([](Plan plan, const Context &) {
                 plan.memory = test::madeMemory(plan.graph);
                 return Result<Plan>(std::move(plan));
             }),
             {}}});
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<PassPanel>().choose("scripted"));
    }
    void cleanup() { m_driver.reset(); }

    void everyViewIsWritten_data()
    {
        QTest::addColumn<QString>("view");
        for (const char *view :
             {"graph",   "nodes",    "hierarchy", "properties", "partition", "fusion",  "fissions",
              "compare", "figures",  "origins",   "rewriting",  "rules",     "kernels", "roofline",
              "tuning",  "trials",   "memory",    "tensors",    "steps",     "pareto",  "runs",
              "search",  "rejected", "messages",  "timeline"})
            QTest::newRow(view) << QString::fromLatin1(view);
    }
    void everyViewIsWritten()
    {
        QFETCH(QString, view);
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        const ViewExport *of = window().exports().find(view);
        QVERIFY(of && of->table);
        int rows = 0;
        for (const char *format : {"csv", "json"}) {
            rows = of->table().rowCount(); // before what is written adds to the messages
            window().actions().exportTable->trigger();
            choose("exportView", view);
            choose("exportFormat", QLatin1String(format));
            QVERIFY(writeTo(file(std::string("t.") + format)));
        }
        const auto json = test::readJson(file("t.json"));
        const TableSource source = of->table();
        QCOMPARE(json.size(), std::size_t(rows));
        for (const auto &row : json)
            QCOMPARE(row.size(), std::size_t(source.keys.size()));
        QVERIFY(contentOf(file("t.csv")).startsWith(source.keys.join(u',').toUtf8() + "\r\n"));
        if (!of->picture || !of->picture())
            return;
        for (const char *format : {"svg", "png"}) {
            window().actions().exportPicture->trigger();
            choose("exportView", view);
            choose("exportFormat", QLatin1String(format));
            QVERIFY(writeTo(file(std::string("p.") + format)));
        }
        const QByteArray svg = contentOf(file("p.svg"));
        QVERIFY(QSvgRenderer(svg).isValid());
        QVERIFY(svg.contains(">mobilenet_v2_224.onnx</text>"));
        QVERIFY(!QImage(file("p.png")).isNull());
    }

    void whatHasAPicture_data()
    {
        QTest::addColumn<QString>("view");
        for (const char *view : {"graph", "memory", "pareto"})
            QTest::newRow(view) << QString::fromLatin1(view);
    }
    void whatHasAPicture()
    {
        QFETCH(QString, view);
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        QVERIFY(window().exports().find(view)->picture());
    }

    void theFocusSaysWhichView()
    {
        window().panels().dock(QStringLiteral("nodes")).raise();
        QTest::mouseClick(window().view<NodeListPanel>().table().viewport(), Qt::LeftButton, {},
                          {30, 30});
        QTest::keyClick(&window().view<NodeListPanel>().table(), Qt::Key_V,
                        Qt::ControlModifier | Qt::AltModifier);
        QTRY_VERIFY(dialog());
        QCOMPARE(part<QComboBox>("exportView").currentData().toString(), QStringLiteral("nodes"));
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QTRY_VERIFY(!dialog());
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        // It is no picture: the graph is proposed.
        QTest::keyClick(&window().view<NodeListPanel>().table(), Qt::Key_E,
                        Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(dialog());
        QCOMPARE(part<QComboBox>("exportView").currentData().toString(), QStringLiteral("graph"));
    }

    void aChartHasAMenu()
    {
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        ParetoView &view = window().view<ParetoPanel>().view();
        QCOMPARE(view.contextMenuPolicy(), Qt::ActionsContextMenu);
        QVERIFY(view.actions().contains(window().actions().exportPicture));
        QVERIFY(view.actions().contains(window().actions().exportTable));
    }

    void theFilterOfTheViewIsRespected()
    {
        window().panels().dock(QStringLiteral("nodes")).raise();
        window().view<NodeListPanel>().filterEdit().setFocus();
        QTest::keyClicks(&window().view<NodeListPanel>().filterEdit(), QStringLiteral("op:Conv"));
        window().actions().exportTable->trigger();
        choose("exportView", QStringLiteral("nodes"));
        choose("exportFormat", QStringLiteral("json"));
        QVERIFY(writeTo(file("conv.json")));
        const auto json = test::readJson(file("conv.json"));
        QCOMPARE(json.size(), std::size_t(52));
        QCOMPARE(json[0]["operator"].get<std::string>(), std::string("Conv"));
        QVERIFY(json[0]["macs"].is_number_integer());
    }

    void tablesBehindOtherTabsAreComplete()
    {
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        window().view<MemoryPanel>().showTab(MemoryPanel::Tab::Chart);
        QCOMPARE(window().exports().find(QStringLiteral("tensors"))->table().rowCount(), 4);
        QCOMPARE(window().exports().find(QStringLiteral("steps"))->table().rowCount(), 5);
    }

    void theFolderAndTheLookAreRemembered()
    {
        window().actions().exportPicture->trigger();
        choose("exportFormat", QStringLiteral("png"));
        choose("exportTheme", QStringLiteral("light"));
        QVERIFY(writeTo(file("first.png")));
        QCOMPARE(m_driver->message(), QStringLiteral("Wrote first.png"));
        const auto theme = loadTheme(QStringLiteral("light"));
        QCOMPARE(QImage(file("first.png")).pixelColor(1, 1), theme->canvas.background);
        m_driver->restart();
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        window().actions().exportPicture->trigger();
        QCOMPARE(part<QLineEdit>("exportPath").text(), file("bert_tiny-graph.png"));
        QCOMPARE(part<QComboBox>("exportTheme").currentData().toString(), QStringLiteral("light"));
    }

    void whatIsThereAlreadyIsSaid()
    {
        test::writeFile(file("there.svg"), "x");
        window().actions().exportPicture->trigger();
        part<QLineEdit>("exportPath").setText(file("there.svg"));
        QVERIFY(part<QLabel>("exportNote").text().contains(QStringLiteral("will be overwritten")));
    }

    void aFolderThatCannotBeWrittenIsSaid()
    {
        window().actions().exportPicture->trigger();
        const QString path = file("no such folder/x.svg");
        part<QLineEdit>("exportPath").setText(path);
        QTest::mouseClick(&part<QPushButton>("exportButton"), Qt::LeftButton);
        QTRY_VERIFY(!part<QLabel>("exportNote").text().isEmpty());
        QVERIFY2(part<QLabel>("exportNote").text().contains(QStringLiteral("cannot write here")),
                 qPrintable(part<QLabel>("exportNote").text()));
        QVERIFY(part<QPushButton>("exportButton").isEnabled()); // for another place
    }

    void itIsCancelled()
    {
        ViewExporter exporter;
        bool cancelled = false;
        connect(&exporter, &ViewExporter::cancelled, this, [&] { cancelled = true; });
        for (const ExportFormat format : {ExportFormat::Csv, ExportFormat::Svg}) {
            cancelled = false;
            exporter.start(
                *window().exports().find(QStringLiteral("graph")),
                {QStringLiteral("graph"), format, file("c"), {.theme = window().theme()}});
            exporter.cancel();
            QTRY_VERIFY(cancelled);
            QVERIFY(!exporter.isRunning());
            QVERIFY(!QFile::exists(file("c")));
        }
    }

    void whatChangesMeanwhileIsTakenAnew()
    {
        MessageModel &messages = window().session().messages();
        messages.clear();
        for (int i = 0; i < 400; ++i)
            messages.add(MessageModel::Severity::Info, QString::number(i));
        ViewExporter exporter;
        bool written = false;
        connect(&exporter, &ViewExporter::written, this, [&] { written = true; });
        exporter.start(*window().exports().find(QStringLiteral("messages")),
                       {QStringLiteral("messages"), ExportFormat::Json, file("m.json"), {}});
        messages.add(MessageModel::Severity::Info, QStringLiteral("new"));
        QTRY_VERIFY(written);
        const auto json = test::readJson(file("m.json"));
        QCOMPARE(json.size(), std::size_t(401));
        QCOMPARE(json[0]["message"].get<std::string>(), std::string("new"));
        QCOMPARE(json[400]["message"].get<std::string>(), std::string("0"));
    }

    void withoutAModelThereIsNothingToExport()
    {
        window().bench().documents.close();
        QVERIFY(m_driver->settle());
        QVERIFY(!window().actions().exportPicture->isEnabled());
        QVERIFY(!window().actions().exportTable->isEnabled());
    }

private:
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowExportsTest)

} // namespace graphloom::test::main_window_exports_test

#include "main_window_exports_test.moc"
