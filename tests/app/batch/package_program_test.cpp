// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/c_compiler.h"
#include "tests/support/app/program.h"
#include "tests/support/exported.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::package_program_test {

/// `--emit-package` from outside.
class PackageProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aSampleBuildsAndGivesItsOutputs();
    void modelsWithOpenShapesAreRefused();
    void filesOfOthersStay();
    void failedChecksWithholdIt();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void PackageProgramTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    writeTinyModel(path("tiny.onnx").toStdString());
}

void PackageProgramTest::aSampleBuildsAndGivesItsOutputs()
{
    const QString cmake = QStandardPaths::findExecutable("cmake");
    if (cmake.isEmpty() || !findCCompiler())
        QSKIP("needs cmake, and gcc or clang");
    const QString package = path("package"), report = path("report.json");
    const Outcome written =
        runProgram({"--batch", sampleFile("mobilenet_v2_224.onnx"), "--passes", "dnnfusion",
                    "--emit-package", package, "--report", report});
    QVERIFY2(written.code == 0, qPrintable(written.err));
    QVERIFY(readJson(report)["package"]["files"] > 20);
    const QString build = path("build");
    for (const QStringList &words :
         {QStringList{"-S", package, "-B", build, "-DCMAKE_BUILD_TYPE=Release"},
          QStringList{"--build", build, "--parallel", "2"}}) {
        const Outcome done = runProgramAt(cmake, words);
        QVERIFY2(done.code == 0, qPrintable(done.out + done.err));
    }
    const Outcome tested =
        runProgramAt(build + "/mobilenet_v2_224_runner",
                     {"--weights", package + "/weights.bin", "--inputs", package + "/test",
                      "--expected", package + "/test", "--runs", "3", "--threads", "2"});
    QVERIFY2(tested.code == 0, qPrintable(tested.err));
    QVERIFY2(tested.out.contains("\"median\""), qPrintable(tested.out));
    const Outcome example =
        runProgramAt(build + "/mobilenet_v2_224_example", {package + "/weights.bin"});
    QVERIFY2(example.code == 0 && example.out.startsWith("logits, float32:"),
             qPrintable(example.out + example.err));
}

void PackageProgramTest::modelsWithOpenShapesAreRefused()
{
    const Outcome outcome = runProgram({"--batch", path("tiny.onnx"), "--emit-package", path("p")});
    QVERIFY2(outcome.code == 3, qPrintable(outcome.err));
    QVERIFY2(outcome.err.contains("input \"x\" has extents that are known only at run time"),
             qPrintable(outcome.err));
    QVERIFY(!QFile::exists(path("p")));
}

void PackageProgramTest::filesOfOthersStay()
{
    QVERIFY(QDir(m_folder->path()).mkdir("mine"));
    QFile letter(path("mine/letter.txt"));
    QVERIFY(letter.open(QIODevice::WriteOnly));
    letter.close();
    const Outcome outcome =
        runProgram({"--batch", path("tiny.onnx"), "--emit-package", path("mine")});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains("something else than a package"), qPrintable(outcome.err));
    QCOMPARE(QDir(path("mine")).entryList(QDir::Files), QStringList{"letter.txt"});
}

void PackageProgramTest::failedChecksWithholdIt()
{
    const Outcome outcome =
        runProgram({"--batch", path("tiny.onnx"), "--batch-size", "2", "--passes", "dnnfusion",
                    "--emit-package", path("p"), "--assert", "fusion.layers_after < 1"});
    QVERIFY2(outcome.err.contains("--emit-package"), qPrintable(outcome.err));
    QVERIFY(!QFile::exists(path("p")));
    QVERIFY(
        QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot) ==
        QStringList{"tiny.onnx"}); // nor is there anything unfinished
}

GRAPHLOOM_TESTS(PackageProgramTest)

} // namespace graphloom::test::package_program_test

#include "package_program_test.moc"
