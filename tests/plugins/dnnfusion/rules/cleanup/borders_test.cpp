// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/rule_case.h"
#include "tests/support/test_program.h"

namespace graphloom::test::borders_test {

namespace {

const std::vector<RuleCase> borderCases = {
    {"convolution", "pad-in-convolution",
     [](Sketch &s) {
         return s.call(
             "Conv",
             {s.call("Pad", {s.input("x", {1, 2, 6, 6}), s.integers({0, 0, 1, 2, 0, 0, 1, 0})}),
              s.constant(varied({3, 2, 3, 3}))},
             {ints("pads", {1, 0, 0, 1})});
     },
     "Conv(x, #)"},
    {"channels that are padded", "pad-in-convolution",
     [](Sketch &s) {
         return s.call("Conv", {s.call("Pad", {s.input("x", {1, 1, 6, 6}),
                                               s.integers({0, 1, 0, 0, 0, 0, 0, 0})}),
                                s.constant(varied({3, 2, 3, 3}))});
     },
     ""},
    {"padding with ones", "pad-in-convolution",
     [](Sketch &s) {
         return s.call("Conv", {s.call("Pad", {s.input("x", {1, 2, 6, 6}),
                                               s.integers({0, 0, 1, 2, 0, 0, 1, 0}), s.number(1)}),
                                s.constant(varied({3, 2, 3, 3}))});
     },
     ""},
    {"mirrored", "pad-in-convolution",
     [](Sketch &s) {
         return s.call(
             "Conv",
             {s.call("Pad", {s.input("x", {1, 2, 6, 6}), s.integers({0, 0, 1, 2, 0, 0, 1, 0})},
                     {word("mode", "reflect")}),
              s.constant(varied({3, 2, 3, 3}))});
     },
     ""},
    {"average", "pad-in-average-pool",
     [](Sketch &s) {
         return s.call(
             "AveragePool",
             {s.call("Pad", {s.input("x", {1, 2, 6, 6}), s.integers({0, 0, 1, 2, 0, 0, 1, 0})})},
             {ints("kernel_shape", {3, 3})});
     },
     "AveragePool(x)"},
    {"average with padding that does not count", "pad-in-average-pool",
     [](Sketch &s) {
         return s.call(
             "AveragePool",
             {s.call("Pad", {s.input("x", {1, 2, 6, 6}), s.integers({0, 0, 1, 2, 0, 0, 1, 0})})},
             {ints("kernel_shape", {3, 3}), ints("pads", {1, 1, 1, 1})});
     },
     ""},
    {"maximum", "pad-in-max-pool",
     [](Sketch &s) {
         return s.call("MaxPool",
                       {s.call("Pad", {s.call("Relu", {s.input("x", {1, 2, 6, 6})}),
                                       s.integers({0, 0, 1, 1, 0, 0, 1, 0})})},
                       {ints("kernel_shape", {3, 3})});
     },
     "MaxPool(Relu(x))"},
    {"maximum with windows beside the tensor", "pad-in-max-pool",
     [](Sketch &s) {
         return s.call("MaxPool",
                       {s.call("Pad", {s.call("Relu", {s.input("x", {1, 2, 6, 6})}),
                                       s.integers({0, 0, 3, 0, 0, 0, 0, 0})})},
                       {ints("kernel_shape", {3, 3})});
     },
     ""},
    {"maximum of what may be negative", "pad-in-max-pool",
     [](Sketch &s) {
         return s.call(
             "MaxPool",
             {s.call("Pad", {s.input("x", {1, 2, 6, 6}), s.integers({0, 0, 1, 2, 0, 0, 1, 0})})},
             {ints("kernel_shape", {3, 3})});
     },
     ""},
};

} // namespace

class BorderRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data() { addRows(borderCases); }
    void rules()
    {
        QFETCH(int, index);
        checkCase(borderCases[std::size_t(index)], dnnfusion::borderRules());
    }
    void everyRuleHasATwin() { checkTwins(dnnfusion::borderRules(), borderCases); }
};

GRAPHLOOM_TESTS(BorderRulesTest)

} // namespace graphloom::test::borders_test

#include "borders_test.moc"
