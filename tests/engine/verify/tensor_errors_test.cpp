// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/tensor_errors.h"

#include "engine/verify/counterparts.h"
#include "tests/support/graph_maker.h"
#include "tests/support/opsets.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>

namespace graphloom::test::tensor_errors_test {

using State = TensorError::State;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notNumber = std::numeric_limits<float>::quiet_NaN();

/// relu(x * 2) + 1, then exp: four nodes in a chain.
struct Chain {
    Chain()
    {
        x = maker.input("x", {8});
        two = maker.constant("two", floats({1}, {2}));
        one = maker.constant("one", floats({1}, {1}));
        doubled = maker.call("Mul", {x, two}, {8});
        rectified = maker.call("Relu", {doubled}, {8});
        shifted = maker.call("Add", {rectified, one}, {8});
        result = maker.call("Exp", {shifted}, {8});
        graph = maker.finish({result});
    }

    GraphMaker maker;
    TensorId x, two, one, doubled, rectified, shifted, result;
    Graph graph;
};

Graph edited(const Graph &graph, const std::function<void(GraphEditor &)> &edit)
{
    GraphEditor editor(graph);
    edit(editor);
    auto result = std::move(editor).finish();
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

/// Replaces the operator of the node that writes a tensor: what a wrong rule would do.
Graph withOperator(const Graph &graph, TensorId output, const std::string &op)
{
    return edited(graph, [&](GraphEditor &editor) {
        Node node = graph.node(graph.producer(output));
        node.op = op;
        editor.replaceNode(graph.producer(output), std::move(node));
    });
}

Runnable named(const char *name, const Graph &graph)
{
    return {name, graph, opset17};
}

TensorErrors errorsOf(const Graph &original, const Graph &plan,
                      const TensorErrorOptions &options = {})
{
    const auto errors =
        tensorErrors(named("the original", original), named("the plan", plan), options);
    if (!errors || !*errors)
        qFatal("%s", errors ? "stopped" : errors.error().text().c_str());
    return **errors;
}

const TensorError &errorOf(const TensorErrors &errors, TensorId id)
{
    const auto found = std::ranges::find(errors.tensors, id, &TensorError::tensor);
    if (found == errors.tensors.end())
        qFatal("the tensor is not listed");
    return *found;
}

TensorErrorOptions withInput(TensorData data)
{
    TensorErrorOptions options;
    options.inputs = std::vector<DataValue>{std::move(data)};
    return options;
}

} // namespace

class TensorErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalGraphsHaveNoErrors();
    void aWrongRewriteIsLocated();
    void anErrorWithinTheToleranceDoesNotBegin();
    void aNodeThatCannotRunIsWhereItBegins();
    void newTensorsAreAlone();
    void copiesHaveTheCounterpartOfTheirOrigin();
    void aCopyOnOtherInputsIsAlone();
    void anotherShapeIsAlone();
    void aReorderedPlanIsCompared();
    void equalNotNumbersAndInfinitiesAgree();
    void aNotNumberAgainstANumberIsInfinite();
    void integersDiffer();
    void booleansDiffer();
    void randomNumbersAreNotCompared();
    void changedSplatsAreAWarning();
    void filledWeightsAreCounted();
    void givenInputsAreUsed();
    void unfitInputsAreRefused();
    void missingInputsAreRefused();
    void symbolicInputsAreRefused();
    void whatWaitsIsSpilled();
    void stopped();
    void progressGrows();
};

void TensorErrorsTest::equalGraphsHaveNoErrors()
{
    const Chain chain;
    const TensorErrors errors = errorsOf(chain.graph, chain.graph);
    QVERIFY(errors.verification.passed);
    QCOMPARE(errors.verification.maxAbsError, 0.0);
    QVERIFY(!errors.begins.valid());
    QCOMPARE(errors.tensors.size(), 4u);
    for (const TensorError &error : errors.tensors) {
        QCOMPARE(error.state, State::Compared);
        QCOMPARE(error.original, error.tensor);
        QCOMPARE(error.comparison.maxAbsError, 0.0);
        QCOMPARE(error.comparison.different, 0);
        QCOMPARE(*signalToNoise(error.comparison), double(infinity));
    }
}

