// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/codegen/build/c_compiler.h"
#include "engine/profile/profile_database.h"
#include "tests/support/app/own_folders.h"
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace graphloom::test::program_faults_test {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// What surrounds the program fails: it goes on where it can and says so, and where it cannot, it
/// names the place and the reason.
class ProgramFaultsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void aFailingCompilerIsTold();
    void withoutKernelsNothingIsMeasured();
    void damagedKernelsAreNoNews();
    void aDamagedProfileIsDoneWithout();
    void aNamedProfileMustBeSound();
    void aProfileIsNotExportedOverItself();
    void anOutputIsNotWrittenOverTheProfile();
    void kernelsNeedNoFolder_data();
    void kernelsNeedNoFolder();
    void foldersMayHaveAnyName();
    void aLimitOfFileSizesIsTold();
    void whatAKilledExportLeftIsRemoved();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }
    /// With a folder of its own for kernels, and measurements of this machine.
    QStringList variables() const
    {
        return {"XDG_CACHE_HOME=" + path("cache"), "XDG_DATA_HOME=" + m_measurements.path()};
    }
    /// With a folder of its own for measurements, too.
    QStringList ownVariables() const { return variables() << "XDG_DATA_HOME=" + path("data"); }
    QStringList build() const
    {
        return {"--batch",  path("model.onnx"), "--batch-size", "2",       "--target",
                "host",     "--report",         path("r.json"), "--sarif", path("s.sarif"),
                "--passes", "dnnfusion"};
    }
    /// Rules of what SARIF tells of.
    std::set<std::string> findings() const
    {
        std::set<std::string> rules;
        const Json sarif = readJson(path("s.sarif"));
        for (const Json &result : sarif["runs"][0]["results"])
            rules.insert(result["ruleId"].get<std::string>());
        return rules;
    }
    QString failingCompiler() const { return test::failingCompiler(path("compiler")); }
    /// Runs the program in a shell that `prepares`; "$1" is the test's folder.
    Outcome runIn(const QByteArray &prepares, const QStringList &arguments) const
    {
        QProcess shell;
        shell.start("/bin/sh", QStringList{"-c", prepares + "; shift; exec \"$@\"", "sh",
                                           m_folder->path(), GRAPHLOOM_BINARY} +
                                   arguments);
        if (!shell.waitForFinished(240'000))
            return {};
        return {shell.exitStatus() == QProcess::NormalExit ? shell.exitCode() : -2,
                QString::fromUtf8(shell.readAllStandardOutput()),
                QString::fromUtf8(shell.readAllStandardError())};
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    QTemporaryDir m_measurements;
};

#define NEEDS_A_COMPILER                                                                           \
    if (!findCCompiler())                                                                          \
    QSKIP("needs gcc or clang")

/// Measures this machine, which takes seconds, once for all.
void ProgramFaultsTest::initTestCase()
{
    init();
    QCOMPARE(runProgram(build(), variables()).code, 0);
    cleanup();
}

void ProgramFaultsTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    writeTinyModel(path("model.onnx").toStdString());
}

/// Qt does not remove what has a name that is no UTF-8.
void ProgramFaultsTest::cleanup()
{
    fs::remove_all(m_folder->path().toStdString());
}

void ProgramFaultsTest::aFailingCompilerIsTold()
{
    NEEDS_A_COMPILER;
    const Outcome outcome = runProgram(build(), ownVariables() << "CC=" + failingCompiler());
    QCOMPARE(outcome.code, 0);
    QVERIFY2(outcome.err.contains("warning: 1 block is interpreted because kernels do not compile"),
             qPrintable(outcome.err));
    QVERIFY2(outcome.err.contains("not today"), qPrintable(outcome.err));
    const Json report = readJson(path("r.json"));
    QCOMPARE(report["build"]["failed_kernels"], Json(1));
    QCOMPARE(report["warnings"][0]["id"], Json("GL5005")); // the device cannot be measured either
    QCOMPARE(report["warnings"][1]["id"], Json("GL5004"));
    QVERIFY(findings().contains("GL5004"));
    QVERIFY(findings().contains("GL2002"));
}

void ProgramFaultsTest::withoutKernelsNothingIsMeasured()
{
    NEEDS_A_COMPILER;
    const Outcome outcome = runProgram(build() << "--measure"
                                               << "3",
                                       variables() << "CC=" + failingCompiler());
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains("nothing was measured"), qPrintable(outcome.err));
}

void ProgramFaultsTest::damagedKernelsAreNoNews()
{
    NEEDS_A_COMPILER;
    QCOMPARE(runProgram(build(), variables()).code, 0);
    int damaged = 0;
    for (const auto &file : fs::recursive_directory_iterator(path("cache").toStdString()))
        if (file.path().extension() == ".so") {
            fs::resize_file(file, file.file_size() / 2);
            ++damaged;
        }
    QVERIFY(damaged > 0);
    const Outcome outcome = runProgram(build() << "--verify", variables());
    QCOMPARE(outcome.code, 0);
    QVERIFY2(!outcome.err.contains("warning"), qPrintable(outcome.err));
    QVERIFY(findings().contains("GL5001"));
}

void ProgramFaultsTest::aDamagedProfileIsDoneWithout()
{
    const QByteArray content(5000, 'x');
    QVERIFY(QDir().mkpath(path("data/graphloom")));
    writeFile(path("data/graphloom/profile.db"), content);
    const Outcome outcome = runProgram(
        {"--batch", path("model.onnx"), "--passes", "dnnfusion", "--report", path("r.json")},
        ownVariables());
    QCOMPARE(outcome.code, 0);
    QVERIFY2(outcome.err.contains("warning: the profile database is not used: "),
             qPrintable(outcome.err));
    QCOMPARE(readJson(path("r.json"))["warnings"][0]["id"], Json("GL5003"));
    QCOMPARE(contentOf(path("data/graphloom/profile.db")), content);
}

