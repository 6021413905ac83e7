// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profile_database.h"

#include "engine/system/sqlite.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace graphloom::test::profile_database_test {

namespace fs = std::filesystem;

namespace {

ProfileKey keyOf(const std::string &structure, const std::string &device = "cpu")
{
    return {structure, "float[1x8] -> float[1x8]", device, {}};
}

LatencySamples samplesOf(double least, double median, std::int64_t count, std::int64_t time = 1,
                         Provenance provenance = Provenance::Host)
{
    return {least, median, count, provenance, time, "1.0"};
}

std::string contentOf(const fs::path &path)
{
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
}

QString refusalOf(const fs::path &path)
{
    const auto database = ProfileDatabase::open(path);
    return database ? "was opened" : QString::fromStdString(database.error().text());
}

/// Ends the process with code 0 if all goes well; for children, which must not run Qt's cleanup.
template <class Work> pid_t inChild(Work work)
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(work() ? 0 : 1);
    return child;
}

bool endedWell(pid_t child)
{
    int status = -1;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Keeps a database from being written, for as long as this lives.
class OtherWriter {
public:
    explicit OtherWriter(const std::filesystem::path &file)
        : m_database(sqlite::Connection::open(file.string())),
          m_writing(m_database ? sqlite::Transaction::begin(**m_database)
                               : tl::unexpected(m_database.error()))
    {
        if (!m_writing)
            qFatal("%s", m_writing.error().text().c_str());
    }

private:
    Result<std::unique_ptr<sqlite::Connection>> m_database;
    Result<sqlite::Transaction> m_writing;
};

} // namespace

class ProfileDatabaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theHistoryHasTheNewestFirst();
    void impossibleRunsAreRefused_data();
    void impossibleRunsAreRefused();
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = fs::path(m_folder->path().toStdString()) / "new" / "profile.db";
    }
    void keepsWhatIsRecorded();
    void unknownKernels();
    void everyPartOfTheKeyCounts();
    void samplesAreMerged();
    void provenancesNeverMix();
    void impossibleFigures_data();
    void impossibleFigures();
    void visitsEveryKernel();
    void theLastUseIsKept();

    void exportAndImport();
    void importMerges();
    void importingTwiceCountsOnce();
    void brokenLinesAreRefused_data();
    void brokenLinesAreRefused();
    void otherFilesAreNotImported();
    void exportNeedsAFolder();

    void foreignFilesStay_data();
    void foreignFilesStay();
    void damagedDatabasesStay();
    void folderInTheWay();
    void otherTablesAreDamage();
    void whatCannotBeWrittenNowIsWrittenLater();
    void whatWaitsIsWrittenAtTheEnd();
    void killedWriterLosesNothing();
    void severalProcesses();
    void openingAgainKeepsTheLock();
    void severalThreads();
    void defaultFile();

private:
    fs::path beside(const char *name) const
    {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_file;
};

void ProfileDatabaseTest::keepsWhatIsRecorded()
{
    {
        auto database = ProfileDatabase::open(m_file);
        QVERIFY2(database, database ? "" : database.error().text().c_str());
        QVERIFY(database->record(keyOf("Relu"), samplesOf(1000.25, 1500.5, 10, 42)));
    }
    const auto again = ProfileDatabase::open(m_file);
    const auto found = again->lookup(keyOf("Relu"));
    QCOMPARE(found->size(), std::size_t(1));
    const ProfiledLatency &latency = found->front();
    QCOMPARE(latency.minNs, 1000.25);
    QCOMPARE(latency.medianNs, 1500.5);
    QCOMPARE(latency.count, 10);
    QCOMPARE(int(latency.provenance), int(Provenance::Host));
    QCOMPARE(latency.measuredAtMs, 42);
    QCOMPARE(latency.version, std::string("1.0"));
}