void TensorErrorsTest::aWrongRewriteIsLocated()
{
    const Chain chain;
    const Graph wrong = withOperator(chain.graph, chain.rectified, "Abs");
    const TensorErrors errors = errorsOf(chain.graph, wrong);
    QVERIFY(!errors.verification.passed);
    QCOMPARE(errors.begins, wrong.producer(chain.rectified));
    QVERIFY(errorOf(errors, chain.doubled).passes);
    for (const TensorId behind : {chain.rectified, chain.shifted, chain.result}) {
        QVERIFY(!errorOf(errors, behind).passes);
        QVERIFY(errorOf(errors, behind).comparison.maxAbsError > 0.01);
        QVERIFY(std::isfinite(*signalToNoise(errorOf(errors, behind).comparison)));
    }
}

void TensorErrorsTest::anErrorWithinTheToleranceDoesNotBegin()
{
    const Chain chain;
    const Graph close = edited(chain.graph, [&](GraphEditor &editor) {
        editor.setTensor(chain.one, Tensor::of("one", floats({1}, {1.00001f})));
    });
    TensorErrorOptions options;
    options.tolerance = 1e-3;
    const TensorErrors errors = errorsOf(chain.graph, close, options);
    QVERIFY(errors.verification.passed && !errors.begins.valid());
    QVERIFY(errorOf(errors, chain.shifted).comparison.maxAbsError > 0);
    options.tolerance = 1e-7;
    QCOMPARE(errorsOf(chain.graph, close, options).begins, close.producer(chain.shifted));
}

void TensorErrorsTest::aNodeThatCannotRunIsWhereItBegins()
{
    const Chain chain;
    const Graph broken = withOperator(chain.graph, chain.shifted, "Unheard");
    const TensorErrors errors = errorsOf(chain.graph, broken);
    QVERIFY(!errors.verification.passed);
    QVERIFY2(errors.verification.message.find("Unheard") != std::string::npos,
             errors.verification.message.c_str());
    QCOMPARE(errors.begins, broken.producer(chain.shifted));
    QCOMPARE(errorOf(errors, chain.rectified).state, State::Compared);
    QCOMPARE(errorOf(errors, chain.result).state, State::NotRun);
}

void TensorErrorsTest::newTensorsAreAlone()
{
    // x * 2 + 1, by way of a new tensor, where there was relu(x * 2) + 1: the sum keeps its name.
    const Chain chain;
    TensorId made;
    const Graph rewritten = edited(chain.graph, [&](GraphEditor &editor) {
        Tensor tensor = chain.graph.tensor(chain.rectified);
        tensor.name = "made";
        made = editor.addTensor(std::move(tensor));
        Node node;
        node.op = "Identity";
        node.inputs = {chain.doubled};
        node.outputs = {made};
        node.origins = {chain.graph.producer(chain.rectified), chain.graph.producer(chain.shifted)};
        editor.addNode(std::move(node));
        editor.replaceUses(chain.rectified, made);
        editor.removeUnused();
    });
    const TensorErrors errors = errorsOf(chain.graph, rewritten);
    QCOMPARE(errorOf(errors, made).state, State::Alone);
    QVERIFY(errorOf(errors, made).passes);
    QCOMPARE(errors.begins, rewritten.producer(chain.shifted)); // the sum is wrong: no Relu
}

void TensorErrorsTest::copiesHaveTheCounterpartOfTheirOrigin()
{
    const Chain chain;
    TensorId again, after;
    const Graph copied = edited(chain.graph, [&](GraphEditor &editor) {
        for (const TensorId source : {chain.doubled, chain.rectified}) {
            Tensor tensor = chain.graph.tensor(source);
            tensor.name += ".again";
            Node node = chain.graph.node(chain.graph.producer(source));
            node.origins = {chain.graph.producer(source)};
            if (source == chain.rectified)
                node.inputs = {again};
            const TensorId made = editor.addTensor(std::move(tensor));
            (source == chain.doubled ? again : after) = made;
            node.outputs = {made};
            editor.addNode(std::move(node));
        }
        Node sum = chain.graph.node(chain.graph.producer(chain.shifted));
        sum.inputs[0] = after;
        editor.replaceNode(chain.graph.producer(chain.shifted), std::move(sum));
    });
    const TensorErrors errors = errorsOf(chain.graph, copied);
    QCOMPARE(errorOf(errors, again).original, chain.doubled);
    QCOMPARE(errorOf(errors, after).original, chain.rectified);
    QCOMPARE(errorOf(errors, after).comparison.maxAbsError, 0.0);
}

