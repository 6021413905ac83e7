// SPDX-License-Identifier: Apache-2.0
// Searches that go on from what an earlier one has kept, and plans that are taken from it.
#include "plugins/magis/magis_pass.h"

#include "engine/system/read_file.h"
#include "tests/plugins/magis/magis_run.h"
#include "tests/plugins/magis/training_plans.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::resumed_search_test {

using magis::MagisPass;

namespace {

/// A folder of its own for the checkpoint of a search.
struct CheckpointFile {
    QTemporaryDir folder;
    std::filesystem::path path = folder.filePath("search.json").toStdString();
};

QString refusal(const Plan &plan, const std::string &resume)
{
    Context context = contextOf(1, leastMemory);
    context.resume = {resume, "a file", false};
    const auto result = runPass(MagisPass(), plan, context);
    return result ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class ResumedSearchTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSearchGoesOnFromItsCheckpoint();
    void everyPlanOfTheFrontCanBeTaken();
    void aPlanThatASearchPublishedCanBeRealized();
    void checkpointsOfOtherGraphsAreRefused();
    void otherFilesAreNoCheckpoints();
};

void ResumedSearchTest::aSearchGoesOnFromItsCheckpoint()
{
    const CheckpointFile file;
    const Context context = contextOf(60, leastMemory);
    const Plan first = optimized(convolutionTraining(), context);
    Context next = contextOf(1, leastMemory);
    next.resume = {*first.search->state, "the first search", false};
    next.seed = 2;
    const Plan second = optimized(convolutionTraining(), next);
    QVERIFY(second.memory->after.peakBytes <= first.memory->after.peakBytes);
    QVERIFY(second.memory->front.size() + 5 >= first.memory->front.size());
}

void ResumedSearchTest::everyPlanOfTheFrontCanBeTaken()
{
    const Plan first = optimized(convolutionTraining(), contextOf(60, leastMemory));
    QVERIFY(first.memory->front.size() > 2);
    for (const MemoryPoint &point : first.memory->front) {
        Context take = contextOf(1, leastMemory);
        take.resume = {*first.search->state, "the first search", true};
        take.objective = {.mode = Objective::Mode::Memory,
                          .memoryLimit = {},
                          .latencyLimit = point.ms / first.memory->referenceMs * (1 + 1e-9)};
        const Plan taken = optimized(convolutionTraining(), take);
        // Some differ by rounding of their latency alone; then the lower peak is taken.
        QVERIFY(taken.memory->after.peakBytes <= point.peakBytes);
        QVERIFY(std::abs(taken.memory->after.ms - point.ms) <= 1e-9 * point.ms);
        QCOMPARE(taken.search->expanded, std::uint64_t{0});
    }
}

void ResumedSearchTest::aPlanThatASearchPublishedCanBeRealized()
{
    std::shared_ptr<const Plan> published;
    Context context = contextOf(60, objectiveOf(Objective::Mode::Memory, {}, 4));
    context.publish = [&](std::shared_ptr<const Plan> plan) { published = std::move(plan); };
    optimized(convolutionTraining(), context);
    QVERIFY(published && published->memory && !published->memory->realized);
    context.publish = Context().publish;
    context.resume = {"", "a run that crashed", true, published};
    const Plan realized = optimized(convolutionTraining(), context);
    QVERIFY(realized.memory->realized);
    QCOMPARE(realized.memory->after.peakBytes, published->memory->after.peakBytes);
    QCOMPARE(realized.memory->after.ms, published->memory->after.ms);
    QVERIFY(scheduleOf(realized));
}

void ResumedSearchTest::checkpointsOfOtherGraphsAreRefused()
{
    const CheckpointFile file;
    Context context = contextOf(5, leastMemory);
    context.checkpoint = file.path;
    optimized(convolutionTraining(), context);
    const auto state = readFile(file.path);
    QVERIFY(state && refusal(perceptronTraining(), *state).contains("another graph"));
}

void ResumedSearchTest::otherFilesAreNoCheckpoints()
{
    const CheckpointFile file;
    for (const char *text : {"", "[]", "{\"schema\": \"x\"}", "{\"schema\": 1, \"device\": 3}"}) {
        QVERIFY2(refusal(perceptronTraining(), text).contains("not a checkpoint"), text);
    }
}

GRAPHLOOM_TESTS(ResumedSearchTest)

} // namespace graphloom::test::resumed_search_test

#include "resumed_search_test.moc"