void ProfileDatabaseTest::theLastUseIsKept()
{
    {
        auto database = ProfileDatabase::open(m_file);
        QVERIFY(database);
        QVERIFY(database->noteUse({"cpu", "dnnfusion", "a.onnx", 3, 42}));
        QVERIFY(database->noteUse({"cpu", "dnnfusion", "b.onnx", 7, 43}));
        QVERIFY(database->noteUse({"cpu", "dnnfusion", "a.onnx", 5, 44}));
    }
    const auto uses = ProfileDatabase::open(m_file)->uses();
    QVERIFY(uses);
    QCOMPARE(uses->size(), std::size_t(2));
    QCOMPARE((*uses)[0].model, std::string("a.onnx"));
    QCOMPARE((*uses)[0].decisions, 5);
    QCOMPARE((*uses)[0].usedAtMs, 44);
    QCOMPARE((*uses)[1].decisions, 7);
}

void ProfileDatabaseTest::unknownKernels()
{
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database->record(keyOf("Relu"), samplesOf(1, 2, 3)));
    QVERIFY(database->lookup(keyOf("Tanh"))->empty());
}

void ProfileDatabaseTest::everyPartOfTheKeyCounts()
{
    auto database = ProfileDatabase::inMemory();
    const ProfileKey key{"a", "b", "c", "d"};
    QVERIFY(database->record(key, samplesOf(1, 2, 3)));
    QCOMPARE(database->lookup(key)->size(), std::size_t(1));
    for (auto part : {&ProfileKey::structure, &ProfileKey::shapes, &ProfileKey::device,
                      &ProfileKey::schedule}) {
        ProfileKey other = key;
        other.*part += "x";
        QVERIFY(database->lookup(other)->empty());
    }
}

void ProfileDatabaseTest::samplesAreMerged()
{
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database->record(keyOf("Relu"), samplesOf(5, 7, 10, 3)));
    QVERIFY(database->record(keyOf("Relu"), {4, 9, 30, Provenance::Host, 8, "1.1"}));
    QVERIFY(database->record(keyOf("Relu"), samplesOf(6, 20, 5, 2)));
    const auto latency = database->lookup(keyOf("Relu"))->front();
    QCOMPARE(latency.minNs, 4.0);
    QCOMPARE(latency.count, 45);
    QCOMPARE(latency.medianNs, 9.0); // 30 of the 45 have it
    QCOMPARE(latency.measuredAtMs, 8);
    QCOMPARE(latency.version, std::string("1.1"));
}

void ProfileDatabaseTest::provenancesNeverMix()
{
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database->record(keyOf("Relu"), samplesOf(1, 1, 1, 1, Provenance::Modelled)));
    QVERIFY(database->record(keyOf("Relu"), samplesOf(50, 60, 8, 1, Provenance::Host)));
    const auto found = database->lookup(keyOf("Relu"));
    QCOMPARE(found->size(), std::size_t(2));
    QCOMPARE(int(found->front().provenance), int(Provenance::Host));
    QCOMPARE(found->front().minNs, 50.0);
    QCOMPARE(int(found->back().provenance), int(Provenance::Modelled));
    QCOMPARE(found->back().minNs, 1.0);
}

void ProfileDatabaseTest::impossibleFigures_data()
{
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("median");
    QTest::addColumn<int>("count");
    QTest::newRow("negative") << -1.0 << 2.0 << 1;
    QTest::newRow("infinite") << 1.0 << double(INFINITY) << 1;
    QTest::newRow("not a number") << double(NAN) << 2.0 << 1;
    QTest::newRow("minimum above median") << 3.0 << 2.0 << 1;
    QTest::newRow("no samples") << 1.0 << 2.0 << 0;
}

void ProfileDatabaseTest::impossibleFigures()
{
    QFETCH(double, least);
    QFETCH(double, median);
    QFETCH(int, count);
    auto database = ProfileDatabase::inMemory();
    QVERIFY(!database->record(keyOf("Relu"), samplesOf(least, median, count)));
    QVERIFY(database->lookup(keyOf("Relu"))->empty());
}