void TensorErrorsTest::aCopyOnOtherInputsIsAlone()
{
    const Chain chain;
    TensorId again;
    const Graph copied = edited(chain.graph, [&](GraphEditor &editor) {
        Tensor tensor = chain.graph.tensor(chain.rectified);
        tensor.name += ".other";
        again = editor.addTensor(std::move(tensor));
        Node node = chain.graph.node(chain.graph.producer(chain.rectified));
        node.origins = {chain.graph.producer(chain.rectified)};
        node.inputs = {chain.x}; // not what its origin reads
        node.outputs = {again};
        editor.addNode(std::move(node));
        Node sum = chain.graph.node(chain.graph.producer(chain.shifted));
        sum.inputs[0] = again;
        editor.replaceNode(chain.graph.producer(chain.shifted), std::move(sum));
    });
    QVERIFY(!counterpartsOf(chain.graph, copied)[again.index].valid());
}

void TensorErrorsTest::anotherShapeIsAlone()
{
    const Chain chain;
    const Graph changed = edited(chain.graph, [&](GraphEditor &editor) {
        Tensor tensor = chain.graph.tensor(chain.rectified);
        tensor.shape = Shape{4};
        editor.setTensor(chain.rectified, std::move(tensor));
    });
    const auto counterparts = counterpartsOf(chain.graph, changed);
    QVERIFY(!counterparts[chain.rectified.index].valid());
    QCOMPARE(counterparts[chain.shifted.index], chain.shifted);
}

void TensorErrorsTest::aReorderedPlanIsCompared()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {8});
    const TensorId a = maker.call("Relu", {x}, {8}), b = maker.call("Exp", {x}, {8});
    const TensorId sum = maker.call("Add", {a, b}, {8});
    const Graph graph = maker.finish({sum});
    const Graph other = edited(graph, [&](GraphEditor &editor) {
        editor.setOrder({graph.producer(b), graph.producer(a), graph.producer(sum)});
    });
    const TensorErrors errors = errorsOf(graph, other);
    QCOMPARE(errors.tensors.front().tensor, b);
    for (const TensorError &error : errors.tensors)
        QCOMPARE(error.state, State::Compared);
    QVERIFY(errors.verification.passed);
}

void TensorErrorsTest::equalNotNumbersAndInfinitiesAgree()
{
    const Chain chain;
    const TensorErrors errors =
        errorsOf(chain.graph, chain.graph,
                 withInput(floats({8}, {notNumber, infinity, -infinity, 1, 2, 3, 4, 5})));
    QVERIFY(errors.verification.passed && !errors.begins.valid());
    QCOMPARE(errorOf(errors, chain.result).comparison.maxAbsError, 0.0);
    QCOMPARE(errorOf(errors, chain.doubled).comparison.finite, 5);
}

void TensorErrorsTest::aNotNumberAgainstANumberIsInfinite()
{
    const Chain chain;
    const Graph wrong = withOperator(chain.graph, chain.rectified, "Sqrt"); // of negative numbers
    const TensorErrors errors = errorsOf(chain.graph, wrong);
    const Comparison &error = errorOf(errors, chain.rectified).comparison;
    QCOMPARE(error.maxAbsError, double(infinity));
    QCOMPARE(*signalToNoise(error), -double(infinity));
    QVERIFY2(error.worst.find("nan") != std::string::npos, error.worst.c_str());
    QCOMPARE(errors.begins, wrong.producer(chain.rectified));
}

