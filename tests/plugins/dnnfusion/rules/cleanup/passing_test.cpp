// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/rule_case.h"
#include "tests/support/test_program.h"

namespace graphloom::test::passing_test {

namespace {

const std::vector<RuleCase> passingCases = {
    {"identity", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call("Relu", {s.call("Identity", {s.input("x", {2, 3})})});
     },
     "Relu(x)"},
    {"dropout", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call("Relu", {s.call("Dropout", {s.input("x", {2, 3})})});
     },
     "Relu(x)"},
    {"conversion to the same type", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call("Relu", {s.call("Cast", {s.input("x", {2, 3})}, {integer("to", 1)})});
     },
     "Relu(x)"},
    {"pool of one", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call("Relu", {s.call("AveragePool", {s.input("x", {1, 2, 3, 3})},
                                       {ints("kernel_shape", {1, 1})})});
     },
     "Relu(x)"},
    {"slice of everything", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call(
             "Relu", {s.call("Slice", {s.input("x", {2, 3}), s.integers({0}), s.integers({99})})});
     },
     "Relu(x)"},
    {"times one", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call("Relu", {s.call("Mul", {s.number(1), s.input("x", {2, 3})})});
     },
     "Relu(x)"},
    {"at an output", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call("Identity", {s.call("Relu", {s.input("x", {2, 3})})});
     },
     "Relu(x)"},
    {"slice of a part", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call(
             "Relu", {s.call("Slice", {s.input("x", {2, 3}), s.integers({1}), s.integers({99})})});
     },
     ""},
    {"one that broadcasts", "drop-what-changes-nothing",
     [](Sketch &s) {
         return s.call("Relu",
                       {s.call("Mul", {s.constant(floats({1, 1}, {1})), s.input("x", {3})})});
     },
     ""},
    {"equal calls", "merge-equal-calls",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3});
         return s.call("Mul", {s.call("Exp", {x}), s.call("Exp", {x})});
     },
     "Mul(Exp(x), Exp(x))"},
    {"other attributes", "merge-equal-calls",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3});
         return s.call("Mul", {s.call("Softmax", {x}, {integer("axis", 0)}),
                               s.call("Softmax", {x}, {integer("axis", 1)})});
     },
     ""},
    {"random numbers", "merge-equal-calls",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3});
         return s.call("Sub", {s.call("RandomNormalLike", {x}), s.call("RandomNormalLike", {x})});
     },
     ""},
};

} // namespace

class PassingRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data() { addRows(passingCases); }
    void rules()
    {
        QFETCH(int, index);
        checkCase(passingCases[std::size_t(index)], dnnfusion::passingRules());
    }
    void everyRuleHasATwin() { checkTwins(dnnfusion::passingRules(), passingCases); }
};

GRAPHLOOM_TESTS(PassingRulesTest)

} // namespace graphloom::test::passing_test

#include "passing_test.moc"