void ProfileDatabaseTest::visitsEveryKernel()
{
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database->record(keyOf("Relu"), samplesOf(1, 2, 3)));
    QVERIFY(database->record(keyOf("Tanh"), samplesOf(4, 5, 6)));
    QVERIFY(database->record(keyOf("Relu"), samplesOf(1, 2, 3, 9)));
    std::string seen;
    QVERIFY(database->forEach([&](const ProfileKey &key, const auto &latencies) {
        seen += key.structure + std::to_string(latencies.front().count) + " ";
    }));
    QCOMPARE(seen, std::string("Relu6 Tanh6 "));
}

void ProfileDatabaseTest::exportAndImport()
{
    auto database = ProfileDatabase::inMemory();
    const auto key = keyOf("t0! = \"Gelu\"\n\xc3\xa9");
    QVERIFY(database->record(key, samplesOf(0.1, 1e12 / 3, 10, 7, Provenance::Device)));
    QVERIFY(database->exportTo(beside("all.jsonl")));
    auto other = ProfileDatabase::inMemory();
    const auto done = other->importFrom(beside("all.jsonl"));
    QVERIFY2(done, done ? "" : done.error().text().c_str());
    QCOMPARE(done->added, 1);
    const auto latency = other->lookup(key)->front();
    QCOMPARE(latency.minNs, 0.1);
    QVERIFY(latency.medianNs == 1e12 / 3); // to the last bit
    QCOMPARE(int(latency.provenance), int(Provenance::Device));
}

void ProfileDatabaseTest::importMerges()
{
    auto ours = ProfileDatabase::inMemory(), theirs = ProfileDatabase::inMemory();
    QVERIFY(ours->record(keyOf("Relu"), samplesOf(5, 7, 10)));
    QVERIFY(theirs->record(keyOf("Relu"), samplesOf(3, 7, 10)));
    QVERIFY(theirs->record(keyOf("Relu"), samplesOf(1, 1, 1, 1, Provenance::Modelled)));
    QVERIFY(theirs->record(keyOf("Tanh"), samplesOf(8, 9, 10)));
    QVERIFY(theirs->exportTo(beside("theirs.jsonl")));
    const auto done = ours->importFrom(beside("theirs.jsonl"));
    QCOMPARE(done->added, 1);
    QCOMPARE(done->merged, 2);
    const auto found = ours->lookup(keyOf("Relu"));
    QCOMPARE(found->size(), std::size_t(2));
    QCOMPARE(found->front().minNs, 3.0);
    QCOMPARE(found->front().count, 20);
}

void ProfileDatabaseTest::importingTwiceCountsOnce()
{
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database->record(keyOf("Relu"), samplesOf(5, 7, 10)));
    QVERIFY(database->exportTo(beside("all.jsonl")));
    const auto done = database->importFrom(beside("all.jsonl"));
    QCOMPARE(done->known, 1);
    QCOMPARE(done->added + done->merged + done->refused, 0);
    QCOMPARE(database->lookup(keyOf("Relu"))->front().count, 10);
}

void ProfileDatabaseTest::brokenLinesAreRefused_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("named");
    QTest::newRow("no JSON") << "{"
                             << "["
                             << "JSON";
    QTest::newRow("no structure") << "\"structure\""
                                  << "\"strokture\""
                                  << "structure";
    QTest::newRow("structure is a number") << "\"Relu\""
                                           << "3"
                                           << "structure";
    QTest::newRow("unknown provenance") << "\"host\""
                                        << "\"rumour\""
                                        << "rumour";
    QTest::newRow("latency is a text") << "5.0"
                                       << "\"fast\""
                                       << "min_ns";
    QTest::newRow("negative latency") << "5.0"
                                      << "-5.0"
                                      << "negative";
    QTest::newRow("infinite latency") << "7.0"
                                      << "1e999"
                                      << "JSON";
    QTest::newRow("minimum above median") << "5.0"
                                          << "8.0"
                                          << "minimum";
    QTest::newRow("count is a fraction") << "10"
                                         << "10.5"
                                         << "count";
    QTest::newRow("count beyond 63 bits") << "10"
                                          << "18446744073709551615"
                                          << "count";
    QTest::newRow("count of 0") << "10"
                                << "0"
                                << "samples";
    QTest::newRow("too long") << "Relu" << QString(1 << 20, 'x') << "1 MiB";
}

