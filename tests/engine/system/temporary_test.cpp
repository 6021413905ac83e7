// SPDX-License-Identifier: Apache-2.0
#include "engine/system/temporary.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphloom::test::temporary_test {

namespace fs = std::filesystem;

class TemporaryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_parent = std::make_unique<QTemporaryDir>();
        m_folder = fs::path(m_parent->path().toStdString());
    }
    void filesGoWithTheirObjects();
    void foldersGoWithWhatIsInThem();
    void whatIsKeptStays();
    void nobodyElseMayRead();
    void missingFoldersAreTold();
    void whatWasLeftBehindIsRemoved();
    void whatIsHeldStays();
    void whatOthersHoldStays();
    void journalsOfTheGoneAreRemoved();
    void otherFilesStay();

private:
    std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(m_folder), {}); }
    /// Makes a temporary file or folder in a process that ends without cleaning up.
    template <class Make> void leaveBehind(Make make) const
    {
        const pid_t child = ::fork();
        if (child == 0) {
            auto left = make(m_folder);
            ::_exit(left ? 0 : 1);
        }
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

    std::unique_ptr<QTemporaryDir> m_parent;
    fs::path m_folder;
};

void TemporaryTest::filesGoWithTheirObjects()
{
    {
        const auto file = Temporary::file(m_folder);
        QVERIFY(file);
        QVERIFY(fs::is_regular_file(file->path()));
        QCOMPARE(::write(file->descriptor(), "x", 1), ssize_t(1));
    }
    QCOMPARE(entries(), 0);
}

void TemporaryTest::foldersGoWithWhatIsInThem()
{
    {
        const auto folder = Temporary::folder(m_folder);
        QVERIFY(folder);
        std::ofstream(folder->path() / "content") << "x";
        QCOMPARE(entries(), 1);
    }
    QCOMPARE(entries(), 0);
}

void TemporaryTest::whatIsKeptStays()
{
    {
        auto file = Temporary::file(m_folder);
        QVERIFY(file);
        fs::rename(file->path(), m_folder / "result");
        file->keep();
    }
    QVERIFY(fs::exists(m_folder / "result"));
}

void TemporaryTest::nobodyElseMayRead()
{
    const mode_t mask = ::umask(0);
    const auto file = Temporary::file(m_folder), folder = Temporary::folder(m_folder);
    ::umask(mask);
    QVERIFY(file && folder);
    QCOMPARE(int(fs::status(file->path()).permissions()), 0600);
    QCOMPARE(int(fs::status(folder->path()).permissions()), 0700);
}

void TemporaryTest::missingFoldersAreTold()
{
    for (const auto make : {Temporary::file, Temporary::folder}) {
        const auto made = make(m_folder / "nowhere");
        QVERIFY(!made);
        QCOMPARE(int(made.error().kind), int(Error::Kind::Missing));
        QCOMPARE(made.error().where, (m_folder / "nowhere").string());
        QVERIFY2(made.error().message.find("No such file") != std::string::npos,
                 made.error().message.c_str());
    }
}

void TemporaryTest::whatWasLeftBehindIsRemoved()
{
    leaveBehind(Temporary::file);
    leaveBehind([](const fs::path &where) {
        auto folder = Temporary::folder(where);
        if (folder)
            std::ofstream(folder->path() / "content") << "x";
        return folder;
    });
    QCOMPARE(entries(), 2);
    removeAbandoned(m_folder);
    QCOMPARE(entries(), 0);
}

void TemporaryTest::whatIsHeldStays()
{
    const auto file = Temporary::file(m_folder), folder = Temporary::folder(m_folder);
    QVERIFY(file && folder);
    removeAbandoned(m_folder);
    QVERIFY(fs::exists(file->path()) && fs::exists(folder->path()));
}

void TemporaryTest::whatOthersHoldStays()
{
    int ready[2] = {}, done[2] = {};
    QVERIFY(::pipe(ready) == 0 && ::pipe(done) == 0);
    const pid_t child = ::fork();
    char byte = 0;
    if (child == 0) {
        ::close(done[1]);
        const auto file = Temporary::file(m_folder);
        (void)!::write(ready[1], "r", 1);
        (void)!::read(done[0], &byte, 1);
        ::_exit(file && fs::exists(file->path()) ? 0 : 1);
    }
    QCOMPARE(::read(ready[0], &byte, 1), ssize_t(1));
    removeAbandoned(m_folder);
    for (const int end : {ready[0], ready[1], done[0], done[1]})
        ::close(end);
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
}

void TemporaryTest::journalsOfTheGoneAreRemoved()
{
    std::ofstream(m_folder / ".graphloom-tmp-AbCdEf-journal") << "x";
    removeAbandoned(m_folder);
    QCOMPARE(entries(), 0);
}

void TemporaryTest::otherFilesStay()
{
    for (const char *name : {".graphloom-tmp-", ".graphloom", "graphloom-tmp-AbCdEf", "model.onnx"})
        std::ofstream(m_folder / name) << "x";
    removeAbandoned(m_folder);
    QCOMPARE(entries(), 4);
}

GRAPHLOOM_TESTS(TemporaryTest)

} // namespace graphloom::test::temporary_test

#include "temporary_test.moc"
