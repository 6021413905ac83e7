// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/fill_weights.h"

#include "tests/support/graph_maker.h"
#include "tests/support/opsets.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <functional>
#include <set>

namespace graphloom::test::fill_weights_test {

using graphloom::test::opset17;
using graphloom::test::splat;

namespace {

/// Elements of a 64 x 64 weight.
TensorData elements(const std::function<float(int row, int column)> &of)
{
    std::vector<float> values;
    for (int i = 0; i < 64 * 64; ++i)
        values.push_back(of(i / 64, i % 64));
    return graphloom::test::floats({64, 64}, values);
}

/// y = x * weight + bias, with x 1x64 and a square weight; `order` is that in which the
/// constants are made, so that ids differ between graphs.
class Layer {
public:
    explicit Layer(bool weightFirst = true)
    {
        Tensor x;
        x.name = "x";
        x.type = DataType::Float;
        x.shape = Shape{1, 64};
        input = editor.addTensor(x);
        editor.setInputs({input});
        if (weightFirst)
            weight = editor.addTensor(Tensor::of("weight", splat(0.5f, {64, 64})));
        bias = editor.addTensor(Tensor::of("bias", splat(2.0f, {32, 64})));
        if (!weightFirst)
            weight = editor.addTensor(Tensor::of("weight", splat(0.5f, {64, 64})));
        product = call("MatMul", {input, weight}, {1, 64});
        sum = call("Add", {product, bias}, {32, 64});
    }

    TensorId call(const std::string &op, std::vector<TensorId> inputs, Shape shape)
    {
        Tensor tensor;
        tensor.name = op + std::to_string(editor.graph().tensorBound());
        tensor.type = DataType::Float;
        tensor.shape = std::move(shape);
        const TensorId output = editor.addTensor(tensor);
        Node node;
        node.op = op;
        node.inputs = std::move(inputs);
        node.outputs = {output};
        editor.addNode(std::move(node));
        return output;
    }

    Runnable finish()
    {
        editor.setOutputs({sum});
        auto graph = std::move(editor).finish();
        if (!graph)
            qFatal("%s", graph.error().text().c_str());
        return {"graph", *graph, opset17};
    }

    GraphEditor editor;
    TensorId input, weight, bias, product, sum;
};

const TensorData &constant(const Runnable &runnable, const std::string &name)
{
    for (std::uint32_t i = 0; i < runnable.graph.tensorBound(); ++i)
        if (runnable.graph.contains(TensorId{i}) && runnable.graph.tensor(TensorId{i}).name == name)
            return *runnable.graph.tensor(TensorId{i}).constant;
    qFatal("no constant %s", name.c_str());
}

} // namespace

class FillWeightsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fillsTheSameEverywhere();
    void weightsOfProductsKeepTheVariance();
    void othersStayNearTheirValue();
    void seedsDiffer();
    void smallZeroAndInfiniteStay();
    void scaledSplatsAreFilledToMeasure();
    void trainedWeightsStayToMeasure();
    void whatDiffersBetweenGraphsStays();
    void whatCouldHaveBeenFoldedStays();
    void memoryIsBounded();
    void stopsWhenAsked();
};

void FillWeightsTest::fillsTheSameEverywhere()
{
    std::vector<Runnable> runnables = {Layer(true).finish(), Layer(false).finish()};
    const auto before = runnables[0].graph.hash();
    const auto filled = fillSplatWeights(runnables, {});
    QVERIFY(filled.has_value());
    QCOMPARE(*filled, std::size_t(2));
    for (const char *name : {"weight", "bias"}) {
        const TensorData &data = constant(runnables[0], name);
        QVERIFY(!data.isSplat());
        QVERIFY(data == constant(runnables[1], name));
        std::set<double> different;
        for (std::int64_t i = 0; i < data.elements(); ++i)
            different.insert(data.real(i));
        QVERIFY(different.size() > std::size_t(data.elements()) * 9 / 10);
    }
    QVERIFY(runnables[0].graph.hash() != before);
    QCOMPARE(runnables[0].graph.hash(), runnables[1].graph.hash());
}

void FillWeightsTest::weightsOfProductsKeepTheVariance()
{
    std::vector<Runnable> runnables = {Layer().finish()};
    QVERIFY(fillSplatWeights(runnables, {}).has_value());
    const TensorData &weight = constant(runnables[0], "weight");
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < weight.elements(); ++i) {
        sum += weight.real(i);
        squares += weight.real(i) * weight.real(i);
    }
    const double mean = sum / double(weight.elements());
    const double variance = squares / double(weight.elements()) - mean * mean;
    QVERIFY(std::abs(mean) < 0.01);
    QVERIFY(std::abs(variance * 64 - 2) < 0.15); // 2 / 64 summands
}

void FillWeightsTest::othersStayNearTheirValue()
{
    std::vector<Runnable> runnables = {Layer().finish()};
    QVERIFY(fillSplatWeights(runnables, {}).has_value());
    const TensorData &bias = constant(runnables[0], "bias");
    for (std::int64_t i = 0; i < bias.elements(); ++i)
        QVERIFY(bias.real(i) >= 1 && bias.real(i) <= 3);
}

