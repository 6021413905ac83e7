// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/composites/recognition.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::recognition_test {

using test::Sketch;

namespace {

/// "LayerNormalization 7, Gelu 5": what is recognised, with how many nodes.
QString recognised(const Graph &graph)
{
    QStringList blocks;
    for (const auto &block : recognise(graph, test::sketchOpset))
        blocks << QString("%1 %2").arg(QString::fromStdString(block.name)).arg(block.nodes.size());
    return blocks.join(", ");
}

struct Case {
    const char *name;
    std::function<TensorId(Sketch &, TensorId x)> sketch; // x is 4x6
    const char *expected;
};

TensorId mean(Sketch &s, TensorId x)
{
    return s.call("ReduceMean", {x}, {test::ints("axes", {-1})});
}
TensorId square(Sketch &s, TensorId x)
{
    return s.call("Pow", {x, s.number(2)});
}
TensorId root(Sketch &s, TensorId variance)
{
    return s.call("Sqrt", {s.call("Add", {variance, s.number(1e-5f)})});
}
TensorId half(Sketch &s, TensorId x)
{
    return s.call("Mul", {x, s.number(0.5f)});
}
/// 1 + erf(x / divisor)
TensorId bell(Sketch &s, TensorId x, float divisor)
{
    return s.call("Add", {s.number(1), s.call("Erf", {s.call("Div", {x, s.number(divisor)})})});
}
/// 1 + tanh(0.797885 * (x + 0.044715 * cube))
TensorId tanhBell(Sketch &s, TensorId x, TensorId cube)
{
    const TensorId inner = s.call("Add", {x, s.call("Mul", {cube, s.number(0.044715f)})});
    return s.call("Add",
                  {s.call("Tanh", {s.call("Mul", {inner, s.number(0.7978846f)})}), s.number(1)});
}
/// Weights of 6 queries and keys, by way of `scores`.
TensorId attention(Sketch &s, TensorId x, const std::function<TensorId(TensorId)> &scores)
{
    const TensorId k = s.input("k", {6, 4}), v = s.input("v", {4, 6});
    return s.call("MatMul", {s.call("Softmax", {scores(s.call("MatMul", {x, k}))}), v});
}

const std::vector<Case> cases = {
    {"layer normalization",
     [](Sketch &s, TensorId x) {
         const TensorId d = s.call("Sub", {x, mean(s, x)});
         const TensorId n = s.call("Div", {d, root(s, mean(s, square(s, d)))});
         return s.call("Add", {s.call("Mul", {n, s.weight({6})}), s.weight({6})});
     },
     "LayerNormalization 9"},
    {"layer normalization by products, without affine part",
     [](Sketch &s, TensorId x) {
         const TensorId d = s.call("Sub", {x, mean(s, x)});
         const TensorId r = root(s, mean(s, s.call("Mul", {d, d})));
         return s.call("Mul", {s.call("Reciprocal", {r}), d});
     },
     "LayerNormalization 8"},
    {"layer normalization whose deviation is read elsewhere",
     [](Sketch &s, TensorId x) {
         const TensorId d = s.call("Sub", {x, mean(s, x)});
         const TensorId r = root(s, mean(s, square(s, d)));
         return s.call("Add", {s.call("Div", {d, r}), r});
     },
     ""},
    {"division by the root of a mean that is not of squares",
     [](Sketch &s, TensorId x) {
         const TensorId d = s.call("Sub", {x, mean(s, x)});
         return s.call("Div", {d, root(s, mean(s, s.call("Abs", {d})))});
     },
     ""},
    {"RMS normalization",
     [](Sketch &s, TensorId x) {
         const TensorId r = root(s, mean(s, square(s, x)));
         const TensorId n = s.call("Mul", {x, s.call("Div", {s.number(1), r})});
         return s.call("Mul", {s.weight({6}), n});
     },
     "RMSNormalization 7"},
    {"normalization by another tensor",
     [](Sketch &s, TensorId x) {
         return s.call("Div", {s.input("y", {4, 6}), root(s, mean(s, square(s, x)))});
     },
     ""},
    {"Gelu, the half behind",
     [](Sketch &s, TensorId x) {
         return half(s, s.call("Mul", {x, bell(s, x, 1.4142135f)}));
     },
     "Gelu 5"},
    {"Gelu, the half before",
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {half(s, x), bell(s, x, 1.4142135f)});
     },
     "Gelu 5"},
    {"Gelu of another width",
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {half(s, x), bell(s, x, 2)});
     },
     ""},
    {"Gelu by tanh, with a power",
     [](Sketch &s, TensorId x) {
         const TensorId cube = s.call("Pow", {x, s.number(3)});
         return s.call("Mul", {half(s, x), tanhBell(s, x, cube)});
     },
     "Gelu 8"},
    {"Gelu by tanh, with products",
     [](Sketch &s, TensorId x) {
         const TensorId cube = s.call("Mul", {x, s.call("Mul", {x, x})});
         return half(s, s.call("Mul", {tanhBell(s, x, cube), x}));
     },
     "Gelu 9"},
    {"Gelu by tanh with a square",
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {half(s, x), tanhBell(s, x, s.call("Mul", {x, x}))});
     },
     ""},
    {"softmax",
     [](Sketch &s, TensorId x) {
         const TensorId most = s.call("ReduceMax", {x}, {test::ints("axes", {-1})});
         const TensorId e = s.call("Exp", {s.call("Sub", {x, most})});
         return s.call("Div", {e, s.call("ReduceSum", {e, s.integers({-1})})});
     },
     "Softmax 5"},
    {"softmax without its maximum",
     [](Sketch &s, TensorId x) {
         const TensorId e = s.call("Exp", {x});
         return s.call("Mul",
                       {e, s.call("Reciprocal", {s.call("ReduceSum", {e, s.integers({-1})})})});
     },
     "Softmax 4"},
    {"division by another sum",
     [](Sketch &s, TensorId x) {
         return s.call("Div", {s.call("Exp", {x}), s.call("ReduceSum", {x, s.integers({-1})})});
     },
     ""},
    {"Swish",
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {s.call("Sigmoid", {x}), x});
     },
     "Swish 2"},
    {"gate of another tensor",
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {s.call("Sigmoid", {x}), s.input("y", {4, 6})});
     },
     ""},
    {"Mish",
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {x, s.call("Tanh", {s.call("Softplus", {x})})});
     },
     "Mish 3"},
    {"tanh of x as a gate",
     [](Sketch &s, TensorId x) {
         return s.call("Mul", {x, s.call("Tanh", {x})});
     },
     ""},
    {"HardSwish",
     [](Sketch &s, TensorId x) {
         const TensorId gate =
             s.call("Clip", {s.call("Add", {x, s.number(3)}), s.number(0), s.number(6)});
         return s.call("Div", {s.call("Mul", {x, gate}), s.number(6)});
     },
     "HardSwish 4"},
    {"clipped elsewhere",
     [](Sketch &s, TensorId x) {
         const TensorId gate =
             s.call("Clip", {s.call("Add", {x, s.number(3)}), s.number(0), s.number(5)});
         return s.call("Div", {s.call("Mul", {x, gate}), s.number(6)});
     },
     ""},
    {"attention",
     [](Sketch &s, TensorId x) { return attention(s, x, [&](TensorId scores) { return scores; }); },
     "Attention 3"},
    {"attention with scale and mask",
     [](Sketch &s, TensorId x) {
         return attention(s, x, [&](TensorId scores) {
             return s.call("Add", {s.call("Div", {scores, s.number(8)}), s.input("m", {4})});
         });
     },
     "Attention 5"},
    {"attention with a choice for a mask",
     [](Sketch &s, TensorId x) {
         return attention(s, x, [&](TensorId scores) {
             const TensorId hidden = s.call("Less", {s.input("m", {4}), s.number(0)});
             return s.call("Where", {hidden, s.number(-1e4f), scores});
         });
     },
     "Attention 4"},
    {"attention whose weights are read elsewhere",
     [](Sketch &s, TensorId x) {
         TensorId inner;
         const TensorId y =
             attention(s, x, [&](TensorId scores) { return inner = s.call("Abs", {scores}); });
         return s.call("Add", {y, s.call("MatMul", {inner, x})});
     },
     ""},
};

} // namespace

class RecognitionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocks_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < cases.size(); ++i)
            QTest::newRow(cases[i].name) << int(i);
    }
    void blocks()
    {
        QFETCH(int, index);
        Sketch sketch;
        const TensorId x = sketch.input("x", {4, 6});
        const Graph graph = sketch.finish({cases[std::size_t(index)].sketch(sketch, x)});
        QCOMPARE(recognised(graph), QString(cases[std::size_t(index)].expected));
    }
    /// The larger one has the nodes that both could have.
    void blocksDoNotOverlap()
    {
        Sketch s;
        const TensorId x = s.input("x", {4, 6}), swish = s.call("Mul", {x, s.call("Sigmoid", {x})});
        const TensorId d = s.call("Sub", {swish, mean(s, swish)});
        const TensorId n = s.call("Div", {d, root(s, mean(s, square(s, d)))});
        const TensorId gelu = s.call("Mul", {half(s, n), bell(s, n, 1.4142135f)});
        QCOMPARE(recognised(s.finish({gelu})), QString("LayerNormalization 7, Gelu 5, Swish 2"));
    }
    void nodesAreInOrder()
    {
        Sketch s;
        const TensorId x = s.input("x", {4, 6});
        const Graph graph = s.finish({s.call("Mul", {x, s.call("Sigmoid", {x})})});
        const auto blocks = recognise(graph, test::sketchOpset);
        QCOMPARE(blocks.size(), std::size_t(1));
        QVERIFY(std::ranges::equal(blocks[0].nodes, graph.order()));
    }
};

GRAPHLOOM_TESTS(RecognitionTest)

} // namespace graphloom::test::recognition_test

#include "recognition_test.moc"
