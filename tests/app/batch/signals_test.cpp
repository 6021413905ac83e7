// SPDX-License-Identifier: Apache-2.0
#include "app/batch/batch.h"
#include "app/batch/state/interrupt.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/system/child_process.h"
#include "tests/support/app/program.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_models.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace graphloom::test::signals_test {

using Json = nlohmann::ordered_json;

namespace {

namespace fs = std::filesystem;

/// Tells its plan and does not end, whatever it is asked; a process that it has started neither.
class DeafPass final : public Pass {
public:
    explicit DeafPass(int told) : m_told(told) {}
    std::string_view name() const override { return "deaf"; }
    std::string_view help() const override { return "For tests."; }
    std::span<const Parameter> parameters() const override { return {}; }
    Result<Plan> run(Plan plan, const Context &context) const override
    {
        auto partition = std::make_shared<Partition>();
        partition->method = "published";
        for (const NodeId id : plan.graph.order())
            partition->subgraphs.push_back({{id}, 1});
        partition->index(plan.graph);
        plan.partition = std::move(partition);
        context.publish(std::make_shared<const Plan>(plan));
        auto child = ChildProcess::start("sh", {"-c", "echo $$; exec sleep 1000"},
                                         ChildProcess::Reading::Output);
        std::string number = "0";
        if (child)
            child->readLine(number, ChildProcess::Clock::time_point::max(), {});
        say("working " + number + "\n");
        while (!context.stop.stop_requested())
            ::usleep(1000);
        say("stopping\n");
        for (;;)
            ::pause();
    }

private:
    void say(const std::string &line) const
    {
        [[maybe_unused]] const auto written = ::write(m_told, line.data(), line.size());
    }

    int m_told;
};

/// The line that a descriptor gives next; empty where it is closed.
std::string nextLine(int descriptor)
{
    std::string line;
    for (char one = 0; ::read(descriptor, &one, 1) == 1 && one != '\n';)
        line += one;
    return line;
}

/// Nothing but an entry that waits to be forgotten.
bool isGone(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string stat;
    std::getline(file, stat);
    const auto name = stat.rfind(") ");
    return name == std::string::npos || stat[name + 2] == 'Z' || stat[name + 2] == 'X';
}

} // namespace

/// Signals, closed pipes and closed descriptors, as processes see them.
class SignalsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void theSecondSignalSavesThePlanAndEnds_data();
    void theSecondSignalSavesThePlanAndEnds();
    void aSignalBehindTheEnd_data();
    void aSignalBehindTheEnd();
    void aSignalEndsTheVerification();
    void aSignalEndsTheReadingOfAPipe();
    void aBaselineMayComeOutOfAPipe();
    void closedDescriptorsCancelNothing_data();
    void closedDescriptorsCancelNothing();
    void aReaderMayHaveEnough();
    void aFullDeviceIsAnError();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }
    Outcome shell(const QString &command) const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void SignalsTest::init()
{
    QVERIFY2(QFile::exists(GRAPHLOOM_BINARY), "the program is built with the target graphloom");
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    writeTinyModel(path("tiny.onnx").toStdString());
}

/// What bash makes of it, with the program as $G.
Outcome SignalsTest::shell(const QString &command) const
{
    QProcess process;
    process.setWorkingDirectory(m_folder->path());
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("G", GRAPHLOOM_BINARY);
    process.setProcessEnvironment(environment);
    process.start("bash", {"-c", "set -o pipefail; " + command});
    if (!process.waitForFinished(120'000))
        return {-1, {}, "did not end"};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

void SignalsTest::theSecondSignalSavesThePlanAndEnds_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("INT") << SIGINT;
    QTest::newRow("TERM") << SIGTERM;
}

void SignalsTest::theSecondSignalSavesThePlanAndEnds()
{
    QFETCH(int, signal);
    BatchOptions options;
    options.model = path("tiny.onnx").toStdString();
    options.batchSize = 5;
    options.passes = {"deaf"};
    options.exportTo = path("out.onnx").toStdString();
    options.save = path("out.gloom").toStdString();
    options.verify = 1e-4;
    options.progress = ProgressStyle::None;
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    const pid_t process = ::fork();
    QVERIFY(process >= 0);
    if (process == 0) {
        ::alarm(60); // a hang is a failure
        std::ostringstream out, err;
        const BatchPlugins plugins{{{"deaf.so", std::make_shared<DeafPass>(ends[1]), {}}}, {}};
        ::_exit(runBatch(options, plugins, out, err));
    }
    ::close(ends[1]);
    const std::string working = nextLine(ends[0]);
    ::kill(process, signal);
    const std::string stopping = nextLine(ends[0]);
    ::kill(process, signal);
    int status = 0;
    QCOMPARE(::waitpid(process, &status, 0), process);
    ::close(ends[0]);
    QCOMPARE(stopping, std::string("stopping")); // the first asks for a stop
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 130);

    const auto child = pid_t(std::stol(working.substr(working.find(' '))));
    QVERIFY(child > 1);
    QTRY_VERIFY(isGone(child));
    auto model = importOnnx(*options.exportTo);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const auto plan = importPlan(std::make_shared<const Model>(*std::move(model)));
    QVERIFY(plan && plan->partition);
    QCOMPARE(plan->partition->method, std::string("published"));
    QVERIFY(fs::exists(*options.save));
    const auto all =
        QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    QCOMPARE(all, (QStringList{"out.gloom", "out.onnx", "tiny.onnx"}));
}

void SignalsTest::aSignalBehindTheEnd_data()
{
    QTest::addColumn<bool>("cancelled");
    QTest::newRow("a second one") << true;
    QTest::newRow("the first one") << false;
}

/// When all is written, and the process only has to end.
void SignalsTest::aSignalBehindTheEnd()
{
    QFETCH(bool, cancelled);
    const pid_t process = ::fork();
    QVERIFY(process >= 0);
    if (process == 0) {
        ::alarm(60);
        {
            const Interrupt interrupt;
            if (cancelled)
                std::raise(SIGTERM);
            while (interrupt.requested() != cancelled)
                ::usleep(1000);
        }
        std::raise(SIGTERM);
        ::_exit(0);
    }
    int status = 0;
    QCOMPARE(::waitpid(process, &status, 0), process);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 130);
}

