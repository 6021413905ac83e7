// SPDX-License-Identifier: Apache-2.0
// Plans of the networks that MAGIS is measured on, made small, compute what the networks compute,
// in the memory that is planned for them.
#include "tests/plugins/magis/workloads.h"

#include "plugins/magis/variants/distribution.h"
#include "plugins/magis/variants/merged_variants.h"
#include "plugins/magis/variants/variants.h"
#include "plugins/magis/variants/weight_scaling.h"
#include "tests/plugins/magis/plan_check.h"
#include "tests/plugins/magis/rules/merging.h"
#include "tests/support/random_states.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <ranges>

namespace graphloom::test::workloads_test {

using namespace graphloom::magis;
using test::Mode;
using test::PlanCheck;

namespace {

/// A device on which small tensors cost what large ones do elsewhere.
const Device &gpuWithoutLaunches()
{
    static const Device small = [] {
        Device device = *findDevice("rtx-3090");
        device.launchSeconds = 0;
        return device;
    }();
    return small;
}

/// The largest plans take tens of milliseconds each, and take turns.
constexpr std::size_t mostOfAFront = 4;

double toleranceOf(Mode mode)
{
    return mode == Mode::TrainingByBatch ? 1e-3 : 1e-4;
}

/// A graph whose search has begun, so that its fissions are known.
Variant searched(const Graph &graph, const Opsets &opsets, Mode mode)
{
    auto made = variantOf("", graph, opsets, {&gpuWithoutLaunches(), mode != Mode::Inference, 4});
    if (!made)
        qFatal("%s", made.error().text().c_str());
    Variant variant = *std::move(made);
    const Outcome before = variant.unoptimized.outcome;
    std::vector<Limits> interests;
    for (const double latency : {1.02, 1.05, 1.10, 1.20})
        interests.push_back({latency * before.seconds, 0});
    for (const double memory : {0.8, 0.6, 0.4})
        interests.push_back({0, std::int64_t(memory * double(before.peak))});
    SearchOptions options; // so many states, not so many seconds
    options.seconds = 0;
    options.expanded = 120;
    options.threads = 1;
    prepareSearch(variant, before, interests, 1, options);
    addSeeds(variant, options);
    variant.search->run();
    return variant;
}

/// The step of training, and those that merged calls make of it.
std::vector<MergedGraph> mergedVariantsOf(const test::Workload &workload)
{
    MergeOptions options;
    options.variables = workload.variables;
    options.views = Views::Whole;
    auto variants =
        mergedVariants(workload.graph, workload.opsets, *findDevice("rtx-3090"), options);
    if (!variants)
        qFatal("%s", variants.error().text().c_str());
    return *std::move(variants);
}

} // namespace

class WorkloadsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void front_data();
    void front();
    void mergedGraphsComputeTheSame_data();
    void mergedGraphsComputeTheSame();
    void frontsOfOtherGraphs_data();
    void frontsOfOtherGraphs();
    void randomPlans_data() { front_data(); }
    void randomPlans();
    void stepsChangeTheWeights_data();
    void stepsChangeTheWeights();
    void cleanupTestCase();

private:
    static void addRows(bool inference);
    void checkFront(const Graph &graph, const Opsets &opsets, Mode mode);
    test::PlanKinds m_fronts;
};

void WorkloadsTest::front_data()
{
    addRows(true);
}

void WorkloadsTest::addRows(bool inference)
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<Mode>("mode");
    for (const char *name :
         {"resnet50", "unet", "unetpp", "bert", "vit", "gpt_neo_1_3b", "btlm_3b"}) {
        if (inference)
            QTest::addRow("%s", name) << name << Mode::Inference;
        QTest::addRow("%s, trained", name) << name << Mode::Training;
        if (test::isConvolutional(name))
            QTest::addRow("%s, trained with statistics of the batch", name)
                << name << Mode::TrainingByBatch;
    }
}

