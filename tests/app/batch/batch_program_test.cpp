// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/c_compiler.h"
#include "engine/ops/describe/stage.h"
#include "tests/support/app/program.h"
#include "tests/support/exported.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::batch_program_test {

using Json = nlohmann::ordered_json;

/// `graphloom --batch` from outside. What it refuses is in program_refusals_test.cpp.
class BatchProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void helpAndVersion();
    void textsOfKernelsNeedNoCompiler();
    void tuningByModelNeedsNoCompilerAndRepeats();
    void passesPlanForTheChosenDevice_data();
    void passesPlanForTheChosenDevice();
    void aMachineThatCannotBeMeasuredIsSaid();
    void aStoredPlanKeepsItsDevice();
    void measuredTimesDecideAndAreKept();
    void fusesVerifiesAndExports();
    void partitionsVerifiesAndExports_data();
    void partitionsVerifiesAndExports();
    void passesInARow_data();
    void passesInARow();
    void flatExportKeepsThePartition();
    void sameSeedSameResult();
    void withoutPasses();
    void assertionsAndJunit();
    void baseline();
    void progressAsJson();
    void conformanceData();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void BatchProgramTest::init()
{
    QVERIFY2(QFile::exists(GRAPHLOOM_BINARY), "the program is built with the target graphloom");
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    writeTinyModel(path("tiny.onnx").toStdString());
}

void BatchProgramTest::helpAndVersion()
{
    const Outcome help = runProgram({"--help"});
    QCOMPARE(help.code, 0);
    QVERIFY(help.out.contains("--batch") && help.out.contains("Exit codes"));
    QVERIFY(help.err.isEmpty());
    const Outcome version = runProgram({"--version"});
    QCOMPARE(version.code, 0);
    QVERIFY(version.out.startsWith("graphloom "));
}

void BatchProgramTest::textsOfKernelsNeedNoCompiler()
{
    const QTemporaryDir folder;
    const Outcome outcome = runProgram(
        {"--batch", sampleFile("bert_tiny.onnx"), "--emit-kernels", folder.filePath("kernels")},
        withoutCompilers());
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY(QFile::exists(folder.filePath("kernels/graphloom_kernels.h")));
}

void BatchProgramTest::tuningByModelNeedsNoCompilerAndRepeats()
{
    const QTemporaryDir folder;
    std::vector<Json> tunings;
    for (const char *name : {"first", "second"}) {
        const QString report = folder.filePath(QString(name) + ".json");
        const Outcome outcome = runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--passes",
                                            "dnnfusion", "--device", "phone-cpu", "--budget",
                                            "60trials", "--times", "modelled", "--report", report},
                                           withoutCompilers());
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        Json &tuning = tunings.emplace_back(readJson(report)["tuning"]);
        QCOMPARE(tuning["trials"], Json(60));
        for (const char *time : {"seconds", "setup_seconds"})
            tuning.erase(time);
    }
    QCOMPARE(tunings[0], tunings[1]);
}

void BatchProgramTest::passesPlanForTheChosenDevice_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("target");
    QTest::newRow("described") << QStringList{"--device", "phone-gpu"} << "phone-gpu"
                               << "";
    QTest::newRow("this machine") << QStringList{} << "host"
                                  << "host:cpu";
    QTest::newRow("instruction set")
        << QStringList{"--target", "host:sse2", "--budget", "0"} << "host"
        << "host:sse2";
}

void BatchProgramTest::passesPlanForTheChosenDevice()
{
    QFETCH(QStringList, options);
    QFETCH(QString, name);
    QFETCH(QString, target);
    const QTemporaryDir folder;
    const QString report = folder.filePath("r.json");
    const Outcome outcome = runProgram(QStringList{"--batch", sampleFile("bert_tiny.onnx"),
                                                   "--passes", "dnnfusion", "--report", report} +
                                       options);
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    const Json json = readJson(report);
    QCOMPARE(json["device"]["name"], Json(name.toStdString()));
    QCOMPARE(json["device"].value("target", ""), target.toStdString());
    QCOMPARE(json["fusion"]["device"], Json(name.toStdString()));
}

void BatchProgramTest::aMachineThatCannotBeMeasuredIsSaid()
{
    const QTemporaryDir folder;
    const QString report = folder.filePath("r.json");
    const Outcome outcome = runProgram(
        {"--batch", sampleFile("bert_tiny.onnx"), "--passes", "dnnfusion", "--report", report},
        withoutCompilers() + QStringList{"XDG_CACHE_HOME=" + folder.path()});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY2(outcome.err.contains("Passes plan for phone-cpu"), qPrintable(outcome.err));
    const Json json = readJson(report);
    QCOMPARE(json["device"]["name"], Json("phone-cpu"));
    QCOMPARE(json["warnings"][0]["id"], Json("GL5005"));
}

