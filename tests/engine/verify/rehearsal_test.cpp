// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/rehearsal.h"
#include "engine/verify/verify.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::rehearsal_test {

using test::Sketch;

namespace {

/// y = x * w, with w of 64x64 in which all elements are alike; or with another constant for it.
Graph product(const TensorData &weights, const std::string &name = "w")
{
    test::GraphMaker maker;
    const TensorId x = maker.input("x", {2, 64}), w = maker.constant(name, weights);
    return maker.finish({maker.call("MatMul", {x, w}, {2, 64})});
}

const TensorData splat = test::splat(0.5f, {64, 64});

Model modelOf(Graph graph)
{
    Model model;
    model.graph = std::move(graph);
    model.opsets = {{"", 17}};
    return model;
}

/// A pass that puts another constant in the place of w, computed of it.
Plan withWeights(Plan plan, const std::function<TensorData(const TensorData &)> &change)
{
    GraphEditor editor(plan.graph);
    const TensorId w = plan.graph.node(plan.graph.order()[0]).inputs[1];
    editor.setTensor(w, Tensor::of("changed", change(*plan.graph.tensor(w).constant)));
    plan.graph = *std::move(editor).finish();
    return plan;
}

TensorData mapped(const TensorData &data,
                  const std::function<double(std::int64_t row, std::int64_t column)> &element)
{
    std::vector<float> values;
    for (std::int64_t i = 0; i < data.elements(); ++i)
        values.push_back(float(element(i / 64, i % 64)));
    return test::floats(data.extents(), values);
}
TensorData doubled(const TensorData &data)
{
    return mapped(data, [&](auto i, auto j) { return 2 * data.real(64 * i + j); });
}
TensorData transposed(const TensorData &data)
{
    return mapped(data, [&](auto i, auto j) { return data.real(64 * j + i); });
}

/// How the original and the result of the pass compare once weights are filled in.
Verification verified(const std::function<TensorData(const TensorData &)> &change)
{
    const Model model = modelOf(product(splat));
    const auto rehearsal = rehearse(
        model, 1, [&](Plan plan) -> Result<Plan> { return withWeights(std::move(plan), change); });
    if (!rehearsal)
        qFatal("%s", rehearsal.error().text().c_str());
    const auto compared = verify({{"original", rehearsal->plan.model->graph, test::sketchOpset},
                                  {"result", rehearsal->plan.graph, test::sketchOpset}},
                                 {});
    return **compared;
}

} // namespace

class RehearsalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changedSplats()
    {
        const Graph original = product(splat);
        QVERIFY(!hasChangedSplats(original, original));
        QVERIFY(hasChangedSplats(original, product(test::splat(1, {64, 64}))));
        QVERIFY(hasChangedSplats(original, product(splat, "renamed")));
        const Graph trained = product(doubled(splat));
        QVERIFY(!hasChangedSplats(trained, product(transposed(splat))));
    }
    void weightsAreFilled()
    {
        const auto rehearsal =
            rehearse(modelOf(product(splat)), 1, [](Plan plan) -> Result<Plan> { return plan; });
        QCOMPARE(rehearsal->filledWeights, std::size_t(1));
        const Graph &graph = rehearsal->plan.graph;
        QVERIFY(!graph.tensor(graph.node(graph.order()[0]).inputs[1]).constant->isSplat());
    }
    void rightPassAgrees()
    {
        QVERIFY(verified([](const TensorData &data) { return data; }).passed);
    }
    /// Which would not show on the model as shipped: its weights are alike when transposed.
    void wrongPassDisagrees() { QVERIFY(!verified(transposed).passed); }
    void failureOfThePassIsPassedOn()
    {
        const auto rehearsal = rehearse(modelOf(product(splat)), 1, [](Plan) -> Result<Plan> {
            return fail(Error::Kind::Fault, "it failed");
        });
        QVERIFY(!rehearsal);
    }
    void sameCallsWhateverTheElements()
    {
        QVERIFY(sameCalls(product(splat), product(transposed(splat))));
        Sketch sketch;
        const TensorId x = sketch.input("x", {2, 64});
        QVERIFY(!sameCalls(product(splat), sketch.finish({sketch.call("Relu", {x})})));
    }
    void constantsOfTheExport()
    {
        const Graph result = product(splat), filled = product(doubled(splat), "other");
        const auto graph = withFilledConstants(result, result, filled);
        QCOMPARE(graph->tensor(graph->node(graph->order()[0]).inputs[1]).constant->real(0), 1.0);
    }
    /// What was exported wrongly must not be put right.
    void wrongConstantsOfTheExportStay()
    {
        const Graph wrong = product(test::splat(7, {64, 64}));
        const auto graph = withFilledConstants(wrong, product(splat), product(doubled(splat)));
        QCOMPARE(graph->tensor(graph->node(graph->order()[0]).inputs[1]).constant->real(0), 7.0);
    }
    void exportInFull()
    {
        const Graph full = product(transposed(splat));
        const auto graph = withFilledConstants(full, product(splat), product(doubled(splat)));
        QCOMPARE(graph->tensor(graph->node(graph->order()[0]).inputs[1]).constant->real(0), 1.0);
    }
};

GRAPHLOOM_TESTS(RehearsalTest)

} // namespace graphloom::test::rehearsal_test

#include "rehearsal_test.moc"
