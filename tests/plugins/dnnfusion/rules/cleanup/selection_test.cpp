// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/rule_case.h"
#include "tests/support/test_program.h"

namespace graphloom::test::selection_test {

namespace {

const std::vector<RuleCase> selectionCases = {
    {"equal choices", "drop-choice-between-equals",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3});
         return s.call("Relu", {s.call("Where", {s.call("Greater", {x, s.number(0)}), x, x})});
     },
     "Relu(x)"},
    {"other choices", "drop-choice-between-equals",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3});
         return s.call("Where", {s.call("Greater", {x, s.number(0)}), x, s.call("Neg", {x})});
     },
     ""},
    {"known choice", "take-known-choice",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3});
         return s.call(
             "Relu", {s.call("Where",
                             {s.constant(TensorData::splat(DataType::Bool, {2, 3}, {std::byte(0)})),
                              s.call("Exp", {x}), x})});
     },
     "Relu(x)"},
    {"choice that is not known", "take-known-choice",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2});
         return s.call("Where", {s.constant(TensorData::fromBytes(DataType::Bool, {2},
                                                                  {std::byte(0), std::byte(1)})),
                                 s.call("Exp", {x}), x});
     },
     ""},
    {"expanded operand", "broadcast-by-reader",
     [](Sketch &s) {
         return s.call("Add", {s.input("x", {2, 3}),
                               s.call("Expand", {s.input("y", {1, 3}), s.integers({2, 3})})});
     },
     "Add(x, y)"},
    {"expanded condition", "broadcast-by-reader",
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 3}), y = s.input("y", {3});
         return s.call(
             "Where",
             {s.call("Expand", {s.call("Less", {y, s.number(0)}), s.integers({2, 3})}), x, y});
     },
     "Where(Less(y, 0), x, y)"},
    {"the only one of this shape", "broadcast-by-reader",
     [](Sketch &s) {
         return s.call("Relu", {s.call("Expand", {s.input("y", {1, 3}), s.integers({2, 3})})});
     },
     ""},
    {"read by no elementwise call", "broadcast-by-reader",
     [](Sketch &s) {
         return s.call("MatMul", {s.input("x", {2, 3}),
                                  s.call("Expand", {s.input("y", {1, 2}), s.integers({3, 2})})});
     },
     ""},
    {"wide between", "merge-conversions",
     [](Sketch &s) {
         return s.call("Cast", {s.call("Cast", {s.input("x", {2, 3})}, {integer("to", 11)})},
                       {integer("to", 10)});
     },
     "Cast(x)"},
    {"there and back", "merge-conversions",
     [](Sketch &s) {
         return s.call(
             "Relu", {s.call("Cast", {s.call("Cast", {s.input("x", {2, 3})}, {integer("to", 11)})},
                             {integer("to", 1)})});
     },
     "Relu(x)"},
    {"narrow between", "merge-conversions",
     [](Sketch &s) {
         return s.call("Cast", {s.call("Cast", {s.input("x", {2, 3})}, {integer("to", 10)})},
                       {integer("to", 1)});
     },
     ""},
};

} // namespace

class SelectionRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data() { addRows(selectionCases); }
    void rules()
    {
        QFETCH(int, index);
        checkCase(selectionCases[std::size_t(index)], dnnfusion::selectionRules());
    }
    void everyRuleHasATwin() { checkTwins(dnnfusion::selectionRules(), selectionCases); }
};

GRAPHLOOM_TESTS(SelectionRulesTest)

} // namespace graphloom::test::selection_test

#include "selection_test.moc"