void TensorErrorsTest::integersDiffer()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {5});
    const TensorId cast = maker.call("Cast", {x}, {5}, {{"to", std::int64_t(DataType::Int32)}});
    const TensorId shift =
        maker.constant("shift", TensorData::fromValues<std::int32_t>(DataType::Int32, {5},
                                                                     std::vector{1, 1, 1, 1, 1}));
    const TensorId sum = maker.call("Add", {cast, shift}, {5});
    for (const TensorId id : {cast, sum}) {
        Tensor tensor = maker.editor.graph().tensor(id);
        tensor.type = DataType::Int32;
        maker.editor.setTensor(id, std::move(tensor));
    }
    const Graph graph = maker.finish({sum});
    const Graph other = edited(graph, [&](GraphEditor &editor) {
        editor.setTensor(
            shift, Tensor::of("shift", TensorData::fromValues<std::int32_t>(
                                           DataType::Int32, {5}, std::vector{1, 1, 3, 1, 2})));
    });
    const TensorErrors errors = errorsOf(graph, other, withInput(floats({5}, {0, 1, 2, 3, 4})));
    QVERIFY(errorOf(errors, cast).passes);
    const Comparison &error = errorOf(errors, sum).comparison;
    QCOMPARE(error.maxAbsError, double(infinity)); // integers must be equal
    QCOMPARE(error.different, 2);
    QCOMPARE(error.noise, 5.0);
    QCOMPARE(error.signal, 1.0 + 4 + 9 + 16 + 25);
    QCOMPARE(errors.begins, graph.producer(sum));
}

void TensorErrorsTest::booleansDiffer()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {3});
    const TensorId zero = maker.constant("zero", floats({1}, {0}));
    const TensorId test = maker.call("Greater", {x, zero}, {3});
    Tensor tensor = maker.editor.graph().tensor(test);
    tensor.type = DataType::Bool;
    maker.editor.setTensor(test, std::move(tensor));
    const Graph graph = maker.finish({test});
    const TensorErrors errors = errorsOf(graph, withOperator(graph, test, "GreaterOrEqual"),
                                         withInput(floats({3}, {-1, 0, 1})));
    QCOMPARE(errorOf(errors, test).comparison.different, 1);
    QVERIFY(!errors.verification.passed);
}

void TensorErrorsTest::randomNumbersAreNotCompared()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {4});
    const TensorId noise = maker.call("RandomNormalLike", {x}, {4});
    const TensorId sum = maker.call("Add", {x, noise}, {4});
    const TensorId plain = maker.call("Relu", {x}, {4});
    const Graph graph = maker.finish({sum, plain});
    TensorId other; // another place in the graph draws other numbers
    const Graph moved = edited(graph, [&](GraphEditor &editor) {
        const NodeId id = graph.producer(noise);
        Node node = graph.node(id);
        other = editor.addTensor(graph.tensor(noise));
        node.outputs = {other};
        editor.removeNode(id);
        editor.replaceUses(noise, other);
        editor.removeTensor(noise);
        editor.addNode(std::move(node));
    });
    const TensorErrors errors = errorsOf(graph, moved);
    QVERIFY(errors.verification.passed && !errors.begins.valid());
    QCOMPARE(errorOf(errors, other).state, State::Drawn);
    QCOMPARE(errorOf(errors, sum).state, State::Drawn);
    QCOMPARE(errorOf(errors, plain).state, State::Compared);
    QVERIFY(!errors.verification.warnings.empty());
}

void TensorErrorsTest::changedSplatsAreAWarning()
{
    const auto product = [](const std::string &name, float value) {
        GraphMaker maker;
        const TensorId x = maker.input("x", {2, 64});
        const TensorId weight = maker.constant(name, splat(value, {64, 64}));
        return maker.finish({maker.call("MatMul", {x, weight}, {2, 64})});
    };
    const TensorErrors errors = errorsOf(product("w", 0.5f), product("w.1", 0.5f));
    QVERIFY(errors.verification.passed);
    QCOMPARE(errors.verification.filledWeights, 0u);
    QCOMPARE(errors.verification.warnings.size(), 1u);
}

