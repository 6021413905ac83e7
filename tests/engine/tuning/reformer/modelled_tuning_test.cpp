// SPDX-License-Identifier: Apache-2.0
// Plans tuned by modelled times, without a compiler.
#include "engine/tuning/reformer/reformer.h"

#include "tests/engine/tuning/reformer/separable_plan.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::modelled_tuning_test {

class ModelledTuningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void blocksAreJoined();
    void trialsAreLimited();
    void schedulesAreTried();
    void timesAreOfTheModel();
    void resultsRepeat();
    void readersAreTriedTogether();
    void siblingsAreTriedTogether();
    void windowsBehindWinogradAreTried();

private:
    static constexpr std::int64_t trials = 120;

    struct Tuned {
        ReformedPlan plan;
        std::vector<std::string> tried; // schedule and time of every trial
    };
    static Tuned tuned(const Plan &plan)
    {
        Tuned made{{plan, nullptr, {}, {}}, {}};
        PlanTunerOptions options;
        options.times = modelledPhaseTimes(*plannedDevice(plan), target());
        options.seconds = 3000;
        options.trials = trials;
        options.measured = [&](const KernelPlace &, const TunedCandidate &candidate) {
            made.tried.push_back(candidate.schedule + ": " + std::to_string(candidate.seconds));
        };
        auto reformed = reformedPlan(plan, {"host", Provenance::Modelled, target()}, options);
        if (!reformed)
            qFatal("%s", reformed.error().text().c_str());
        made.plan = *std::move(reformed);
        return made;
    }
    static ScheduleTarget target() { return {.lanes = 8, .vectorRegisters = 16, .threads = 1}; }

    std::optional<Tuned> m_tuned;
};

void ModelledTuningTest::initTestCase()
{
    m_tuned = tuned(separablePlan());
}

void ModelledTuningTest::blocksAreJoined()
{
    QVERIFY(m_tuned->plan.plan.fusion->blocks.size() < separablePlan().fusion->blocks.size());
}

void ModelledTuningTest::trialsAreLimited()
{
    QVERIFY(!m_tuned->tried.empty());
    QVERIFY(m_tuned->tried.size() <= std::size_t(trials));
}

void ModelledTuningTest::schedulesAreTried()
{
    QVERIFY(std::ranges::any_of(m_tuned->plan.tuning.phases,
                                [](const TunedPhase &phase) { return phase.trials > 2; }));
}

void ModelledTuningTest::timesAreOfTheModel()
{
    QVERIFY(!m_tuned->plan.joins.empty());
    for (const JoinTrial &join : m_tuned->plan.joins)
        QCOMPARE(join.together.provenance, Provenance::Modelled);
}

void ModelledTuningTest::resultsRepeat()
{
    const Tuned again = tuned(separablePlan());
    QCOMPARE(again.tried, m_tuned->tried);
    QCOMPARE(again.plan.tuning.bestSeconds, m_tuned->plan.tuning.bestSeconds);
    const auto &subgraphs = again.plan.plan.fusion->partition.subgraphs;
    const auto &before = m_tuned->plan.plan.fusion->partition.subgraphs;
    QCOMPARE(subgraphs.size(), before.size());
    for (std::size_t b = 0; b < before.size(); ++b)
        QCOMPARE(subgraphs[b].nodes, before[b].nodes);
}

/// A pointwise convolution that two others read, of which one would use Winograd's algorithm alone.
void ModelledTuningTest::readersAreTriedTogether()
{
    Sketch g;
    const TensorId x =
        g.call("Conv", {g.input("x", {1, 16, 40, 40}), g.randomWeight({16, 16, 1, 1})});
    const TensorId one = g.call("Conv", {x, g.randomWeight({24, 16, 1, 1})});
    const TensorId three =
        g.call("Conv", {x, g.randomWeight({24, 16, 3, 3})}, {ints("pads", {1, 1, 1, 1})});
    const Tuned made = tuned(reformablePlan(g.finish({one, three})));
    QVERIFY(std::ranges::any_of(made.plan.joins, [](const JoinTrial &trial) {
        return trial.first.size() == 1 && trial.others.size() == 2 && trial.together.seconds > 0;
    }));
}

/// The projections to queries, keys and values.
void ModelledTuningTest::siblingsAreTriedTogether()
{
    Sketch g;
    const TensorId x = g.input("x", {256, 64});
    std::vector<TensorId> outputs;
    for (int i = 0; i < 3; ++i)
        outputs.push_back(g.call("MatMul", {x, g.randomWeight({64, 64})}));
    const Tuned made = tuned(reformablePlan(g.finish(outputs)));
    QCOMPARE(made.plan.joins.size(), std::size_t(1));
    const JoinTrial &trial = made.plan.joins.front();
    QCOMPARE(trial.others.size(), std::size_t(2));
    QVERIFY(trial.together.seconds > 0);
    QVERIFY2(trial.reason.starts_with("readers of the same tensor: fused "), trial.reason.c_str());
}

void ModelledTuningTest::windowsBehindWinogradAreTried()
{
    Sketch g;
    const TensorId x =
        g.call("Conv", {g.input("x", {1, 16, 40, 40}), g.randomWeight({32, 16, 1, 1})});
    const TensorId y =
        g.call("Conv", {x, g.randomWeight({32, 32, 3, 3})}, {ints("pads", {1, 1, 1, 1})});
    const Tuned made = tuned(reformablePlan(g.finish({y})));
    QCOMPARE(made.plan.joins.size(), std::size_t(1));
    QVERIFY(made.plan.joins.front().together.seconds > 0);
}

GRAPHLOOM_TESTS(ModelledTuningTest)

} // namespace graphloom::test::modelled_tuning_test

#include "modelled_tuning_test.moc"
