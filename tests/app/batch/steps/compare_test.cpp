// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::compare_test {

using Json = nlohmann::ordered_json;

/// `graphloom --batch --compare` from outside.
class BatchCompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aModelWithItselfHasNoDifference()
    {
        const Json report = reportOf({"--compare", sampleFile("mobilenet_v2_224.onnx")});
        const Json &differences = report["differences"];
        QCOMPARE(differences["same_model"], Json(true));
        for (const char *kind : {"changed", "added", "removed"})
            QCOMPARE(differences[std::string("nodes_") + kind], Json(0));
        QVERIFY(differences["nodes"].empty() && differences["tensors"].empty());
        for (const Json &metric : differences["metrics"])
            QCOMPARE(metric["difference"].get<double>(), 0.0);
    }

    void whatAPassHasDoneIsTold()
    {
        const Json report =
            reportOf({"--passes", "dnnfusion", "--compare", sampleFile("mobilenet_v2_224.onnx"),
                      "--html", path("page.html")});
        const Json &differences = report["differences"];
        QVERIFY(differences["nodes_removed"].get<int>() + differences["nodes_changed"].get<int>() >
                0);
        bool kernels = false;
        for (const Json &metric : differences["metrics"])
            if (metric["metric"] == "kernels") {
                kernels = true;
                QVERIFY(metric["difference"].get<double>() < 0);
                QCOMPARE(metric["now"]["provenance"], Json("modelled"));
            }
        QVERIFY(kernels);
        QVERIFY(m_out.contains("compare "));
        const QByteArray page = contentOf(path("page.html"));
        QVERIFY(page.contains("id=\"differences\"") && page.contains("Nodes that differ"));
        QVERIFY(page.contains("id=\"provenance\""));
    }

    void theReportSaysWhereNodesComeFrom()
    {
        const Json report = reportOf({"--passes", "dnnfusion"});
        const Json &nodes = report["provenance"]["nodes"];
        QVERIFY(nodes.size() > 10);
        for (const auto &[name, originals] : nodes.items())
            QVERIFY2(!originals.empty(), name.c_str());
        for (const Json &gone : report["provenance"]["without_successor"])
            QVERIFY(!gone["reason"].get<std::string>().empty());
        QVERIFY(!report.contains("differences"));
    }

    void anExportIsRecognised()
    {
        const Outcome made = runProgram({"--batch", sampleFile("mobilenet_v2_224.onnx"), "--passes",
                                         "dnnfusion", "--export", path("fused.onnx")});
        QVERIFY2(made.code == 0, qPrintable(made.err));
        const Outcome outcome =
            runProgram({"--batch", path("fused.onnx"), "--compare",
                        sampleFile("mobilenet_v2_224.onnx"), "--report", path("report.json")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        const Json differences = readJson(path("report.json"))["differences"];
        QCOMPARE(differences["nodes_added"], Json(0)); // by the origins that the export tells
        QCOMPARE(differences["same_model"], Json(false));
    }

    void anotherModelIsMostlyDifferent()
    {
        const Json report = reportOf({"--compare", sampleFile("bert_tiny.onnx")});
        QVERIFY(report["differences"]["nodes_added"].get<int>() > 50);
        QVERIFY(!report["differences"]["tensors"].empty());
    }

    void aFileThatIsNoneIsRefused()
    {
        writeFile(path("none.onnx"), "not a model");
        const Outcome outcome =
            runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--compare", path("none.onnx")});
        QCOMPARE(outcome.code, 3);
        QVERIFY2(outcome.err.contains("--compare") && outcome.err.contains("none.onnx"),
                 qPrintable(outcome.err));
    }

    void theComparedFileIsNotOverwritten()
    {
        QVERIFY(QFile::copy(sampleFile("bert_tiny.onnx"), path("other.onnx")));
        const Outcome outcome = runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--compare",
                                            path("other.onnx"), "--export", path("other.onnx")});
        QCOMPARE(outcome.code, 2);
        QVERIFY(outcome.err.contains("would overwrite --compare"));
    }

    void theViewNeedsAFile()
    {
        const Outcome outcome = runProgram({sampleFile("bert_tiny.onnx"), "--view", "compare",
                                            "--screenshot", path("picture.png")});
        QCOMPARE(outcome.code, 2);
        QVERIFY(outcome.err.contains("--compare"));
    }

private:
    QString path(const QString &name) const { return m_folder.filePath(name); }
    Json reportOf(QStringList arguments)
    {
        arguments = QStringList{"--batch", sampleFile("mobilenet_v2_224.onnx"), "--report",
                                path("report.json")} +
                    arguments;
        const Outcome outcome = runProgram(arguments);
        if (outcome.code != 0)
            qFatal("%s", qPrintable(outcome.err));
        m_out = outcome.out;
        return readJson(path("report.json"));
    }

    QTemporaryDir m_folder;
    QString m_out;
};

GRAPHLOOM_TESTS(BatchCompareTest)

} // namespace graphloom::test::compare_test

#include "compare_test.moc"