void TensorErrorsTest::filledWeightsAreCounted()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 64});
    const TensorId weight = maker.constant("w", splat(0.5f, {64, 64}));
    const TensorId y = maker.call("Gemm", {x, weight}, {2, 64});
    const Graph graph = maker.finish({y});
    const Graph transposed = edited(graph, [&](GraphEditor &editor) {
        Node node = graph.node(graph.producer(y));
        node.attributes = node.attributes.with("transB", std::int64_t(1));
        editor.replaceNode(graph.producer(y), std::move(node));
    });
    const TensorErrors errors = errorsOf(graph, transposed);
    QCOMPARE(errors.verification.filledWeights, 1u);
    QVERIFY(errors.verification.warnings.empty());
    QVERIFY(!errors.verification.passed); // with equal elements it would have
}

void TensorErrorsTest::givenInputsAreUsed()
{
    const Chain chain;
    const Graph wrong = withOperator(chain.graph, chain.rectified, "Abs");
    // On positive numbers both are the same.
    const auto positive = withInput(floats({8}, {1, 2, 3, 4, 5, 6, 7, 8}));
    QVERIFY(errorsOf(chain.graph, wrong, positive).verification.passed);
}

void TensorErrorsTest::unfitInputsAreRefused()
{
    const Chain chain;
    const auto errors = tensorErrors(named("a", chain.graph), named("b", chain.graph),
                                     withInput(floats({2}, {1, 2})));
    QVERIFY(!errors && errors.error().kind == Error::Kind::Usage);
    QVERIFY2(errors.error().text().find("\"x\"") != std::string::npos,
             errors.error().text().c_str());
}

void TensorErrorsTest::missingInputsAreRefused()
{
    const Chain chain;
    TensorErrorOptions options;
    options.inputs.emplace(); // none
    const auto errors = tensorErrors(named("a", chain.graph), named("b", chain.graph), options);
    QVERIFY(!errors && errors.error().kind == Error::Kind::Usage);
}

void TensorErrorsTest::symbolicInputsAreRefused()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {Dim::symbol("N")});
    const Graph graph = maker.finish({maker.call("Relu", {x}, {Dim::symbol("N")})});
    const auto errors = tensorErrors(named("a", graph), named("b", graph), {});
    QVERIFY(!errors && errors.error().kind == Error::Kind::Usage);
}

void TensorErrorsTest::whatWaitsIsSpilled()
{
    GraphMaker maker;
    constexpr std::int64_t elements = 1 << 18; // a MiB each
    const TensorId x = maker.input("x", {elements});
    const TensorId a = maker.call("Relu", {x}, {elements}), b = maker.call("Neg", {x}, {elements}),
                   c = maker.call("Abs", {x}, {elements});
    const TensorId sum = maker.call("Sum", {a, b, c}, {elements});
    const Graph graph = maker.finish({sum});
    const Graph other = edited(graph, [&](GraphEditor &editor) { // c comes first: a and b wait
        editor.setOrder(
            {graph.producer(c), graph.producer(b), graph.producer(a), graph.producer(sum)});
    });
    TensorErrorOptions options;
    QCOMPARE(errorsOf(graph, other, options).spilledBytes, 0u);
    options.mostHeld = std::uint64_t{1} << 20;
    const TensorErrors errors = errorsOf(graph, other, options);
    QCOMPARE(errors.spilledBytes, std::uint64_t{2} << 20);
    QVERIFY(errors.verification.passed && !errors.begins.valid());
}

void TensorErrorsTest::stopped()
{
    const Chain chain;
    std::stop_source source;
    TensorErrorOptions options;
    options.stop = source.get_token();
    options.progress = [&](double, std::string_view) { source.request_stop(); };
    const auto errors = tensorErrors(named("a", chain.graph), named("b", chain.graph), options);
    QVERIFY(errors && !*errors);
}

void TensorErrorsTest::progressGrows()
{
    const Chain chain;
    std::vector<double> done;
    TensorErrorOptions options;
    options.progress = [&](double fraction, std::string_view) { done.push_back(fraction); };
    errorsOf(chain.graph, chain.graph, options);
    QCOMPARE(done.size(), 8u);
    QVERIFY(std::ranges::is_sorted(done));
    QCOMPARE(done.back(), 1.0);
}

GRAPHLOOM_TESTS(TensorErrorsTest)

} // namespace graphloom::test::tensor_errors_test

#include "tensor_errors_test.moc"
