// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/magis_pass.h"

#include "tests/plugins/magis/magis_run.h"
#include "tests/plugins/magis/training_plans.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>

namespace graphloom::test::magis_pass_test {

using magis::MagisPass;
using test::optimized;
using test::Sketch;

namespace {

bool saysLimitsMet(const Plan &plan)
{
    for (const SummaryEntry &entry : plan.history.back().summary)
        if (entry.key == "limits_met")
            return std::get<bool>(entry.value);
    qFatal("the summary does not say it");
}

const Objective leastLatency = objectiveOf(Objective::Mode::Latency, 0.9);
const MemoryLimit tooLittle = std::uint64_t(1000); // weights alone need more

/// All that the pass decides.
std::vector<double> figuresOf(const MemoryPlan &plan)
{
    std::vector<double> figures{plan.after.ms, double(plan.after.peakBytes),
                                double(plan.arenaBytes)};
    for (const MemoryPoint &point : plan.front)
        figures.insert(figures.end(), {point.ms, double(point.peakBytes)});
    for (const MemoryPlan::Step &step : plan.steps)
        figures.insert(figures.end(), {step.startMs, double(step.bytes)});
    return figures;
}

} // namespace

class MagisPassTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hugeBatchesHaveFewNumbersOfParts();
    void initTestCase();
    void theLatencyLimitIsKept_data();
    void theLatencyLimitIsKept();
    void theMemoryLimitIsKept_data();
    void theMemoryLimitIsKept();
    void limitsAreOfTheFasterGraph_data();
    void limitsAreOfTheFasterGraph();
    void noBaselineIsBetter_data();
    void noBaselineIsBetter();
    void theResultDependsOnTheSeedAlone_data();
    void theResultDependsOnTheSeedAlone();
    void withoutItsHeuristicsItKeepsTheLimits_data();
    void withoutItsHeuristicsItKeepsTheLimits();
    void itSaysWhatThePartsOfTheSearchTook();
    void stoppedAtOnceItGivesAPlan();
    void statesToBeginWithLeaveMostOfTheTimeToTheSearch();
    void aLimitThatCannotBeMetIsSaid();
    void withoutLimitsTheFastestPlanIsTaken();
    void theFrontIsOne();
    void figuresFitTogether();
    void unknownExtentsAreRefused();

private:
    void eachModel();
    Plan m_perceptron, m_convolutions;
};

void MagisPassTest::initTestCase()
{
    m_perceptron = perceptronTraining();
    m_convolutions = convolutionTraining();
}

void MagisPassTest::eachModel()
{
    QTest::addColumn<const Plan *>("plan");
    QTest::newRow("perceptron") << static_cast<const Plan *>(&m_perceptron);
    QTest::newRow("convolutions") << static_cast<const Plan *>(&m_convolutions);
}

void MagisPassTest::theLatencyLimitIsKept_data()
{
    eachModel();
}
void MagisPassTest::theLatencyLimitIsKept()
{
    QFETCH(const Plan *, plan);
    const Plan result = optimized(*plan, contextOf(24, leastMemory));
    QVERIFY(result.memory->limitsMet && saysLimitsMet(result));
    QVERIFY(result.memory->after.ms <= 1.10 * result.memory->before.ms);
    QVERIFY(result.memory->after.peakBytes < result.memory->before.peakBytes);
}

void MagisPassTest::theMemoryLimitIsKept_data()
{
    eachModel();
}
void MagisPassTest::theMemoryLimitIsKept()
{
    QFETCH(const Plan *, plan);
    const Plan result = optimized(*plan, contextOf(24, leastLatency));
    QVERIFY(result.memory->limitsMet);
    QVERIFY(double(result.memory->after.peakBytes) <=
            0.9 * double(result.memory->before.peakBytes));
}

void MagisPassTest::limitsAreOfTheFasterGraph_data()
{
    eachModel();
}
void MagisPassTest::limitsAreOfTheFasterGraph()
{
    QFETCH(const Plan *, plan);
    Context context = contextOf(8, leastMemory);
    const MemoryPlan faster = *optimized(*plan, context).memory;
    QVERIFY(faster.rewritten.ms > 0);
    QVERIFY(faster.rewritten.ms <= faster.before.ms);
    QCOMPARE(faster.referenceMs, faster.rewritten.ms);
    QVERIFY(faster.after.ms <= 1.10 * faster.rewritten.ms * (1 + 1e-12));
    // Where rewriting gives another graph, simpler means are tried on both.
    std::size_t original = 0, rewritten = 0;
    for (const MemoryPlan::Baseline &baseline : faster.baselines)
        ++(baseline.rewritten ? rewritten : original);
    QCOMPARE(original, std::size_t(4));
    QCOMPARE(rewritten, std::size_t(faster.rewritten.ms < faster.before.ms ? 4 : 0));
    if (!context.settings.set("limit-of", "original"))
        QFAIL("no such setting");
    const MemoryPlan own = *optimized(*plan, context).memory;
    QCOMPARE(own.referenceMs, own.before.ms);
    QCOMPARE(own.rewritten.ms, faster.rewritten.ms);
}

