// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/symbolic.h"
#include "engine/rewrite/terms/described_calls.h"
#include "tests/support/graph_maker.h"
#include "tests/support/opsets.h"
#include "tests/support/random_network.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::described_calls_test {

namespace {

Tensor floats(Shape shape)
{
    Tensor tensor;
    tensor.type = DataType::Float;
    tensor.shape = std::move(shape);
    return tensor;
}

Node sum()
{
    Node node;
    node.op = "Add";
    node.outputs.resize(1);
    return node;
}

} // namespace

class DescribedCallsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void likeCallsAreDescribedOnce()
    {
        const Tensor a = floats({2, 3}), b = floats({2, 3});
        Node node = sum(), other = sum();
        other.name = "other";
        DescribedCalls described;
        const DescribedCall &first = described[Call(node, {&a, &b}, 17)];
        QVERIFY(first.description);
        QCOMPARE(&described[Call(other, {&b, &a}, 17)], &first);
    }

    void whatDiffersIsDescribedAnew_data()
    {
        QTest::addColumn<QString>("what");
        for (const char *what : {"operator", "attribute", "operator set", "shape", "type", "number",
                                 "weights", "elements", "omitted", "outputs"})
            QTest::newRow(what) << what;
    }
    void whatDiffersIsDescribedAnew()
    {
        QFETCH(QString, what);
        const Tensor a = floats({70}), one = Tensor::of("", splat(1, {})),
                     ones = Tensor::of("", splat(1, {70}));
        Node node = sum();
        DescribedCalls described;
        std::vector<const Tensor *> inputs{&a, what == "weights" ? &ones : &one};
        const DescribedCall *first = &described[Call(node, inputs, 17)];
        Tensor changed = what == "weights" ? Tensor::of("", splat(1, {70})) : a;
        std::int64_t opset = 17;
        if (what == "operator")
            node.op = "Mul";
        else if (what == "attribute")
            node.attributes = Attributes({{"axis", std::int64_t(1)}});
        else if (what == "operator set")
            opset = 13;
        else if (what == "shape")
            changed.shape = Shape{7};
        else if (what == "type")
            changed.type = DataType::Double;
        else if (what == "number")
            changed = Tensor::of("", splat(2, {}));
        else if (what == "elements")
            changed.values = std::make_shared<const std::vector<Dim>>(std::vector<Dim>{3});
        else if (what == "outputs")
            node.outputs.resize(2);
        inputs[what == "number" || what == "weights" ? 1 : 0] =
            what == "omitted" ? nullptr : &changed;
        QVERIFY(&described[Call(node, inputs, opset)] != first);
    }

    void theirAnswersAreThoseOfTheTable()
    {
        DescribedCalls described;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Random random(seed);
            const Graph graph = randomNetwork(random, 17);
            for (const NodeId id : graph.order()) {
                const Node &node = graph.node(id);
                std::vector<const Tensor *> inputs;
                for (const TensorId input : node.inputs)
                    inputs.push_back(input.valid() ? &graph.tensor(input) : nullptr);
                const Call call(node, inputs, opset17(node.domain));
                const auto expected = describe(call);
                for (int time = 0; time < 2; ++time) {
                    const DescribedCall &known = described[call];
                    QCOMPARE(known.description != nullptr, expected.has_value());
                    if (!expected)
                        continue;
                    QVERIFY(known.facts.cost == factsOf(*expected, call).cost);
                    QCOMPARE(known.facts.commutative, factsOf(*expected, call).commutative);
                    for (std::size_t k = 0; k < known.results.size(); ++k) {
                        QCOMPARE(known.results[k].type, expected->values[k].type);
                        QVERIFY(known.results[k].shape == expected->values[k].shape);
                        const auto values = symbolicValues(*expected, call, int(k));
                        QCOMPARE(known.results[k].values != nullptr, values.has_value());
                        QVERIFY(!values || *known.results[k].values == *values);
                    }
                }
            }
        }
    }

    void whatTheTableRefusesHasNoDescription()
    {
        const Tensor a = floats({2}), b = floats({3});
        const Node node = sum();
        DescribedCalls described;
        QVERIFY(!described[Call(node, {&a, &b}, 17)].description);
    }
};

GRAPHLOOM_TESTS(DescribedCallsTest)

} // namespace graphloom::test::described_calls_test

#include "described_calls_test.moc"
