// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/rule_case.h"
#include "tests/support/test_program.h"

namespace graphloom::test::linear_test {

namespace {

/// Queries of three heads, as a layer with a bias computes them, times keys.
TensorId scores(Sketch &s)
{
    const TensorId q =
        s.call("Add", {s.call("MatMul", {s.input("x", {2, 4, 6}), s.constant(varied({6, 6}))}),
                       s.constant(varied({6}))});
    const TensorId h = s.call("Transpose", {s.call("Reshape", {q, s.integers({2, 4, 3, 2})})},
                              {ints("perm", {0, 2, 1, 3})});
    return s.call("MatMul", {h, s.input("k", {2, 3, 2, 4})});
}

const std::vector<RuleCase> linearCases = {
    {"convolution", "normalization-into-weights",
     [](Sketch &s) {
         return s.call("BatchNormalization", {s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                                              s.constant(varied({3, 2, 3, 3}))}),
                                              s.constant(varied({3})), s.constant(varied({3})),
                                              s.constant(varied({3})), s.constant(positive({3}))});
     },
     "Conv(x, #, #)"},
    {"convolution with bias", "normalization-into-weights",
     [](Sketch &s) {
         return s.call("BatchNormalization",
                       {s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                        s.constant(varied({3, 2, 3, 3})), s.constant(varied({3}))}),
                        s.constant(varied({3})), s.constant(varied({3})), s.constant(varied({3})),
                        s.constant(positive({3}))});
     },
     "Conv(x, #, #)"},
    {"grouped convolution", "normalization-into-weights",
     [](Sketch &s) {
         return s.call(
             "BatchNormalization",
             {s.call("Conv", {s.input("x", {1, 4, 5, 5}), s.constant(varied({6, 2, 3, 3}))},
                     {integer("group", 2)}),
              s.constant(varied({6})), s.constant(varied({6})), s.constant(varied({6})),
              s.constant(positive({6}))},
             {real("epsilon", 0.5f)});
     },
     "Conv(x, #, #)"},
    {"transposed convolution", "normalization-into-weights",
     [](Sketch &s) {
         return s.call("BatchNormalization",
                       {s.call("ConvTranspose",
                               {s.input("x", {1, 2, 5, 5}), s.constant(varied({2, 3, 2, 2}))},
                               {ints("strides", {2, 2})}),
                        s.constant(varied({3})), s.constant(varied({3})), s.constant(varied({3})),
                        s.constant(positive({3}))});
     },
     "ConvTranspose(x, #, #)"},
    {"matrix product", "normalization-into-weights",
     [](Sketch &s) {
         return s.call(
             "BatchNormalization",
             {s.call("Gemm",
                     {s.input("x", {4, 2}), s.constant(varied({3, 2})), s.constant(varied({3}))},
                     {integer("transB", 1)}),
              s.constant(varied({3})), s.constant(varied({3})), s.constant(varied({3})),
              s.constant(positive({3}))});
     },
     "Gemm(x, #, #)"},
    {"grouped transposed convolution", "normalization-into-weights",
     [](Sketch &s) {
         return s.call("BatchNormalization",
                       {s.call("ConvTranspose",
                               {s.input("x", {1, 4, 5, 5}), s.constant(varied({4, 3, 2, 2}))},
                               {integer("group", 2)}),
                        s.constant(varied({6})), s.constant(varied({6})), s.constant(varied({6})),
                        s.constant(positive({6}))});
     },
     ""},
    {"behind an activation", "normalization-into-weights",
     [](Sketch &s) {
         return s.call("BatchNormalization",
                       {s.call("Relu", {s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                                        s.constant(varied({3, 2, 3, 3}))})}),
                        s.constant(varied({3})), s.constant(varied({3})), s.constant(varied({3})),
                        s.constant(positive({3}))});
     },
     ""},
    {"half precision with parameters in single", "normalization-into-weights",
     [](Sketch &s) {
         const TensorId x = s.call("Cast", {s.input("x", {1, 2, 5, 5})}, {integer("to", 10)});
         const TensorId w = s.constant(
             TensorData::splat(DataType::Float16, {3, 2, 3, 3}, {std::byte(0), std::byte(0x3c)}));
         return s.call("BatchNormalization",
                       {s.call("Conv", {x, w}), s.constant(varied({3})), s.constant(varied({3})),
                        s.constant(varied({3})), s.constant(positive({3}))});
     },
     ""},
    {"weights that are computed", "normalization-into-weights",
     [](Sketch &s) {
         return s.call("BatchNormalization",
                       {s.call("Conv", {s.input("x", {1, 2, 5, 5}), s.input("w", {3, 2, 3, 3})}),
                        s.constant(varied({3})), s.constant(varied({3})), s.constant(varied({3})),
                        s.constant(positive({3}))});
     },
     ""},
    {"factors", "factor-into-weights",
     [](Sketch &s) {
         return s.call("Mul",
                       {s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                        s.constant(varied({3, 2, 3, 3})), s.constant(varied({3}))}),
                        s.constant(varied({3, 1, 1}))});
     },
     "Conv(x, #, #)"},
    {"factors of a product", "factor-into-weights",
     [](Sketch &s) {
         return s.call("Mul",
                       {s.call("MatMul", {s.input("x", {2, 4, 3}), s.constant(varied({3, 5}))}),
                        s.constant(varied({5}))});
     },
     "MatMul(x, #)"},
    {"factors along another dimension", "factor-into-weights",
     [](Sketch &s) {
         return s.call("Mul",
                       {s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                        s.constant(varied({3, 2, 3, 3})), s.constant(varied({3}))}),
                        s.constant(varied({1, 3}))});
     },
     ""},
    {"divisors", "divisor-into-weights",
     [](Sketch &s) {
         return s.call(
             "Div", {s.call("Conv", {s.input("x", {1, 2, 5, 5}), s.constant(varied({3, 2, 3, 3}))}),
                     s.constant(positive({1, 3, 1, 1}))});
     },
     "Conv(x, #)"},
    {"dividends", "divisor-into-weights",
     [](Sketch &s) {
         return s.call("Div", {s.constant(positive({1, 3, 1, 1})),
                               s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                               s.constant(varied({3, 2, 3, 3}))})});
     },
     ""},
    {"addends", "addend-into-bias",
     [](Sketch &s) {
         return s.call(
             "Add", {s.call("Conv", {s.input("x", {1, 2, 5, 5}), s.constant(varied({3, 2, 3, 3}))}),
                     s.constant(varied({3, 1, 1}))});
     },
     "Conv(x, #, #)"},
    {"addends to a bias", "addend-into-bias",
     [](Sketch &s) {
         return s.call("Add",
                       {s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                        s.constant(varied({3, 2, 3, 3})), s.constant(varied({3}))}),
                        s.constant(varied({3, 1, 1}))});
     },
     "Conv(x, #, #)"},
    {"addends along another dimension", "addend-into-bias",
     [](Sketch &s) {
         return s.call(
             "Add", {s.call("Conv", {s.input("x", {1, 2, 5, 5}), s.constant(varied({3, 2, 3, 3}))}),
                     s.constant(varied({1, 3}))});
     },
     ""},
    {"subtrahends", "subtrahend-into-bias",
     [](Sketch &s) {
         return s.call(
             "Sub", {s.call("Conv", {s.input("x", {1, 2, 5, 5}), s.constant(varied({3, 2, 3, 3}))}),
                     s.constant(varied({3, 1, 1}))});
     },
     "Conv(x, #, #)"},
    {"subtracted from", "subtrahend-into-bias",
     [](Sketch &s) {
         return s.call("Sub", {s.constant(varied({3, 1, 1})),
                               s.call("Conv", {s.input("x", {1, 2, 5, 5}),
                                               s.constant(varied({3, 2, 3, 3}))})});
     },
     ""},
    {"matrices", "bias-of-matrix-product",
     [](Sketch &s) {
         return s.call("Add", {s.call("MatMul", {s.input("x", {2, 3}), s.constant(varied({3, 4}))}),
                               s.constant(varied({4}))});
     },
     "Gemm(x, #, #)"},
    {"batched matrices", "bias-of-matrix-product",
     [](Sketch &s) {
         return s.call("Add",
                       {s.call("MatMul", {s.input("x", {2, 2, 3}), s.constant(varied({3, 4}))}),
                        s.constant(varied({4}))});
     },
     ""},
    {"scale of an attention", "factor-into-weights-upstream",
     [](Sketch &s) {
         const TensorId p = scores(s);
         return s.call("Mul", {p, s.number(0.5f)});
     },
     "MatMul(Transpose(Reshape(Add(MatMul(x, #), #), #)), k)"},
    {"scale that differs by element", "factor-into-weights-upstream",
     [](Sketch &s) {
         const TensorId p = scores(s);
         return s.call("Mul", {p, s.constant(varied({4}))});
     },
     ""},
    {"scale behind an activation", "factor-into-weights-upstream",
     [](Sketch &s) {
         return s.call("Mul", {s.call("Relu", {s.call("MatMul", {s.input("x", {2, 3}),
                                                                 s.constant(varied({3, 4}))})}),
                               s.number(0.5f)});
     },
     ""},
    {"divisor of an attention", "divisor-into-weights-upstream",
     [](Sketch &s) {
         const TensorId p = scores(s);
         return s.call("Div", {p, s.number(3)});
     },
     "MatMul(Transpose(Reshape(Add(MatMul(x, #), #), #)), k)"},
    {"divisor behind what others read", "divisor-into-weights-upstream",
     [](Sketch &s) {
         const TensorId y = s.call(
             "Transpose", {s.call("MatMul", {s.input("x", {2, 3}), s.constant(varied({3, 2}))})});
         return s.call("Add", {y, s.call("Div", {y, s.number(3)})});
     },
     ""},
};

} // namespace

class LinearRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data() { addRows(linearCases); }
    void rules()
    {
        QFETCH(int, index);
        checkCase(linearCases[std::size_t(index)], dnnfusion::linearRules());
    }
    void everyRuleHasATwin() { checkTwins(dnnfusion::linearRules(), linearCases); }
};

GRAPHLOOM_TESTS(LinearRulesTest)

} // namespace graphloom::test::linear_test

#include "linear_test.moc"