void MagisPassTest::noBaselineIsBetter_data()
{
    eachModel();
}
void MagisPassTest::noBaselineIsBetter()
{
    QFETCH(const Plan *, plan);
    // Late enough for all of them to have something within the limit.
    const Plan small =
        optimized(*plan, contextOf(24, objectiveOf(Objective::Mode::Memory, {}, 1.5)));
    int compared = 0;
    for (const MemoryPlan::Baseline &baseline : small.memory->baselines)
        if (!baseline.best.origin.empty()) {
            ++compared;
            QVERIFY2(small.memory->after.peakBytes <= baseline.best.peakBytes,
                     baseline.name.c_str());
        }
    QVERIFY(compared >= 3);
    const Plan fast = optimized(*plan, contextOf(24, leastLatency));
    for (const MemoryPlan::Baseline &baseline : fast.memory->baselines)
        if (!baseline.best.origin.empty())
            QVERIFY2(fast.memory->after.ms <= baseline.best.ms * (1 + 1e-12),
                     baseline.name.c_str());
}

void MagisPassTest::theResultDependsOnTheSeedAlone_data()
{
    eachModel();
}
void MagisPassTest::theResultDependsOnTheSeedAlone()
{
    QFETCH(const Plan *, plan);
    const Plan one = optimized(*plan, contextOf(48, leastMemory, 1));
    QCOMPARE(figuresOf(*optimized(*plan, contextOf(48, leastMemory, 1)).memory),
             figuresOf(*one.memory));
    const Plan four = optimized(*plan, contextOf(48, leastMemory, 4));
    QCOMPARE(figuresOf(*four.memory), figuresOf(*one.memory));
    QCOMPARE(four.search->generated, one.search->generated);
}

void MagisPassTest::withoutItsHeuristicsItKeepsTheLimits_data()
{
    QTest::addColumn<QString>("parameter");
    QTest::addColumn<QString>("value");
    QTest::newRow("regions at random") << "regions"
                                       << "random";
    QTest::newRow("evictions anywhere") << "evictions"
                                        << "anywhere";
}
void MagisPassTest::withoutItsHeuristicsItKeepsTheLimits()
{
    QFETCH(QString, parameter);
    QFETCH(QString, value);
    Context context = contextOf(48, leastMemory);
    QVERIFY(context.settings.set(parameter.toStdString(), value.toStdString()));
    const Plan result = optimized(m_convolutions, context);
    QVERIFY(result.memory->limitsMet);
    QVERIFY(result.memory->after.peakBytes < result.memory->before.peakBytes);
    // The search went another way.
    const Plan usual = optimized(m_convolutions, contextOf(48, leastMemory));
    QVERIFY(figuresOf(*result.memory) != figuresOf(*usual.memory));
}

void MagisPassTest::itSaysWhatThePartsOfTheSearchTook()
{
    const Plan result = optimized(m_convolutions, contextOf(48, leastMemory));
    std::map<std::string, double> seconds;
    for (const SummaryEntry &entry : result.history.back().summary)
        if (entry.key.starts_with("thread_seconds_"))
            seconds[entry.key.substr(15)] = std::get<double>(entry.value);
    QCOMPARE(seconds.size(), std::size_t(4));
    for (const char *part : {"transforming", "simulating", "hashing"})
        QVERIFY2(seconds[part] > 0, part);
}

void MagisPassTest::stoppedAtOnceItGivesAPlan()
{
    std::stop_source stop, early;
    early.request_stop();
    Context context = contextOf(0, leastMemory);
    context.stop = early.get_token();
    QVERIFY(!optimized(m_perceptron, context).memory); // nothing was looked at: the plan as it was
    context.stop = stop.get_token();
    context.progress = [&](double, std::string_view what) {
        if (what == "choosing the initial state")
            stop.request_stop();
    };
    const Plan result = optimized(m_perceptron, context);
    QVERIFY(result.memory && result.memory->limitsMet);
    QVERIFY(!result.memory->steps.empty());
    QVERIFY(result.memory->after.peakBytes <= result.memory->before.peakBytes);
    QCOMPARE(result.search->expanded, std::uint64_t(0));
}