void WorkloadsTest::checkFront(const Graph &graph, const Opsets &opsets, Mode mode)
{
    const Variant variant = searched(graph, opsets, mode);
    PlanCheck check(*variant.space, opsets, test::workloadInputs(graph));
    check.setTolerance(toleranceOf(mode));
    if (mode == Mode::Inference)
        check.foldWeights();
    const auto &entries = variant.search->archive().entries();
    const std::size_t step = (entries.size() + mostOfAFront - 1) / mostOfAFront;
    for (std::size_t i = 0; i < entries.size(); i += step) {
        const State &state = entries[entries.size() - 1 - i].state; // that of least memory first
        const QString wrong = check.wrong(state);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong + test::fissionsOf(*variant.space, state)));
    }
    m_fronts += check.kinds();
    qInfo("%s", qPrintable(check.kinds().text()));
    QVERIFY(check.kinds().plans > 1);
    QVERIFY(check.kinds().split + check.kinds().recomputed + check.kinds().swapped > 0);
    QVERIFY(entries.back().second < double(variant.unoptimized.outcome.peak));
}

/// All plans between which the user may choose.
void WorkloadsTest::front()
{
    QFETCH(QString, name);
    QFETCH(Mode, mode);
    const test::Workload workload = test::workload(name.toStdString(), mode);
    checkFront(workload.graph, workload.opsets, mode);
}

void WorkloadsTest::mergedGraphsComputeTheSame_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"bert", "vit", "gpt_neo_1_3b", "btlm_3b"})
        QTest::addRow("%s", name) << name;
}

/// The step of training with calls merged, against the step as it was.
void WorkloadsTest::mergedGraphsComputeTheSame()
{
    QFETCH(QString, name);
    const test::Workload workload = test::workload(name.toStdString(), Mode::Training);
    const std::vector<MergedGraph> variants = mergedVariantsOf(workload);
    QVERIFY(variants.size() > 1);
    const auto inputs = test::workloadInputs(workload.graph);
    for (const MergedGraph &variant : variants | std::views::drop(1)) {
        QVERIFY(!variant.log.steps.empty());
        QCOMPARE(test::difference(workload.graph, variant.graph, workload.opsets, inputs,
                                  toleranceOf(Mode::TrainingByBatch)),
                 QString());
    }
}

void WorkloadsTest::frontsOfOtherGraphs_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("change");
    for (const char *name : {"unet", "unetpp"})
        QTest::addRow("%s without concatenations", name) << name << "apart";
    for (const char *name : {"resnet50", "unet"})
        QTest::addRow("%s with scales in weights", name) << name << "scaled";
    QTest::newRow("unetpp with both") << "unetpp"
                                      << "scaled, apart";
    for (const char *name : {"bert", "vit", "gpt_neo_1_3b", "btlm_3b"})
        QTest::addRow("%s with merged calls", name) << name << "merged";
}

/// The search takes other graphs that compute the same as well.
void WorkloadsTest::frontsOfOtherGraphs()
{
    QFETCH(QString, name);
    QFETCH(QString, change);
    const test::Workload workload = test::workload(name.toStdString(), Mode::Training);
    if (change == "merged") {
        const std::vector<MergedGraph> variants = mergedVariantsOf(workload);
        QVERIFY(variants.size() > 1);
        checkFront(variants[1].graph, workload.opsets, Mode::Training);
        return;
    }
    Graph graph = workload.graph;
    if (change.contains("scaled")) {
        auto scaled = withScalesInWeights(graph, workload.opsets, workload.variables);
        QVERIFY2(scaled, scaled ? "" : scaled.error().text().c_str());
        QVERIFY(!scaled->normalizations.empty());
        graph = std::move(scaled->graph);
    }
    if (change.contains("apart")) {
        auto apart = distributed(graph, workload.opsets);
        QVERIFY2(apart, apart ? "" : apart.error().text().c_str());
        QVERIFY(apart->calls > 0);
        graph = std::move(apart->graph);
    }
    const QString wrong =
        test::difference(workload.graph, graph, workload.opsets,
                         test::workloadInputs(workload.graph), toleranceOf(Mode::TrainingByBatch));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    checkFront(graph, workload.opsets, Mode::Training);
}

