// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/plan_tuner.h"

#include "engine/interpreter/interpreter.h"
#include "tests/engine/tuning/product_kernels.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace graphloom::test::plan_tuner_test {

using graphloom::test::ProductKernels;

class PlanTunerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void equalKernelsAreTunedOnce();
    void bestIsNotSlowerThanTheStart();
    void littleGainsAreNotTaken_data();
    void littleGainsAreNotTaken();
    void whatIsKnownIsNotMeasuredAgain();
    void whatHasFewSchedulesIsKnownWithAllOfThem();
    void whatIsKnownOfOtherDevicesIsNotTaken();
    void tunedPlansGiveTheSameResults();
    void theLimitOfTrialsHoldsForAllKernels();
    void stoppedItKeepsTheDefaults();
    void defaultKernelsAreCompiledBeforeTheFirstTrial();
    void compilingDefaultKernelsLeavesTimeForTrials();
    void whatIsCompiledAtTheEndIsCutOff();
    void aCompilerThatHangsIsWaitedForOnce();
    void withoutTimeNothingIsMeasured();

private:
    PlanTunerOptions planOptions(ProfileDatabase *database = nullptr)
    {
        PlanTunerOptions options;
        options.compiler = &*m_compiler;
        options.cache = m_cache.get();
        options.seconds = 3000; // the trials end it, however slow the machine is
        options.trialsPerPhase = 14;
        options.database = database;
        options.device = "here";
        return options;
    }
    Result<PlanTuning> tuned(const PlanTunerOptions &options) const
    {
        return tunePlan(m_products.kernels, m_products.target, options);
    }

    const ProductKernels m_products;
    QTemporaryDir m_folder;
    std::optional<CCompiler> m_compiler;
    std::unique_ptr<KernelCache> m_cache;
    std::optional<ProfileDatabase> m_database; // what was measured for m_tuning
    std::optional<PlanTuning> m_tuning;
};

void PlanTunerTest::initTestCase()
{
    m_products.findCompiler(m_compiler);
    if (!m_compiler)
        return;
    m_cache = std::make_unique<KernelCache>(m_folder.path().toStdString(), std::uint64_t{1} << 30);
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database);
    m_database = *std::move(database);
    auto tuning = tuned(planOptions(&*m_database));
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    m_tuning = *std::move(tuning);
}

void PlanTunerTest::equalKernelsAreTunedOnce()
{
    QCOMPARE(m_tuning->phases.size(), std::size_t(2));
    QCOMPARE(m_tuning->phases[0].uses + m_tuning->phases[1].uses, 3);
}

void PlanTunerTest::bestIsNotSlowerThanTheStart()
{
    QVERIFY(m_tuning->bestSeconds <= m_tuning->startSeconds);
}

void PlanTunerTest::littleGainsAreNotTaken_data()
{
    QTest::addColumn<double>("share");
    QTest::addColumn<bool>("taken");
    QTest::newRow("1 %") << 0.99 << false;
    QTest::newRow("10 %") << 0.9 << true;
}

