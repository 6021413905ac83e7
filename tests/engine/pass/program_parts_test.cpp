// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/program_parts.h"

#include "tests/support/test_program.h"

#include <QProcess>
#include <QTest>
#include <filesystem>

namespace graphloom::test::program_parts_test {

namespace fs = std::filesystem;

namespace {

/// All programs and libraries of the build that users start or that are loaded by these.
std::vector<fs::path> binaries()
{
    std::vector<fs::path> all;
    const fs::path libraries = fs::path(GRAPHLOOM_PLUGINS).parent_path().parent_path();
    for (const fs::path &folder : {fs::path(GRAPHLOOM_BUILD) / "bin", libraries})
        for (const auto &entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file() && entry.path().extension() != ".a")
                all.push_back(entry.path());
    return all;
}

/// Where the dynamic linker looks for the libraries of a file: its RUNPATH and RPATH.
QStringList libraryPathsOf(const fs::path &file)
{
    QProcess readelf;
    readelf.start("readelf", {"-d", "-W", QString::fromStdString(file.string())});
    if (!readelf.waitForFinished() || readelf.exitCode() != 0)
        return {"readelf failed: " + readelf.errorString()};
    QStringList paths;
    for (const QByteArray &line : readelf.readAllStandardOutput().split('\n'))
        if (line.contains("RUNPATH)") || line.contains("RPATH)")) {
            const auto from = line.indexOf('[') + 1;
            paths += QString::fromUtf8(line.mid(from, line.lastIndexOf(']') - from)).split(':');
        }
    return paths;
}

} // namespace

class ProgramPartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBuildHasAllParts();
    void noLibraryIsLoadedFromTheWorkingDirectory();
};

void ProgramPartsTest::theBuildHasAllParts()
{
    for (const auto kind :
         {ProgramPart::Kind::Helper, ProgramPart::Kind::Pass, ProgramPart::Kind::Target})
        QVERIFY(std::ranges::find(programParts, kind, &ProgramPart::kind) != programParts.end());
    for (const MissingPart &part : missingParts())
        QFAIL((part.file.string() + ' ' + part.problem).c_str());
}

/// An empty entry, and one that is not absolute, mean the directory in which a user happens to be.
void ProgramPartsTest::noLibraryIsLoadedFromTheWorkingDirectory()
{
    const std::vector<fs::path> all = binaries();
    QVERIFY(all.size() > programParts.size());
    for (const fs::path &file : all)
        for (const QString &path : libraryPathsOf(file))
            QVERIFY2(path.startsWith('/') || path.startsWith("$ORIGIN"),
                     qPrintable(QString::fromStdString(file.string()) + ": \"" + path + '"'));
}

GRAPHLOOM_TESTS(ProgramPartsTest)

} // namespace graphloom::test::program_parts_test

#include "program_parts_test.moc"
