// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exported.h"
#include "tests/support/tiny_models.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace {

struct Outcome {
    int code = -1;
    QString out, err;
};

/// The program as a user without a display runs it: a Qt application object would abort.
Outcome graphloomProgram(const QStringList &arguments, const QStringList &variables = {})
{
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "none-such");
    environment.remove("DISPLAY");
    environment.remove("WAYLAND_DISPLAY");
    for (const QString &variable : variables)
        environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
    process.setProcessEnvironment(environment);
    process.start(GRAPHLOOM_BINARY, arguments);
    if (!process.waitForFinished(240'000)) {
        process.kill();
        process.waitForFinished();
        return {-1, {}, "did not end: " + process.errorString()};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", qPrintable(path));
}

Json readJson(const QString &path)
{
    return Json::parse(contentOf(path).toStdString(), nullptr, false);
}

QString sample(const char *name)
{
    return QString(GRAPHLOOM_SAMPLES) + '/' + name;
}

} // namespace

/// `graphloom --batch` and `--list` from outside: arguments in, files and exit codes out.
class BatchProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void helpAndVersion();
    void windowNeedsADisplay();
    void listPasses();
    void listOperators();
    void listRules();
    void listDevices();
    void listTargets();
    void withoutCompilerNothingIsBuilt();
    void textsOfKernelsNeedNoCompiler();
    void fusesVerifiesAndExports();
    void aNamedProfileDatabaseMustBeThere();
    void partitionsVerifiesAndExports_data();
    void partitionsVerifiesAndExports();
    void passesInARow_data();
    void passesInARow();
    void flatExportKeepsThePartition();
    void sameSeedSameResult();
    void withoutPasses();
    void wrongUsage_data();
    void wrongUsage();
    void brokenFiles_data();
    void brokenFiles();
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
    graphloom::testing::writeTinyModel(path("tiny.onnx").toStdString());
}

void BatchProgramTest::helpAndVersion()
{
    const Outcome help = graphloomProgram({"--help"});
    QCOMPARE(help.code, 0);
    QVERIFY(help.out.contains("--batch") && help.out.contains("Exit codes"));
    QVERIFY(help.err.isEmpty());
    const Outcome version = graphloomProgram({"--version"});
    QCOMPARE(version.code, 0);
    QVERIFY(version.out.startsWith("graphloom "));
}

void BatchProgramTest::windowNeedsADisplay()
{
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        environment.remove(name);
    process.setProcessEnvironment(environment);
    process.start(GRAPHLOOM_BINARY, QStringList());
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 4);
    QVERIFY(process.readAllStandardError().contains("display"));
}

void BatchProgramTest::listPasses()
{
    const Outcome text = graphloomProgram({"--list", "passes"});
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.contains("--set ago.threshold="), qPrintable(text.out + text.err));
    const Outcome json = graphloomProgram({"--list", "passes", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array() && !list.empty());
    QCOMPARE(list[0]["name"], Json("ago"));
    QVERIFY(!list[0]["parameters"].empty());
    for (const Json &parameter : list[0]["parameters"])
        for (const char *key : {"name", "kind", "initial", "help"})
            QVERIFY2(parameter.contains(key), parameter.dump().c_str());
}

