// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial/trial.h"

#include "engine/codegen/build/kernel_cache.h"
#include "engine/cost/host.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

namespace graphloom::test::trial_test {

namespace fs = std::filesystem;

namespace {

/// Kernels that compute and kernels that misbehave. A task is 16 floats.
constexpr const char *kernels = R"c(
#include <stdint.h>
#include <stdlib.h>
#define KERNEL(name) \
    void name(void *const *buffers, char *scratch, int64_t first, int64_t last, int32_t *status)
#define UNUSED (void)buffers, (void)scratch, (void)first, (void)last, (void)status

KERNEL(copy)
{
    const float *in = buffers[0];
    float *out = buffers[1];
    UNUSED;
    for (int64_t i = first * 16; i < last * 16; ++i) out[i] = in[i];
}
KERNEL(add)
{
    const float *in = buffers[0];
    float *out = buffers[1], *sum = (float *)scratch;
    UNUSED;
    for (int64_t i = first * 16; i < last * 16; ++i) {
        sum[i % 16] = in[i];
        out[i] += sum[i % 16];
    }
}
KERNEL(slow)
{
    volatile float *out = buffers[1];
    UNUSED;
    for (int i = 0; i < 3000000; ++i) out[0] = 1;
}
extern int sched_getcpu(void);
KERNEL(meet) /* two tasks wait for each other and say where they run; -1: the other did not come */
{
    volatile int64_t *count = buffers[1];
    UNUSED;
    for (int64_t i = first; i < last; ++i) {
        const int64_t both = (__atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST) / 2 + 1) * 2;
        int patience = 20000000; /* one thread runs both tasks if the other one loses its core */
        while (*count < both && patience > 0) --patience;
        ((int *)buffers[0])[i] = patience > 0 ? sched_getcpu() : -1;
    }
}
KERNEL(crash) { UNUSED; *(volatile int *)0 = 1; }
KERNEL(hang) { UNUSED; for (;;) *(volatile char *)buffers[0]; }
KERNEL(leave) { UNUSED; exit(3); }
KERNEL(complain) { UNUSED; *status = 7; }
KERNEL(overrun) { UNUSED; ((volatile char *)buffers[0])[FLOATS * 4 + 64] = 1; }
)c";

constexpr std::int64_t tasks = 8, floats = tasks * 16;

} // namespace

class TrialTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void goodCandidatesAreMeasured();
    void badCandidatesAreRowsAndTheOthersGoOn();
    void outputsAreThoseOfOneRun();
    void phasesMayHaveBuffersOfTheirOwn();
    void buffersOfPhasesMustBeThere();
    void buffersAreFilledAsTheySay();
    void amongOtherDataItIsMeasuredCallByCall();
    void otherDataThatFitIntoTheCachesDoNotMatter();
    void recentBuffersKeepTheirContent();
    void hopelessCandidatesAreLeftEarly();
    void severalThreadsComputeTheSame();
    void severalThreadsHaveACoreEach();
    void functionsMayBeInAnyLibrary();
    void whatCannotBeginSaysWhy_data();
    void whatCannotBeginSaysWhy();
    void stoppingEndsAtOnce();
    void whatIsNotDoneInTimeHasNoRow();
    void namesMayHaveAnyBytes();

private:
    TrialJob job(const std::vector<std::vector<std::string>> &candidates) const;
    std::vector<TrialResult> run(const TrialJob &job, QString *problem = nullptr) const;
    template <class T> std::vector<T> content(const char *name) const;

    QTemporaryDir m_parent;
    fs::path m_folder, m_library, m_other;
};

void TrialTest::initTestCase()
{
    const auto compiler = findCCompiler(nullptr);
    if (!compiler)
        QSKIP("needs gcc or clang");
    m_folder = fs::path(m_parent.path().toStdString());
    KernelCache cache(m_folder / "kernels", 1 << 30);
    const auto library =
        cache.library(*compiler, {kernels}, {"-O2", "-DFLOATS=" + std::to_string(floats)}, {}, 60);
    QVERIFY2(library, library ? "" : library.error().text().c_str());
    m_library = *library;
    const auto other =
        cache.library(*compiler,
                      {"void nothing(void *const *b, char *s, long f, long l, int *e)\n"
                       "{ (void)b, (void)s, (void)f, (void)l, (void)e; }\n"},
                      {"-O2"}, {}, 60);
    QVERIFY2(other, other ? "" : other.error().text().c_str());
    m_other = *other;
}

