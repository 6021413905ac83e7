// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/parameters.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::parameters_test {

using test::Sketch;

namespace {

struct ParameterCase {
    const char *name;
    /// Gives the result, and in `wanted` the weights.
    std::function<TensorId(Sketch &, TensorId x, std::vector<TensorId> &wanted)> sketch; // x: 2x4
};

using Wanted = std::vector<TensorId>;

TensorId kept(TensorId weight, Wanted &wanted)
{
    wanted.push_back(weight);
    return weight;
}

const std::vector<ParameterCase> parameterCases = {
    {"factors of a product",
     [](Sketch &s, TensorId x, Wanted &w) {
         return s.call("MatMul", {x, kept(s.weight({4, 3}), w)});
     }},
    {"a bias and a scale",
     [](Sketch &s, TensorId x, Wanted &w) {
         return s.call("Add", {s.call("Mul", {x, kept(s.weight({4}), w)}), kept(s.weight({4}), w)});
     }},
    {"numbers of a formula",
     [](Sketch &s, TensorId x, Wanted &) {
         return s.call("Div", {s.call("Add", {x, s.number(3)}), s.weight({1})});
     }},
    {"what weights are copied to",
     [](Sketch &s, TensorId x, Wanted &w) {
         const TensorId turned =
             s.call("Transpose", {kept(s.weight({3, 4}), w)}, {test::ints("perm", {1, 0})});
         return s.call("MatMul", {x, turned});
     }},
    {"tables that are computed of constants",
     [](Sketch &s, TensorId x, Wanted &) {
         return s.call("Add", {x, s.call("Mul", {s.weight({2, 4}), s.weight({4})})});
     }},
    {"rows that positions choose",
     [](Sketch &s, TensorId x, Wanted &w) {
         const TensorId rows = s.call(
             "Gather", {kept(s.weight({5, 4}), w), s.call("Cast", {x}, {{"to", std::int64_t{7}}})});
         return rows;
     }},
    {"the bias of one channel",
     [](Sketch &s, TensorId x, Wanted &w) {
         const TensorId image = s.call("Reshape", {x, s.integers({2, 1, 2, 2})});
         return s.call("Conv", {image, kept(s.weight({1, 1, 1, 1}), w), kept(s.weight({1}), w)});
     }},
    {"scales and shifts, not statistics",
     [](Sketch &s, TensorId x, Wanted &w) {
         return s.call("BatchNormalization", {x, kept(s.weight({4}), w), kept(s.weight({4}), w),
                                              s.weight({4}), s.weight({4})});
     }},
    {"scales of a Resize",
     [](Sketch &s, TensorId x, Wanted &) {
         return s.call("Resize", {x, TensorId{}, s.constant(test::floats({2}, {1, 2}))});
     }},
    {"scales that are put together",
     [](Sketch &s, TensorId x, Wanted &) {
         const TensorId one = s.constant(test::floats({1}, {1}));
         const TensorId scales = s.call("Concat", {one, s.constant(test::floats({1}, {2}))},
                                        {{"axis", std::int64_t{0}}});
         return s.call("Resize", {x, TensorId{}, scales});
     }},
    {"what is compared with",
     [](Sketch &s, TensorId x, Wanted &) {
         return s.call("Where", {s.call("Less", {x, s.weight({4})}), x, s.number(0)});
     }},
    {"integers",
     [](Sketch &s, TensorId x, Wanted &) {
         return s.call("Add",
                       {s.call("Cast", {x}, {{"to", std::int64_t{7}}}), s.integers({1, 2, 3, 4})});
     }},
};

} // namespace

class ParametersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void weights_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < parameterCases.size(); ++i)
            QTest::newRow(parameterCases[i].name) << int(i);
    }
    void weights()
    {
        QFETCH(int, index);
        Sketch sketch;
        Wanted wanted;
        const TensorId x = sketch.input("x", {2, 4});
        const Graph graph =
            sketch.finish({parameterCases[std::size_t(index)].sketch(sketch, x, wanted)});
        const auto found = trainableParameters(graph, test::sketchOpset);
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        std::ranges::sort(wanted);
        QVERIFY2(*found == wanted, qPrintable(QString("%1 weights").arg(found->size())));
    }
};

GRAPHLOOM_TESTS(ParametersTest)

} // namespace graphloom::test::parameters_test

#include "parameters_test.moc"
