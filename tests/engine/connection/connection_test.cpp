// SPDX-License-Identifier: Apache-2.0
#include "engine/connection/connection.h"

#include "engine/connection/shell_connection.h"
#include "engine/connection/ssh_connection.h"
#include "tests/support/board.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QTest>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace graphloom::test::connection_test {

namespace fs = std::filesystem;

namespace {

void write(const fs::path &path, const std::string &content)
{
    std::ofstream(path, std::ios::binary) << content;
}

std::string contentOf(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// All bytes, with what shells and terminals would change.
std::string binary()
{
    std::string bytes;
    for (int round = 0; round < 3000; ++round)
        for (int byte = 0; byte < 256; ++byte)
            bytes += char(byte);
    return bytes;
}

} // namespace

/// The same tests for each kind of connection.
class ConnectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void hostsAreRead();
    void wordsOfShells();
    void argumentsArrive_data() { kinds(); }
    void argumentsArrive();
    void exitCodesArrive_data() { kinds(); }
    void exitCodesArrive();
    void filesComeBack_data() { kinds(); }
    void filesComeBack();
    void filesAreSentOnce_data() { kinds(); }
    void filesAreSentOnce();
    void oldFilesAreRemoved_data() { kinds(); }
    void oldFilesAreRemoved();
    void keptFilesCanRun_data() { kinds(); }
    void keptFilesCanRun();
    void foldersAreRemoved_data() { kinds(); }
    void foldersAreRemoved();
    void theCheckTellsEachStep_data() { kinds(); }
    void theCheckTellsEachStep();
    void aDeviceThatIsNotThereIsNamed_data() { kinds(); }
    void aDeviceThatIsNotThereIsNamed();
    void aDeviceThatDisappearsIsAnError_data() { kinds(); }
    void aDeviceThatDisappearsIsAnError();
    void anUploadThatBreaksOffLeavesNothing();
    void commandsCanBeCancelled_data() { kinds(); }
    void commandsCanBeCancelled();
    void cancelledProgramsEndOnTheDevice_data() { kinds(); }
    void cancelledProgramsEndOnTheDevice();

private:
    void kinds()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("ssh") << int(Board::Kind::Ssh);
        QTest::newRow("adb") << int(Board::Kind::Adb);
    }
    /// Starts the board of the row.
    bool start()
    {
        QFETCH(int, kind);
        m_board = std::make_unique<Board>(Board::Kind(kind));
        if (m_board->problem().empty())
            m_connection = m_board->connection();
        return m_connection != nullptr;
    }
    fs::path local(const char *name) const { return m_folder->filePath(name).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Board> m_board;
    std::unique_ptr<Connection> m_connection;
};

#define START()                                                                                    \
    if (!start())                                                                                  \
    QSKIP(m_board->problem().c_str())

void ConnectionTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void ConnectionTest::cleanup()
{
    m_connection.reset();
    m_board.reset();
}

void ConnectionTest::hostsAreRead()
{
    QCOMPARE(parseSshAddress("pi@board")->host, std::string("pi@board"));
    QCOMPARE(parseSshAddress("pi@board")->port, 0);
    QCOMPARE(parseSshAddress("pi@board:2222")->host, std::string("pi@board"));
    QCOMPARE(parseSshAddress("pi@board:2222")->port, 2222);
    QCOMPARE(parseSshAddress("pi@[fe80::1]:22")->host, std::string("pi@fe80::1"));
    QCOMPARE(parseSshAddress("fe80::1")->host, std::string("fe80::1"));
    QVERIFY(!parseSshAddress("-oProxyCommand=x"));
}

void ConnectionTest::wordsOfShells()
{
    QCOMPARE(shellWord("it's $(here)"), std::string("'it'\\''s $(here)'"));
}

void ConnectionTest::argumentsArrive()
{
    START();
    const auto result = m_connection->run(
        {"printf", "%s\\n", "$(touch x)", "a  b", "it's", "\"q\"; exit 3", "*", "-n", "\\n"}, {},
        30);
    QVERIFY2(result, result ? "" : result.error().text().c_str());
    QCOMPARE(result->ending, 0);
    QCOMPARE(result->lines, (std::vector<std::string>{"$(touch x)", "a  b", "it's", "\"q\"; exit 3",
                                                      "*", "-n", "\\n"}));
}

void ConnectionTest::exitCodesArrive()
{
    START();
    const auto result = m_connection->run({"sh", "-c", "echo told >&2; exit 7"}, {}, 30);
    QVERIFY2(result, result ? "" : result.error().text().c_str());
    QCOMPARE(result->ending, 7);
    QCOMPARE(result->lines, std::vector<std::string>{"told"});
}

void ConnectionTest::filesComeBack()
{
    START();
    write(local("sent"), binary());
    const auto folder = m_connection->makeFolder({});
    QVERIFY2(folder, folder ? "" : folder.error().text().c_str());
    const std::string path = *folder + "/it's $(a) \"file\"";
    const auto sent = m_connection->send(local("sent"), path, {});
    QVERIFY2(sent, sent ? "" : sent.error().text().c_str());
    const auto fetched = m_connection->fetch(path, local("fetched"), {});
    QVERIFY2(fetched, fetched ? "" : fetched.error().text().c_str());
    QVERIFY(contentOf(local("fetched")) == binary());
}

