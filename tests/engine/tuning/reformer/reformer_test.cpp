// SPDX-License-Identifier: Apache-2.0
// Blocks taken apart and joined by measurement.
#include "engine/tuning/reformer/reformer.h"
#include "engine/tuning/reformer/tuned_plan.h"

#include "engine/interpreter/interpreter.h"
#include "engine/plan/plan_check.h"
#include "engine/runtime/executable.h"
#include "tests/engine/tuning/reformer/separable_plan.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::reformer_test {

namespace {

/// What the database knows, by which sequences of kernels are to be fast in it.
enum class Fast { Joined, Apart };

} // namespace

class ReformerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void joinsAreMeasured();
    void tunedPlansAreValid();
    void tunedPlansGiveTheSameResults();
    void fasterJoinsAreMade();
    void pairsAlikeAreJoinedTogether();
    void slowerJoinsAreNotMade();
    void plansThatAreSlowerAsAWholeStayApart();
    void plansThatAreFasterAsAWholeAreJoined();
    void decisionsSayWhatWasMeasured();
    void bordersSayWhatWasMeasured();
    void blocksWithSeveralComplexOperatorsAreTakenApart();
    void lockedBlocksStay();
    void restoredBlocksKeepTheirPattern();
    void withoutIntensiveFusionNothingComplexIsJoined();
    void blocksOfOtherPlansStay();
    void withoutMeasurementsBlocksStay();
    void blocksThatThereIsNoTimeForStay();
    void stoppedThePlanIsWhole();

private:
    /// Returns the nodes of the first depthwise and pointwise convolution with its Relu.
    NodeBlocks firstThree(const Plan &plan) const
    {
        const auto &order = plan.graph.order();
        return {{order[0], order[1], order[2]}};
    }
    PlanTunerOptions options(ProfileDatabase *database)
    {
        PlanTunerOptions options;
        options.compiler = &*m_compiler;
        options.cache = m_cache.get();
        options.seconds = 3000; // ends by itself: there is little to try
        options.trialsPerPhase = 1;
        options.database = database;
        options.device = "here";
        options.measured = [this](const KernelPlace &, const TunedCandidate &) { ++m_trials; };
        return options;
    }
    TuningTarget tuningTarget() const { return {"host", Provenance::Host, m_target}; }
    Result<Plan> tuned(const Plan &plan, const PlanTunerOptions &options) const
    {
        return tunedPlan(plan, tuningTarget(), options);
    }
    /// Returns the plan as it is tuned by what is known alone, if these kernels were fast.
    /// As a whole it takes a second, and the same plan without joins takes `apart` seconds, if that
    /// is not 0.
    Plan reformed(const Plan &plan, Fast fast, double apart = 0);
    static std::size_t blockCount(const Plan &plan) { return plan.fusion->blocks.size(); }

    QTemporaryDir m_folder;
    std::optional<CCompiler> m_compiler;
    std::unique_ptr<KernelCache> m_cache;
    ScheduleTarget m_target;
    std::optional<ProfileDatabase> m_database;
    std::optional<Plan> m_joined, m_apart;       // as reformed() makes them of separablePlan()
    std::vector<JoinTrial> m_joins, m_lastJoins; // of m_joined, and of the last reformed()
    int m_trials = 0;
};

void ReformerTest::initTestCase()
{
    m_target = scheduleTargetOf(testedSet());
    const auto compiler = findCCompiler();
    if (!compiler)
        QSKIP("needs gcc or clang");
    if (const std::string reason = whyNotRun(); !reason.empty())
        QSKIP(reason.c_str());
    m_compiler = *compiler;
    m_cache = std::make_unique<KernelCache>(m_folder.path().toStdString(), std::uint64_t{1} << 30);
    auto database = ProfileDatabase::inMemory();
    QVERIFY(database);
    m_database = *std::move(database);
    auto plan = tuned(separablePlan(), options(&*m_database));
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    m_joined = reformed(separablePlan(), Fast::Joined);
    m_joins = m_lastJoins;
    m_apart = reformed(separablePlan(), Fast::Apart);
}

