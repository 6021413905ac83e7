// SPDX-License-Identifier: Apache-2.0
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::program_ci_test {

using Json = nlohmann::ordered_json;

/// What a CI system does with the program: compare with an earlier report, configure it by a file,
/// look what it would do.
class ProgramCiTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theSameFiguresPass();
    void aRegressionOfFivePercentFails_data();
    void aRegressionOfFivePercentFails();
    void aRegressionThatIsToleratedPasses();
    void tolerancesThatAreNoneAreRefused();
    void otherProvenanceIsAnError();
    void comparisonIsATableAndEvents();
    void configurationFile();
    void dryRunWritesNothing();
    void dryRunRefuses_data();
    void dryRunRefuses();

private:
    QString path(const QString &name) const { return m_folder.filePath(name); }
    QStringList work() const
    {
        return {"--batch",  sampleFile("bert_tiny.onnx"), "--passes", "dnnfusion,ago", "--device",
                "phone-cpu"}; // not measured: the same everywhere
    }
    /// The report with one figure better by so much: what is found now is worse than that.
    QString baselineWith(const std::string &pointer, double factor) const
    {
        Json report = readJson(path("old.json"));
        Json &figure = report[Json::json_pointer(pointer)];
        figure = figure.get<double>() * factor;
        writeFile(path("seeded.json"), QByteArray::fromStdString(report.dump()));
        return path("seeded.json");
    }

    QTemporaryDir m_folder;
};

void ProgramCiTest::initTestCase()
{
    const Outcome outcome = runProgram(work() + QStringList{"--report", path("old.json")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
}

void ProgramCiTest::theSameFiguresPass()
{
    const Outcome outcome =
        runProgram(work() + QStringList{"--baseline", path("old.json"), "--junit", path("j.xml")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    QVERIFY(outcome.out.contains("15 same") && !outcome.out.contains("FAILED"));
    QCOMPARE(contentOf(path("j.xml")).count("classname=\"graphloom.baseline\""), 15);
}

void ProgramCiTest::aRegressionOfFivePercentFails_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<double>("factor");
    QTest::addColumn<QString>("metric");
    QTest::newRow("bytes") << "/fusion/irs_bytes_after" << 1 / 1.05 << "fusion.irs_bytes_after";
    QTest::newRow("operations") << "/rewrite/flops_after" << 1 / 1.05 << "rewrite.flops_after";
    QTest::newRow("modelled time") << "/fusion/modelled_ms" << 1 / 1.05 << "fusion.modelled_ms";
    QTest::newRow("evenness") << "/partition/jain" << 1.05 << "partition.jain";
}

void ProgramCiTest::aRegressionOfFivePercentFails()
{
    QFETCH(QString, pointer);
    QFETCH(double, factor);
    QFETCH(QString, metric);
    const Outcome worse =
        runProgram(work() + QStringList{"--baseline", baselineWith(pointer.toStdString(), factor),
                                        "--junit", path("j.xml"), "--sarif", path("s.sarif")});
    QCOMPARE(worse.code, 1);
    QVERIFY2(worse.out.contains("FAILED: " + metric), qPrintable(worse.out));
    QVERIFY(contentOf(path("j.xml")).contains("failures=\"1\" errors=\"0\""));
    const Json results = readJson(path("s.sarif"))["runs"][0]["results"];
    QCOMPARE(results.size(), std::size_t(1));
    QCOMPARE(results[0]["ruleId"], Json("GL3005"));
}

void ProgramCiTest::aRegressionThatIsToleratedPasses()
{
    const QStringList arguments =
        work() + QStringList{"--baseline", baselineWith("/partition/jain", 1.05), "--tolerance"};
    QCOMPARE(runProgram(arguments + QStringList{"partition.jain=6%"}).code, 0);
    QCOMPARE(runProgram(arguments + QStringList{"partition.jain=4%"}).code, 1);
    QCOMPARE(runProgram(arguments + QStringList{"memory.*=50%"}).code, 1); // something else
}

void ProgramCiTest::tolerancesThatAreNoneAreRefused()
{
    for (const char *tolerance : {"fusion.layers=5%", "fusion.layers_after=much"}) {
        const Outcome outcome = runProgram(
            work() + QStringList{"--baseline", path("old.json"), "--tolerance", tolerance});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains("--tolerance"), qPrintable(outcome.err));
    }
}

void ProgramCiTest::otherProvenanceIsAnError()
{
    Json report = readJson(path("old.json"));
    report["fusion"]["device"] = "some other phone";
    writeFile(path("other.json"), QByteArray::fromStdString(report.dump()));
    const Outcome outcome = runProgram(
        work() + QStringList{"--baseline", path("other.json"), "--junit", path("j.xml")});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.out.contains("not comparable, because device is"), qPrintable(outcome.out));
    QVERIFY(contentOf(path("j.xml")).contains("<error message="));
    QVERIFY(contentOf(path("j.xml")).contains("failures=\"0\" errors=\"8\""));
}

void ProgramCiTest::comparisonIsATableAndEvents()
{
    const Outcome outcome =
        runProgram(work() + QStringList{"--baseline", baselineWith("/fusion/modelled_ms", 2),
                                        "--report", path("new.json"), "--progress", "json"});
    QCOMPARE(outcome.code, 0);
    QVERIFY(outcome.out.contains("| metric ") && outcome.out.contains("| better "));
    QCOMPARE(readJson(path("new.json"))["comparison"].size(), std::size_t(15));
    int gates = 0;
    for (const QString &line : outcome.err.split('\n', Qt::SkipEmptyParts)) {
        const Json event = Json::parse(line.toStdString(), nullptr, false);
        QVERIFY2(event.is_object(), qPrintable(line));
        gates += event["event"] == "gate" && event["passed"] == true;
    }
    QCOMPARE(gates, 15);
}

void ProgramCiTest::configurationFile()
{
    writeFile(path("ci.json"),
              "{\n  // for the test\n  \"model\": \"" + sampleFile("bert_tiny.onnx").toUtf8() +
                  "\",\n  \"passes\": [\"ago\"],\n  \"set\": {\"ago.threshold\": 100},\n"
                  "  \"assert\": [\"partition.subgraphs > 4\"]\n}\n");
    const QStringList arguments{"--batch", "--config", path("ci.json")};
    const Outcome outcome = runProgram(arguments);
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    QCOMPARE(runProgram(arguments + QStringList{"--set", "ago.threshold=440"}).code, 1);
    const Outcome printed = runProgram(arguments + QStringList{"--seed", "4", "--print-config"});
    QCOMPARE(printed.code, 0);
    writeFile(path("printed.json"), printed.out.toUtf8());
    QCOMPARE(runProgram({"--batch", "--config", path("printed.json")}).code, 0);
    writeFile(path("wrong.json"), "{\n\"models\": \"m.onnx\"}");
    const Outcome wrong = runProgram({"--batch", "--config", path("wrong.json")});
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("wrong.json, line 2"), qPrintable(wrong.err));
}