void MagisPassTest::statesToBeginWithLeaveMostOfTheTimeToTheSearch()
{
    Context context = contextOf(0, leastMemory);
    if (!context.settings.set("seconds", 8.0))
        qFatal("no such setting");
    double seconds = 0;
    context.clock = [&seconds] { return seconds += 0.2; };
    double first = 0, last = 0; // when they were made
    context.progress = [&](double, std::string_view what) {
        if (what == "choosing the initial state")
            (first > 0 ? last : first) = seconds;
    };
    const Plan result = optimized(m_perceptron, context);
    QVERIFY(first > 0 && last > 0);
    QVERIFY2(last - first <= 2.5, qPrintable(QString::number(last - first)));
    QVERIFY(result.search->expanded > 0);
}

void MagisPassTest::withoutLimitsTheFastestPlanIsTaken()
{
    const auto result =
        optimized(m_convolutions, contextOf(16, objectiveOf(Objective::Mode::Latency)));
    QVERIFY(result.memory->limitsMet);
    QVERIFY(result.memory->after.ms <= result.memory->rewritten.ms);
    for (const MemoryPoint &point : result.memory->front)
        QVERIFY(result.memory->after.ms <= point.ms);
}

void MagisPassTest::aLimitThatCannotBeMetIsSaid()
{
    Context context = contextOf(16, objectiveOf(Objective::Mode::Latency, tooLittle));
    QVERIFY(context.settings.set("largest-graph", 1000)); // what comes closest has many parts
    const Plan result = optimized(m_perceptron, context);
    QVERIFY(!result.memory->limitsMet);
    QVERIFY(!saysLimitsMet(result));
    for (const MemoryPoint &point : result.memory->front) // what comes closest
        QVERIFY(result.memory->after.peakBytes <= point.peakBytes);
    context.objective = objectiveOf(Objective::Mode::Memory, tooLittle, 1.05);
    QVERIFY(!optimized(m_perceptron, context).memory->limitsMet);
}

void MagisPassTest::theFrontIsOne()
{
    const Plan result =
        optimized(m_convolutions, contextOf(24, objectiveOf(Objective::Mode::Pareto)));
    const auto &front = result.memory->front;
    QVERIFY(front.size() > 2);
    for (std::size_t i = 1; i < front.size(); ++i)
        QVERIFY(front[i - 1].ms < front[i].ms && front[i - 1].peakBytes > front[i].peakBytes);
}

void MagisPassTest::figuresFitTogether()
{
    const Plan result = optimized(m_convolutions, contextOf(24, leastMemory));
    const MemoryPlan &memory = *result.memory;
    QCOMPARE(memory.device, std::string("rtx-3090"));
    QVERIFY(memory.residentBytes > 0); // a step of training changes its weights
    QCOMPARE(std::ranges::max(memory.steps, {}, &MemoryPlan::Step::bytes).bytes,
             memory.after.peakBytes);
    QVERIFY(memory.arenaBytes >= memory.residentBytes);
    for (std::size_t i = 1; i < memory.steps.size(); ++i)
        QVERIFY(memory.steps[i].startMs >= memory.steps[i - 1].startMs);
    for (const MemoryPlan::Life &life : memory.lives)
        QVERIFY(life.first <= life.last && life.last < memory.steps.size());
}

void MagisPassTest::unknownExtentsAreRefused()
{
    Sketch s;
    const TensorId x = s.input("x", {Dim::symbol("n"), 4});
    const auto plan = initialPlan(test::modelOf(s.finish({s.call("Relu", {x})})));
    QVERIFY(plan.has_value());
    const auto result = runPass(MagisPass(), *plan, contextOf(8, leastMemory));
    QVERIFY(!result);
    QCOMPARE(int(result.error().kind), int(Error::Kind::Model));
}

/// There are 92,681 numbers of parts that such a batch could be cut into, up to two milliards of
/// parts: nobody wants most of them.
void MagisPassTest::hugeBatchesHaveFewNumbersOfParts()
{
    Sketch s;
    TensorId x = s.input("x", {std::int64_t{1} << 31, 4});
    for (int layer = 0; layer < 3; ++layer)
        x = s.call("Relu", {s.call("MatMul", {x, s.weight({4, 4}, 0.5f)})});
    const auto plan = initialPlan(test::modelOf(s.finish({x})));
    QVERIFY(plan);
    const auto result = runPass(MagisPass(), *plan, contextOf(8, leastMemory));
    QVERIFY2(result, result ? "" : result.error().text().c_str());
    QVERIFY(!result->memory->fissions.empty());
    for (const MemoryPlan::Fission &fission : result->memory->fissions) {
        QVERIFY(fission.numbers.size() < 200);
        QVERIFY(fission.numbers.back() <= 4096);
    }
}

GRAPHLOOM_TESTS(MagisPassTest)

} // namespace graphloom::test::magis_pass_test

#include "magis_pass_test.moc"