void ConnectionTest::filesAreSentOnce()
{
    START();
    write(local("one"), binary());
    write(local("other"), binary());
    const auto first = m_connection->keep(local("one"), {});
    QVERIFY2(first, first ? "" : first.error().text().c_str());
    const QString kept = m_board->folder() + "/kept";
    QCOMPARE(QDir(kept).entryList(QDir::Files).size(), 1);
    const auto inode = [&] {
        return m_connection->run({"ls", "-i", *first}, {}, 30)->lines.front();
    };
    const std::string before = inode();
    QCOMPARE(*m_connection->keep(local("other"), {}), *first);
    QCOMPARE(inode(), before);
}

void ConnectionTest::keptFilesCanRun()
{
    START();
    write(local("program"), "#!/bin/sh\necho \"ran $1\"\n");
    const auto path = m_connection->keep(local("program"), {});
    QVERIFY2(path, path ? "" : path.error().text().c_str());
    QCOMPARE(m_connection->run({*path, "here"}, {}, 30)->lines,
             std::vector<std::string>{"ran here"});
}

void ConnectionTest::foldersAreRemoved()
{
    START();
    const auto folder = m_connection->makeFolder({});
    QVERIFY(folder);
    QCOMPARE(QDir(m_board->folder() + "/runs").entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(),
             1);
    m_connection->removeFolder(*folder);
    QVERIFY(QDir(m_board->folder() + "/runs").isEmpty());
}

void ConnectionTest::theCheckTellsEachStep()
{
    START();
    const std::vector<Finding> findings = m_connection->check({});
    QCOMPARE(findings.size(), 4U);
    for (const Finding &finding : findings)
        QVERIFY2(finding.found, (finding.what + ": " + finding.detail).c_str());
}

void ConnectionTest::aDeviceThatIsNotThereIsNamed()
{
    START();
    m_connection.reset();
    m_board->disappear();
    m_connection = m_board->connection();
    const std::vector<Finding> findings = m_connection->check({});
    QCOMPARE(findings.size(), 2U); // no further steps
    QVERIFY(findings.front().found);
    QVERIFY(!findings.back().found);
    QVERIFY(!findings.back().detail.empty());
}

void ConnectionTest::aDeviceThatDisappearsIsAnError()
{
    START();
    QVERIFY(m_connection->run({"true"}, {}, 30));
    std::jthread cable([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        m_board->disappear();
    });
    const auto result = m_connection->run({"sleep", "20"}, {}, 30);
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Missing));
    QVERIFY2(result.error().message.starts_with("the device does not answer"),
             result.error().text().c_str());
}

void ConnectionTest::anUploadThatBreaksOffLeavesNothing()
{
    m_board = std::make_unique<Board>(Board::Kind::Adb, "", 300000);
    if (!m_board->problem().empty())
        QSKIP(m_board->problem().c_str());
    m_connection = m_board->connection();
    write(local("file"), binary());
    const auto kept = m_connection->keep(local("file"), {});
    QVERIFY(!kept);
    QCOMPARE(int(kept.error().kind), int(Error::Kind::Missing));
    for (const QString &name : QDir(m_board->folder() + "/kept").entryList(QDir::Files))
        QVERIFY2(name.contains('.'), qPrintable(name)); // a part, under a name of its own
}

void ConnectionTest::commandsCanBeCancelled()
{
    START();
    std::stop_source source;
    std::jthread canceller([&source] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        source.request_stop();
    });
    const auto result = m_connection->run({"sleep", "20"}, source.get_token(), 30);
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Stopped));
}

void ConnectionTest::oldFilesAreRemoved()
{
    START();
    std::ofstream(local("old")) << "old";
    std::ofstream(local("new")) << "new";
    const auto old = m_connection->keep(local("old"), {});
    const auto recent = m_connection->keep(local("new"), {});
    QVERIFY(old && recent);
    QVERIFY(m_connection->run({"touch", "-d", "40 days ago", *old}, {}, 30));
    m_connection = m_board->connection();
    const auto isThere = [&](const std::string &path) {
        const auto tested = m_connection->run({"test", "-f", path}, {}, 30);
        return tested && tested->ending == 0;
    };
    QVERIFY(isThere(*recent));
    QVERIFY(!isThere(*old));
}

/// The end of the client alone would leave them there.
void ConnectionTest::cancelledProgramsEndOnTheDevice()
{
    START();
    std::stop_source source;
    std::jthread canceller([&source] {
        std::this_thread::sleep_for(std::chrono::milliseconds(800));
        source.request_stop();
    });
    const std::string seconds = std::to_string(2000 + ::getpid() % 1000) + ".5"; // like no other
    QVERIFY(!m_connection->run({"sleep", seconds}, source.get_token(), 30));
    // The pattern does not match the command line of the search.
    const auto found = m_connection->run({"pgrep", "-f", "[s]leep " + seconds}, {}, 30);
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->ending, 1); // none
}

GRAPHLOOM_TESTS(ConnectionTest)

} // namespace graphloom::test::connection_test

#include "connection_test.moc"
