// SPDX-License-Identifier: Apache-2.0
// Merges of whole steps of training: projections of attention, forward and backward.
#include "engine/autodiff/training.h"
#include "engine/onnx/import.h"
#include "plugins/magis/variants/merged_variants.h"
#include "tests/plugins/magis/rules/merging.h"
#include "tests/support/magis_networks.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <random>

namespace graphloom::test::merged_variants_test {

using namespace graphloom::magis;

namespace {

/// Self-attention of one head with biases, a residual connection and a classifier.
Graph attention(std::int64_t batch, std::int64_t tokens, std::int64_t width)
{
    Sketch s;
    const TensorId x = s.call("Tanh", {s.call("MatMul", {s.input("x", {batch, tokens, width}),
                                                         weight(s, {width, width})})});
    const auto projected = [&] {
        return s.call("Add",
                      {s.call("MatMul", {x, weight(s, {width, width})}), weight(s, {width})});
    };
    const TensorId q = projected(), k = projected(), v = projected();
    const TensorId scores =
        s.call("MatMul", {q, s.call("Transpose", {k}, {ints("perm", {0, 2, 1})})});
    const TensorId context = s.call("MatMul", {s.call("Softmax", {scores}), v});
    return s.finish({s.call("MatMul", {s.call("Add", {x, context}), weight(s, {width, 3})})});
}

/// Branches of random operators between one value and a sum or a concatenation, several times.
Graph branching(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t bound) { return random() % bound; };
    Sketch s;
    constexpr std::int64_t width = 4;
    TensorId x = s.input("x", {2, 3, width});
    const auto branch = [&](TensorId value, std::int64_t to) {
        value = s.call("MatMul", {value, weight(s, {width, to})});
        if (below(2))
            value = s.call("Add", {value, weight(s, {to})});
        if (below(2))
            value = s.call(below(2) ? "Tanh" : "Sigmoid", {value});
        return value;
    };
    for (int block = 0; block < 3; ++block) {
        const auto count = 2 + below(3);
        const bool sums = below(2), alike = below(3);
        std::vector<TensorId> ends;
        std::int64_t total = 0;
        for (std::uint64_t k = 0; k < count; ++k) {
            const std::int64_t to = sums || alike ? width : 1 + std::int64_t(below(width));
            total += to;
            ends.push_back(branch(sums && below(2) ? branch(x, width) : x, to));
        }
        if (sums && below(2))
            ends.insert(ends.begin() + std::ptrdiff_t(below(ends.size())), x);
        TensorId joined = ends[0];
        for (std::size_t k = 1; sums && k < ends.size(); ++k)
            joined = s.call("Add", {joined, ends[k]});
        if (!sums) {
            joined = s.call("Concat", ends, {graphloom::test::integer("axis", 2)});
            joined = s.call("MatMul", {s.call("Softmax", {joined}), weight(s, {total, width})});
        }
        x = joined;
    }
    return s.finish({s.call("MatMul", {x, weight(s, {width, 3})})});
}

/// With a rate at which weights after the step are gradients more than anything else.
constexpr TrainingOptions options{.learningRate = 1e4};

TrainingGraph trained(const Graph &graph)
{
    auto training = trainingGraph(graph, trainingOpsets(sketchOpset), options);
    if (!training)
        qFatal("%s", training.error().text().c_str());
    return *std::move(training);
}

std::vector<TensorId> variablesOf(const TrainingGraph &training)
{
    std::vector<TensorId> variables;
    for (const ParameterUpdate &update : training.updates)
        variables.push_back(update.parameter);
    return variables;
}

/// A device on which calls cost much and moving elements little, so that all merges pay.
Device eager()
{
    Device device = *findDevice("rtx-3090");
    device.launchSeconds = 1;
    return device;
}
/// One on which moving elements is what costs.
Device slow()
{
    Device device = *findDevice("rtx-3090");
    device.launchSeconds = 0;
    device.bandwidth = 1;
    device.overlaps = false;
    return device;
}

std::map<std::string, int> rulesOf(const RewriteLog &log)
{
    std::map<std::string, int> counts;
    for (const RewriteStep &step : log.steps)
        ++counts[step.rule];
    return counts;
}

QString where(const RewriteLog &log)
{
    QString text;
    for (const RewriteStep &step : log.steps)
        text += QString::fromStdString(step.rule + ": " + step.where + "\n");
    return text;
}

} // namespace

class MergedVariantsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Forward, the gradient of what is projected, those of weights and of biases: one call each.
    void attentionStep()
    {
        const TrainingGraph training = trained(attention(2, 3, 4));
        const Opsets opsets = trainingOpsets(sketchOpset);
        const auto variables = variablesOf(training);
        const auto variants =
            mergedVariants(training.graph, opsets, eager(), {.variables = variables});
        QVERIFY2(variants, variants ? "" : variants.error().text().c_str());
        QVERIFY(variants->size() >= 2);
        QCOMPARE(variants->front().graph.hash(), training.graph.hash());
        QVERIFY(variants->front().log.steps.empty());
        for (const MergedGraph &variant : *variants) {
            QVERIFY(variant.seconds <= variants->front().seconds);
            const QString wrong = difference(training.graph, variant.graph, opsets);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong + "\n" + where(variant.log)));
        }
        const MergedGraph &best = (*variants)[1];
        const auto rules = rulesOf(best.log);
        QVERIFY2(rules.contains("stack-sums-of-calls") && rules.contains("regroup-sums") &&
                     rules.at("stack-calls-that-share-operands") >= 2 &&
                     rules.contains("merge-calls-of-parts"),
                 qPrintable(where(best.log)));
        const auto products = [](const Graph &graph) {
            return std::ranges::count_if(graph.order(),
                                         [&](NodeId id) { return graph.node(id).op == "MatMul"; });
        };
        QCOMPARE(products(training.graph) - products(best.graph),
                 3 * 2); // forward, by x, by weights
        // Weights are parameters of their own, and each is joined once.
        QCOMPARE(best.graph.outputs().size(), training.graph.outputs().size());
    }

    /// A step says where; together they lead from the one graph to the other.
    void log()
    {
        const TrainingGraph training = trained(attention(2, 3, 4));
        const auto variants = mergedVariants(training.graph, trainingOpsets(sketchOpset), eager(),
                                             {.variables = variablesOf(training)});
        QVERIFY(variants && variants->size() >= 2);
        const auto &steps = (*variants)[1].log.steps;
        const auto nodesOf = [](const Graph &graph) {
            return std::set<NodeId>(graph.order().begin(), graph.order().end());
        };
        std::set<NodeId> nodes = nodesOf(training.graph);
        for (const RewriteStep &step : steps) {
            for (const NodeId id : step.removed)
                QVERIFY(step.before.contains(id) && nodes.erase(id) == 1);
            for (const NodeId id : step.added)
                QVERIFY(step.after.contains(id) && nodes.insert(id).second);
            QVERIFY(!step.where.empty());
            QVERIFY(step.category == "aggregation" || step.category == "interim");
        }
        QCOMPARE(nodes, nodesOf((*variants)[1].graph));
    }

    /// Twins: rules are off, or merges cost.
    void nothingToGain()
    {
        const TrainingGraph training = trained(attention(2, 3, 4));
        const Opsets opsets = trainingOpsets(sketchOpset);
        const auto variables = variablesOf(training);
        const auto off = mergedVariants(
            training.graph, opsets, eager(),
            {.uses = [](std::string_view) { return false; }, .variables = variables});
        QVERIFY(off);
        QCOMPARE(off->size(), std::size_t(1));
        // Three inputs that have to be copied into one, for a product that they share a weight of.
        Sketch s;
        const TensorId w = weight(s, {2, 2});
        const Graph graph = s.finish({s.call("MatMul", {s.input("a", {64, 2}), w}),
                                      s.call("MatMul", {s.input("b", {64, 2}), w}),
                                      s.call("MatMul", {s.input("c", {64, 2}), w})});
        const auto costs = mergedVariants(graph, sketchOpset, slow());
        QVERIFY(costs);
        QCOMPARE(costs->size(), std::size_t(1));
        QCOMPARE(mergedVariants(graph, sketchOpset, eager())->size(), std::size_t(2));
    }

    /// Slices of a stack are there without a copy, or have to be made; a split inside is a copy.
    void views()
    {
        Sketch s;
        const TensorId x = s.input("x", {64, 2, 8});
        const Graph graph = s.finish(
            {s.call("MatMul", {x, weight(s, {8, 8})}), s.call("MatMul", {x, weight(s, {8, 8})})});
        const auto count = [&](Views views) {
            const auto variants = mergedVariants(graph, sketchOpset, slow(), {.views = views});
            return variants ? variants->size() : 0;
        };
        QCOMPARE(count(Views::Runs), std::size_t(2));
        QCOMPARE(count(Views::Whole), std::size_t(1));
        const auto sites = sitesOf("stack-calls-that-share-operands", graph, sketchOpset);
        const Graph stacked = changed(graph, sketchOpset, sites.at(0).apply);
        for (const NodeId id : stacked.order()) {
            const bool product = stacked.node(id).op == "MatMul";
            const bool slices = stacked.node(id).op == "Split";
            QCOMPARE(*secondsOf(stacked, id, sketchOpset, slow(), Views::Runs) > 0, product);
            QCOMPARE(*secondsOf(stacked, id, sketchOpset, slow(), Views::Whole) > 0,
                     product || slices);
        }
        const auto others = sitesOf("concatenate-calls-that-share-operands", graph, sketchOpset);
        const Graph columns = changed(graph, sketchOpset, others.at(0).apply);
        for (const NodeId id : columns.order())
            QVERIFY(*secondsOf(columns, id, sketchOpset, slow(), Views::Runs) > 0);
    }

    /// One rule alone.
    void switched()
    {
        const Graph graph = attention(2, 3, 4);
        const auto only = [](std::string_view rule) {
            return rule == "concatenate-calls-that-share-operands";
        };
        const auto variants = mergedVariants(graph, sketchOpset, eager(), {.uses = only});
        QVERIFY(variants);
        QCOMPARE(variants->size(), std::size_t(2));
        QCOMPARE(rulesOf((*variants)[1].log),
                 (std::map<std::string, int>{{"concatenate-calls-that-share-operands", 1}}));
        QCOMPARE(difference(graph, (*variants)[1].graph, sketchOpset), QString());
    }

    /// Forward and backward, the number that scores are multiplied by goes where there is less.
    void scores()
    {
        const Graph graph = graphloom::test::trainingOf(graphloom::test::attentionBlock());
        const Opsets opsets = graphloom::test::networkOpsets();
        const auto only = [](std::string_view rule) { return rule.starts_with("scale-"); };
        const auto variants = mergedVariants(graph, opsets, eager(), {.uses = only});
        QVERIFY2(variants, variants ? "" : variants.error().text().c_str());
        QCOMPARE(variants->size(), std::size_t(2));
        QCOMPARE(rulesOf((*variants)[1].log),
                 (std::map<std::string, int>{{"scale-operand-of-product", 1},
                                             {"scale-result-of-product", 1}}));
        QVERIFY((*variants)[1].seconds < variants->front().seconds);
        QCOMPARE(difference(graph, (*variants)[1].graph, opsets), QString());
    }

    /// Networks of branches that begin and end together, and their steps of training.
    void branches()
    {
        std::map<std::string, int> rules;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Graph inference = branching(seed);
            const TrainingGraph training = trained(inference);
            const auto variables = variablesOf(training);
            for (const bool step : {false, true}) {
                const Graph &graph = step ? training.graph : inference;
                const Opsets opsets = trainingOpsets(sketchOpset);
                const auto variants = mergedVariants(
                    graph, opsets, eager(),
                    {.variables = step ? std::span(variables) : std::span<const TensorId>()});
                QVERIFY2(variants, variants ? "" : variants.error().text().c_str());
                for (const MergedGraph &variant : *variants) {
                    for (const auto &[rule, count] : rulesOf(variant.log))
                        rules[rule] += count;
                    const QString wrong = difference(graph, variant.graph, opsets, 1e-3);
                    QVERIFY2(
                        wrong.isEmpty(),
                        qPrintable(
                            QString("seed %1: %2\n%3").arg(seed).arg(wrong, where(variant.log))));
                }
            }
        }
        for (const GraphRule &rule : mergeRules())
            qInfo("%s: %d", rule.name.c_str(), rules[rule.name]);
        for (const char *rule :
             {"stack-calls-that-share-operands", "stack-sums-of-calls",
              "concatenate-calls-that-share-operands", "concatenate-sums-of-calls",
              "merge-calls-of-parts", "merge-calls-before-concat"})
            QVERIFY2(rules[rule] > 0, rule);
    }

    /// A model that comes with the program: all twelve projections of its attentions.
    void sample()
    {
        const auto model = importOnnx(GRAPHLOOM_SAMPLES "/bert_tiny.onnx");
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        const auto training = trainingModel(*model, options);
        QVERIFY2(training, training ? "" : training.error().text().c_str());
        const Graph &graph = training->model.graph;
        const Opsets opsets = opsetsOf(training->model);
        const auto variants =
            mergedVariants(graph, opsets, eager(), {.variables = training->record.variables});
        QVERIFY2(variants, variants ? "" : variants.error().text().c_str());
        QVERIFY(variants->size() >= 2);
        const auto rules = rulesOf((*variants)[1].log);
        QVERIFY2(rules.contains("stack-sums-of-calls") &&
                     rules.at("stack-calls-that-share-operands") >= 4,
                 qPrintable(where((*variants)[1].log)));
        QCOMPARE(difference(graph, (*variants)[1].graph, opsets, 1e-3), QString());
    }
};

GRAPHLOOM_TESTS(MergedVariantsTest)

} // namespace graphloom::test::merged_variants_test

#include "merged_variants_test.moc"
