// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_file.h"
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::program_outputs_test {

using Json = nlohmann::ordered_json;

/// Which files `graphloom --batch` leaves, when all is well and when not.
class ProgramOutputsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void allOfThem();
    void failedGatesWithholdProducts();
    void plansAreSavedAsASession();
    void picturesAreNotOfTheUsersMeasurements();
    void profilesOfPicturesMustBeThere();
    void failedTestDataWithholdsProducts();
    void errorsSayWhatWasNotWritten();
    void unreadableModelIsAFinding();
    void interpretedBlocksAreFindings();
    void fullDisk_data();
    void fullDisk();
    void standardOutput();
    void outputsThatWouldOverwriteStayAsTheyAre();
    void htmlNeedsNoDisplay();
    void nothingTemporaryIsLeft();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }
    QStringList files() const
    {
        return QDir(m_folder->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    QStringList tiny() const
    {
        return {"--batch", path("m.onnx"), "--batch-size", "2", "--passes", "dnnfusion"};
    }
    Json run(const QString &sarif) const { return readJson(path(sarif))["runs"][0]; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void ProgramOutputsTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    writeTinyModel(path("m.onnx").toStdString());
}

void ProgramOutputsTest::allOfThem()
{
    const Outcome outcome =
        runProgram(tiny() + QStringList{"--export", path("o.onnx"), "--emit-kernels", path("k"),
                                        "--report", path("r.json"), "--html", path("r.html"),
                                        "--junit", path("j.xml"), "--sarif", path("s.sarif"),
                                        "--verify", "--assert", "fusion.layers_after >= 1"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QCOMPARE(files(),
             (QStringList{"j.xml", "k", "m.onnx", "o.onnx", "r.html", "r.json", "s.sarif"}));
    QVERIFY(QFile::exists(path("k/graphloom_kernels.h")));
    const QByteArray junit = contentOf(path("j.xml"));
    for (const char *text :
         {"classname=\"graphloom.pass\" name=\"dnnfusion\"", "name=\"original and result agree\"",
          "name=\"fusion.layers_after &gt;= 1\"", "classname=\"graphloom.output\" name=\"export\"",
          "name=\"environment.cpu\"", "name=\"graphloom.version\"",
          "failures=\"0\" errors=\"0\" skipped=\"0\"", "<system-out>model "})
        QVERIFY2(junit.contains(text), text);
    const QByteArray hash =
        QByteArray::fromStdString(readJson(path("r.json"))["model"]["hash"].get<std::string>());
    QVERIFY(junit.contains("<property name=\"model.hash\" value=\"" + hash + "\"/>"));
    QCOMPARE(run("s.sarif")["results"].size(), std::size_t(0));
    QCOMPARE(run("s.sarif")["properties"]["model"]["hash"],
             readJson(path("r.json"))["model"]["hash"]);
    const QByteArray html = contentOf(path("r.html"));
    QVERIFY(html.contains("Graph by fusion block") && html.endsWith("</html>\n"));
}

void ProgramOutputsTest::plansAreSavedAsASession()
{
    const Outcome outcome = runProgram(tiny() + QStringList{"--save", path("s.gloom")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    const auto session =
        graphloom::loadSession(path("s.gloom").toStdString(), path("extracted").toStdString());
    QVERIFY2(session, session ? "" : session.error().text().c_str());
    QVERIFY(session->states.size() > 1); // the model, and a plan for each pass
    QCOMPARE(session->states.size(), session->runs.size() + 1);
    QCOMPARE(session->current, session->states.size() - 1);
    QVERIFY(!session->states.front().plan->fusion && session->states.back().plan->fusion);
    QCOMPARE(session->runs.back().result, session->states.back().plan);
    QCOMPARE(session->view.at("model"), path("m.onnx").toStdString());
}

/// What this user has measured, or has in place of a database, shows in no picture.
void ProgramOutputsTest::picturesAreNotOfTheUsersMeasurements()
{
    QVERIFY(QDir(m_folder->path()).mkpath("data/graphloom"));
    writeFile(path("data/graphloom/profile.db"), "this is no database");
    const Outcome outcome = runProgram(
        {sampleFile("bert_tiny.onnx"), "--screenshot", path("blocks.png"), "--view", "blocks"},
        {"XDG_DATA_HOME=" + path("data")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY2(!outcome.err.contains("profile.db"), qPrintable(outcome.err));
    QVERIFY(QFile::exists(path("blocks.png")));
}

void ProgramOutputsTest::profilesOfPicturesMustBeThere()
{
    const Outcome outcome =
        runProgram({sampleFile("bert_tiny.onnx"), "--screenshot", path("blocks.png"), "--view",
                    "blocks", "--profile-db", path("nowhere.db")});
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains("profile database not found"), qPrintable(outcome.err));
}

void ProgramOutputsTest::failedGatesWithholdProducts()
{
    const Outcome outcome = runProgram(
        tiny() + QStringList{"--export", path("o.onnx"), "--emit-kernels", path("k"), "--report",
                             path("r.json"), "--html", path("r.html"), "--junit", path("j.xml"),
                             "--sarif", path("s.sarif"), "--assert", "fusion.layers_after < 1"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains("not written: --export " + path("o.onnx") + ", --emit-kernels"),
             qPrintable(outcome.err));
    QCOMPARE(files(), (QStringList{"j.xml", "m.onnx", "r.html", "r.json", "s.sarif"}));
    QVERIFY(
        contentOf(path("j.xml"))
            .contains(
                "<skipped message=\"not written: an assertion or baseline comparison failed\"/>"));
    QVERIFY(contentOf(path("r.html")).contains("Not written because a check failed"));
    QStringList rules;
    const Json found = run("s.sarif");
    for (const Json &result : found["results"])
        rules << QString::fromStdString(result["ruleId"]);
    QCOMPARE(rules, (QStringList{"GL3004", "GL4001", "GL4001"}));
}

void ProgramOutputsTest::failedTestDataWithholdsProducts()
{
    QDir().mkpath(path("t"));
    writeTensor(path("t/input_0.pb").toStdString(), {2, 4}, {-3, -2, -1, 0, 1, 2, 3, 4});
    writeTensor(path("t/output_0.pb").toStdString(), {2, 4}, {0, 0, 0, 1, 2, 3, 4, 6});
    const Outcome outcome =
        runProgram(tiny() + QStringList{"--export", path("o.onnx"), "--test-data", path("t"),
                                        "--sarif", path("s.sarif")});
    QCOMPARE(outcome.code, 1);
    QVERIFY(outcome.err.contains("test data failed: nothing is exported"));
    QVERIFY(!QFile::exists(path("o.onnx")));
    QCOMPARE(run("s.sarif")["results"][0]["ruleId"], Json("GL3003"));
}

void ProgramOutputsTest::errorsSayWhatWasNotWritten()
{
    const Outcome outcome = runProgram(
        tiny() + QStringList{"--target", "host", "--export", path("o.onnx"), "--report",
                             path("r.json"), "--junit", path("j.xml"), "--sarif", path("s.sarif")},
        withoutCompilers());
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains("not written: --export " + path("o.onnx") + ", --report"),
             qPrintable(outcome.err));
    QCOMPARE(files(), (QStringList{"j.xml", "m.onnx", "s.sarif"}));
    QVERIFY(contentOf(path("j.xml")).contains("errors=\"1\" skipped=\"2\""));
    QVERIFY(contentOf(path("j.xml")).contains("<property name=\"model.hash\""));
    const Json invocation = run("s.sarif")["invocations"][0];
    QCOMPARE(invocation["executionSuccessful"], Json(false));
    QCOMPARE(invocation["exitCode"], Json(4));
    QVERIFY(invocation["toolExecutionNotifications"][0]["message"]["text"].get<std::string>().find(
                "compiler") != std::string::npos);
}

void ProgramOutputsTest::unreadableModelIsAFinding()
{
    writeFile(path("b.onnx"), contentOf(path("m.onnx")).chopped(1));
    const Outcome outcome = runProgram(
        {"--batch", path("b.onnx"), "--sarif", path("s.sarif"), "--html", path("r.html")});
    QCOMPARE(outcome.code, 3);
    const Json result = run("s.sarif")["results"][0];
    QCOMPARE(result["ruleId"], Json("GL1001"));
    const Json place = result["locations"][0]["physicalLocation"];
    QVERIFY(place["artifactLocation"]["uri"].get<std::string>().ends_with("/b.onnx"));
    QVERIFY(place["region"]["byteOffset"].is_number_unsigned());
    QVERIFY(!QFile::exists(path("r.html")));
}

void ProgramOutputsTest::interpretedBlocksAreFindings()
{
    const QString model = "/usr/share/libonnx-testdata/data/node/test_nonzero_example/model.onnx";
    if (!QFile::exists(model))
        QSKIP("ONNX's backend tests need libonnx-testdata");
    const Outcome outcome = runProgram({"--batch", model, "--passes", "dnnfusion", "--target",
                                        "host", "--sarif", path("s.sarif")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    std::map<std::string, Json> results;
    const Json found = run("s.sarif");
    for (const Json &result : found["results"])
        results[result["ruleId"]] = result;
    QVERIFY(results.contains("GL2001")); // a barrier
    QVERIFY(results.contains("GL2002")); // no kernel
    QCOMPARE(results["GL2001"]["level"], Json("note"));
    QVERIFY(results["GL2002"]["message"]["text"].get<std::string>().find("interpreted") !=
            std::string::npos);
}

void ProgramOutputsTest::fullDisk_data()
{
    QTest::addColumn<QString>("option");
    for (const char *option : {"--report", "--html", "--junit", "--sarif"})
        QTest::newRow(option) << QString(option);
}

void ProgramOutputsTest::fullDisk()
{
    QFETCH(QString, option);
    const Outcome outcome = runProgram(tiny() + QStringList{option, "/dev/full"});
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains("/dev/full: writing failed: No space left on device"),
             qPrintable(outcome.err));
    const QFileInfo device("/dev/full");
    QVERIFY(device.exists() && !device.isFile()); // no file has taken its place
}

void ProgramOutputsTest::standardOutput()
{
    const Outcome outcome = runProgram(tiny() + QStringList{"--report", "/dev/stdout"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    const auto start = outcome.out.indexOf("{\n"), end = outcome.out.lastIndexOf("}\n");
    const Json report =
        Json::parse(outcome.out.mid(start, end - start + 1).toStdString(), nullptr, false);
    QCOMPARE(report["schema"], Json(1));
    // A model is no stream, since it is put in place when it was verified.
    QCOMPARE(runProgram(tiny() + QStringList{"--export", "/dev/stdout"}).code, 2);
}

void ProgramOutputsTest::outputsThatWouldOverwriteStayAsTheyAre()
{
    const QByteArray model = contentOf(path("m.onnx"));
    for (const char *option : {"--report", "--html", "--junit", "--sarif", "--trace", "--export"}) {
        const Outcome outcome = runProgram(tiny() + QStringList{option, path("m.onnx")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains("would overwrite the model"), qPrintable(outcome.err));
        QCOMPARE(contentOf(path("m.onnx")), model);
    }
    QCOMPARE(runProgram(tiny() + QStringList{"--junit", path("x"), "--sarif", path("x")}).code, 2);
    QCOMPARE(runProgram(tiny() + QStringList{"--sarif", path("none/x")}).code, 4);
    // A place of another output that is refused is told of as any error.
    QCOMPARE(
        runProgram(tiny() + QStringList{"--report", path("none/x"), "--junit", path("j.xml")}).code,
        4);
    QVERIFY(contentOf(path("j.xml")).contains("its folder does not exist"));
    QCOMPARE(runProgram(tiny() + QStringList{"--emit-kernels", path("m.onnx/k")}).code, 2);
}

void ProgramOutputsTest::htmlNeedsNoDisplay()
{
    const Outcome outcome = runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--passes", "ago",
                                        "--html", path("r.html"), "--progress", "none"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY2(outcome.err.isEmpty(), qPrintable(outcome.err));
    const QByteArray html = contentOf(path("r.html"));
    QVERIFY(html.contains("Graph by subgraph"));
    // Graph in blocks and in subgraphs, subgraphs by weight, memory over the steps, and the search
    // where it has found something better on its way.
    QVERIFY(html.count("<figure>") >= 4);
    for (const char *text : {"Subgraphs by weight", "Memory by step", ">peak "})
        QVERIFY2(html.contains(text), text);
    QCOMPARE(html.count("<svg role=\"img\""), html.count("<figure>"));
    QCOMPARE(html.count("<desc>"), html.count("<figure>"));
    QVERIFY(html.contains("LayerNorm") || html.contains("MatMul</text>"));
    // XML's namespaces are names, not addresses of anything that is loaded.
    QByteArray rest = html;
    rest.replace("http://www.w3.org/", "");
    QVERIFY(!rest.contains("http:") && !rest.contains("https:") && !rest.contains("<script"));
}

void ProgramOutputsTest::nothingTemporaryIsLeft()
{
    QCOMPARE(runProgram(tiny() + QStringList{"--export", path("o.onnx"), "--assert", "1 > 2"}).code,
             1);
    QCOMPARE(files(), QStringList{"m.onnx"});
}

GRAPHLOOM_TESTS(ProgramOutputsTest)

} // namespace graphloom::test::program_outputs_test

#include "program_outputs_test.moc"