void ProgramCiTest::dryRunWritesNothing()
{
    const QTemporaryDir folder;
    const QString out = folder.filePath("o.onnx");
    QStringList arguments = work() + QStringList{"--dry-run",
                                                 "--export",
                                                 out,
                                                 "--report",
                                                 folder.filePath("r.json"),
                                                 "--html",
                                                 folder.filePath("r.html"),
                                                 "--junit",
                                                 folder.filePath("j.xml"),
                                                 "--sarif",
                                                 folder.filePath("s.sarif"),
                                                 "--emit-kernels",
                                                 folder.filePath("k"),
                                                 "--set",
                                                 "ago.threshold=100",
                                                 "--assert",
                                                 "1 > 2",
                                                 "--baseline",
                                                 path("old.json")};
    const Outcome outcome = runProgram(arguments);
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    for (const char *text : {"122 nodes", "ago, settings threshold 100", "1 > 2", "15 figures",
                             "o.onnx (--export)", "nothing was run or written"})
        QVERIFY2(outcome.out.contains(text), text);
    QVERIFY(QDir(folder.path()).isEmpty());
    const Outcome events = runProgram(arguments + QStringList{"--progress", "json"});
    QVERIFY(events.err.contains("\"dry_run\":true"));
    QVERIFY(events.err.contains("\"option\":\"--export\""));
    QVERIFY(QDir(folder.path()).isEmpty());
}

void ProgramCiTest::dryRunRefuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    const QString model = sampleFile("bert_tiny.onnx");
    QTest::newRow("pass") << QStringList{model, "--passes", "nosuch"} << 2;
    QTest::newRow("setting") << QStringList{model, "--passes", "ago", "--set", "ago.threshold=x"}
                             << 2;
    QTest::newRow("assertion") << QStringList{model, "--assert", "a <"} << 2;
    QTest::newRow("baseline") << QStringList{model, "--baseline", model} << 2;
    QTest::newRow("test data") << QStringList{model, "--test-data", "/nowhere"} << 2;
    QTest::newRow("input") << QStringList{model, "--input", "nosuch:1"} << 2;
    QTest::newRow("model that is not there") << QStringList{"/nowhere/m.onnx"} << 3;
    QTest::newRow("model that is none") << QStringList{"/etc/passwd"} << 3;
    QTest::newRow("folder of an output") << QStringList{model, "--junit", "/nowhere/j.xml"} << 4;
    QTest::newRow("compiler") << QStringList{model, "--target", "host"} << 4;
}

void ProgramCiTest::dryRunRefuses()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    const Outcome outcome =
        runProgram(QStringList{"--batch", "--dry-run"} + arguments, withoutCompilers());
    QVERIFY2(outcome.code == code, qPrintable(outcome.out + outcome.err));
    QVERIFY(!outcome.err.isEmpty());
}

GRAPHLOOM_TESTS(ProgramCiTest)

} // namespace graphloom::test::program_ci_test

#include "program_ci_test.moc"