void BatchProgramTest::listOperators()
{
    const Outcome json = graphloomProgram({"--list", "ops", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array());
    const auto conv = std::find_if(list.begin(), list.end(),
                                   [](const Json &row) { return row["name"] == "Conv"; });
    QVERIFY(conv != list.end());
    QCOMPARE((*conv)["opsets"], Json("1 to 22"));
    QCOMPARE((*conv)["mapping"], Json("Many-to-Many"));
    QCOMPARE((*conv)["stages"].size(), 1u);
    QCOMPARE((*conv)["gradient"], Json(true));
    QCOMPARE((*conv)["kernels"], Json(true));
    QVERIFY((*conv)["opaque"].is_null());
    static const QRegularExpression row("\nTopK +up to 22 +Opaque +opaque +no +yes +it sorts\n");
    QVERIFY(graphloomProgram({"--list", "ops"}).out.contains(row));
}

void BatchProgramTest::listRules()
{
    const Outcome json = graphloomProgram({"--list", "rules", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array());
    const auto square = std::find_if(list.begin(), list.end(), [](const Json &row) {
        return row["name"] == "square-by-product";
    });
    QVERIFY(square != list.end());
    QCOMPARE((*square)["category"], Json("cleanup"));
    QCOMPARE((*square)["formula"], Json("Pow(x, 2) = x * x"));
    for (const Json &row : list) // counted with the rules as they are
        QVERIFY2(row["fired"].is_number_integer(), row.dump().c_str());
    QVERIFY(graphloomProgram({"--list", "rules"}).out.contains("square-by-product"));
}

void BatchProgramTest::listDevices()
{
    const Outcome json = graphloomProgram({"--list", "devices", "--json"});
    QCOMPARE(json.code, 0);
    const Json list = Json::parse(json.out.toStdString(), nullptr, false);
    QVERIFY(list.is_array());
    QCOMPARE(list[0]["name"], Json("phone-cpu"));
    QCOMPARE(list[0]["peak_gflops"], Json(219.0));
    QCOMPARE(list.back()["name"], Json("host:cpu")); // measured, or what is missing
    QVERIFY(list.back().contains("peak_gflops") != list.back().contains("problem"));
    QVERIFY(graphloomProgram({"--list", "devices"}).out.contains("phone-cpu"));
}

void BatchProgramTest::listTargets()
{
    const Outcome outcome = graphloomProgram({"--list", "targets", "--json"});
    QCOMPARE(outcome.code, 0);
    const Json list = Json::parse(outcome.out.toStdString(), nullptr, false);
    QCOMPARE(list[0]["name"], Json("host"));
    QCOMPARE(list[0]["devices"], Json({"cpu"}));
    QCOMPARE(list[0]["probe"][0]["what"], Json("processor"));
    QVERIFY(graphloomProgram({"--list", "targets"}).out.contains("--target host:cpu"));
}

void BatchProgramTest::withoutCompilerNothingIsBuilt()
{
    const QStringList nowhere = {"PATH=/nowhere", "CC="};
    const Outcome outcome =
        graphloomProgram({"--batch", sample("bert_tiny.onnx"), "--target", "host"}, nowhere);
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains("compiler"), qPrintable(outcome.err));
    const Outcome list = graphloomProgram({"--list", "targets"}, nowhere);
    QCOMPARE(list.code, 0);
    QVERIFY2(list.out.contains("C compiler MISSING"), qPrintable(list.out));
}

void BatchProgramTest::textsOfKernelsNeedNoCompiler()
{
    const QTemporaryDir folder;
    const Outcome outcome = graphloomProgram(
        {"--batch", sample("bert_tiny.onnx"), "--emit-kernels", folder.filePath("kernels")},
        {"PATH=/nowhere", "CC="});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY(QFile::exists(folder.filePath("kernels/graphloom_kernels.h")));
}

void BatchProgramTest::fusesVerifiesAndExports()
{
    const QTemporaryDir folder;
    const QString exported = folder.filePath("out.onnx"), report = folder.filePath("r.json");
    const Outcome outcome = graphloomProgram({"--batch", sample("bert_tiny.onnx"), "--passes",
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

void BatchProgramTest::aNamedProfileDatabaseMustBeThere()
{
    const Outcome outcome = graphloomProgram({"--batch", sample("bert_tiny.onnx"), "--passes",
                                              "dnnfusion", "--profile-db", "/nowhere/profile.db"});
    QCOMPARE(outcome.code, 4);
    QVERIFY(outcome.err.contains("there is no profile database here"));
}

void BatchProgramTest::partitionsVerifiesAndExports_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("parametersInMillions");
    QTest::addColumn<double>("gigaMacs");
    QTest::newRow("MobileNet-V2") << sample("mobilenet_v2_224.onnx") << 3.54 << 0.301;
    QTest::newRow("ShuffleNet-V2") << sample("shufflenet_v2_x1_0_224.onnx") << 2.29 << 0.145;
    QTest::newRow("BERT-tiny") << sample("bert_tiny.onnx") << 4.39 << 0.059;
    QTest::newRow("MobileViT-S") << sample("mobilevit_s_256.onnx") << 5.59 << 2.0;
}

void BatchProgramTest::partitionsVerifiesAndExports()
{
    QFETCH(QString, file);
    QFETCH(double, parametersInMillions);
    QFETCH(double, gigaMacs);
    const QString out = path("out.onnx"), report = path("r.json");
    const Outcome outcome = graphloomProgram(
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
    checker.start("/usr/bin/python3", {sample("../../tests/support/check_export.py"), out});
    QVERIFY(checker.waitForFinished(60'000));
    if (checker.exitCode() == 77)
        QSKIP("onnx.checker needs python3-onnx");
    QVERIFY2(checker.exitCode() == 0, checker.readAll().constData());

    const Outcome again = graphloomProgram({"--batch", out, "--report", path("again.json")});
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
        graphloomProgram({"--batch", sample("mobilenet_v2_224.onnx"), "--passes", passes,
                          "--export", out, "--report", path("r.json"), "--verify"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    const Json json = readJson(path("r.json"));
    QCOMPARE(json["passes"].size(), std::size_t(2));
    QVERIFY(json["rewrite"]["steps"].size() > 50); // normalizations into convolutions
    QCOMPARE(json["fusion"]["method"], Json(method.toStdString()));
    QCOMPARE(json.contains("partition"), partitioned);
    QCOMPARE(graphloomProgram({"--batch", out, "--report", path("again.json")}).code, 0);
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
        graphloomProgram({"--batch", sample("bert_tiny.onnx"), "--passes", "ago", "--export", out,
                          "--export-flat", "--report", path("r.json"), "--verify"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
    QCOMPARE(graphloomProgram({"--batch", out, "--report", path("again.json")}).code, 0);
    QCOMPARE(readJson(path("again.json"))["partition"]["weights"],
             readJson(path("r.json"))["partition"]["weights"]);
}

void BatchProgramTest::sameSeedSameResult()
{
    const auto partition = [this](const char *threads, const QString &name) {
        const Outcome outcome =
            graphloomProgram({"--batch", sample("shufflenet_v2_x1_0_224.onnx"), "--passes", "ago",
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
        graphloomProgram({"--batch", sample("mobilenet_v2_224.onnx"), "--report", path("r.json")});
    QCOMPARE(outcome.code, 0);
    QVERIFY(outcome.out.contains("152 nodes"));
    const Json json = readJson(path("r.json"));
    QCOMPARE(json["model"]["nodes"], Json(152));
    QVERIFY(!json.contains("passes") && !json.contains("partition") && !json.contains("verify"));
}

void BatchProgramTest::wrongUsage_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    const QString model = sample("bert_tiny.onnx");
    QTest::newRow("option") << QStringList{"--batch", model, "--frobnicate"} << "--frobnicate";
    QTest::newRow("no model") << QStringList{"--batch"} << "model";
    QTest::newRow("pass") << QStringList{"--batch", model, "--passes", "nosuch"} << "nosuch";
    QTest::newRow("parameter") << QStringList{"--batch", model,   "--passes",
                                              "ago",     "--set", "ago.nosuch=1"}
                               << "nosuch";
    QTest::newRow("value") << QStringList{"--batch", model,   "--passes",
                                          "ago",     "--set", "ago.threshold=high"}
                           << "high";
    QTest::newRow("input") << QStringList{"--batch", model, "--input", "nosuch:1x2"} << "nosuch";
    QTest::newRow("budget") << QStringList{"--batch", model, "--passes", "ago", "--budget", "3s"}
                            << "--budget";
    QTest::newRow("later") << QStringList{"--batch", model, "--html", "o.html"} << "--html";
    QTest::newRow("target") << QStringList{"--batch", model, "--target", "nosuch"} << "nosuch";
    QTest::newRow("device") << QStringList{"--batch", model, "--target", "host:gpu"} << "cpu";
    QTest::newRow("runs") << QStringList{"--batch", model, "--measure", "0"} << "--measure";
    QTest::newRow("assertion") << QStringList{"--batch", model, "--assert", "a <"} << "--assert";
    QTest::newRow("list") << QStringList{"--list", "everything"} << "--list";
}

void BatchProgramTest::wrongUsage()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    const Outcome outcome = graphloomProgram(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains(named), qPrintable(outcome.err));
    QVERIFY2(outcome.out.isEmpty(), qPrintable(outcome.out));
}

void BatchProgramTest::brokenFiles_data()
{
    QTest::addColumn<QByteArray>("content");
    const QByteArray good = contentOf(sample("bert_tiny.onnx"));
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("text") << QByteArray("this is no model\n");
    QTest::newRow("lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:"
                                       "00\nsize 12\n");
    QTest::newRow("cut short") << good.left(good.size() / 2);
    QTest::newRow("last byte missing") << good.left(good.size() - 1);
    QTest::newRow("zeros") << QByteArray(4096, '\0');
}

void BatchProgramTest::brokenFiles()
{
    QFETCH(QByteArray, content);
    write(path("broken.onnx"), content);
    const Outcome outcome =
        graphloomProgram({"--batch", path("broken.onnx"), "--passes", "ago", "--report",
                          path("r.json"), "--junit", path("j.xml")});
    QCOMPARE(outcome.code, 3);
    const qsizetype at = outcome.err.indexOf("broken.onnx");
    QVERIFY2(at >= 0, qPrintable(outcome.err));
    const QString reason = outcome.err.mid(at + int(qstrlen("broken.onnx"))).trimmed();
    QVERIFY2(reason.size() >= qsizetype(qstrlen(": is empty")), qPrintable(outcome.err));
    QVERIFY(!QFile::exists(path("r.json")));
    QVERIFY(contentOf(path("j.xml")).contains("<error"));
    QCOMPARE(graphloomProgram({"--batch", path("not-there.onnx")}).code, 3);
}

void BatchProgramTest::assertionsAndJunit()
{
    const QStringList base = {"--batch",  sample("bert_tiny.onnx"), "--passes", "ago",
                              "--report", path("r.json"),           "--junit",  path("j.xml"),
                              "--assert", "partition.acyclic"};
    const Outcome good = graphloomProgram(base + QStringList{"--assert", "partition.jain > 0"});
    QVERIFY2(good.code == 0, qPrintable(good.out + good.err));
    QVERIFY(contentOf(path("j.xml")).contains("failures=\"0\""));

    const Outcome bad = graphloomProgram(
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
    const QString model = sample("bert_tiny.onnx");
    QCOMPARE(
        graphloomProgram({"--batch", model, "--passes", "ago", "--report", path("old.json")}).code,
        0);
    QCOMPARE(graphloomProgram({"--batch", model, "--passes", "ago", "--baseline", path("old.json")})
                 .code,
             0);
    const Outcome worse = graphloomProgram({"--batch", model, "--passes", "ago", "--set",
                                            "ago.threshold=1", "--baseline", path("old.json")});
    QCOMPARE(worse.code, 1);
    QVERIFY2(worse.out.contains("FAILED: partition.subgraphs"), qPrintable(worse.out));
    const Outcome other = graphloomProgram({"--batch", sample("mobilenet_v2_224.onnx"), "--passes",
                                            "ago", "--baseline", path("old.json")});
    QVERIFY2(other.err.contains("another model"), qPrintable(other.err));
    write(path("no.json"), "{}");
    QCOMPARE(graphloomProgram({"--batch", model, "--baseline", path("no.json")}).code, 2);
    QCOMPARE(graphloomProgram({"--batch", model, "--baseline", path("not-there.json")}).code, 2);
}

void BatchProgramTest::progressAsJson()
{
    const Outcome outcome = graphloomProgram({"--batch", path("tiny.onnx"), "--batch-size", "2",
                                              "--passes", "ago", "--verify", "--progress", "json"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QStringList stages;
    for (const QString &line : outcome.err.split('\n', Qt::SkipEmptyParts)) {
        const Json json = Json::parse(line.toStdString(), nullptr, false);
        QVERIFY2(json.is_object(), qPrintable(line));
        QVERIFY(json["fraction"].get<double>() >= 0 && json["fraction"].get<double>() <= 1);
        const auto stage = QString::fromStdString(json["stage"].get<std::string>());
        if (stages.isEmpty() || stages.back() != stage)
            stages << stage;
    }
    QCOMPARE(stages, (QStringList{"open", "ago", "verify", "report"}));
    const Outcome silent = graphloomProgram({"--batch", path("tiny.onnx"), "--progress", "none"});
    QCOMPARE(silent.code, 0);
    QVERIFY2(silent.err.isEmpty(), qPrintable(silent.err));
}

void BatchProgramTest::conformanceData()
{
    const QString data = "/usr/share/libonnx-testdata/data/node";
    if (!QFile::exists(data))
        QSKIP("ONNX's backend tests need libonnx-testdata");
    for (const char *name :
         {"test_relu", "test_matmul_2d", "test_softmax_axis_1", "test_concat_2d_axis_1"}) {
        const QString folder = data + '/' + name;
        const Outcome outcome =
            graphloomProgram({"--batch", folder + "/model.onnx", "--test-data",
                              folder + "/test_data_set_0", "--report", path("r.json")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.out + outcome.err));
        QCOMPARE(readJson(path("r.json"))["test_data"][0]["passed"], Json(true));
    }
    const Outcome wrong = graphloomProgram({"--batch", data + "/test_relu/model.onnx",
                                            "--test-data", data + "/test_abs/test_data_set_0"});
    QVERIFY2(wrong.code == 1, qPrintable(wrong.out + wrong.err));
    QVERIFY(wrong.out.contains("FAILED"));
}

QTEST_GUILESS_MAIN(BatchProgramTest)
#include "batch_program_test.moc"