/// States that a search would hardly come to: any pieces, any numbers, fissions in fissions.
void WorkloadsTest::randomPlans()
{
    QFETCH(QString, name);
    QFETCH(Mode, mode);
    const test::Workload workload = test::workload(name.toStdString(), mode);
    const auto made = variantOf("", workload.graph, workload.opsets,
                                {&gpuWithoutLaunches(), mode != Mode::Inference, 4});
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    SearchSpace &space = const_cast<SearchSpace &>(*made->space);
    Simulator simulator(*made->memory, space.evictions());
    PlanCheck check(space, workload.opsets, test::workloadInputs(workload.graph));
    check.setTolerance(toleranceOf(mode));
    if (mode == Mode::Inference)
        check.foldWeights();
    const bool large = name == "unetpp" && mode != Mode::Inference;
    const int plans = large ? 6 : 12, windows = test::isConvolutional(name.toStdString()) ? 2 : 0;
    const auto isDone = [&] {
        return check.kinds().plans >= plans && check.kinds().windows >= windows;
    };
    for (std::uint64_t seed = 0; !isDone() && seed < 3000; ++seed) {
        test::RandomStates random(space, seed);
        const auto state = random.next(simulator, {3});
        if (!state || (check.kinds().plans >= plans && !check.hasWindows(*state)))
            continue; // once there are enough plans, windows alone are missing
        const QString wrong = check.wrong(*state, false);
        QVERIFY2(
            wrong.isEmpty(),
            qPrintable(
                QString("seed %1: %2%3").arg(seed).arg(wrong, test::fissionsOf(space, *state))));
    }
    const test::PlanKinds &kinds = check.kinds();
    qInfo("%s", qPrintable(kinds.text()));
    QVERIFY(kinds.split > 0 && kinds.recomputed > 0 && kinds.swapped > 0);
    if (mode != Mode::TrainingByBatch) // statistics leave few dimensions
        QVERIFY(kinds.nested > 0);
    QVERIFY(kinds.windows >= windows);
    QVERIFY(kinds.exact > kinds.less);
}

void WorkloadsTest::stepsChangeTheWeights_data()
{
    addRows(false);
}

/// Else wrong gradients would not be seen.
void WorkloadsTest::stepsChangeTheWeights()
{
    QFETCH(QString, name);
    QFETCH(Mode, mode);
    const test::Workload workload = test::workload(name.toStdString(), mode);
    const Graph &graph = workload.graph;
    const auto results = interpret(graph, workload.opsets, test::workloadInputs(graph));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    std::map<std::string, TensorId> constants;
    for (std::uint32_t t = 0; t < graph.tensorBound(); ++t)
        if (graph.contains(TensorId{t}) && graph.tensor(TensorId{t}).constant)
            constants.emplace(graph.tensor(TensorId{t}).name + ".updated", TensorId{t});
    int weights = 0, changed = 0;
    for (std::size_t o = 1; o < results->size(); ++o) {
        const auto weight = constants.find(graph.tensor(graph.outputs()[o]).name);
        if (weight == constants.end())
            continue;
        ++weights;
        changed +=
            compare(*graph.tensor(weight->second).constant, (*results)[o]).maxRelError > 1e-3;
    }
    qInfo("%d of %d", changed, weights);
    // Statistics of the batch take away what biases before them add.
    QVERIFY(weights > 10 && 5 * changed > 4 * weights);
}

void WorkloadsTest::cleanupTestCase()
{
    if (QTest::currentTestFailed() || m_fronts.plans == 0)
        return; // or only some tests were asked for
    qInfo("fronts: %s", qPrintable(m_fronts.text()));
    QVERIFY(m_fronts.split > 0 && m_fronts.nested > 0 && m_fronts.windows > 0);
    QVERIFY(m_fronts.recomputed > 0 && m_fronts.swapped > 0);
}

GRAPHLOOM_TESTS(WorkloadsTest)

} // namespace graphloom::test::workloads_test

#include "workloads_test.moc"
