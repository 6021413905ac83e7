// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/rule_case.h"
#include "tests/support/test_program.h"

namespace graphloom::test::chains_test {

namespace {

const std::vector<RuleCase> chainCases = {
    {"transposes", "merge-transposes",
     [](Sketch &s) {
         return s.call(
             "Transpose",
             {s.call("Transpose", {s.input("x", {2, 3, 4, 5})}, {ints("perm", {1, 2, 3, 0})})},
             {ints("perm", {0, 2, 1, 3})});
     },
     "Transpose(x)"},
    {"transposes that cancel", "merge-transposes",
     [](Sketch &s) {
         return s.call("Relu",
                       {s.call("Transpose", {s.call("Transpose", {s.input("x", {2, 3, 4, 5})})})});
     },
     "Relu(x)"},
    {"transposes with another reader between", "merge-transposes",
     [](Sketch &s) {
         const TensorId t = s.call("Transpose", {s.input("x", {2, 3})});
         return s.call("MatMul", {s.call("Transpose", {s.call("Relu", {t})}), t});
     },
     ""},
    {"transposes around elementwise", "cancel-transposes-through-elementwise",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3, 4, 5});
         const TensorId t = s.call("Transpose", {x}, {ints("perm", {0, 2, 3, 1})});
         const TensorId g = s.call("Mul", {t, s.call("Sigmoid", {t})});
         return s.call("Transpose", {s.call("Add", {g, s.constant(varied({3}))})},
                       {ints("perm", {0, 3, 1, 2})});
     },
     "Add(Mul(x, Sigmoid(x)), #)"},
    {"transposes of both operands", "cancel-transposes-through-elementwise",
     [](Sketch &s) {
         const TensorId a = s.call("Transpose", {s.input("x", {2, 3, 4, 5})},
                                   {ints("perm", {0, 2, 3, 1})}),
                        b = s.call("Transpose", {s.input("y", {2, 3, 4, 5})},
                                   {ints("perm", {0, 2, 3, 1})});
         return s.call("Transpose", {s.call("Add", {a, b})}, {ints("perm", {0, 3, 1, 2})});
     },
     "Add(x, y)"},
    {"transposes of one operand", "cancel-transposes-through-elementwise",
     [](Sketch &s) {
         return s.call("Transpose",
                       {s.call("Add", {s.call("Transpose", {s.input("x", {2, 3, 4, 5})},
                                              {ints("perm", {0, 2, 3, 1})}),
                                       s.input("y", {2, 4, 5, 3})})},
                       {ints("perm", {0, 3, 1, 2})});
     },
     ""},
    {"transposes that do not cancel", "cancel-transposes-through-elementwise",
     [](Sketch &s) {
         return s.call("Transpose",
                       {s.call("Relu", {s.call("Transpose", {s.input("x", {2, 3, 4, 5})},
                                               {ints("perm", {0, 2, 3, 1})})})},
                       {ints("perm", {0, 2, 1, 3})});
     },
     ""},
    {"transposes around what depends on positions", "cancel-transposes-through-elementwise",
     [](Sketch &s) {
         const TensorId t = s.call("Transpose", {s.input("x", {3, 4})}, {ints("perm", {1, 0})});
         return s.call("Transpose", {s.call("Trilu", {t})}, {ints("perm", {1, 0})});
     },
     ""},
    {"reshapes around an operator that names a dimension", "cancel-reshapes-through-elementwise",
     [](Sketch &s) {
         const TensorId r = s.call("Reshape", {s.input("x", {1, 2, 4, 4}), s.integers({2, 4, 4})});
         const TensorId zero =
             s.constant(TensorData::fromBytes(DataType::Int8, {4}, std::vector<std::byte>(4)));
         const TensorId q =
             s.call("QuantizeLinear", {r, s.constant(positive({4})), zero}, {integer("axis", 2)});
         return s.call("Reshape", {q, s.integers({1, 2, 4, 4})});
     },
     ""},
    {"transposes around a softmax", "cancel-transposes-through-elementwise",
     [](Sketch &s) {
         return s.call("Transpose",
                       {s.call("Softmax", {s.call("Transpose", {s.input("x", {2, 3, 4, 5})},
                                                  {ints("perm", {0, 2, 3, 1})})})},
                       {ints("perm", {0, 3, 1, 2})});
     },
     ""},
    {"reshapes around elementwise", "cancel-reshapes-through-elementwise",
     [](Sketch &s) {
         const TensorId r = s.call("Reshape", {s.input("x", {6, 4}), s.integers({2, 3, 4})});
         return s.call("Reshape", {s.call("Mul", {s.call("Tanh", {r}),
                                                  s.call("Add", {r, s.constant(varied({4}))})}),
                                   s.integers({6, 4})});
     },
     "Mul(Tanh(x), Add(x, #))"},
    {"reshapes around a broadcast over what they change", "cancel-reshapes-through-elementwise",
     [](Sketch &s) {
         const TensorId r = s.call("Reshape", {s.input("x", {6, 4}), s.integers({2, 3, 4})});
         return s.call("Reshape",
                       {s.call("Add", {r, s.constant(varied({3, 1}))}), s.integers({6, 4})});
     },
     ""},
    {"left of a Gemm", "transpose-left-in-gemm",
     [](Sketch &s) {
         return s.call("Gemm", {s.call("Transpose", {s.input("x", {3, 2})}, {ints("perm", {1, 0})}),
                                s.input("y", {3, 4})});
     },
     "Gemm(x, y)"},
    {"left of a Gemm, not transposed", "transpose-left-in-gemm",
     [](Sketch &s) {
         return s.call("Gemm", {s.call("Transpose", {s.input("x", {2, 3})}, {ints("perm", {0, 1})}),
                                s.input("y", {3, 4})});
     },
     ""},
    {"right of a Gemm", "transpose-right-in-gemm",
     [](Sketch &s) {
         return s.call("Gemm",
                       {s.input("x", {2, 3}),
                        s.call("Transpose", {s.input("y", {3, 4})}, {ints("perm", {1, 0})}),
                        s.input("z", {4})},
                       {integer("transB", 1)});
     },
     "Gemm(x, y, z)"},
    {"right of a product", "transpose-right-in-gemm",
     [](Sketch &s) {
         return s.call("MatMul", {s.input("x", {2, 3}), s.call("Transpose", {s.input("y", {4, 3})},
                                                               {ints("perm", {1, 0})})});
     },
     ""},
    {"reshapes", "merge-reshapes",
     [](Sketch &s) {
         return s.call("Reshape", {s.call("Reshape", {s.input("x", {2, 6}), s.integers({3, 4})}),
                                   s.integers({4, 3})});
     },
     "Reshape(x, #)"},
    {"squeeze and unsqueeze", "merge-reshapes",
     [](Sketch &s) {
         return s.call(
             "Relu",
             {s.call("Unsqueeze", {s.call("Squeeze", {s.input("x", {2, 1, 3}), s.integers({1})}),
                                   s.integers({1})})});
     },
     "Relu(x)"},
    {"transpose past ones", "merge-reshapes",
     [](Sketch &s) {
         return s.call("Flatten",
                       {s.call("Transpose", {s.input("x", {2, 3, 1})}, {ints("perm", {0, 2, 1})})});
     },
     "Reshape(x, #)"},
    {"transpose between", "merge-reshapes",
     [](Sketch &s) {
         return s.call("Flatten",
                       {s.call("Transpose", {s.input("x", {2, 3, 4})}, {ints("perm", {0, 2, 1})})});
     },
     ""},
};

} // namespace

class ChainRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data() { addRows(chainCases); }
    void rules()
    {
        QFETCH(int, index);
        checkCase(chainCases[std::size_t(index)], dnnfusion::chainRules());
    }
    void everyRuleHasATwin() { checkTwins(dnnfusion::chainRules(), chainCases); }
};

GRAPHLOOM_TESTS(ChainRulesTest)

} // namespace graphloom::test::chains_test

#include "chains_test.moc"
