// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/plan_tuner.h"

#include "engine/runtime/executable.h"
#include "engine/runtime/interpreter.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"

#include <QTemporaryDir>
#include <QTest>

using namespace graphloom;
using graphloom::testing::floats;
using graphloom::testing::GraphMaker;

namespace {

/// Two equal matrix products and a third.
Graph products()
{
    GraphMaker make;
    const TensorId x = make.input("x", {24, 32});
    std::vector<float> weights;
    for (int i = 0; i < 32 * 32; ++i)
        weights.push_back(float(i % 17) / 17);
    const TensorId a = make.constant("a", floats({32, 32}, weights));
    const TensorId b =
        make.constant("b", floats({32, 24}, {weights.begin(), weights.begin() + 32 * 24}));
    const TensorId y = make.call("MatMul", {x, a}, {24, 32});
    const TensorId z = make.call("MatMul", {y, a}, {24, 32});
    return make.finish({make.call("MatMul", {z, b}, {24, 24})});
}

} // namespace

class TunerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void startIsTheDefaultSchedule();
    void neighboursAreLegalAndNew();
    void bestIsNotSlowerThanTheStart();
    void equalKernelsAreTunedOnce();
    void whatIsKnownIsNotMeasuredAgain();
    void tunedPlansGiveTheSameResults();
    void theLimitOfTrialsHoldsForAllKernels();
    void stoppedItKeepsTheDefaults();

private:
    PhaseTunerOptions phaseOptions(int trials)
    {
        PhaseTunerOptions options;
        options.compiler = &*m_compiler;
        options.cache = m_cache.get();
        options.seconds = 20;
        options.trials = trials;
        return options;
    }
    PlanTunerOptions planOptions(ProfileDatabase *database)
    {
        PlanTunerOptions options;
        options.compiler = &*m_compiler;
        options.cache = m_cache.get();
        options.seconds = 20;
        options.trialsPerPhase = 14;
        options.database = database;
        options.device = "here";
        return options;
    }

    QTemporaryDir m_folder;
    std::optional<CCompiler> m_compiler;
    std::unique_ptr<KernelCache> m_cache;
    Graph m_graph;
    std::optional<PlanKernels> m_kernels;
    ScheduleTarget m_target;
};

void TunerTest::initTestCase()
{
    auto compiler = findCCompiler();
    QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
    m_compiler = *compiler;
    m_cache = std::make_unique<KernelCache>(m_folder.path().toStdString(), std::uint64_t{1} << 30);
    m_graph = products();
    const int lanes = test::lanesHere().front();
    m_target = {lanes, lanes == 16 ? 32 : 16, 1};
    GenerateOptions options;
    options.target = m_target;
    auto kernels =
        generateKernels(m_graph, test::KernelBatch().opsets(), test::nodeBlocks(m_graph), options);
    QVERIFY2(kernels, kernels ? "" : kernels.error().text().c_str());
    m_kernels = std::move(*kernels);
}

void TunerTest::startIsTheDefaultSchedule()
{
    const BlockKernel &kernel = *m_kernels->kernels[0];
    const PhaseSpace space(kernel, 0, m_target);
    QVERIFY(!space.isTrivial());
    QCOMPARE(space.schedules(space.start())[0].text(), kernel.schedules[0].text());
}

void TunerTest::neighboursAreLegalAndNew()
{
    const BlockKernel &kernel = *m_kernels->kernels[0];
    const PhaseSpace space(kernel, 0, m_target);
    const auto neighbours = space.neighbours(space.start(), 1);
    QVERIFY(neighbours.size() > 4);
    for (const PhaseChoice &choice : neighbours) {
        QVERIFY(choice != space.start());
        for (const Schedule &schedule : space.schedules(choice))
            QVERIFY2(schedule.check(), schedule.text().c_str());
        QVERIFY(space.phase(choice));
    }
}

void TunerTest::bestIsNotSlowerThanTheStart()
{
    int measured = 0;
    PhaseTunerOptions options = phaseOptions(10);
    options.measured = [&](const TunedCandidate &) { ++measured; };
    const auto tuning = tunePhase(*m_kernels->kernels[0], 0, m_target, options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY(tuning->start.problem.empty());
    QVERIFY(tuning->best.least <= tuning->start.least);
    QVERIFY(tuning->start.samples > 0);
    QCOMPARE(tuning->trials, 11);
    QCOMPARE(measured, tuning->trials);
}

void TunerTest::equalKernelsAreTunedOnce()
{
    const PlanTunerOptions options = planOptions(nullptr);
    const auto tuning = tunePlan(*m_kernels, m_target, options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QCOMPARE(tuning->phases.size(), 2U);
    QCOMPARE(tuning->phases[0].uses + tuning->phases[1].uses, 3);
    QVERIFY(tuning->bestSeconds <= tuning->startSeconds);
}

void TunerTest::whatIsKnownIsNotMeasuredAgain()
{
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database);
    const PlanTunerOptions options = planOptions(&*database);
    const auto first = tunePlan(*m_kernels, m_target, options);
    QVERIFY2(first, first ? "" : first.error().text().c_str());
    QVERIFY(first->trials > 0);
    const auto second = tunePlan(*m_kernels, m_target, options);
    QVERIFY2(second, second ? "" : second.error().text().c_str());
    QCOMPARE(second->trials, 0);
    for (const TunedPhase &phase : second->phases)
        QVERIFY(phase.known);
    PlanTunerOptions elsewhere = planOptions(&*database);
    elsewhere.device = "there";
    elsewhere.seconds = 0;
    const auto other = tunePlan(*m_kernels, m_target, elsewhere);
    QVERIFY(other);
    QVERIFY(!other->phases[0].known);
}

void TunerTest::tunedPlansGiveTheSameResults()
{
    const PlanTunerOptions options = planOptions(nullptr);
    const auto tuning = tunePlan(*m_kernels, m_target, options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    ExecutableOptions build;
    build.target = m_target;
    build.compiler = &*m_compiler;
    build.cache = m_cache.get();
    build.schedules = tuning->schedules;
    const auto executable =
        Executable::build(m_graph, test::KernelBatch().opsets(), test::nodeBlocks(m_graph), build);
    QVERIFY2(executable, executable ? "" : executable.error().text().c_str());
    const auto inputs = randomInputs(m_graph, 3);
    QVERIFY(inputs);
    const auto expected = interpret(m_graph, test::KernelBatch().opsets(), *inputs);
    const auto actual = (*executable)->run(*inputs);
    QVERIFY(expected && actual);
    QVERIFY(compare((*expected)[0], (*actual)[0]).maxRelError < 1e-5);
}

void TunerTest::theLimitOfTrialsHoldsForAllKernels()
{
    PlanTunerOptions options = planOptions(nullptr);
    options.trials = 12;
    const auto tuning = tunePlan(*m_kernels, m_target, options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY2(tuning->trials > 8 && tuning->trials <= 12,
             std::to_string(tuning->trials).c_str());
    for (const TunedPhase &phase : tuning->phases)
        QVERIFY(phase.trials > 1); // not all for the first
}

void TunerTest::stoppedItKeepsTheDefaults()
{
    std::stop_source stop;
    stop.request_stop();
    PlanTunerOptions options = planOptions(nullptr);
    options.stop = stop.get_token();
    const auto tuning = tunePlan(*m_kernels, m_target, options);
    QVERIFY2(tuning, tuning ? "" : tuning.error().text().c_str());
    QVERIFY(tuning->schedules.empty());
    QCOMPARE(tuning->trials, 0);
}

QTEST_APPLESS_MAIN(TunerTest)
#include "tuner_test.moc"