Plan ReformerTest::reformed(const Plan &plan, Fast fast, double apart)
{
    auto database = ProfileDatabase::inMemory();
    PlanTunerOptions with = options(&*database);
    // What is faster is decided below: kernels need not run.
    with.times = [](const BlockKernel &, PhaseIndex, GroupSchedules) {
        return PhaseTime{1e-3, 1e-3};
    };
    if (apart > 0)
        with.wholeRuns = [&](std::span<const Plan> plans, double) {
            return plans.size() == 2
                       ? Result<std::vector<WholeTime>>({{1, 1, 10}, {apart, apart, 10}})
                       : fail(Error::Kind::Usage, "expected two plans");
        };
    LatencySamples samples;
    samples.minNs = samples.medianNs = 1;
    samples.count = 10;
    // Where other joins are made, other kernels are measured, until all are known.
    for (m_trials = 1; m_trials > 0;) {
        m_trials = 0;
        if (const auto measured = tuned(plan, with); !measured)
            qFatal("%s", measured.error().text().c_str());
        std::vector<ProfileKey> keys; // of one kernel, or of more than one
        if (!database->forEach([&](const ProfileKey &key, const auto &) {
                if (key.structure.starts_with("run") &&
                    (std::ranges::count(key.structure, ';') == 1) == (fast == Fast::Joined))
                    keys.push_back(key);
            }))
            qFatal("the database cannot be read");
        for (const ProfileKey &key : keys)
            if (!database->record(key, samples))
                qFatal("a time is not taken up");
    }
    with.seconds = 0;
    const auto known = tuned(plan, with);
    const auto joins = reformedPlan(plan, tuningTarget(), with);
    if (!known || !joins)
        qFatal("%s", (known ? joins.error() : known.error()).text().c_str());
    m_lastJoins = joins->joins;
    return *known;
}

void ReformerTest::joinsAreMeasured()
{
    int joined = 0, apart = 0;
    QVERIFY(m_database->forEach([&](const ProfileKey &key, const auto &) {
        if (key.structure.starts_with("run"))
            ++(std::ranges::count(key.structure, ';') == 1 ? joined : apart);
    }));
    QVERIFY(joined > 0);
    QVERIFY(apart > 0);
}

void ReformerTest::tunedPlansAreValid()
{
    for (const Plan &plan : {*m_joined, *m_apart}) {
        const auto checked = checkFusionPlan(plan.graph, opsetsOf(*plan.model), *plan.fusion);
        QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
        QVERIFY(kernelsOf(plan));
        QCOMPARE(plan.kernels->blocks.size(), blockCount(plan));
    }
}

void ReformerTest::tunedPlansGiveTheSameResults()
{
    for (const Plan &plan : {*m_joined, *m_apart}) {
        ExecutableOptions build;
        build.target = m_target;
        build.compiler = &*m_compiler;
        build.cache = m_cache.get();
        build.algorithms = PartAlgorithms(plan.kernels->algorithms);
        for (const std::vector<NestKernel> &block : plan.kernels->blocks) {
            NestSchedules &nests = build.schedules.emplace_back();
            for (const NestKernel &nest : block)
                nests.push_back(nest.schedule);
        }
        const auto executable =
            Executable::build(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan), build);
        QVERIFY2(executable, executable ? "" : executable.error().text().c_str());
        const auto inputs = randomInputs(plan.graph, 1);
        const auto expected = interpret(plan.graph, opsetsOf(*plan.model), *inputs);
        const auto outputs = (*executable)->run(*inputs);
        QVERIFY(outputs && expected);
        QVERIFY(compare((*expected)[0], (*outputs)[0]).maxRelError < 1e-5);
    }
}

void ReformerTest::fasterJoinsAreMade()
{
    QVERIFY(blockCount(*m_joined) < blockCount(separablePlan()));
}

void ReformerTest::pairsAlikeAreJoinedTogether()
{
    QVERIFY(std::ranges::any_of(
        m_joins, [](const JoinTrial &trial) { return trial.joined && trial.uses > 1; }));
}

void ReformerTest::slowerJoinsAreNotMade()
{
    QCOMPARE(blockCount(*m_apart), blockCount(separablePlan()));
}

void ReformerTest::plansThatAreSlowerAsAWholeStayApart()
{
    QCOMPARE(blockCount(reformed(separablePlan(), Fast::Joined, 0.5)), blockCount(separablePlan()));
}

void ReformerTest::plansThatAreFasterAsAWholeAreJoined()
{
    const Plan plan = reformed(separablePlan(), Fast::Joined, 2);
    QCOMPARE(blockCount(plan), blockCount(*m_joined));
    std::string reasons;
    for (const FusionBlock &block : plan.fusion->blocks)
        for (const BlockDecision &decision : block.decisions)
            reasons += decision.reason + '\n';
    QVERIFY2(reasons.find("all joins in the whole plan: fused 1 s, apart 2 s") != std::string::npos,
             reasons.c_str());
}