/// The best of many measurements is by a little too good.
void PlanTunerTest::littleGainsAreNotTaken()
{
    QFETCH(double, share);
    QFETCH(bool, taken);
    PlanTunerOptions options = planOptions();
    options.times = [share](const BlockKernel &kernel, PhaseIndex phase, GroupSchedules schedules) {
        const bool isDefault = textOf(schedules) == textOf(schedulesOf(kernel, phase));
        const double seconds = isDefault ? 1e-3 : share * 1e-3;
        return PhaseTime{seconds, seconds};
    };
    const auto tuning = tuned(options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY(tuning->trials > 0);
    QCOMPARE(tuning->bestSeconds < tuning->startSeconds, taken);
}

void PlanTunerTest::whatIsKnownIsNotMeasuredAgain()
{
    QVERIFY(m_tuning->trials > 0);
    const auto second = tuned(planOptions(&*m_database));
    QVERIFY2(second, second ? "" : second.error().text().c_str());
    QCOMPARE(second->trials, 0);
    QCOMPARE(second->phases.size(), std::size_t(2));
    for (const TunedPhase &phase : second->phases)
        QVERIFY(phase.known);
}

/// Narrow vectors leave small products fewer schedules than a kernel usually has trials.
void PlanTunerTest::whatHasFewSchedulesIsKnownWithAllOfThem()
{
    PlanTunerOptions options = planOptions(nullptr);
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database);
    options.database = &*database;
    options.trialsPerPhase = 3;
    const auto first = tuned(options);
    QVERIFY2(first, first ? "" : first.error().text().c_str());
    QVERIFY(first->trials > 0);
    const auto second = tuned(options);
    QVERIFY2(second, second ? "" : second.error().text().c_str());
    QCOMPARE(second->trials, 0);
    // Where more may be tried, only what is left is.
    options.trialsPerPhase = 5;
    std::vector<std::string> tried;
    options.measured = [&](const KernelPlace &, const TunedCandidate &candidate) {
        tried.push_back(candidate.schedule);
    };
    const auto third = tuned(options);
    QVERIFY2(third, third ? "" : third.error().text().c_str());
    QVERIFY2(third->trials > 0 && third->trials <= 4, std::to_string(third->trials).c_str());
    QCOMPARE(tried.size(), std::size_t(third->trials));
}

void PlanTunerTest::whatIsKnownOfOtherDevicesIsNotTaken()
{
    PlanTunerOptions options = planOptions(&*m_database);
    options.device = "there";
    options.seconds = 0;
    const auto elsewhere = tuned(options);
    QVERIFY2(elsewhere, elsewhere ? "" : elsewhere.error().text().c_str());
    for (const TunedPhase &phase : elsewhere->phases)
        QVERIFY(!phase.known);
}

void PlanTunerTest::tunedPlansGiveTheSameResults()
{
    const Graph &graph = m_products.graph;
    test::KernelBatch batch;
    batch.add(
        {"tuned", graph, *randomInputs(graph, 3), test::nodeBlocks(graph), m_tuning->schedules});
    const auto outcomes = batch.run(m_products.target.lanes);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    const std::string problem = outcomes->at("tuned").problem(1e-5);
    QVERIFY2(problem.empty(), problem.c_str());
}