void ProgramFaultsTest::aNamedProfileMustBeSound()
{
    writeFile(path("p.db"), QByteArray(5000, 'x'));
    const Outcome outcome = runProgram(
        {"--batch", path("model.onnx"), "--passes", "dnnfusion", "--profile-db", path("p.db")},
        variables());
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains("p.db"), qPrintable(outcome.err));
}

void ProgramFaultsTest::aProfileIsNotExportedOverItself()
{
    const fs::path file = path("p.db").toStdString();
    {
        auto database = ProfileDatabase::open(file);
        QVERIFY(database &&
                database->record({"a", "b", "c", {}}, {1, 2, 3, Provenance::Host, 1, "1.0"}));
    }
    fs::create_symlink("p.db", path("link.db").toStdString());
    const QByteArray content = contentOf(path("p.db"));
    for (const char *target : {"p.db", "link.db", "p.db-wal", "./p.db"}) {
        const Outcome outcome = runProgram(
            {"--profile", "export", path(target), "--profile-db", path("p.db")}, variables());
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains("is the database itself"), qPrintable(outcome.err));
    }
    QCOMPARE(contentOf(path("p.db")), content);
}

void ProgramFaultsTest::anOutputIsNotWrittenOverTheProfile()
{
    QVERIFY(ProfileDatabase::open(path("p.db").toStdString()));
    const Outcome outcome = runProgram({"--batch", path("model.onnx"), "--passes", "dnnfusion",
                                        "--profile-db", path("p.db"), "--report", path("p.db")},
                                       variables());
    QCOMPARE(outcome.code, 2);
    QVERIFY(ProfileDatabase::open(path("p.db").toStdString()));
}

void ProgramFaultsTest::kernelsNeedNoFolder_data()
{
    QTest::addColumn<QStringList>("places");
    QTest::addColumn<int>("mode"); // of the folder; 0: none is made
    QTest::addColumn<QString>("reason");
    const QStringList none = {"XDG_CACHE_HOME=", "HOME=", "XDG_DATA_HOME="};
    QTest::newRow("no home") << none << 0 << "no home folder";
    QTest::newRow("a file in the way")
        << QStringList{"XDG_CACHE_HOME=/dev/null"} << 0 << "/dev/null";
    QTest::newRow("anybody's") << QStringList() << 0777 << "other users can write";
    QTest::newRow("a group's") << QStringList() << 0770 << "other users can write";
}

void ProgramFaultsTest::kernelsNeedNoFolder()
{
    NEEDS_A_COMPILER;
    QFETCH(QStringList, places);
    QFETCH(int, mode);
    QFETCH(QString, reason);
    const fs::path folder = path("cache/graphloom/kernels").toStdString();
    if (mode) {
        fs::create_directories(folder);
        fs::permissions(folder, fs::perms(mode));
    }
    QVERIFY(QDir().mkpath(path("tmp")));
    const Outcome outcome = runProgram(build(), variables() + places << "TMPDIR=" + path("tmp"));
    QCOMPARE(outcome.code, 0);
    QVERIFY2(outcome.err.contains("warning: ") && outcome.err.contains(reason) &&
                 outcome.err.contains("for now they are kept in a temporary folder"),
             qPrintable(outcome.err));
    QCOMPARE(readJson(path("r.json"))["warnings"][0]["id"], Json("GL5002"));
    QVERIFY(QDir(path("tmp")).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
    if (mode)
        QVERIFY(fs::is_empty(folder));
}

/// Of a home folder, as any byte but two may be in it.
void ProgramFaultsTest::foldersMayHaveAnyName()
{
    NEEDS_A_COMPILER;
    const Outcome outcome =
        runIn("unset XDG_CACHE_HOME XDG_DATA_HOME; "
              "HOME=\"$1/$(printf 'caf\\351 %%')\"; export HOME; mkdir \"$HOME\"",
              build() << "--verify"
                      << "--measure"
                      << "2");
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY2(!outcome.err.contains("warning"), qPrintable(outcome.err));
}

void ProgramFaultsTest::aLimitOfFileSizesIsTold()
{
    QFile::copy(sampleFile("bert_tiny.onnx"), path("large.onnx"));
    const Outcome outcome =
        runIn("ulimit -f 1", {"--batch", path("large.onnx"), "--export", path("out.onnx")});
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.err.contains(path("out.onnx") + ": writing failed: File too large"),
             qPrintable(outcome.err));
    QVERIFY(!QFile::exists(path("out.onnx")));
}

void ProgramFaultsTest::whatAKilledExportLeftIsRemoved()
{
    QVERIFY(QDir().mkpath(path(".graphloom-tmp-AbCdEf")));
    writeFile(path(".graphloom-tmp-AbCdEf/out.onnx"), "half of a model");
    writeFile(path(".graphloom-tmp-GhIjKl"), "half of a report");
    const Outcome outcome =
        runProgram({"--batch", path("model.onnx"), "--export", path("out.onnx")}, variables());
    QCOMPARE(outcome.code, 0);
    QCOMPARE(QDir(path("")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             (QStringList{"model.onnx", "out.onnx"}));
}

GRAPHLOOM_TESTS(ProgramFaultsTest)

} // namespace graphloom::test::program_faults_test

#include "program_faults_test.moc"
