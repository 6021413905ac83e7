// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/interpreter.h"
#include "engine/rewrite/composites/recognition.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::composites_test {

using test::Sketch;

namespace {

/// ai.onnx of this version beside com.microsoft.
Opsets opsets(std::int64_t version)
{
    return [=](std::string_view domain) -> std::int64_t { return domain.empty() ? version : 1; };
}

TensorId reduced(Sketch &s, const char *op, TensorId x, std::vector<std::int64_t> axes)
{
    return op == std::string("ReduceSum") ? s.call(op, {x, s.integers(axes)})
                                          : s.call(op, {x}, {test::ints("axes", axes)});
}
TensorId squared(Sketch &s, TensorId x)
{
    return s.call("Pow", {x, s.number(2)});
}

/// x normalized along axes, by the mean of squares only or centred before.
TensorId normalized(Sketch &s, TensorId x, std::vector<std::int64_t> axes, bool centred = true)
{
    const TensorId d = centred ? s.call("Sub", {x, reduced(s, "ReduceMean", x, axes)}) : x;
    const TensorId variance = reduced(s, "ReduceMean", squared(s, d), axes);
    const TensorId root = s.call("Sqrt", {s.call("Add", {variance, s.number(1e-3f)})});
    return s.call("Div", {d, root});
}
TensorId affine(Sketch &s, TensorId x, TensorData::Extents extents)
{
    return s.call("Add", {s.call("Mul", {x, s.randomWeight(extents)}), s.randomWeight(extents)});
}
TensorId gelu(Sketch &s, TensorId x, TensorId bell)
{
    return s.call("Mul", {s.call("Mul", {x, s.call("Add", {bell, s.number(1)})}), s.number(0.5f)});
}
TensorId erf(Sketch &s, TensorId x, float divisor)
{
    return s.call("Erf", {s.call("Div", {x, s.number(divisor)})});
}
TensorId tanh(Sketch &s, TensorId x, float cubic)
{
    const TensorId cube = s.call("Pow", {x, s.number(3)});
    const TensorId inner = s.call("Add", {x, s.call("Mul", {cube, s.number(cubic)})});
    return s.call("Tanh", {s.call("Mul", {inner, s.number(0.7978846f)})});
}
TensorId softmax(Sketch &s, TensorId x, std::vector<std::int64_t> most,
                 std::vector<std::int64_t> sum)
{
    const TensorId e = s.call("Exp", {s.call("Sub", {x, reduced(s, "ReduceMax", x, most)})});
    return s.call("Div", {e, reduced(s, "ReduceSum", e, sum)});
}
TensorId hardSwish(Sketch &s, TensorId x, float width)
{
    const TensorId gate =
        s.call("Clip", {s.call("Add", {x, s.number(3)}), s.number(0), s.number(width)});
    return s.call("Div", {s.call("Mul", {x, gate}), s.number(6)});
}

struct CompositeCase {
    const char *name;
    std::int64_t opset;
    std::function<TensorId(Sketch &, TensorId x)> sketch; // x is 2x4x6
    const char *expected;                                 // terms; empty: nothing is replaced
};

const std::vector<CompositeCase> compositeCases = {
    {"layer normalization", 17,
     [](Sketch &s, TensorId x) { return affine(s, normalized(s, x, {-1}), {6}); },
     "LayerNormalization"},
    {"layer normalization of two dimensions", 17,
     [](Sketch &s, TensorId x) {
         return affine(s, normalized(s, x, {1, 2}), {4, 6});
     },
     "LayerNormalization"},
    {"layer normalization without a shift", 17,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {normalized(s, x, {-1}), s.randomWeight({6})});
     },
     "LayerNormalization"},
    {"a scale for the rows", 17,
     [](Sketch &s, TensorId x) {
         return affine(s, normalized(s, x, {-1}), {4, 1});
     },
     ""},
    {"normalization along an inner dimension", 17,
     [](Sketch &s, TensorId x) { return affine(s, normalized(s, x, {1}), {6}); }, ""},
    {"moments along different dimensions", 17,
     [](Sketch &s, TensorId x) {
         const TensorId d = s.call("Sub", {x, reduced(s, "ReduceMean", x, {1})});
         return affine(s, normalized(s, d, {-1}, false), {6});
     },
     ""},
    {"RMS normalization", 23,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {normalized(s, x, {-1}, false), s.randomWeight({6})});
     },
     "RMSNormalization"},
    {"RMS normalization before ONNX had it", 17,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {normalized(s, x, {-1}, false), s.randomWeight({6})});
     },
     ""},
    {"Gelu by erf", 17,
     [](Sketch &s, TensorId x) { return gelu(s, x, erf(s, x, std::sqrt(2.0f))); },
     "com.microsoft.Gelu"},
    {"Gelu by erf once ONNX has it", 20,
     [](Sketch &s, TensorId x) { return gelu(s, x, erf(s, x, std::sqrt(2.0f))); }, "Gelu"},
    {"Gelu of another width", 17, [](Sketch &s, TensorId x) { return gelu(s, x, erf(s, x, 1.5f)); },
     ""},
    {"Gelu by tanh", 17, [](Sketch &s, TensorId x) { return gelu(s, x, tanh(s, x, 0.044715f)); },
     "com.microsoft.FastGelu"},
    {"Gelu by tanh once ONNX has it", 20,
     [](Sketch &s, TensorId x) { return gelu(s, x, tanh(s, x, 0.044715f)); }, "Gelu"},
    {"Gelu by tanh with another cube", 17,
     [](Sketch &s, TensorId x) { return gelu(s, x, tanh(s, x, 0.06f)); }, ""},
    {"softmax along an inner dimension", 17,
     [](Sketch &s, TensorId x) { return softmax(s, x, {1}, {1}); }, "Softmax"},
    {"softmax of two dimensions", 17,
     [](Sketch &s, TensorId x) {
         return softmax(s, x, {1, 2}, {1, 2});
     },
     ""},
    {"the sum of another exponential", 17,
     [](Sketch &s, TensorId x) {
         const TensorId other = s.call("Exp", {s.call("Neg", {x})});
         return s.call("Div", {s.call("Exp", {x}), reduced(s, "ReduceSum", other, {1})});
     },
     ""},
    {"Swish", 17,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {s.call("Sigmoid", {x}), x});
     },
     "com.microsoft.QuickGelu"},
    {"a gate of another value", 17,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {s.call("Sigmoid", {s.call("Neg", {x})}), x});
     },
     ""},
    {"Mish", 18,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {x, s.call("Tanh", {s.call("Softplus", {x})})});
     },
     "Mish"},
    {"Mish before ONNX had it", 17,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {x, s.call("Tanh", {s.call("Softplus", {x})})});
     },
     ""},
    {"HardSwish", 17, [](Sketch &s, TensorId x) { return hardSwish(s, x, 6); }, "HardSwish"},
    {"HardSwish by its gate", 17,
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {x, s.call("HardSigmoid", {x}, {{"alpha", 1.0f / 6}})});
     },
     "HardSwish"},
    {"a gate with another offset", 17,
     [](Sketch &s, TensorId x) {
         return s.call("Mul",
                       {x, s.call("HardSigmoid", {x}, {{"alpha", 1.0f / 6}, {"beta", 0.6f}})});
     },
     ""},
    {"clipped elsewhere", 17, [](Sketch &s, TensorId x) { return hardSwish(s, x, 5); }, ""},
    {"a deviation that is read elsewhere", 17,
     [](Sketch &s, TensorId x) {
         const TensorId e = s.call("Exp", {x});
         const TensorId sum = reduced(s, "ReduceSum", e, {-1});
         return s.call("Add", {s.call("Div", {e, sum}), sum});
     },
     ""},
};

} // namespace

class CompositesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneCall_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < compositeCases.size(); ++i)
            QTest::newRow(compositeCases[i].name) << int(i);
    }
    /// One operator takes the place of all calls, and computes the same.
    void oneCall()
    {
        QFETCH(int, index);
        const CompositeCase &tested = compositeCases[std::size_t(index)];
        Sketch sketch;
        const TensorId x = sketch.input("x", {2, 4, 6});
        const Graph graph = sketch.finish({tested.sketch(sketch, x)});
        const Opsets versions = opsets(tested.opset);
        const auto replaced = withComposites(graph, versions);
        QVERIFY2(replaced, replaced ? "" : replaced.error().text().c_str());
        if (tested.expected[0] == '\0') {
            QCOMPARE(replaced->hash(), graph.hash());
            return;
        }
        QCOMPARE(replaced->nodeCount(), std::size_t(1));
        QCOMPARE(replaced->node(replaced->order()[0]).qualifiedOp(), std::string(tested.expected));
        QCOMPARE(replaced->tensor(replaced->outputs()[0]).name,
                 graph.tensor(graph.outputs()[0]).name);
        const auto inputs = randomInputs(graph, 7);
        QVERIFY(inputs);
        const auto before = interpret(graph, test::sketchOpset, *inputs);
        const auto after = interpret(*replaced, versions, *inputs);
        QVERIFY2(before && after, after ? "before" : after.error().text().c_str());
        for (std::int64_t i = 0; i < (*before)[0].elements(); ++i) {
            const double difference = std::abs((*before)[0].real(i) - (*after)[0].real(i));
            QVERIFY2(difference < 2e-5,
                     qPrintable(QString("element %1: %2").arg(i).arg(difference)));
        }
    }
    /// What is inside another composite's reach is replaced beside it.
    void severalOfThem()
    {
        Sketch s;
        const TensorId x = s.input("x", {2, 4, 6});
        const TensorId n = affine(s, normalized(s, x, {-1}), {6});
        const TensorId y = s.call("Add", {gelu(s, n, erf(s, n, std::sqrt(2.0f))), x});
        const auto replaced = withComposites(s.finish({y}), opsets(17));
        QVERIFY(replaced);
        QCOMPARE(replaced->nodeCount(), std::size_t(3));
    }
};

GRAPHLOOM_TESTS(CompositesTest)

} // namespace graphloom::test::composites_test

#include "composites_test.moc"