void PlanTunerTest::theLimitOfTrialsHoldsForAllKernels()
{
    PlanTunerOptions options = planOptions();
    options.trials = 12;
    const auto tuning = tuned(options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    // Where nothing more is to be gained, a few may be left over.
    QVERIFY2(tuning->trials > 8 && tuning->trials <= 12, std::to_string(tuning->trials).c_str());
    for (const TunedPhase &phase : tuning->phases)
        QVERIFY(phase.trials > 0); // each is at least measured as it is
}

void PlanTunerTest::stoppedItKeepsTheDefaults()
{
    std::stop_source stop;
    stop.request_stop();
    PlanTunerOptions options = planOptions();
    options.stop = stop.get_token();
    const auto tuning = tuned(options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY(tuning->schedules.empty());
    QCOMPARE(tuning->trials, 0);
}

void PlanTunerTest::defaultKernelsAreCompiledBeforeTheFirstTrial()
{
    PlanTunerOptions options = planOptions();
    options.trials = 2;
    QTemporaryDir folder;
    KernelCache cache(folder.path().toStdString(), std::uint64_t{1} << 30);
    options.cache = &cache;
    int prepared = 0, built = 0;
    options.prepared = [&] {
        ++prepared;
        for (const auto &file : std::filesystem::directory_iterator(cache.folder()))
            built += file.path().extension() == ".so";
    };
    QVERIFY(tuned(options));
    QCOMPARE(prepared, 1);
    QCOMPARE(built, 1); // as many units as compilers
}

/// A compiler that takes longer for default kernels than there is time for everything.
void PlanTunerTest::compilingDefaultKernelsLeavesTimeForTrials()
{
    const std::filesystem::path script = (m_folder.path() + "/slow").toStdString();
    std::ofstream(script) << "#!/bin/sh\nexec sleep 1000\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    CCompiler slow = *m_compiler;
    slow.program = script;
    PlanTunerOptions options = planOptions();
    options.compiler = &slow;
    options.seconds = 1;
    QTemporaryDir folder;
    KernelCache cache(folder.path().toStdString(), std::uint64_t{1} << 30);
    options.cache = &cache;
    double prepared = 0;
    options.prepared = [&, start = steadySeconds()] { prepared = steadySeconds() - start; };
    std::vector<double> fractions;
    options.progress = [&](double done, std::string_view) { fractions.push_back(done); };
    const auto tuning = tuned(options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY(prepared > 0);
    QVERIFY(fractions.size() > 1 && fractions.front() < 1); // trials were begun
    QVERIFY(std::ranges::is_sorted(fractions));
}

/// A compiler that hangs: it would be waited for a minute with each of the kernels.
void PlanTunerTest::whatIsCompiledAtTheEndIsCutOff()
{
    const std::filesystem::path script = (m_folder.path() + "/hanging").toStdString();
    std::ofstream(script) << "#!/bin/sh\nsleep 1000\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    CCompiler hanging = *m_compiler; // what it was asked for before is in the cache
    hanging.program = script;
    PlanTunerOptions options = planOptions();
    options.compiler = &hanging;
    options.device = "hanging";
    options.seconds = 2;
    QTemporaryDir folder;
    KernelCache cache(folder.path().toStdString(), std::uint64_t{1} << 30);
    options.cache = &cache;
    std::vector<std::string> problems;
    int others = 0; // than what is in the cache
    options.measured = [&](const KernelPlace &, const TunedCandidate &candidate) {
        if (!candidate.problem.empty())
            problems.push_back(candidate.problem);
        others += !candidate.byDefault;
    };
    const CompileOptions build{.lanes = m_products.target.lanes,
                               .compiler = &*m_compiler,
                               .cache = &cache,
                               .threads = options.threads,
                               .stop = {}};
    QVERIFY(compileKernels(m_products.kernels.kernels, build));
    const auto tuning = tuned(options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems[0].c_str());
    QCOMPARE(others, 0);
    QVERIFY(tuning->trials > 0);
}

/// Not for each of the kernels again.
void PlanTunerTest::aCompilerThatHangsIsWaitedForOnce()
{
    QTemporaryDir folder;
    const std::string script = folder.filePath("hanging").toStdString(),
                      calls = folder.filePath("calls").toStdString();
    std::ofstream(script) << "#!/bin/sh\necho >> '" << calls << "'\nexec sleep 1000\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    CCompiler hanging = *m_compiler;
    hanging.program = script;
    KernelCache cache(folder.filePath("cache").toStdString(), std::uint64_t{1} << 30);
    const auto compiled =
        compileKernels(m_products.kernels.kernels, {.lanes = m_products.target.lanes,
                                                    .compiler = &hanging,
                                                    .cache = &cache,
                                                    .seconds = 1,
                                                    .stop = {}});
    QVERIFY(!compiled);
    QCOMPARE(int(compiled.error().kind), int(Error::Kind::Missing));
    QVERIFY2(compiled.error().text().find("does not finish") != std::string::npos,
             compiled.error().text().c_str());
    std::ifstream file(calls);
    QCOMPARE(std::count(std::istreambuf_iterator<char>(file), {}, '\n'), 2); // once for nothing
}

void PlanTunerTest::withoutTimeNothingIsMeasured()
{
    PlanTunerOptions options = planOptions();
    double seconds = 0;
    options.seconds = 10;
    options.clock = [&] { return seconds; };
    options.prepared = [&] { seconds += 1; };
    options.progress = [&](double, std::string_view what) {
        if (what == "measuring kernels")
            seconds += 1000; // something else takes all of the time
    };
    const auto tuning = tuned(options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QCOMPARE(tuning->trials, 0);
}

GRAPHLOOM_TESTS(PlanTunerTest)

} // namespace graphloom::test::plan_tuner_test

#include "plan_tuner_test.moc"