/// Candidates by the functions of their phases.
TrialJob TrialTest::job(const std::vector<std::vector<std::string>> &candidates) const
{
    TrialJob job;
    job.libraries = {m_library};
    job.buffers.resize(2);
    job.buffers[0].bytes = job.buffers[1].bytes = floats * 4;
    job.buffers[0].fill = TrialBuffer::Fill::Floats;
    job.scratchBytes = 64;
    job.seconds = 0.01;
    job.limitSeconds = 60;
    for (const auto &symbols : candidates) {
        TrialCandidate &candidate = job.candidates.emplace_back();
        candidate.buffers = {0, 1};
        for (const std::string &symbol : symbols)
            candidate.phases.push_back({symbol, tasks});
    }
    return job;
}

std::vector<TrialResult> TrialTest::run(const TrialJob &job, QString *problem) const
{
    std::vector<TrialResult> rows;
    const auto done = runTrials(job, [&](const TrialResult &row) { rows.push_back(row); }, {});
    if (problem)
        *problem = done ? QString() : QString::fromStdString(done.error().text());
    return rows;
}

template <class T> std::vector<T> TrialTest::content(const char *name) const
{
    std::ifstream file(m_folder / name, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

void TrialTest::goodCandidatesAreMeasured()
{
    QString problem;
    const auto rows = run(job({{"copy"}, {"copy", "add"}, {}}), &problem);
    QCOMPARE(problem, QString());
    QCOMPARE(rows.size(), std::size_t(3));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QCOMPARE(rows[i].candidate, i);
        QCOMPARE(rows[i].problem, std::string());
        QVERIFY(rows[i].samples >= 3 && rows[i].samples <= 50);
        QVERIFY(rows[i].callsPerSample > 1); // it takes less than a microsecond
        QVERIFY(rows[i].least > 0);
        QVERIFY(rows[i].least <= rows[i].median);
        QVERIFY(rows[i].median <= rows[i].p95);
    }
}

void TrialTest::badCandidatesAreRowsAndTheOthersGoOn()
{
    TrialJob trials = job({{"crash"},
                           {"copy"},
                           {"leave"},
                           {"complain"},
                           {"overrun"},
                           {"hang"},
                           {"copy", "hang"},
                           {"add"}});
    trials.limitSeconds = 0.5;
    QString problem;
    const auto rows = run(trials, &problem);
    QCOMPARE(problem, QString());
    std::vector<std::string> problems;
    for (const TrialResult &row : rows) {
        QCOMPARE(row.candidate, problems.size());
        problems.push_back(row.problem);
    }
    QCOMPARE(problems,
             (std::vector<std::string>{"crashed with SIGSEGV", "", "exited with code 3",
                                       "reports error 7", "crashed with SIGSEGV",
                                       "took more than 0.5 s", "took more than 0.5 s", ""}));
}

void TrialTest::outputsAreThoseOfOneRun()
{
    TrialJob trials = job({{"copy"}, {"add"}, {"copy", "add"}});
    trials.candidates[0].outputs = {{0, m_folder / "in"}, {1, m_folder / "copied"}};
    trials.candidates[1].outputs = {{1, m_folder / "added"}};
    trials.candidates[2].outputs = {{1, m_folder / "twice"}};
    QCOMPARE(run(trials).size(), std::size_t(3));
    const auto in = content<float>("in");
    QCOMPARE(in.size(), std::size_t(floats));
    QCOMPARE(content<float>("copied"), in);
    QCOMPARE(content<float>("added"), in); // to zeros, not to what was there before
    auto twice = in;
    for (float &value : twice)
        value *= 2;
    QCOMPARE(content<float>("twice"), twice);
}

void TrialTest::phasesMayHaveBuffersOfTheirOwn()
{
    TrialJob way = job({{"copy", "copy"}});
    way.buffers.resize(3);
    way.buffers[2].bytes = floats * 4;
    way.candidates[0].phases[1].buffers = {1, 2}; // what the first phase wrote
    way.candidates[0].outputs = {{0, m_folder / "from"}, {2, m_folder / "to"}};
    const auto rows = run(way);
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(rows[0].problem), QString());
    QCOMPARE(content<float>("to"), content<float>("from"));
}

