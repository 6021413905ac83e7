// SPDX-License-Identifier: Apache-2.0
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::program_refusals_test {

/// What the program refuses on its command line, and how it says so.
class ProgramRefusalsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void withoutCompilerNothingIsBuilt();
    void aNamedProfileDatabaseMustBeThere();
    void wrongUsage_data();
    void wrongUsage();
    void brokenFiles_data();
    void brokenFiles();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void ProgramRefusalsTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void ProgramRefusalsTest::withoutCompilerNothingIsBuilt()
{
    const Outcome outcome = runProgram(
        {"--batch", sampleFile("bert_tiny.onnx"), "--target", "host"}, withoutCompilers());
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains("compiler"), qPrintable(outcome.err));
}

void ProgramRefusalsTest::aNamedProfileDatabaseMustBeThere()
{
    const Outcome outcome = runProgram({"--batch", sampleFile("bert_tiny.onnx"), "--passes",
                                        "dnnfusion", "--profile-db", "/nowhere/profile.db"});
    QCOMPARE(outcome.code, 4);
    QVERIFY(outcome.err.contains("profile database not found"));
}

void ProgramRefusalsTest::wrongUsage_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    const QString model = sampleFile("bert_tiny.onnx");
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
    QTest::newRow("times") << QStringList{"--batch", model,     "--target",
                                          "host",    "--times", "modelled"}
                           << "--budget";
    QTest::newRow("session") << QStringList{"--batch", "o.gloom"} << "o.gloom";
    QTest::newRow("tolerance") << QStringList{"--batch", model,         "--baseline",
                                              model,     "--tolerance", "many"}
                               << "--tolerance many";
    QTest::newRow("target") << QStringList{"--batch", model, "--target", "nosuch"} << "nosuch";
    QTest::newRow("device") << QStringList{"--batch", model, "--target", "host:gpu"} << "cpu";
    QTest::newRow("described device")
        << QStringList{"--batch", model, "--device", "nosuch"} << "phone-cpu";
    QTest::newRow("two devices") << QStringList{"--batch",   model,      "--device",
                                                "phone-cpu", "--target", "host"}
                                 << "--target chooses the device";
    QTest::newRow("runs") << QStringList{"--batch", model, "--measure", "0"} << "--measure";
    QTest::newRow("assertion") << QStringList{"--batch", model, "--assert", "a <"} << "--assert";
}

void ProgramRefusalsTest::wrongUsage()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    const Outcome outcome = runProgram(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains(named), qPrintable(outcome.err));
    QVERIFY2(outcome.out.isEmpty(), qPrintable(outcome.out));
}

void ProgramRefusalsTest::brokenFiles_data()
{
    QTest::addColumn<QByteArray>("content");
    const QByteArray good = contentOf(sampleFile("bert_tiny.onnx"));
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("text") << QByteArray("this is no model\n");
    QTest::newRow("lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:"
                                       "00\nsize 12\n");
    QTest::newRow("truncated") << good.left(good.size() / 2);
    QTest::newRow("last byte missing") << good.left(good.size() - 1);
    QTest::newRow("zeros") << QByteArray(4096, '\0');
}

void ProgramRefusalsTest::brokenFiles()
{
    QFETCH(QByteArray, content);
    writeFile(path("broken.onnx"), content);
    const Outcome outcome = runProgram({"--batch", path("broken.onnx"), "--passes", "ago",
                                        "--report", path("r.json"), "--junit", path("j.xml")});
    QCOMPARE(outcome.code, 3);
    const qsizetype at = outcome.err.indexOf("broken.onnx");
    QVERIFY2(at >= 0, qPrintable(outcome.err));
    const QString reason = outcome.err.mid(at + int(qstrlen("broken.onnx"))).trimmed();
    QVERIFY2(reason.size() >= qsizetype(qstrlen(": is empty")), qPrintable(outcome.err));
    QVERIFY(!QFile::exists(path("r.json")));
    QVERIFY(contentOf(path("j.xml")).contains("<error"));
    QCOMPARE(runProgram({"--batch", path("not-there.onnx")}).code, 3);
}

GRAPHLOOM_TESTS(ProgramRefusalsTest)

} // namespace graphloom::test::program_refusals_test

#include "program_refusals_test.moc"
