// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/rule_case.h"
#include "tests/support/test_program.h"

namespace graphloom::test::arithmetic_test {

namespace {

const std::vector<RuleCase> cases = {
    {"Add of Add", "add-constants-first",
     [](Sketch &s) {
         return s.call("Add", {s.call("Add", {s.input("x", {2, 3}), s.constant(positive({3}))}),
                               s.constant(positive({3}))});
     },
     "Add(x, #)"},
    {"Add of Add, no constant", "add-constants-first",
     [](Sketch &s) {
         return s.call("Add", {s.call("Add", {s.input("x", {2, 3}), s.input("y", {3})}),
                               s.constant(positive({3}))});
     },
     ""},
    {"Sub of Add", "add-and-subtract-constants-first",
     [](Sketch &s) {
         return s.call("Sub", {s.call("Add", {s.input("x", {2, 3}), s.constant(positive({3}))}),
                               s.constant(positive({3}))});
     },
     "Add(x, #)"},
    {"Sub of Add, no constant", "add-and-subtract-constants-first",
     [](Sketch &s) {
         return s.call("Sub", {s.call("Add", {s.input("x", {2, 3}), s.input("y", {3})}),
                               s.constant(positive({3}))});
     },
     ""},
    {"Sub of Sub", "subtract-constants-first",
     [](Sketch &s) {
         return s.call("Sub", {s.call("Sub", {s.input("x", {2, 3}), s.constant(positive({3}))}),
                               s.constant(positive({3}))});
     },
     "Sub(x, #)"},
    {"Sub of Sub, no constant", "subtract-constants-first",
     [](Sketch &s) {
         return s.call("Sub", {s.call("Sub", {s.input("x", {2, 3}), s.input("y", {3})}),
                               s.constant(positive({3}))});
     },
     ""},
    {"Mul of Mul", "multiply-constants-first",
     [](Sketch &s) {
         return s.call("Mul", {s.call("Mul", {s.input("x", {2, 3}), s.constant(positive({3}))}),
                               s.constant(positive({3}))});
     },
     "Mul(x, #)"},
    {"Mul of Mul, no constant", "multiply-constants-first",
     [](Sketch &s) {
         return s.call("Mul", {s.call("Mul", {s.input("x", {2, 3}), s.input("y", {3})}),
                               s.constant(positive({3}))});
     },
     ""},
    {"Div of Mul", "divide-constants-first",
     [](Sketch &s) {
         return s.call("Div", {s.call("Mul", {s.input("x", {2, 3}), s.constant(positive({3}))}),
                               s.constant(positive({3}))});
     },
     "Mul(x, #)"},
    {"Div of Mul, no constant", "divide-constants-first",
     [](Sketch &s) {
         return s.call("Div", {s.call("Mul", {s.input("x", {2, 3}), s.input("y", {3})}),
                               s.constant(positive({3}))});
     },
     ""},
    {"Div of Div", "divide-once",
     [](Sketch &s) {
         return s.call("Div", {s.call("Div", {s.input("x", {2, 3}), s.constant(positive({3}))}),
                               s.constant(positive({3}))});
     },
     "Div(x, #)"},
    {"Div of Div, no constant", "divide-once",
     [](Sketch &s) {
         return s.call("Div", {s.call("Div", {s.input("x", {2, 3}), s.input("y", {3})}),
                               s.constant(positive({3}))});
     },
     ""},
    {"constants that grow together", "add-constants-first",
     [](Sketch &s) {
         return s.call("Add",
                       {s.call("Add", {s.input("x", {64, 64}), s.constant(positive({64, 1}))}),
                        s.constant(positive({64}))});
     },
     ""},
    {"numbers", "multiply-constants-first",
     [](Sketch &s) {
         return s.call("Mul", {s.number(2), s.call("Mul", {s.number(3), s.input("x", {2, 3})})});
     },
     "Mul(x, 6)"},
    {"square", "square-by-product",
     [](Sketch &s) {
         return s.call("Pow", {s.input("x", {2, 3}), s.number(2)});
     },
     "Mul(x, x)"},
    {"cube", "square-by-product",
     [](Sketch &s) {
         return s.call("Pow", {s.input("x", {2, 3}), s.number(3)});
     },
     ""},
    {"square root", "root-by-sqrt",
     [](Sketch &s) {
         return s.call(
             "Pow", {s.call("Exp", {s.call("Sigmoid", {s.input("x", {2, 3})})}), s.number(0.5f)});
     },
     "Sqrt(Exp(Sigmoid(x)))"},
    {"cube root", "root-by-sqrt",
     [](Sketch &s) {
         return s.call("Pow", {s.input("x", {2, 3}), s.number(0.25f)});
     },
     ""},
    {"inverse", "inverse-by-reciprocal",
     [](Sketch &s) {
         return s.call("Pow", {s.call("Sigmoid", {s.input("x", {2, 3})}), s.number(-1)});
     },
     "Reciprocal(Sigmoid(x))"},
    {"inverse square", "inverse-by-reciprocal",
     [](Sketch &s) {
         return s.call("Pow", {s.input("x", {2, 3}), s.number(-2)});
     },
     ""},
    {"over powers of two", "multiply-by-exact-reciprocal",
     [](Sketch &s) {
         return s.call("Div", {s.input("x", {2, 3}), s.constant(floats({3}, {8, -0.5f, 1}))});
     },
     "Mul(x, #)"},
    {"over three", "multiply-by-exact-reciprocal",
     [](Sketch &s) {
         return s.call("Div", {s.input("x", {2, 3}), s.number(3)});
     },
     ""},
    {"over three, rounded", "multiply-by-reciprocal",
     [](Sketch &s) {
         return s.call("Div", {s.input("x", {2, 3}), s.number(3)});
     },
     "Mul(x, #)"},
    {"over zero", "multiply-by-reciprocal",
     [](Sketch &s) {
         return s.call("Div", {s.input("x", {2, 3}), s.number(0)});
     },
     ""},
};

} // namespace

class ArithmeticRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data() { addRows(cases); }
    void rules()
    {
        QFETCH(int, index);
        checkCase(cases[std::size_t(index)], dnnfusion::arithmeticRules());
    }
    void everyRuleHasATwin() { checkTwins(dnnfusion::arithmeticRules(), cases); }
};

GRAPHLOOM_TESTS(ArithmeticRulesTest)

} // namespace graphloom::test::arithmetic_test

#include "arithmetic_test.moc"
