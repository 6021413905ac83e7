// SPDX-License-Identifier: Apache-2.0
#include "engine/system/child_process.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

namespace graphloom::test::child_process_test {

using Event = ChildProcess::Event;
using Reading = ChildProcess::Reading;

namespace {

constexpr std::chrono::seconds patience{60};

/// The script's lines of output, and how it ended.
std::pair<std::vector<std::string>, int> run(const std::string &script, Reading reading,
                                             std::string_view input = {})
{
    auto child = ChildProcess::start("sh", {"-c", script}, reading, input);
    std::vector<std::string> lines;
    if (!child)
        return {{child.error().text()}, -1};
    std::string line;
    while (child->readLine(line, ChildProcess::Clock::now() + patience, {}) == Event::Line)
        lines.push_back(line);
    return {lines, child->wait(patience)};
}

/// Whether there is a process of this number that has not ended (as those do that nobody asks for).
bool runs(const std::string &process)
{
    std::ifstream file("/proc/" + process + "/stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const auto state = stat.rfind(") ");
    return state != std::string::npos && stat[state + 2] != 'Z' && stat[state + 2] != 'X';
}

using Lines = std::vector<std::string>;

} // namespace

class ChildProcessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outputComesByLines();
    void errorsAreReadWhenAskedFor();
    void inputIsRead();
    void endingsAreTold();
    void filesAreReadAndWritten();
    void missingFilesAreMissing();
    void endsAreNoticed();
    void missingProgramsAreMissing();
    void lateProcessesAreKilledWithTheirChildren();
    void stoppingKills();
    void silentProcessesAreNotWaitedForForever();
};

void ChildProcessTest::outputComesByLines()
{
    const auto [lines, ending] = run("echo one; echo; printf three; echo no >&2", Reading::Output);
    QCOMPARE(lines, (Lines{"one", "", "three"}));
    QCOMPARE(ending, 0);
}

void ChildProcessTest::errorsAreReadWhenAskedFor()
{
    QCOMPARE(run("echo one; echo two >&2", Reading::OutputAndErrors).first, (Lines{"one", "two"}));
}

void ChildProcessTest::inputIsRead()
{
    const std::string text(100'000, 'x'); // more than a pipe holds
    QCOMPARE(run("cat", Reading::Output, text + "\n").first, Lines{text});
    QCOMPARE(run("cat", Reading::Output).first, Lines{});
}

void ChildProcessTest::endingsAreTold()
{
    const int code = run("exit 7", Reading::Output).second;
    QCOMPARE(code, 7);
    QCOMPARE(ChildProcess::describe(code), std::string("exited with code 7"));
    const int signal = run("kill -SEGV $$", Reading::Output).second;
    QCOMPARE(signal, -SIGSEGV);
    QCOMPARE(ChildProcess::describe(signal), std::string("crashed with SIGSEGV"));
}

void ChildProcessTest::filesAreReadAndWritten()
{
    const QTemporaryDir folder;
    const std::filesystem::path input = folder.filePath("input").toStdString(),
                                output = folder.filePath("output").toStdString();
    std::string bytes;
    for (int i = 0; i < 100'000; ++i)
        bytes += char(i % 256);
    std::ofstream(input, std::ios::binary) << bytes;
    auto child = ChildProcess::startWithFiles("sh", {"-c", "cat; echo told >&2"}, input, output);
    QVERIFY(child);
    std::string line;
    const auto deadline = ChildProcess::Clock::now() + patience;
    QCOMPARE(child->readLine(line, deadline, {}), Event::Line);
    QCOMPARE(line, std::string("told"));
    QCOMPARE(child->readLine(line, deadline, {}), Event::End);
    QCOMPARE(child->wait(patience), 0);
    std::ifstream written(output, std::ios::binary);
    QVERIFY(std::string(std::istreambuf_iterator<char>(written), {}) == bytes);
}

void ChildProcessTest::missingFilesAreMissing()
{
    const auto child = ChildProcess::startWithFiles("cat", {}, "/nonexistent/input", {});
    QVERIFY(!child);
    QCOMPARE(child.error().kind, Error::Kind::Missing);
    QCOMPARE(child.error().where, std::string("/nonexistent/input"));
}

void ChildProcessTest::endsAreNoticed()
{
    auto child = ChildProcess::startWithFiles("sleep", {"1000"}, {}, {});
    QVERIFY(child);
    QVERIFY(!child->hasEnded());
    child->signal(SIGKILL);
    QTRY_VERIFY(child->hasEnded());
    QCOMPARE(child->wait(patience), -SIGKILL); // still told
}

void ChildProcessTest::missingProgramsAreMissing()
{
    const auto child = ChildProcess::start("/nonexistent/program", {}, Reading::Output);
    QVERIFY(!child);
    QCOMPARE(child.error().kind, Error::Kind::Missing);
    QCOMPARE(child.error().where, std::string("/nonexistent/program"));
}

void ChildProcessTest::lateProcessesAreKilledWithTheirChildren()
{
    auto child = ChildProcess::start("sh", {"-c", "sh -c 'echo $$; exec sleep 1000'; true"},
                                     Reading::Output);
    QVERIFY(child);
    std::string inner;
    QCOMPARE(child->readLine(inner, ChildProcess::Clock::now() + patience, {}), Event::Line);
    const auto soon = ChildProcess::Clock::now() + std::chrono::milliseconds(50);
    std::string line;
    QCOMPARE(child->readLine(line, soon, {}), Event::Late);
    QCOMPARE(child->wait(patience), -SIGKILL);
    QTRY_VERIFY(!runs(inner));
}

void ChildProcessTest::stoppingKills()
{
    auto child = ChildProcess::start("sleep", {"1000"}, Reading::Output);
    QVERIFY(child);
    std::stop_source stop;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    });
    std::string line;
    const auto deadline = ChildProcess::Clock::now() + patience;
    QCOMPARE(child->readLine(line, deadline, stop.get_token()), Event::Stopped);
    QCOMPARE(child->wait(patience), -SIGKILL);
}

void ChildProcessTest::silentProcessesAreNotWaitedForForever()
{
    auto child = ChildProcess::start("sh", {"-c", "exec >&-; exec sleep 1000"}, Reading::Output);
    QVERIFY(child);
    std::string line;
    QCOMPARE(child->readLine(line, ChildProcess::Clock::now() + patience, {}), Event::End);
    QCOMPARE(child->wait(std::chrono::milliseconds(20)), -SIGKILL);
}

GRAPHLOOM_TESTS(ChildProcessTest)

} // namespace graphloom::test::child_process_test

#include "child_process_test.moc"
