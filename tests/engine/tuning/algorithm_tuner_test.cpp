// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/algorithm_tuner.h"

#include "engine/base/steps.h"
#include "engine/interpreter/interpreter.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <thread>

namespace graphloom::test::algorithm_tuner_test {

namespace {

/// Convolutions that Winograd's algorithm can compute, and a softmax.
Graph network()
{
    Sketch g;
    TensorId x = g.input("x", {1, 8, 9, 9});
    std::vector<float> weights; // small, so that the softmax is none of a few large numbers
    for (int i = 0; i < 8 * 8 * 9; ++i)
        weights.push_back(float(i * 37 % 101 - 50) / 500);
    const TensorId w = g.constant(test::floats({8, 8, 3, 3}, weights));
    for (int i = 0; i < 4; ++i) // the first reads a copy, the last writes for another block
        x = g.call("Conv", {x, w}, {ints("pads", {1, 1, 1, 1})});
    return g.finish({g.call("Softmax", {x}, {integer("axis", -1)})});
}

} // namespace

class AlgorithmTunerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void triesAreToldWithWhatTheyAre();
    void equalBlocksAreTunedOnce();
    void whatWasMeasuredIsKnown();
    void whatTheDatabaseKnowsIsChosen();
    void whatIsKnownButNotPossibleIsLeftOut();
    void tunedPlansGiveTheSameResults();
    void trialsAreSharedByAlgorithmsAndSchedules();
    void stoppedItKeepsTheEstimates();
    void whatIsGeneratedAtTheEndIsCutOff();

private:
    Result<PlanKernels> generated(const PartAlgorithms &algorithms = {},
                                  std::stop_token stop = {}) const
    {
        GenerateOptions options;
        options.stop = std::move(stop);
        options.target = m_target;
        options.algorithms = algorithms;
        return generateKernels(m_graph, KernelBatch(sketchOpset("")).opsets(), nodeBlocks(m_graph),
                               options);
    }
    PlanTunerOptions options(ProfileDatabase *database = nullptr)
    {
        PlanTunerOptions options;
        options.compiler = &*m_compiler;
        options.cache = m_cache.get();
        options.seconds = 3000; // ends by itself: there is little to try
        options.trialsPerPhase = 1;
        options.database = database;
        options.device = "here";
        options.generate = [this](const auto &algorithms, std::stop_token stop) {
            return generated(algorithms, std::move(stop));
        };
        options.measured = [this](const KernelPlace &place, const TunedCandidate &candidate) {
            m_trials.emplace_back(place, candidate);
        };
        m_trials.clear();
        return options;
    }
    /// What was measured for all tests.
    ProfileDatabase measured() const
    {
        auto copy = ProfileDatabase::inMemory();
        const auto done = m_database->forEach([&](const ProfileKey &key, const auto &latencies) {
            for (const LatencySamples &samples : latencies)
                if (!copy->record(key, samples))
                    qFatal("a measurement is not taken up");
        });
        if (!done)
            qFatal("%s", done.error().text().c_str());
        return std::move(*copy);
    }
    /// Writes down a time for a way to compute the block, as if it had been measured.
    void remember(ProfileDatabase &database, const TunedBlock &block, const std::string &algorithm,
                  double seconds);

    QTemporaryDir m_folder;
    std::optional<CCompiler> m_compiler;
    std::unique_ptr<KernelCache> m_cache;
    Graph m_graph;
    std::optional<PlanKernels> m_kernels;
    ScheduleTarget m_target;
    std::optional<ProfileDatabase> m_database;
    std::optional<PlanTuning> m_tuning;
    std::vector<std::pair<KernelPlace, TunedCandidate>> m_trials, m_first;
};

void AlgorithmTunerTest::initTestCase()
{
    auto compiler = findCCompiler();
    if (!compiler)
        QSKIP("needs gcc or clang");
    m_compiler = *compiler;
    m_cache = std::make_unique<KernelCache>(m_folder.path().toStdString(), std::uint64_t{1} << 30);
    m_graph = network();
    m_target = scheduleTargetOf(testedSet());
    auto kernels = generated();
    QVERIFY2(kernels, kernels ? "" : kernels.error().text().c_str());
    m_kernels = std::move(*kernels);
    if (const std::string reason = test::whyNotRun(); !reason.empty()) {
        const auto compiled = test::compile(*m_kernels, m_target.lanes);
        QVERIFY2(compiled, compiled ? "" : compiled.error().text().c_str());
        QSKIP(reason.c_str());
    }
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database);
    m_database = std::move(*database);
    auto tuning = tunePlan(*m_kernels, m_target, options(&*m_database));
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    m_tuning = std::move(*tuning);
    m_first = m_trials;
}

void AlgorithmTunerTest::triesAreToldWithWhatTheyAre()
{
    QCOMPARE(m_tuning->trials, int(m_first.size()));
    QStringList ways;
    for (const auto &[place, candidate] : m_first)
        if (!place.nest) {
            QVERIFY(candidate.problem.empty() ? candidate.least > 0 : candidate.least == 0);
            ways << QString::fromStdString(candidate.schedule);
        }
    const QString all = ways.join('\n');
    for (const char *way : {"direct 0", "winograd 0 2x2; ", "winograd 0 4x4; ", "together 0 2"})
        QVERIFY2(all.contains(way), qPrintable(all));
}

