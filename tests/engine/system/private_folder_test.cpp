// SPDX-License-Identifier: Apache-2.0
#include "engine/system/private_folder.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace graphloom::test::private_folder_test {

namespace fs = std::filesystem;

class PrivateFolderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsMadeIsTheOwnersAlone();
    void whatIsThereStaysAsItIs();
    void aFileInTheWayIsToldOf();

private:
    QTemporaryDir m_folder;
};

void PrivateFolderTest::whatIsMadeIsTheOwnersAlone()
{
    const fs::path outer = fs::path(m_folder.path().toStdString()) / "new";
    const mode_t before = ::umask(0);
    const auto failed = makePrivateFolders(outer / "inner");
    ::umask(before);
    QVERIFY2(!failed, failed.message().c_str());
    QCOMPARE(fs::status(outer).permissions(), fs::perms::owner_all);
    QCOMPARE(fs::status(outer / "inner").permissions(), fs::perms::owner_all);
}

void PrivateFolderTest::whatIsThereStaysAsItIs()
{
    const fs::path folder = fs::path(m_folder.path().toStdString()) / "there";
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::all);
    QVERIFY(!makePrivateFolders(folder));
    QCOMPARE(fs::status(folder).permissions(), fs::perms::all);
}

void PrivateFolderTest::aFileInTheWayIsToldOf()
{
    const fs::path file = fs::path(m_folder.path().toStdString()) / "file";
    std::ofstream(file) << "x";
    QVERIFY(makePrivateFolders(file));
    QVERIFY(makePrivateFolders(file / "inner"));
}

GRAPHLOOM_TESTS(PrivateFolderTest)

} // namespace graphloom::test::private_folder_test

#include "private_folder_test.moc"