void ProfileDatabaseTest::brokenLinesAreRefused()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, named);
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database->record(keyOf("Relu"), samplesOf(5, 7, 10)));
    QVERIFY(database->exportTo(beside("all.jsonl")));
    const std::string whole = contentOf(beside("all.jsonl"));
    const auto line = whole.find('\n') + 1;
    QString broken = QString::fromStdString(whole.substr(line));
    broken.replace(broken.indexOf(from), from.size(), to);
    std::ofstream(beside("broken.jsonl")) << whole << broken.toStdString();

    auto other = ProfileDatabase::inMemory();
    const auto done = other->importFrom(beside("broken.jsonl"));
    QVERIFY(done.has_value());
    QCOMPARE(done->added, 1); // the line that is whole
    QCOMPARE(done->refused, 1);
    const QString reason = QString::fromStdString(done->reasons.front());
    QVERIFY2(reason.contains("line 3") && reason.contains(named), qPrintable(reason.left(500)));
}

void ProfileDatabaseTest::otherFilesAreNotImported()
{
    auto database = ProfileDatabase::inMemory();
    std::ofstream(beside("other.json")) << "{\"graphloom\": \"report\"}\n";
    const auto other = database->importFrom(beside("other.json"));
    QVERIFY(!other);
    QCOMPARE(int(other.error().kind), int(Error::Kind::Usage));
    const auto missing = database->importFrom(beside("none.jsonl"));
    QVERIFY(!missing);
    QCOMPARE(int(missing.error().kind), int(Error::Kind::Missing));
}

void ProfileDatabaseTest::exportNeedsAFolder()
{
    const auto database = ProfileDatabase::inMemory();
    const auto done = database->exportTo(beside("none") / "all.jsonl");
    QVERIFY(!done);
    QCOMPARE(int(done.error().kind), int(Error::Kind::Missing));
}

void ProfileDatabaseTest::foreignFilesStay_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("short text") << QByteArray("notes\n");
    QTest::newRow("long text") << QByteArray(100'000, 'n');
    QTest::newRow("beginning of a database") << QByteArray("SQLite format 3\0\x10", 17);
    QTest::newRow("nothing but the header's start")
        << QByteArray("SQLite format 3\0", 16) + QByteArray(8000, '\xff');
}

void ProfileDatabaseTest::foreignFilesStay()
{
    QFETCH(QByteArray, content);
    const auto file = beside("foreign.db");
    std::ofstream(file, std::ios::binary) << content.toStdString();
    const QString reason = refusalOf(file);
    QVERIFY2(reason.contains("foreign.db") && reason.contains("left unchanged"),
             qPrintable(reason));
    QVERIFY(contentOf(file) == content.toStdString());
}

void ProfileDatabaseTest::damagedDatabasesStay()
{
    {
        auto database = ProfileDatabase::open(m_file);
        for (int i = 0; i < 200; ++i)
            QVERIFY(database->record(keyOf("Kernel" + std::to_string(i)), samplesOf(1, 2, 3)));
    }
    std::string content = contentOf(m_file);
    QVERIFY(content.size() > 3 * 4096);
    for (std::size_t i = 2 * 4096; i < content.size(); ++i)
        content[i] = char(i * 7);
    std::ofstream(m_file, std::ios::binary) << content;
    const QString reason = refusalOf(m_file);
    QVERIFY2(reason.contains("left unchanged"), qPrintable(reason));
    QVERIFY(contentOf(m_file) == content);
}

void ProfileDatabaseTest::folderInTheWay()
{
    fs::create_directories(m_file);
    const auto database = ProfileDatabase::open(m_file);
    QVERIFY(!database);
    QCOMPARE(int(database.error().kind), int(Error::Kind::Missing));
}

