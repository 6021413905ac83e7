// SPDX-License-Identifier: Apache-2.0
// Convolutions take normalizations by stored statistics over, with equal results and gradients.
#include "plugins/magis/variants/weight_scaling.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "tests/support/graph_parts.h"
#include "tests/support/magis_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::weight_scaling_test {

using magis::withScalesInWeights;
using test::networkOpsets;

namespace {

/// Inference: a normalization behind a convolution with or without bias.
Graph normalized(bool biased, bool alsoOutput = false)
{
    test::Sketch s;
    std::vector<TensorId> inputs{s.input("x", {2, 4, 5, 5}), s.randomWeight({6, 2, 3, 3})};
    if (biased)
        inputs.push_back(s.randomWeight({6}));
    const TensorId between = s.call("Conv", inputs, {test::integer("group", 2)});
    const TensorId y = test::batchNorm(s, between, 6);
    return alsoOutput ? s.finish({y, between}) : s.finish({y});
}

struct Trained {
    Graph graph;
    std::vector<TensorId> variables;
};

Trained trained(const Graph &inference, TrainingOptions::BatchNorm mode,
                TrainingOptions::Optimizer optimizer = TrainingOptions::Optimizer::Sgd)
{
    TrainingGraph training = test::trainingStepOf(inference, mode, optimizer);
    Trained result{std::move(training.graph), {}};
    for (const ParameterUpdate &update : training.updates)
        result.variables.push_back(update.parameter);
    return result;
}

QString difference(const Graph &graph, const Graph &other)
{
    const auto inputs = randomInputs(graph, 5);
    const auto expected = interpret(graph, networkOpsets(), *inputs);
    const auto given = interpret(other, networkOpsets(), *inputs);
    if (!expected || !given)
        return QString::fromStdString((expected ? given : expected).error().text());
    if (expected->size() != given->size())
        return "another number of outputs";
    for (std::size_t o = 0; o < expected->size(); ++o) {
        const Comparison comparison = compare((*expected)[o], (*given)[o]);
        if (!(comparison.maxRelError < 1e-4))
            return QString("output %1: %2").arg(o).arg(comparison.worst.c_str());
        if (graph.tensor(graph.outputs()[o]).name != other.tensor(other.outputs()[o]).name)
            return QString("output %1 has another name").arg(o);
    }
    return {};
}

} // namespace

class WeightScalingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void computesTheSame_data();
    void computesTheSame();
    void nothingNeedsWhatIsBetween();
    void whatIsReadElsewhereStays();
    void statisticsOfTheBatchStay();
    void strippedStatisticsAreComputedInEachStep();
};

void WeightScalingTest::computesTheSame_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("normalizations");
    QTest::newRow("with bias") << "with bias" << 1;
    QTest::newRow("without bias") << "without bias" << 1;
    QTest::newRow("residual") << "residual" << 5;
    QTest::newRow("residual, trained") << "residual, trained" << 5;
    QTest::newRow("classifier, trained") << "classifier, trained" << 2;
    QTest::newRow("classifier, trained by Adam") << "classifier, trained by Adam" << 2;
}

void WeightScalingTest::computesTheSame()
{
    QFETCH(QString, name);
    QFETCH(int, normalizations);
    using Mode = TrainingOptions::BatchNorm;
    const Trained step = name == "with bias"           ? Trained{normalized(true), {}}
                         : name == "without bias"      ? Trained{normalized(false), {}}
                         : name == "residual"          ? Trained{test::residual(), {}}
                         : name == "residual, trained" ? trained(test::residual(), Mode::Frozen)
                         : name == "classifier, trained"
                             ? trained(test::convolutionalClassifier(), Mode::Frozen)
                             : trained(test::convolutionalClassifier(), Mode::Frozen,
                                       TrainingOptions::Optimizer::Adam);
    const auto scaled = withScalesInWeights(step.graph, networkOpsets(), step.variables);
    QVERIFY2(scaled, scaled ? "" : scaled.error().text().c_str());
    QCOMPARE(int(scaled->normalizations.size()), normalizations);
    QCOMPARE(test::countOf(scaled->graph, "BatchNormalization"),
             step.variables.empty() ? 0 : normalizations); // sums of gradients
    const QString wrong = difference(step.graph, scaled->graph);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// Neither results of convolutions nor their gradients, as they were.
void WeightScalingTest::nothingNeedsWhatIsBetween()
{
    const Trained step = trained(test::residual(), TrainingOptions::BatchNorm::Frozen);
    const auto scaled = withScalesInWeights(step.graph, networkOpsets(), step.variables);
    QVERIFY(scaled);
    int between = 0;
    for (const NodeId id : step.graph.order()) {
        const Node &node = step.graph.node(id);
        if (node.op != "BatchNormalization" || !node.domain.empty())
            continue;
        ++between;
        QVERIFY(!scaled->graph.contains(node.inputs[0]));
    }
    QCOMPARE(between, 5);
}

void WeightScalingTest::whatIsReadElsewhereStays()
{
    const Graph graph = normalized(true, true);
    const auto scaled = withScalesInWeights(graph, networkOpsets(), {});
    QVERIFY(scaled && scaled->normalizations.empty());
    QVERIFY(scaled->graph.hash() == graph.hash());
}

void WeightScalingTest::statisticsOfTheBatchStay()
{
    const Trained step =
        trained(test::convolutionalClassifier(), TrainingOptions::BatchNorm::Batch);
    const auto scaled = withScalesInWeights(step.graph, networkOpsets(), step.variables);
    QVERIFY(scaled && scaled->normalizations.empty());
}

/// Those that are known become constants; those of a file without weights are filled in later.
void WeightScalingTest::strippedStatisticsAreComputedInEachStep()
{
    const Graph stripped = normalized(false); // its variances are all the same
    GraphEditor editor(stripped);
    for (const NodeId id : stripped.order())
        if (stripped.node(id).op == "BatchNormalization") {
            const TensorId variance = stripped.node(id).inputs[4];
            Tensor tensor = stripped.tensor(variance);
            const std::vector<float> values{1, 2, 3, 4, 5, 6};
            tensor.constant = std::make_shared<const TensorData>(
                TensorData::fromValues<float>(DataType::Float, {6}, values));
            editor.setTensor(variance, std::move(tensor));
        }
    const auto whole = std::move(editor).finish();
    QVERIFY(whole.has_value());
    const auto known = withScalesInWeights(*whole, networkOpsets(), {}),
               unknown = withScalesInWeights(stripped, networkOpsets(), {});
    QVERIFY(known && unknown);
    QCOMPARE(test::countOf(known->graph, "Sqrt"), 0);
    QCOMPARE(test::countOf(unknown->graph, "Sqrt"), 1);
    const QString wrong = difference(stripped, unknown->graph) + difference(*whole, known->graph);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

GRAPHLOOM_TESTS(WeightScalingTest)

} // namespace graphloom::test::weight_scaling_test

#include "weight_scaling_test.moc"
