// SPDX-License-Identifier: Apache-2.0
#include "engine/system/atomic_file.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace graphloom::test::atomic_file_test {

namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path &path)
{
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
}

/// How many files a folder holds: a temporary file left behind would show.
std::ptrdiff_t filesIn(const fs::path &folder)
{
    return std::distance(fs::directory_iterator(folder), {});
}

} // namespace

class AtomicFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = fs::path(m_folder->path().toStdString()) / "file.txt";
    }
    void writesNewFiles();
    void replacesOldFiles();
    void failingWriterLeavesTheOldFile();
    void missingFolderIsTold();
    void linksAreFollowed();
    void linksAreReplaced();
    void permissionsStay();
    void readersSeeOldOrNew();
    void pipesAreWrittenTo();
    void whatAKilledWriterLeftIsRemoved();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

void AtomicFileTest::writesNewFiles()
{
    const std::string binary("a\0b\n\xff", 5);
    QVERIFY(writeFileAtomically(m_path, binary));
    QCOMPARE(contentOf(m_path), binary);
    QCOMPARE(filesIn(m_path.parent_path()), 1);
    QVERIFY(writeFileAtomically(m_path, std::string_view()));
    QCOMPARE(fs::file_size(m_path), std::uintmax_t(0));
}

void AtomicFileTest::replacesOldFiles()
{
    QVERIFY(writeFileAtomically(m_path, "a long first version"));
    QVERIFY(writeFileAtomically(m_path, "short"));
    QCOMPARE(contentOf(m_path), std::string("short"));
    QCOMPARE(filesIn(m_path.parent_path()), 1);
}

void AtomicFileTest::failingWriterLeavesTheOldFile()
{
    QVERIFY(writeFileAtomically(m_path, "old"));
    const auto half = writeFileAtomically(m_path, [](std::ostream &stream) {
        stream << "half of it";
        return false;
    });
    QVERIFY(!half);
    QCOMPARE(int(half.error().kind), int(Error::Kind::Missing));
    const auto broken = writeFileAtomically(m_path, [](std::ostream &stream) {
        stream.setstate(std::ios::badbit); // as when the disk is full
        return true;
    });
    QVERIFY(!broken);
    QCOMPARE(contentOf(m_path), std::string("old"));
    QCOMPARE(filesIn(m_path.parent_path()), 1);
}

void AtomicFileTest::missingFolderIsTold()
{
    const auto path = m_path.parent_path() / "nowhere" / "file.txt";
    const auto result = writeFileAtomically(path, "x");
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Missing));
    QCOMPARE(result.error().where, path.string());
    QVERIFY(!writeFileAtomically(m_path.parent_path(), "a folder stands there"));
    QCOMPARE(filesIn(m_path.parent_path()), 0);
}

void AtomicFileTest::linksAreFollowed()
{
    const auto real = m_path.parent_path() / "real.txt";
    QVERIFY(writeFileAtomically(real, "old"));
    fs::create_symlink("real.txt", m_path);
    QVERIFY(writeFileAtomically(m_path, "new"));
    QVERIFY(fs::is_symlink(m_path));
    QCOMPARE(contentOf(real), std::string("new"));
}

void AtomicFileTest::linksAreReplaced()
{
    const auto real = m_path.parent_path() / "real.txt";
    QVERIFY(writeFileAtomically(real, "old"));
    fs::create_symlink("real.txt", m_path);
    QVERIFY(writeFileAtomically(
        m_path, [](std::ostream &stream) { return bool(stream << "new"); }, Links::Replace));
    QVERIFY(!fs::is_symlink(m_path));
    QCOMPARE(contentOf(m_path), std::string("new"));
    QCOMPARE(contentOf(real), std::string("old"));
}

void AtomicFileTest::permissionsStay()
{
    QVERIFY(writeFileAtomically(m_path, "old"));
    QVERIFY((fs::status(m_path).permissions() & fs::perms::owner_write) != fs::perms::none);
    fs::permissions(m_path, fs::perms(0640));
    QVERIFY(writeFileAtomically(m_path, "new"));
    QCOMPARE(int(fs::status(m_path).permissions()), 0640);
}

void AtomicFileTest::readersSeeOldOrNew()
{
    const std::string first(200'000, 'a'), second(300'000, 'b');
    QVERIFY(writeFileAtomically(m_path, first));
    std::jthread writer([&](std::stop_token stop) {
        while (!stop.stop_requested())
            for (const auto *content : {&second, &first})
                if (!writeFileAtomically(m_path, *content))
                    qFatal("writing failed");
    });
    for (int i = 0; i < 200; ++i) {
        const std::string seen = contentOf(m_path);
        QVERIFY2(seen == first || seen == second, qPrintable(QString::number(seen.size())));
    }
}

void AtomicFileTest::pipesAreWrittenTo()
{
    QCOMPARE(::mkfifo(m_path.c_str(), 0600), 0);
    const int reader = ::open(m_path.c_str(), O_RDONLY | O_NONBLOCK);
    QVERIFY(reader >= 0);
    QVERIFY(writeFileAtomically(m_path, "through"));
    QVERIFY(fs::is_fifo(m_path));
    char text[16] = {};
    QCOMPARE(::read(reader, text, sizeof text), ssize_t(7));
    ::close(reader);
    QCOMPARE(std::string(text), std::string("through"));
    const auto byName = fillFileAtomically(m_path, [](const auto &) { return Result<void>(); });
    QVERIFY(!byName);
    QVERIFY(fs::is_fifo(m_path));
}

void AtomicFileTest::whatAKilledWriterLeftIsRemoved()
{
    const pid_t child = ::fork();
    if (child == 0) {
        (void)fillFileAtomically(m_path, [](const auto &) -> Result<void> { ::_exit(0); });
        ::_exit(1);
    }
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
    QCOMPARE(filesIn(m_path.parent_path()), 1);
    QVERIFY(writeFileAtomically(m_path, "new"));
    QCOMPARE(filesIn(m_path.parent_path()), 1);
    QCOMPARE(contentOf(m_path), std::string("new"));
}

GRAPHLOOM_TESTS(AtomicFileTest)

} // namespace graphloom::test::atomic_file_test

#include "atomic_file_test.moc"