void ProfileDatabaseTest::otherTablesAreDamage()
{
    QVERIFY(ProfileDatabase::open(m_file));
    {
        const auto database = sqlite::Connection::open(m_file.string());
        QVERIFY(database && (*database)->execute("DROP TABLE measurement"));
    }
    const auto database = ProfileDatabase::open(m_file);
    QVERIFY(!database);
    QCOMPARE(int(database.error().kind), int(Error::Kind::Model));
    QVERIFY2(database.error().text().find("damaged") != std::string::npos,
             database.error().text().c_str());
}

void ProfileDatabaseTest::whatCannotBeWrittenNowIsWrittenLater()
{
    auto database = ProfileDatabase::open(m_file);
    QVERIFY(database);
    {
        const OtherWriter other(m_file);
        QVERIFY(database->recordSoon(keyOf("first"), samplesOf(1, 2, 3)));
        QVERIFY(database->lookup(keyOf("first"))->empty());
    }
    QVERIFY(database->recordSoon(keyOf("second"), samplesOf(1, 2, 3)));
    QCOMPARE(database->lookup(keyOf("first"))->size(), std::size_t(1));
    QCOMPARE(database->lookup(keyOf("second"))->size(), std::size_t(1));
}

void ProfileDatabaseTest::whatWaitsIsWrittenAtTheEnd()
{
    {
        auto database = ProfileDatabase::open(m_file);
        QVERIFY(database);
        const OtherWriter other(m_file);
        QVERIFY(database->recordSoon(keyOf("first"), samplesOf(1, 2, 3)));
    } // the other one goes first
    const auto database = ProfileDatabase::open(m_file);
    QVERIFY(database);
    QCOMPARE(database->lookup(keyOf("first"))->size(), std::size_t(1));
}

/// A process writes until it is killed; whatever it said it had recorded is there afterwards.
void ProfileDatabaseTest::killedWriterLosesNothing()
{
    QVERIFY(ProfileDatabase::open(m_file)); // it is there before the first child
    for (int round = 0; round < 5; ++round) {
        int pipe[2] = {};
        QVERIFY(::pipe(pipe) == 0);
        const pid_t child = inChild([&] {
            auto database = ProfileDatabase::open(m_file);
            for (int i = 0; database; ++i) {
                const auto key = keyOf(std::to_string(round) + "/" + std::to_string(i));
                if (!database->record(key, samplesOf(1, 2, 3)) ||
                    ::write(pipe[1], &i, sizeof i) != sizeof i)
                    return false;
            }
            return false;
        });
        ::close(pipe[1]);
        int last = -1;
        const int enough = 20 + 13 * round;
        while (last < enough && ::read(pipe[0], &last, sizeof last) == sizeof last)
            ;
        ::kill(child, SIGKILL);
        while (::read(pipe[0], &last, sizeof last) == sizeof last)
            ; // what it said before it died
        ::waitpid(child, nullptr, 0);
        ::close(pipe[0]);
        QVERIFY(last >= enough);
        const auto database = ProfileDatabase::open(m_file);
        QVERIFY2(database, database ? "" : database.error().text().c_str());
        for (int i = 0; i <= last; ++i)
            QCOMPARE(
                database->lookup(keyOf(std::to_string(round) + "/" + std::to_string(i)))->size(),
                std::size_t(1));
    }
}

/// They create the file together, and write the same kernel.
void ProfileDatabaseTest::severalProcesses()
{
    constexpr int processes = 4, writes = 25;
    std::vector<pid_t> children;
    for (int p = 0; p < processes; ++p)
        children.push_back(inChild([&] {
            auto database = ProfileDatabase::open(m_file);
            for (int i = 0; database && i < writes; ++i)
                if (!database->record(keyOf("Relu"), samplesOf(p + 1, p + 1, 1, i)))
                    return false;
            return database.has_value();
        }));
    for (const pid_t child : children)
        QVERIFY(endedWell(child));
    const auto database = ProfileDatabase::open(m_file);
    QCOMPARE(database->lookup(keyOf("Relu"))->front().count, processes * writes);
}

