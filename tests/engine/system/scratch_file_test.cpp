// SPDX-License-Identifier: Apache-2.0
#include "engine/system/scratch_file.h"

#include "tests/support/scoped_variable.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

namespace graphloom::test::scratch_file_test {

using graphloom::test::ScopedVariable;

class ScratchFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsTheBytes();
    void leavesNoFileBehind();
    void nothingWithoutAFolder();
    void nothingOfNoBytes();
};

namespace {

std::vector<std::byte> someBytes(std::size_t count)
{
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = std::byte(i * 7 + i / 251);
    return bytes;
}

} // namespace

void ScratchFileTest::holdsTheBytes()
{
    const auto bytes = someBytes(1'000'003);
    const auto file = ScratchFile::of(bytes);
    QVERIFY(file);
    QVERIFY(std::ranges::equal(file->bytes(), bytes));
}

void ScratchFileTest::leavesNoFileBehind()
{
    const QTemporaryDir folder;
    const ScopedVariable place("TMPDIR", folder.path().toUtf8());
    const auto file = ScratchFile::of(someBytes(5000));
    QVERIFY(file);
    QVERIFY(std::filesystem::is_empty(folder.path().toStdString()));
}

void ScratchFileTest::nothingWithoutAFolder()
{
    const ScopedVariable place("TMPDIR", "/no/such/folder");
    QVERIFY(!ScratchFile::of(someBytes(5000)));
}

void ScratchFileTest::nothingOfNoBytes()
{
    QVERIFY(!ScratchFile::of({}));
}

GRAPHLOOM_TESTS(ScratchFileTest)

} // namespace graphloom::test::scratch_file_test

#include "scratch_file_test.moc"