void BatchProgramTest::aStoredPlanKeepsItsDevice()
{
    const QTemporaryDir folder;
    const QString report = folder.filePath("r.json"), exported = folder.filePath("fused.onnx");
    const Outcome first = runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--passes",
                                      "dnnfusion", "--device", "phone-gpu", "--export", exported});
    QVERIFY2(first.code == 0, qPrintable(first.err));
    const Outcome second = runProgram({"--batch", exported, "--report", report});
    QVERIFY2(second.code == 0, qPrintable(second.err));
    QCOMPARE(readJson(report)["device"]["name"], Json("phone-gpu"));
}

void BatchProgramTest::measuredTimesDecideAndAreKept()
{
    if (!findCCompiler())
        QSKIP("needs gcc or clang");
    const QTemporaryDir folder;
    const QString report = folder.filePath("r.json");
    const auto measuredBlocks = [&] {
        const Outcome outcome =
            runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--passes", "dnnfusion", "--set",
                        "dnnfusion.measure=60s", "--report", report},
                       {"XDG_DATA_HOME=" + folder.path()});
        if (outcome.code != 0)
            qWarning("%s", qPrintable(outcome.err));
        return outcome.code == 0
                   ? readJson(report)["passes"][0]["summary"]["measured_blocks"].get<int>()
                   : -1;
    };
    const int first = measuredBlocks();
    QVERIFY(first > 0);
    QVERIFY(QString::fromStdString(readJson(report).dump()).contains("(measured here, "));
    // The other half are hits. Not all need be: other times make other plans.
    QVERIFY(measuredBlocks() < first / 2);
    const Outcome info = runProgram({"--profile", "info"}, {"XDG_DATA_HOME=" + folder.path()});
    QVERIFY2(info.out.contains("used by dnnfusion for bert_tiny.onnx on "), qPrintable(info.out));
}

void BatchProgramTest::fusesVerifiesAndExports()
{
    const QTemporaryDir folder;
    const QString exported = folder.filePath("out.onnx"), report = folder.filePath("r.json");
    const Outcome outcome = runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--passes",
                                        "dnnfusion", "--export", exported, "--report", report,
                                        "--verify", "--assert", "fusion.layers_after < 40"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    const Json json = readJson(report);
    QCOMPARE(json["verify"]["passed"], Json(true));
    QVERIFY(json["rewrite"]["flops_after"] < json["rewrite"]["flops_before"]);
    QCOMPARE(json["fusion"]["layers_before"], Json(121));
    QCOMPARE(json["fusion"]["blocks"].size(), json["fusion"]["layers_after"].get<std::size_t>());
    QCOMPARE(graphloom::test::objectionsTo({exported}), QString());
}

void BatchProgramTest::partitionsVerifiesAndExports_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("parametersInMillions");
    QTest::addColumn<double>("gigaMacs");
    QTest::newRow("MobileNet-V2") << sampleFile("mobilenet_v2_224.onnx") << 3.54 << 0.301;
    QTest::newRow("ShuffleNet-V2") << sampleFile("shufflenet_v2_x1_0_224.onnx") << 2.29 << 0.145;
    QTest::newRow("BERT-tiny") << sampleFile("bert_tiny.onnx") << 4.39 << 0.059;
    QTest::newRow("MobileViT-S") << sampleFile("mobilevit_s_256.onnx") << 5.59 << 2.0;
}