/// Without its lock, another process would remove the log that this one goes on writing to.
void ProfileDatabaseTest::openingAgainKeepsTheLock()
{
    const auto database = ProfileDatabase::open(m_file);
    QVERIFY(database && database->lookup(keyOf("Relu"))); // from which on it has its lock
    QVERIFY(ProfileDatabase::open(m_file));               // and closes it
    const pid_t child = inChild([&] {
        const int file = ::open(m_file.c_str(), O_RDWR | O_CLOEXEC);
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET; // of all bytes, among which are those that SQLite locks
        return file >= 0 && ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_RDLCK;
    });
    QVERIFY(endedWell(child));
}

void ProfileDatabaseTest::severalThreads()
{
    auto database = ProfileDatabase::inMemory();
    std::atomic<int> failures = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 50; ++i) {
                    failures += !database->record(keyOf("Relu"), samplesOf(t, t, 1, i));
                    failures += !database->lookup(keyOf("Relu"));
                }
            });
    }
    QCOMPARE(failures.load(), 0);
    QCOMPARE(database->lookup(keyOf("Relu"))->front().count, 200);
}

void ProfileDatabaseTest::defaultFile()
{
    QCOMPARE(defaultProfileFile("/data", "/home/ada")->string(),
             std::string("/data/graphloom/profile.db"));
    for (const char *ignored : {"", "relative/folder"})
        QCOMPARE(defaultProfileFile(ignored, "/home/ada")->string(),
                 std::string("/home/ada/.local/share/graphloom/profile.db"));
    QVERIFY(!defaultProfileFile("", ""));
}

void ProfileDatabaseTest::theHistoryHasTheNewestFirst()
{
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "profile.db";
    ProfiledRun run;
    run.device = "arm64:kirin990@ssh:board";
    run.model = "a.onnx";
    run.minMs = 1;
    run.medianMs = run.p95Ms = 2;
    run.megahertz = 2600;
    run.joules = 0.25;
    run.provenance = Provenance::Device;
    run.isBracket = true;
    for (const char *model : {"a.onnx", "b.onnx", "c.onnx"}) {
        auto database = ProfileDatabase::open(path);
        QVERIFY(database);
        run.model = model;
        QVERIFY(database->noteRun(run));
    }
    const auto database = ProfileDatabase::open(path);
    QVERIFY(database);
    const auto runs = database->history(2);
    QVERIFY(runs);
    QCOMPARE(runs->size(), std::size_t(2));
    QCOMPARE(runs->front().model, std::string("c.onnx"));
    QCOMPARE(runs->back().model, std::string("b.onnx"));
    QCOMPARE(runs->front().device, run.device);
    QCOMPARE(runs->front().megahertz, 2600.0);
    QCOMPARE(runs->front().joules, 0.25);
    QCOMPARE(runs->front().provenance, Provenance::Device);
    QVERIFY(runs->front().isBracket);
}

void ProfileDatabaseTest::impossibleRunsAreRefused_data()
{
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("median");
    QTest::newRow("a time below 0") << -1.0 << 2.0;
    QTest::newRow("a minimum above the median") << 3.0 << 2.0;
    QTest::newRow("a time that is no number") << 1.0 << std::nan("");
}

void ProfileDatabaseTest::impossibleRunsAreRefused()
{
    QFETCH(double, least);
    QFETCH(double, median);
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database);
    ProfiledRun run;
    run.minMs = least;
    run.medianMs = run.p95Ms = median;
    QVERIFY(!database->noteRun(run));
    QVERIFY(database->history(1)->empty());
}

GRAPHLOOM_TESTS(ProfileDatabaseTest)

} // namespace graphloom::test::profile_database_test

#include "profile_database_test.moc"