void AlgorithmTunerTest::equalBlocksAreTunedOnce()
{
    int uses = 0, most = 0;
    for (const TunedBlock &block : m_tuning->blocks) {
        uses += block.uses;
        most = std::max(most, block.uses);
        QVERIFY(block.startSeconds > 0);
        QVERIFY(block.bestSeconds <= block.startSeconds);
    }
    QCOMPARE(uses, 5);
    QVERIFY(most > 1);
    QVERIFY(m_tuning->blocks.size() < 5);
}

void AlgorithmTunerTest::whatWasMeasuredIsKnown()
{
    ProfileDatabase database = measured();
    PlanTunerOptions later = options(&database);
    later.seconds = 0;
    const auto second = tunePlan(*m_kernels, m_target, later);
    QVERIFY2(second, second ? "" : second.error().text().c_str());
    QVERIFY(m_trials.empty());
    QCOMPARE(second->algorithms, m_tuning->algorithms);
    for (const TunedBlock &block : second->blocks)
        QVERIFY(block.known);
}

void AlgorithmTunerTest::remember(ProfileDatabase &database, const TunedBlock &block,
                                  const std::string &algorithm, double seconds)
{
    // As tunePlan() writes it for the block as it is estimated.
    std::optional<ProfileKey> key;
    QVERIFY(database.forEach([&](const ProfileKey &known, const auto &) {
        if (known.structure == block.structure)
            key = known;
    }));
    QVERIFY(key);
    key->schedule = algorithm;
    LatencySamples samples;
    samples.minNs = samples.medianNs = 1e9 * seconds;
    samples.count = 10;
    QVERIFY(database.record(*key, samples));
}

void AlgorithmTunerTest::whatTheDatabaseKnowsIsChosen()
{
    ProfileDatabase database = measured();
    QVERIFY(!m_tuning->blocks.empty());
    for (const TunedBlock &block : m_tuning->blocks)
        if (!m_kernels->convolutions[m_kernels->blockOf(block.block)].empty())
            remember(database, block, "winograd 0 2x2; alone 0; alone 1; alone 2", 1e-9);
    PlanTunerOptions later = options(&database);
    later.seconds = 0;
    const auto known = tunePlan(*m_kernels, m_target, later);
    QVERIFY2(known, known ? "" : known.error().text().c_str());
    QVERIFY(known->kernels);
    for (const PartIndex part : firstIndices<PartIndex>(4)) {
        QCOMPARE(known->algorithms[part], std::string("winograd 0 2x2; alone 0; alone 1; alone 2"));
        QCOMPARE(known->kernels->kernels[m_kernels->blockOf(part)]->phases.size(), std::size_t(3));
    }
}

void AlgorithmTunerTest::whatIsKnownButNotPossibleIsLeftOut()
{
    ProfileDatabase database = measured();
    for (const TunedBlock &block : m_tuning->blocks)
        remember(database, block, "winograd 7 4x4", 1e-9);
    PlanTunerOptions later = options(&database);
    later.seconds = 0;
    const auto known = tunePlan(*m_kernels, m_target, later);
    QVERIFY2(known, known ? "" : known.error().text().c_str());
    QCOMPARE(known->algorithms, m_tuning->algorithms);
}

void AlgorithmTunerTest::tunedPlansGiveTheSameResults()
{
    KernelBatch batch(sketchOpset(""));
    batch.add({"tuned", m_graph, *randomInputs(m_graph, 3), nodeBlocks(m_graph),
               m_tuning->schedules, m_tuning->algorithms});
    const auto outcomes = batch.run(m_target.lanes);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    const std::string problem = outcomes->at("tuned").problem(1e-4);
    QVERIFY2(problem.empty(), problem.c_str());
}

void AlgorithmTunerTest::trialsAreSharedByAlgorithmsAndSchedules()
{
    PlanTunerOptions few = options();
    few.trials = 20;
    const auto tuning = tunePlan(*m_kernels, m_target, few);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    const auto whole =
        std::ranges::count_if(m_trials, [](const auto &trial) { return !trial.first.nest; });
    QVERIFY2(m_trials.size() <= 20, qPrintable(QString::number(m_trials.size())));
    QVERIFY(whole > 0);
    QVERIFY(whole < std::ssize(m_trials));
}

void AlgorithmTunerTest::stoppedItKeepsTheEstimates()
{
    std::stop_source stop;
    stop.request_stop();
    PlanTunerOptions stopped = options();
    stopped.stop = stop.get_token();
    const auto tuning = tunePlan(*m_kernels, m_target, stopped);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY(tuning->algorithms.empty() && !tuning->kernels);
    QVERIFY(m_trials.empty());
}

/// Kernels whose generation would take for ever.
void AlgorithmTunerTest::whatIsGeneratedAtTheEndIsCutOff()
{
    PlanTunerOptions tuner = options();
    tuner.seconds = 6;
    int cut = 0;
    tuner.generate = [&](const auto &, std::stop_token stop) -> Result<PlanKernels> {
        while (!stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++cut;
        return stoppedError();
    };
    const auto tuning = tunePlan(*m_kernels, m_target, tuner);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY(cut > 0);
    for (const TunedBlock &block : tuning->blocks)
        QCOMPARE(block.bestSeconds, block.startSeconds);
    QVERIFY(tuning->algorithms.empty());
}

GRAPHLOOM_TESTS(AlgorithmTunerTest)

} // namespace graphloom::test::algorithm_tuner_test

#include "algorithm_tuner_test.moc"