void TrialTest::buffersOfPhasesMustBeThere()
{
    TrialJob way = job({{"copy", "copy"}});
    way.candidates[0].phases[1].buffers = {1, 2}; // there are two
    QString problem;
    run(way, &problem);
    QVERIFY2(problem.contains("an unknown buffer"), qPrintable(problem));
}

void TrialTest::buffersAreFilledAsTheySay()
{
    std::ofstream(m_folder / "given", std::ios::binary) << "0123456789";
    TrialJob trials = job({{}});
    trials.buffers.resize(5);
    trials.buffers[2] = {4000, TrialBuffer::Fill::Integers, 8, 10, {}};
    trials.buffers[3] = {1000, TrialBuffer::Fill::Integers, 1, 3, {}};
    trials.buffers[4] = {8, TrialBuffer::Fill::File, 4, 1, m_folder / "given"};
    for (std::uint32_t i = 0; i < 5; ++i)
        trials.candidates[0].outputs.push_back({i, m_folder / ("buffer" + std::to_string(i))});
    QString problem;
    run(trials, &problem);
    QCOMPARE(problem, QString());

    const auto real = content<float>("buffer0");
    QVERIFY(*std::ranges::min_element(real) >= -1 && *std::ranges::max_element(real) <= 1);
    QVERIFY(std::set(real.begin(), real.end()).size() > 100);
    QCOMPARE(content<float>("buffer1"), std::vector<float>(floats, 0.0F));
    const auto wide = content<std::int64_t>("buffer2");
    QCOMPARE(std::set(wide.begin(), wide.end()),
             (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    const auto narrow = content<std::int8_t>("buffer3");
    QCOMPARE(narrow.size(), std::size_t(1000));
    QCOMPARE(std::set(narrow.begin(), narrow.end()), (std::set<std::int8_t>{0, 1, 2}));
    QCOMPARE(content<char>("buffer4"), (std::vector<char>{'0', '1', '2', '3', '4', '5', '6', '7'}));
}

void TrialTest::amongOtherDataItIsMeasuredCallByCall()
{
    TrialJob trials = job({{"copy"}});
    trials.otherBytes = 64 << 20;
    trials.rounds = 5;
    const auto rows = run(trials);
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(rows[0].problem, std::string());
    QCOMPARE(rows[0].callsPerSample, 1);
}

void TrialTest::otherDataThatFitIntoTheCachesDoNotMatter()
{
    TrialJob trials = job({{"copy"}});
    trials.otherBytes = 1000;
    const auto rows = run(trials);
    QCOMPARE(rows.size(), std::size_t(1));
    QVERIFY(rows[0].callsPerSample > 1);
}

void TrialTest::recentBuffersKeepTheirContent()
{
    TrialJob trials = job({{"copy"}});
    trials.otherBytes = 64 << 20;
    trials.rounds = 5;
    trials.threads = 2;
    trials.buffers[0].isRecent = trials.buffers[1].isRecent = true;
    trials.candidates[0].outputs = {{0, m_folder / "read"}, {1, m_folder / "written"}};
    QCOMPARE(run(trials).size(), std::size_t(1));
    QCOMPARE(content<float>("written"), content<float>("read"));
    QVERIFY(content<float>("read").front() != 0);
}

void TrialTest::hopelessCandidatesAreLeftEarly()
{
    TrialJob trials = job({{"copy"}, {"slow"}, {"copy"}});
    trials.hopeless = 100;
    const auto rows = run(trials);
    QCOMPARE(rows.size(), std::size_t(3));
    QCOMPARE(rows[1].samples, 1);
    QVERIFY(rows[2].samples >= 3);
    trials.hopeless = 0;
    QVERIFY(run(trials)[1].samples >= 3);
}

void TrialTest::severalThreadsComputeTheSame()
{
    TrialJob trials = job({{"copy", "add"}});
    trials.candidates[0].outputs = {{1, m_folder / "one"}};
    QCOMPARE(run(trials)[0].problem, std::string());
    trials.threads = 3;
    trials.candidates[0].outputs = {{1, m_folder / "three"}};
    QCOMPARE(run(trials)[0].problem, std::string());
    QCOMPARE(content<float>("three"), content<float>("one"));
}

void TrialTest::severalThreadsHaveACoreEach()
{
    if (hostFacts().cores < 2)
        QSKIP("needs two cores");
    TrialJob trials = job({{"meet"}});
    trials.candidates[0].phases[0].tasks = 2;
    trials.threads = 2;
    trials.candidates[0].outputs = {{0, m_folder / "cores"}};
    std::vector<int> cores{-1, -1};
    for (int time = 0; time < 20 && (cores[0] < 0 || cores[1] < 0); ++time) {
        QCOMPARE(run(trials)[0].problem, std::string());
        cores = content<int>("cores");
    }
    QVERIFY2(cores[0] >= 0 && cores[1] >= 0, "the threads never run at the same time");
    QVERIFY2(cores[0] != cores[1], "both threads run on one core");
}

void TrialTest::functionsMayBeInAnyLibrary()
{
    TrialJob trials = job({{"copy"}, {"nothing"}, {"add", "nothing"}});
    trials.libraries.push_back(m_other);
    QString problem;
    const auto rows = run(trials, &problem);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QCOMPARE(rows.size(), std::size_t(3));
    for (const TrialResult &row : rows)
        QVERIFY2(row.problem.empty(), row.problem.c_str());
}

void TrialTest::whatCannotBeginSaysWhy_data()
{
    QTest::addColumn<QString>("reason");
    QTest::newRow("library") << "cannot be read";
    QTest::newRow("function") << "has no function nowhere";
    QTest::newRow("file") << "does not provide the 512 bytes of a buffer";
    QTest::newRow("buffer") << "an unknown buffer";
    QTest::newRow("memory") << "not enough memory for a buffer of";
}

void TrialTest::whatCannotBeginSaysWhy()
{
    const std::string row = QTest::currentDataTag();
    TrialJob trials = job({{row == "function" ? "nowhere" : "copy"}});
    if (row == "library")
        trials.libraries = {"/nonexistent/kernels.so"};
    if (row == "file") {
        trials.buffers[0].fill = TrialBuffer::Fill::File;
        trials.buffers[0].file = "/nonexistent/data";
    }
    if (row == "buffer")
        trials.candidates[0].buffers = {2};
    if (row == "memory")
        trials.buffers[0].bytes = std::int64_t{1} << 60;
    QString problem;
    QVERIFY(run(trials, &problem).empty());
    QFETCH(QString, reason);
    QVERIFY2(problem.contains(reason), qPrintable(problem));
}

void TrialTest::stoppingEndsAtOnce()
{
    std::stop_source stop;
    TrialJob trials = job({{"copy"}, {"hang"}, {"copy"}});
    trials.limitSeconds = 1000;
    std::size_t rows = 0;
    const auto done = runTrials(
        trials,
        [&](const TrialResult &) {
            ++rows;
            stop.request_stop();
        },
        stop.get_token());
    QVERIFY(done);
    QCOMPARE(rows, std::size_t(1));
}

void TrialTest::whatIsNotDoneInTimeHasNoRow()
{
    TrialJob trials = job({{"copy"}, {"hang"}, {"copy"}});
    trials.limitSeconds = 1000;
    trials.totalSeconds = 1;
    QString problem;
    const auto rows = run(trials, &problem);
    QCOMPARE(problem, QString());
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(rows[0].candidate, std::size_t(0));
}

void TrialTest::namesMayHaveAnyBytes()
{
    const fs::path folder = m_folder / "caf\xe9 %41\n";
    fs::create_directories(folder);
    TrialJob trials = job({{"copy"}});
    trials.libraries = {folder / m_library.filename()};
    fs::copy_file(m_library, trials.libraries.front());
    trials.candidates[0].outputs = {{1, folder / "out"}};
    QString problem;
    const auto rows = run(trials, &problem);
    QCOMPARE(problem, QString());
    QCOMPARE(rows.size(), std::size_t(1));
    QVERIFY(fs::exists(folder / "out"));
}

GRAPHLOOM_TESTS(TrialTest)

} // namespace graphloom::test::trial_test

#include "trial_test.moc"