void FillWeightsTest::seedsDiffer()
{
    std::vector<Runnable> one = {Layer().finish()}, same = one, other = one;
    QVERIFY(fillSplatWeights(one, {.seed = 1}).has_value());
    QVERIFY(fillSplatWeights(same, {.seed = 1}).has_value());
    QVERIFY(fillSplatWeights(other, {.seed = 2}).has_value());
    QVERIFY(constant(one[0], "weight") == constant(same[0], "weight"));
    QVERIFY(!(constant(one[0], "weight") == constant(other[0], "weight")));
}

void FillWeightsTest::smallZeroAndInfiniteStay()
{
    Layer layer;
    const auto add = [&](const char *name, const TensorData &data) {
        const TensorId id = layer.editor.addTensor(Tensor::of(name, data));
        layer.sum = layer.call("Add", {layer.sum, id}, {32, 64});
    };
    add("small", splat(3, {1, 64}));
    add("zero", splat(0, {32, 64}));
    add("infinite", splat(-INFINITY, {32, 64}));
    std::vector<Runnable> runnables = {layer.finish()};
    const auto filled = fillSplatWeights(runnables, {});
    QVERIFY(filled.has_value());
    QCOMPARE(*filled, std::size_t(2));
    for (const char *name : {"small", "zero", "infinite"})
        QVERIFY(constant(runnables[0], name).isSplat());
}

/// What folding a normalization into a weight without trained elements gives.
void FillWeightsTest::scaledSplatsAreFilledToMeasure()
{
    const TensorData scaled = elements([](int row, int column) {
        return 0.5f * (1 + 0.1f * float(column)) * (2 + float(row % 3));
    });
    Layer layer;
    layer.editor.setTensor(layer.weight, Tensor::of("weight", scaled));
    std::vector<Runnable> runnables = {layer.finish()};
    std::vector<Runnable> measured = runnables;
    QVERIFY(fillSplatWeights(runnables, {}).has_value());
    QVERIFY(constant(runnables[0], "weight") == scaled); // to be compared with the original
    QVERIFY(fillSplatWeights(measured, {.scaled = true}).has_value());
    const TensorData &weight = constant(measured[0], "weight");
    double sum = 0;
    for (std::int64_t i = 0; i < weight.elements(); ++i)
        sum += weight.real(i);
    QVERIFY2(std::abs(sum / double(weight.elements())) < 0.01, std::to_string(sum).c_str());
}

void FillWeightsTest::trainedWeightsStayToMeasure()
{
    const TensorData trained = elements(
        [](int row, int column) { return 0.5f + 0.1f * std::sin(float(row * 64 + column)); });
    Layer layer;
    layer.editor.setTensor(layer.weight, Tensor::of("weight", trained));
    std::vector<Runnable> runnables = {layer.finish()};
    QVERIFY(fillSplatWeights(runnables, {.scaled = true}).has_value());
    QVERIFY(constant(runnables[0], "weight") == trained);
}

void FillWeightsTest::whatDiffersBetweenGraphsStays()
{
    Layer other;
    Tensor changed = other.editor.graph().tensor(other.weight);
    changed.constant = std::make_shared<const TensorData>(splat(0.25f, {64, 64}));
    other.editor.setTensor(other.weight, changed);
    Tensor renamed = other.editor.graph().tensor(other.bias);
    renamed.name = "shift";
    other.editor.setTensor(other.bias, renamed);
    std::vector<Runnable> runnables = {Layer().finish(), other.finish()};
    const auto filled = fillSplatWeights(runnables, {});
    QVERIFY(filled.has_value());
    QCOMPARE(*filled, std::size_t(0));
    QVERIFY(constant(runnables[0], "weight").isSplat());
    QVERIFY(constant(runnables[1], "weight").isSplat());
}

/// One graph may hold the transposed weight as a constant of its own by now.
void FillWeightsTest::whatCouldHaveBeenFoldedStays()
{
    Layer layer;
    const TensorId transposed = layer.call("Transpose", {layer.weight}, {64, 64});
    layer.product = layer.call("MatMul", {layer.input, transposed}, {1, 64});
    layer.sum = layer.call("Add", {layer.sum, layer.product}, {32, 64});
    std::vector<Runnable> runnables = {layer.finish(), Layer().finish()};
    const auto filled = fillSplatWeights(runnables, {});
    QVERIFY(filled.has_value());
    QCOMPARE(*filled, std::size_t(1));
    QVERIFY(constant(runnables[0], "weight").isSplat());
    QVERIFY(constant(runnables[1], "weight").isSplat());
    QVERIFY(!constant(runnables[0], "bias").isSplat());
}

void FillWeightsTest::memoryIsBounded()
{
    std::vector<Runnable> runnables = {Layer().finish()};
    const auto filled = fillSplatWeights(runnables, {.maxBytes = 64 * 64 * 4});
    QVERIFY(filled.has_value());
    QCOMPARE(*filled, std::size_t(1));
}

void FillWeightsTest::stopsWhenAsked()
{
    std::vector<Runnable> runnables = {Layer().finish()};
    std::stop_source source;
    source.request_stop();
    QVERIFY(!fillSplatWeights(runnables, {.stop = source.get_token()}));
    QVERIFY(constant(runnables[0], "weight").isSplat());
}

GRAPHLOOM_TESTS(FillWeightsTest)

} // namespace graphloom::test::fill_weights_test

#include "fill_weights_test.moc"