/// Which is no reason to lose the plan.
void SignalsTest::aSignalEndsTheVerification()
{
    QProcess process;
    process.setReadChannel(QProcess::StandardError);
    process.start(GRAPHLOOM_BINARY,
                  {"--batch", sampleFile("mobilevit_s_256.onnx"), "--passes", "ago", "--verify",
                   "--progress", "json", "--export", path("out.onnx"), "--report", path("r.json")});
    QByteArray err;
    while (!err.contains("\"stage\":\"verify\"") && process.waitForReadyRead(120'000))
        err += process.readAllStandardError();
    QVERIFY2(err.contains("\"stage\":\"verify\""), err.constData());
    process.terminate();
    QVERIFY(process.waitForFinished(120'000));
    err += process.readAllStandardError();
    QCOMPARE(process.exitCode(), 130);
    QVERIFY2(err.contains("are not verified"), err.constData());
    QVERIFY(QFile::exists(path("out.onnx")));
    const Json report = readJson(path("r.json"));
    QVERIFY(report.contains("partition"));
    QVERIFY(!report.contains("verify"));
}

void SignalsTest::aSignalEndsTheReadingOfAPipe()
{
    QCOMPARE(::mkfifo(path("pipe").toLocal8Bit().constData(), 0600), 0);
    QProcess process;
    process.setReadChannel(QProcess::StandardError);
    process.start(GRAPHLOOM_BINARY,
                  {"--batch", path("tiny.onnx"), "--baseline", path("pipe"), "--progress", "json"});
    QByteArray err;
    while (!err.contains("\"start\"") && process.waitForReadyRead(60'000))
        err += process.readAllStandardError();
    process.terminate();
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 130);
}

void SignalsTest::aBaselineMayComeOutOfAPipe()
{
    const Outcome outcome =
        shell("\"$G\" --batch tiny.onnx --batch-size 2 --report r.json && "
              "\"$G\" --batch tiny.onnx --batch-size 2 --baseline <(cat r.json)");
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY2(outcome.out.contains("baseline"), qPrintable(outcome.out));
}

void SignalsTest::closedDescriptorsCancelNothing_data()
{
    QTest::addColumn<QString>("closed");
    for (const char *closed :
         {"<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"})
        QTest::newRow(closed) << closed;
}

void SignalsTest::closedDescriptorsCancelNothing()
{
    QFETCH(QString, closed);
    const Outcome outcome = shell("\"$G\" --batch tiny.onnx --passes ago --export out.onnx "
                                  "--report r.json " +
                                  closed);
    QCOMPARE(outcome.code, 0);
    QVERIFY(readJson(path("r.json")).contains("partition"));
    QVERIFY(graphloom::importOnnx(path("out.onnx").toStdString()));
}

void SignalsTest::aReaderMayHaveEnough()
{
    for (const char *start : {"", "trap '' PIPE; "}) {
        const Outcome outcome = shell(QString(start) + "\"$G\" --list ops | head -1");
        QCOMPARE(outcome.err, QString());
        QCOMPARE(outcome.code, 0);
        QCOMPARE(outcome.out.count('\n'), 1);
    }
}

void SignalsTest::aFullDeviceIsAnError()
{
    for (const char *what : {"--list ops", "--help", "--batch tiny.onnx"}) {
        const Outcome outcome = shell("\"$G\" " + QString(what) + " > /dev/full");
        QCOMPARE(outcome.code, 4);
        QVERIFY2(outcome.err.contains("No space left on device"), qPrintable(outcome.err));
    }
}

GRAPHLOOM_TESTS(SignalsTest)

} // namespace graphloom::test::signals_test

#include "signals_test.moc"