void BatchProgramTest::partitionsVerifiesAndExports()
{
    QFETCH(QString, file);
    QFETCH(double, parametersInMillions);
    QFETCH(double, gigaMacs);
    const QString out = path("out.onnx"), report = path("r.json");
    const Outcome outcome = runProgram(
        {"--batch", file, "--passes", "ago", "--export", out, "--report", report, "--verify"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    const Json json = readJson(report);
    QCOMPARE(json["schema"], Json(1));
    const Json &model = json["model"];
    const double parameters = model["parameters"].get<double>() / 1e6;
    QVERIFY2(std::abs(parameters - parametersInMillions) < 0.01, model.dump().c_str());
    const double macs = model["macs"].get<double>() / 1e9;
    QVERIFY2(std::abs(macs - gigaMacs) < 0.03 * gigaMacs, model.dump().c_str());
    QVERIFY(!model["operators"].contains("Constant"));
    QVERIFY(!model["operators"].contains("ConstantOfShape"));
    const Json &partition = json["partition"];
    QCOMPARE(partition["acyclic"], Json(true));
    QCOMPARE(partition["weights"].size(), partition["subgraphs"].get<std::size_t>());
    QVERIFY(partition["subgraphs"].get<int>() < model["nodes"].get<int>());
    for (const Json &weight : partition["weights"])
        QVERIFY(weight.get<double>() >= 0);
    const Json &verify = json["verify"];
    QCOMPARE(verify["passed"], Json(true));
    QVERIFY(verify["max_rel_error"].get<double>() <= 1e-4);
    QVERIFY(verify["filled_weights"].get<int>() > 10);
    QVERIFY2(!verify.contains("warnings"), verify.dump().c_str());
    for (const char *key : {"cpu", "threads", "compiler", "device"})
        QVERIFY(json["environment"].contains(key));

    QProcess checker;
    checker.start("/usr/bin/python3", {sampleFile("../../tests/support/check_export.py"), out});
    QVERIFY(checker.waitForFinished(60'000));
    if (checker.exitCode() == 77)
        QSKIP("onnx.checker needs python3-onnx");
    QVERIFY2(checker.exitCode() == 0, checker.readAll().constData());

    const Outcome again = runProgram({"--batch", out, "--report", path("again.json")});
    QVERIFY2(again.code == 0, qPrintable(again.err));
    const Json reread = readJson(path("again.json"));
    QCOMPARE(reread["partition"]["weights"], partition["weights"]);
    QCOMPARE(reread["partition"]["method"], partition["method"]);
    QVERIFY(!reread.contains("passes"));
}

void BatchProgramTest::passesInARow_data()
{
    QTest::addColumn<QString>("passes");
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("partitioned");
    QTest::newRow("rewritten graph in subgraphs") << "dnnfusion,ago"
                                                  << "ago" << true;
    // The partition was of a graph that rewriting has changed.
    QTest::newRow("subgraphs given up") << "ago,dnnfusion"
                                        << "dnnfusion" << false;
}

void BatchProgramTest::passesInARow()
{
    QFETCH(QString, passes);
    QFETCH(QString, method);
    QFETCH(bool, partitioned);
    const QString out = path("row.onnx");
    const Outcome outcome =
        runProgram({"--batch", sampleFile("mobilenet_v2_224.onnx"), "--passes", passes, "--export",
                    out, "--report", path("r.json"), "--verify"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    const Json json = readJson(path("r.json"));
    QCOMPARE(json["passes"].size(), std::size_t(2));
    QVERIFY(json["rewrite"]["steps"].size() > 50); // normalizations into convolutions
    QCOMPARE(json["fusion"]["method"], Json(method.toStdString()));
    QCOMPARE(json.contains("partition"), partitioned);
    QCOMPARE(runProgram({"--batch", out, "--report", path("again.json")}).code, 0);
    const Json again = readJson(path("again.json"));
    QCOMPARE(again["fusion"]["method"], json["fusion"]["method"]);
    QCOMPARE(again["fusion"]["layers_after"], json["fusion"]["layers_after"]);
    for (std::size_t b = 0; b < json["fusion"]["blocks"].size(); ++b)
        QCOMPARE(again["fusion"]["blocks"][b]["mapping"], json["fusion"]["blocks"][b]["mapping"]);
}

void BatchProgramTest::flatExportKeepsThePartition()
{
    const QString out = path("flat.onnx");
    const Outcome outcome =
        runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--passes", "ago", "--export", out,
                    "--export-flat", "--report", path("r.json"), "--verify"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    QCOMPARE(runProgram({"--batch", out, "--report", path("again.json")}).code, 0);
    QCOMPARE(readJson(path("again.json"))["partition"]["weights"],
             readJson(path("r.json"))["partition"]["weights"]);
}

void BatchProgramTest::sameSeedSameResult()
{
    const auto partition = [this](const char *threads, const QString &name) {
        const Outcome outcome =
            runProgram({"--batch", sampleFile("shufflenet_v2_x1_0_224.onnx"), "--passes", "ago",
                        "--threads", threads, "--seed", "3", "--export", path(name)});
        return outcome.code == 0 ? contentOf(path(name)) : QByteArray();
    };
    const QByteArray one = partition("1", "a.onnx");
    QVERIFY(!one.isEmpty());
    QCOMPARE(partition("2", "b.onnx"), one);
}

void BatchProgramTest::withoutPasses()
{
    const Outcome outcome =
        runProgram({"--batch", sampleFile("mobilenet_v2_224.onnx"), "--report", path("r.json")});
    QCOMPARE(outcome.code, 0);
    QVERIFY(outcome.out.contains("152 nodes"));
    const Json json = readJson(path("r.json"));
    QCOMPARE(json["model"]["nodes"], Json(152));
    QVERIFY(!json.contains("passes") && !json.contains("partition") && !json.contains("verify"));
}

void BatchProgramTest::assertionsAndJunit()
{
    const QStringList base = {"--batch",  sampleFile("bert_tiny.onnx"),
                              "--passes", "ago",
                              "--report", path("r.json"),
                              "--junit",  path("j.xml"),
                              "--assert", "partition.acyclic"};
    const Outcome good = runProgram(base + QStringList{"--assert", "partition.jain > 0"});
    QVERIFY2(good.code == 0, qPrintable(good.out + good.err));
    QVERIFY(contentOf(path("j.xml")).contains("failures=\"0\""));

    const Outcome bad = runProgram(
        base + QStringList{"--assert", "partition.subgraphs < 1", "--assert", "memory.ratio < 1"});
    QCOMPARE(bad.code, 1);
    QVERIFY(bad.out.contains("FAILED: partition.subgraphs < 1"));
    QVERIFY(contentOf(path("j.xml")).contains("failures=\"2\""));
    const Json gates = readJson(path("r.json"))["gates"];
    QCOMPARE(gates.size(), std::size_t(3));
    QCOMPARE(gates[0]["passed"], Json(true));
    QCOMPARE(gates[1]["passed"], Json(false));
    QCOMPARE(gates[2]["passed"], Json(false));
    QVERIFY(gates[2]["message"].get<std::string>().find("not in the report") != std::string::npos);
}

void BatchProgramTest::baseline()
{
    const QString model = sampleFile("bert_tiny.onnx");
    QCOMPARE(runProgram({"--batch", model, "--passes", "ago", "--report", path("old.json")}).code,
             0);
    QCOMPARE(runProgram({"--batch", model, "--passes", "ago", "--baseline", path("old.json")}).code,
             0);
    const Outcome worse = runProgram({"--batch", model, "--passes", "ago", "--set",
                                      "ago.threshold=1", "--baseline", path("old.json")});
    QCOMPARE(worse.code, 1);
    QVERIFY2(worse.out.contains("FAILED: partition.subgraphs"), qPrintable(worse.out));
    const Outcome other = runProgram({"--batch", sampleFile("mobilenet_v2_224.onnx"), "--passes",
                                      "ago", "--baseline", path("old.json")});
    QVERIFY2(other.err.contains("another model"), qPrintable(other.err));
    writeFile(path("no.json"), "{}");
    QCOMPARE(runProgram({"--batch", model, "--baseline", path("no.json")}).code, 2);
    QCOMPARE(runProgram({"--batch", model, "--baseline", path("not-there.json")}).code, 2);
}

void BatchProgramTest::progressAsJson()
{
    const Outcome outcome = runProgram({"--batch", path("tiny.onnx"), "--batch-size", "2",
                                        "--passes", "ago", "--verify", "--progress", "json"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QStringList stages, events;
    for (const QString &line : outcome.err.split('\n', Qt::SkipEmptyParts)) {
        const Json json = Json::parse(line.toStdString(), nullptr, false);
        QVERIFY2(json.is_object(), qPrintable(line));
        events << QString::fromStdString(json["event"].get<std::string>());
        if (events.back() != "stage" && events.back() != "progress")
            continue;
        QVERIFY(json["fraction"].get<double>() >= 0 && json["fraction"].get<double>() <= 1);
        const auto stage = QString::fromStdString(json["stage"].get<std::string>());
        if (stages.isEmpty() || stages.back() != stage)
            stages << stage;
    }
    QCOMPARE(stages, (QStringList{"open", "device", "ago", "verify", "report"}));
    QCOMPARE(events.front(), QString("start"));
    QCOMPARE(events.back(), QString("end"));
    const Outcome silent = runProgram({"--batch", path("tiny.onnx"), "--progress", "none"});
    QCOMPARE(silent.code, 0);
    QVERIFY2(silent.err.isEmpty(), qPrintable(silent.err));
}

void BatchProgramTest::conformanceData()
{
    const QString data = "/usr/share/libonnx-testdata/data/node";
    if (!QFile::exists(data))
        QSKIP("ONNX's backend tests need libonnx-testdata");
    for (const char *name :
         {"test_relu", "test_matmul_2d", "test_softmax_axis_1", "test_concat_2d_axis_1",
          "test_cast_FLOAT_to_BFLOAT16", "test_identity_sequence", "test_sequence_insert_at_back",
          "test_optional_get_element"}) {
        const QString folder = data + '/' + name;
        const Outcome outcome =
            runProgram({"--batch", folder + "/model.onnx", "--test-data",
                        folder + "/test_data_set_0", "--report", path("r.json")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
        QCOMPARE(readJson(path("r.json"))["test_data"][0]["passed"], Json(true));
    }
    const Outcome wrong = runProgram({"--batch", data + "/test_relu/model.onnx", "--test-data",
                                      data + "/test_abs/test_data_set_0"});
    QVERIFY2(wrong.code == 1, qPrintable(wrong.out + wrong.err));
    QVERIFY(wrong.out.contains("FAILED"));
}

GRAPHLOOM_TESTS(BatchProgramTest)

} // namespace graphloom::test::batch_program_test

#include "batch_program_test.moc"
