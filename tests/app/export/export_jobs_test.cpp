// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/export_jobs.h"

#include "app/graph/graphviz_layout.h"
#include "app/layout/dot_file.h"
#include "engine/base/steps.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "tests/support/app/window_driver.h"

#include <QStandardPaths>

#include <fstream>
#include <nlohmann/json.hpp>

namespace graphloom::test::export_jobs_test {

class ExportJobsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
        m_drawing = draw(m_snapshot, {}, {});
        QVERIFY(m_drawing);
    }

    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void dotIsReadBackAsTheSameGraph()
    {
        QVERIFY(write("graph.gv"));
        const auto model = layout::readDot(place("graph.gv"));
        QVERIFY(model);
        QCOMPARE(model->graph.nodeCount(), m_drawing->graph.nodes.size());
        std::size_t edges = 0, convolutions = 0;
        for (const NodeId id : model->graph.order()) {
            edges += model->graph.node(id).inputs.size();
            convolutions += model->graph.node(id).op == "Conv";
        }
        QCOMPARE(edges, m_drawing->graph.edges.size());
        QCOMPARE(convolutions, std::size_t(52));
    }

    void onnxIsReadBackWithItsPartition()
    {
        QVERIFY(write("plan.onnx"));
        auto model = importOnnx(place("plan.onnx"), {});
        QVERIFY(model);
        const auto plan = importPlan(std::make_shared<const Model>(*std::move(model)));
        QVERIFY(plan && plan->partition);
        QCOMPARE(plan->partition->subgraphs.size(), m_snapshot->plan->partition->subgraphs.size());
    }

    void theReportIsThatOfTheBatch()
    {
        QVERIFY(write("report.json"));
        std::ifstream file(place("report.json"));
        const auto report = nlohmann::json::parse(file);
        QCOMPARE(report["schema"].get<int>(), 1);
        QCOMPARE(report["partition"]["subgraphs"].get<std::size_t>(),
                 m_snapshot->partition->rows.size());
        QCOMPARE(report["passes"][0]["name"].get<std::string>(), std::string("ago"));
        QVERIFY(!report["environment"]["cpu"].get<std::string>().empty());
    }

    void aReportMayTellOfAnyBytes()
    {
        Plan plan = *m_snapshot->plan;
        plan.history[0].summary.push_back({"told", std::string("of \xff")});
        QVERIFY(exportReport(plan, place("report.json")));
        std::ifstream file(place("report.json"));
        QVERIFY(nlohmann::json::accept(file));
    }

    void anotherExtensionIsRefused()
    {
        const auto written = exportFile(*m_snapshot->plan, *m_drawing, place("picture.bmp"));
        QVERIFY(!written);
        QCOMPARE(written.error().kind, Error::Kind::Usage);
        QVERIFY(!std::filesystem::exists(place("picture.bmp")));
    }

    void aPlaceThatCannotBeWrittenIsSaid_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"x.dot", "x.json", "x.onnx"})
            QTest::newRow(name) << QString::fromUtf8(name);
    }
    void aPlaceThatCannotBeWrittenIsSaid()
    {
        QFETCH(QString, name);
        const auto path = place("no such folder") / name.toStdString();
        const auto written = exportFile(*m_snapshot->plan, *m_drawing, path);
        QVERIFY(!written);
        QCOMPARE(written.error().kind, Error::Kind::Missing);
        QVERIFY(written.error().text().find("x.") != std::string::npos);
    }

    void whatIsStoppedLeavesThePlaceAsItWas()
    {
        std::stop_source stop;
        stop.request_stop();
        for (const char *name : {"a.dot", "a.json", "a.onnx"}) {
            std::ofstream(place(name)) << "as it was";
            const auto written =
                exportFile(*m_snapshot->plan, *m_drawing, place(name), {.stop = stop.get_token()});
            QVERIFY2(!written && isStopped(written.error()), name);
            std::ifstream file(place(name));
            std::string content;
            std::getline(file, content);
            QCOMPARE(content, std::string("as it was"));
        }
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden).size(), 3);
    }

    void nothingElseIsLeftInTheFolder()
    {
        for (const char *name : {"a.dot", "a.json", "a.onnx"})
            QVERIFY(write(name));
        QCOMPARE(QDir(m_folder->path())
                     .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList({QStringLiteral("a.dot"), QStringLiteral("a.json"),
                              QStringLiteral("a.onnx")}));
    }

    void graphvizDrawsASmallView()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty())
            QSKIP("needs the program dot of Graphviz");
        const auto drawing = drawByGraphviz(m_snapshot, {}, {});
        QVERIFY2(drawing, drawing ? "" : drawing.error().message.c_str());
        QCOMPARE((*drawing)->nodes.size(), m_drawing->nodes.size());
        for (const auto &edge : (*drawing)->graph.edges)
            QVERIFY((*drawing)->nodes[edge.source].bottom() <=
                    (*drawing)->nodes[edge.target].top() + 1);
        for (std::size_t v = 0; v < m_drawing->nodes.size(); ++v)
            QVERIFY((*drawing)->bounds.contains((*drawing)->nodes[v]));
    }

    void graphvizIsStopped()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty())
            QSKIP("needs the program dot of Graphviz");
        std::stop_source stop;
        stop.request_stop();
        const auto drawing = drawByGraphviz(m_snapshot, {}, stop.get_token());
        QVERIFY(drawing && !*drawing);
    }

    void graphvizIsNotAskedForTooMuch()
    {
        const SnapshotPointer large = test::snapshotOfSample("mobilevit_s_256.onnx");
        QVERIFY(large && large->graph().nodeCount() > mostGraphvizNodes);
        const auto drawing = drawByGraphviz(large, {}, {});
        QVERIFY(!drawing);
        QCOMPARE(drawing.error().kind, Error::Kind::Usage);
    }

private:
    std::filesystem::path place(const char *name) const
    {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    bool write(const char *name)
    {
        return bool(exportFile(*m_snapshot->plan, *m_drawing, place(name)));
    }

    SnapshotPointer m_snapshot;
    DrawingPointer m_drawing;
    std::unique_ptr<QTemporaryDir> m_folder;
};

GRAPHLOOM_WINDOW_TESTS(ExportJobsTest)

} // namespace graphloom::test::export_jobs_test

#include "export_jobs_test.moc"