void ReformerTest::decisionsSayWhatWasMeasured()
{
    QVERIFY(std::ranges::any_of(m_joined->fusion->blocks, [](const FusionBlock &block) {
        return std::ranges::any_of(block.decisions, [](const BlockDecision &decision) {
            return decision.reason.starts_with("fused 0.001 us, apart ");
        });
    }));
}

void ReformerTest::bordersSayWhatWasMeasured()
{
    // Blocks have to change for borders to be written anew.
    const Plan before = separablePlan();
    const Plan plan = reformed(separablePlan(firstThree(before)), Fast::Apart);
    QVERIFY(std::ranges::any_of(plan.fusion->blocks, [](const FusionBlock &block) {
        return std::ranges::any_of(block.borders, [](const BlockBorder &border) {
            return border.reason.find("apart 0.001 us (measured here, ") != std::string::npos;
        });
    }));
}

void ReformerTest::blocksWithSeveralComplexOperatorsAreTakenApart()
{
    const Plan before = separablePlan(firstThree(separablePlan()));
    QCOMPARE(blockCount(before), std::size_t(10));
    QVERIFY(blockCount(reformed(before, Fast::Apart)) > blockCount(before));
}

void ReformerTest::lockedBlocksStay()
{
    const Plan before =
        separablePlan(firstThree(separablePlan()), BlockLimits::Contractions::Intensive, true);
    const Plan plan = reformed(before, Fast::Apart);
    QVERIFY(std::ranges::any_of(plan.fusion->partition.subgraphs, [&](const Subgraph &block) {
        return block.nodes == firstThree(plan).front();
    }));
}

/// Blocks are taken apart, but there is no time to find out whether that is faster.
void ReformerTest::restoredBlocksKeepTheirPattern()
{
    Plan before = separablePlan(firstThree(separablePlan()));
    auto fusion = std::make_shared<FusionPlan>(*before.fusion);
    fusion->blocks[fusion->blockOf(before.graph.order()[0])].pattern = "separable";
    before.fusion = fusion;
    PlanTunerOptions few = options(nullptr);
    few.trials = 1;
    const auto plan = tuned(before, few);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    const FusionPlan &made = *plan->fusion;
    QCOMPARE(made.blocks[made.blockOf(plan->graph.order()[0])].pattern, std::string("separable"));
}

void ReformerTest::withoutIntensiveFusionNothingComplexIsJoined()
{
    const Plan plan = reformed(separablePlan({}, BlockLimits::Contractions::One), Fast::Joined);
    const auto &order = plan.graph.order();
    QVERIFY(plan.fusion->blockOf(order[3]) != plan.fusion->blockOf(order[4]));
    QCOMPARE(plan.fusion->blockOf(order[4]), plan.fusion->blockOf(order[5])); // conventional
}

void ReformerTest::blocksOfOtherPlansStay()
{
    Plan plan = separablePlan();
    auto fusion = std::make_shared<FusionPlan>(*plan.fusion);
    fusion->tuning.reforms = false;
    plan.fusion = fusion;
    const auto done = tuned(plan, options(nullptr));
    QVERIFY2(done, done ? "" : done.error().text().c_str());
    QCOMPARE(done->fusion, plan.fusion);
}

void ReformerTest::withoutMeasurementsBlocksStay()
{
    const Plan before = separablePlan(firstThree(separablePlan()));
    PlanTunerOptions nothing = options(nullptr);
    nothing.seconds = 0;
    const auto plan = tuned(before, nothing);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QCOMPARE(plan->fusion, before.fusion);
}

/// Blocks are taken apart, but nothing tells that this is faster.
void ReformerTest::blocksThatThereIsNoTimeForStay()
{
    const Plan before = separablePlan(firstThree(separablePlan()));
    PlanTunerOptions few = options(nullptr);
    few.trials = 1;
    const auto plan = tuned(before, few);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QVERIFY(std::ranges::any_of(plan->fusion->partition.subgraphs, [&](const Subgraph &block) {
        return block.nodes == firstThree(*plan).front();
    }));
}

void ReformerTest::stoppedThePlanIsWhole()
{
    std::stop_source stop;
    PlanTunerOptions some = options(nullptr);
    some.stop = stop.get_token();
    int trials = 0;
    some.measured = [&](const KernelPlace &, const TunedCandidate &) {
        if (++trials == 3)
            stop.request_stop();
    };
    const auto plan = tuned(separablePlan(firstThree(separablePlan())), some);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QVERIFY(kernelsOf(*plan));
    QVERIFY(checkFusionPlan(plan->graph, opsetsOf(*plan->model), *plan->fusion));
}

GRAPHLOOM_TESTS(ReformerTest)

} // namespace graphloom::test::reformer_test

#include "reformer_test.moc"
