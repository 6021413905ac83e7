// SPDX-License-Identifier: Apache-2.0
// Each rule of merging on written graphs: where it applies and where it must not, and that results
// stay.
#include "plugins/magis/magis_pass.h"
#include "plugins/magis/rules/joined_values.h"
#include "tests/plugins/magis/rules/merging.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::rules_test {

using namespace graphloom::magis;

namespace {

using Ids = std::vector<TensorId>;

TensorId number(Sketch &s, float value)
{
    return s.weight({}, value);
}
TensorId product(Sketch &s, TensorId x, TensorId w)
{
    return s.call("MatMul", {x, w});
}
TensorId concat(Sketch &s, Ids parts, std::int64_t axis)
{
    return s.call("Concat", std::move(parts), {graphloom::test::integer("axis", axis)});
}
Ids split(Sketch &s, TensorId x, std::int64_t axis, const std::vector<std::int64_t> &extents)
{
    return s.calls("Split", {x, s.integers(extents)}, {graphloom::test::integer("axis", axis)},
                   extents.size());
}
TensorId conv(Sketch &s, TensorId x, std::int64_t to, std::int64_t stride = 1)
{
    return s.call("Conv", {x, weight(s, {to, 4, 3, 3}), weight(s, {to})},
                  {ints("pads", {1, 1, 1, 1}), ints("strides", {stride, stride})});
}

struct Case {
    const char *name, *rule;
    std::size_t sites; // 0: the rule must not apply
    std::function<Ids(Sketch &)> sketch;
    QString operators = {}; // after all sites
};

const std::vector<Case> cases = {
    {"projections of one input", "stack-calls-that-share-operands", 1,
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 5, 4});
         return Ids{product(s, x, weight(s, {4, 6})), product(s, x, weight(s, {4, 6})),
                    product(s, x, weight(s, {4, 6}))};
     },
     "MatMul Split Squeeze Squeeze Squeeze"},
    {"products with one right operand", "stack-calls-that-share-operands", 1,
     [](Sketch &s) {
         const TensorId w = s.input("w", {4, 6});
         return Ids{product(s, s.input("x", {5, 4}), w), product(s, s.input("y", {5, 4}), w)};
     },
     "Unsqueeze Unsqueeze Concat MatMul Split Squeeze Squeeze"},
    {"projections to several extents", "stack-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 5, 4});
         return Ids{product(s, x, weight(s, {4, 6})), product(s, x, weight(s, {4, 3}))};
     }},
    {"one behind the other", "stack-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId w = s.input("w", {4, 4});
         return Ids{product(s, product(s, s.input("x", {4, 4}), w), w)};
     }},
    {"shared, but elsewhere", "stack-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {4, 4});
         return Ids{product(s, x, weight(s, {4, 4})), product(s, s.input("y", {4, 4}), x)};
     }},
    {"matrices alone", "stack-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {5, 4});
         return Ids{s.call("Gemm", {x, weight(s, {4, 6})}), s.call("Gemm", {x, weight(s, {4, 6})})};
     }},
    {"no products", "stack-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {5, 4});
         return Ids{s.call("Add", {x, weight(s, {4})}), s.call("Add", {x, s.input("y", {4})})};
     }},

    {"columns of several extents", "concatenate-calls-that-share-operands", 1,
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 5, 4});
         return Ids{product(s, x, weight(s, {4, 6})), product(s, x, weight(s, {4, 3}))};
     },
     "MatMul Split"},
    {"Gemm with bias", "concatenate-calls-that-share-operands", 1,
     [](Sketch &s) {
         const TensorId x = s.input("x", {5, 4});
         return Ids{s.call("Gemm", {x, weight(s, {6, 4}), weight(s, {6})},
                           {graphloom::test::integer("transB", 1)}),
                    s.call("Gemm", {x, weight(s, {3, 4}), weight(s, {3})},
                           {graphloom::test::integer("transB", 1)})};
     },
     "Gemm Split"},
    {"Gemm, one of them transposed", "concatenate-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {5, 4});
         return Ids{s.call("Gemm", {x, weight(s, {4, 4})}, {graphloom::test::integer("transB", 1)}),
                    s.call("Gemm", {x, weight(s, {4, 4})})};
     }},
    {"filters with biases", "concatenate-calls-that-share-operands", 1,
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 4, 6, 6});
         return Ids{conv(s, x, 3), conv(s, x, 5), conv(s, x, 2)};
     },
     "Conv Split"},
    {"filters with several strides", "concatenate-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 4, 6, 6});
         return Ids{conv(s, x, 3), conv(s, x, 3, 2)};
     }},
    {"filters of groups", "concatenate-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 4, 6, 6});
         const auto grouped = [&] {
             return s.call("Conv", {x, weight(s, {4, 1, 3, 3})},
                           {graphloom::test::integer("group", 4)});
         };
         return Ids{grouped(), grouped()};
     }},
    {"filters and biases, one without", "concatenate-calls-that-share-operands", 0,
     [](Sketch &s) {
         const TensorId x = s.input("x", {2, 4, 6, 6});
         return Ids{s.call("Conv", {x, weight(s, {3, 4, 3, 3}), weight(s, {3})}),
                    s.call("Conv", {x, weight(s, {3, 4, 3, 3})})};
     }},

    {"sum of products", "stack-sums-of-calls", 0, // nothing adds slices up
     [](Sketch &s) {
         return Ids{s.call("Add", {product(s, s.input("a", {5, 4}), weight(s, {4, 6})),
                                   product(s, s.input("b", {5, 4}), weight(s, {4, 6}))})};
     }},
    {"sum of products along what is summed", "concatenate-sums-of-calls", 1,
     [](Sketch &s) {
         return Ids{s.call("Add", {product(s, s.input("a", {5, 4}), weight(s, {4, 6})),
                                   product(s, s.input("b", {5, 3}), weight(s, {3, 6}))})};
     },
     "Concat MatMul"},
    {"sum of products and another value", "concatenate-sums-of-calls", 1,
     [](Sketch &s) {
         const TensorId first = product(s, s.input("a", {5, 4}), weight(s, {4, 6})),
                        second = product(s, s.input("b", {5, 4}), weight(s, {4, 6}));
         return Ids{s.call("Add", {s.call("Add", {first, s.input("x", {5, 6})}), second})};
     },
     "Concat MatMul Add"},
    {"sum of a product that is read elsewhere", "concatenate-sums-of-calls", 0,
     [](Sketch &s) {
         const TensorId first = product(s, s.input("a", {5, 4}), weight(s, {4, 6}));
         return Ids{s.call("Add", {first, product(s, s.input("b", {5, 4}), weight(s, {4, 6}))}),
                    first};
     }},
    {"difference of products", "concatenate-sums-of-calls", 0,
     [](Sketch &s) {
         return Ids{s.call("Sub", {product(s, s.input("a", {5, 4}), weight(s, {4, 6})),
                                   product(s, s.input("b", {5, 4}), weight(s, {4, 6}))})};
     }},
    {"sum of convolutions", "concatenate-sums-of-calls", 1,
     [](Sketch &s) {
         const auto term = [&](const char *name, std::int64_t from) {
             return s.call("Conv", {s.input(name, {2, from, 5, 5}), weight(s, {3, from, 3, 3})});
         };
         return Ids{s.call("Add", {term("a", 2), term("b", 4)})};
     },
     "Concat Conv"},
    {"sum of convolutions with biases", "concatenate-sums-of-calls", 0, // would need their sum
     [](Sketch &s) {
         const auto term = [&](const char *name) {
             return s.call("Conv",
                           {s.input(name, {2, 2, 5, 5}), weight(s, {3, 2, 3, 3}), weight(s, {3})});
         };
         return Ids{s.call("Add", {term("a"), term("b")})};
     }},

    {"products apart in a sum", "regroup-sums", 1,
     [](Sketch &s) {
         const TensorId first = product(s, s.input("a", {5, 4}), weight(s, {4, 6})),
                        second = product(s, s.input("b", {5, 4}), weight(s, {4, 6}));
         return Ids{s.call("Add", {s.call("Add", {first, s.input("x", {5, 6})}), second})};
     },
     "MatMul MatMul Add Add"},
    {"a product in a sum", "regroup-sums", 0,
     [](Sketch &s) {
         return Ids{s.call("Add", {s.call("Add", {s.input("x", {5, 6}), s.input("y", {5, 6})}),
                                   product(s, s.input("a", {5, 4}), weight(s, {4, 6}))})};
     }},

    {"biases behind a split", "merge-calls-of-parts", 1,
     [](Sketch &s) {
         const Ids parts = split(s, s.input("x", {5, 9}), 1, {4, 5});
         return Ids{s.call("Add", {parts[0], weight(s, {4})}),
                    s.call("Add", {parts[1], weight(s, {5})})};
     },
     "Add Split"},
    {"elementwise behind a split", "merge-calls-of-parts", 1,
     [](Sketch &s) {
         const Ids parts = split(s, s.input("x", {5, 9}), 1, {4, 3, 2});
         return Ids{s.call("Relu", {parts[0]}), s.call("Relu", {parts[1]}),
                    s.call("Relu", {parts[2]})};
     },
     "Relu Split"},
    {"softmax across a split", "merge-calls-of-parts", 0,
     [](Sketch &s) {
         const Ids parts = split(s, s.input("x", {5, 8}), 1, {4, 4});
         return Ids{s.call("Softmax", {parts[0]}), s.call("Softmax", {parts[1]})};
     }},
    {"softmax beside a split", "merge-calls-of-parts", 1,
     [](Sketch &s) {
         const Ids parts = split(s, s.input("x", {5, 8}), 0, {2, 3});
         return Ids{s.call("Softmax", {parts[0]}), s.call("Softmax", {parts[1]})};
     },
     "Softmax Split"},
    {"not all parts", "merge-calls-of-parts", 0,
     [](Sketch &s) {
         const Ids parts = split(s, s.input("x", {5, 9}), 1, {4, 3, 2});
         return Ids{s.call("Relu", {parts[0]}), s.call("Relu", {parts[1]}),
                    s.call("Sigmoid", {parts[2]})};
     }},

    {"transposes before a concatenation", "merge-calls-before-concat", 1,
     [](Sketch &s) {
         const auto turned = [&](const char *name, std::int64_t rows) {
             return s.call("Transpose", {s.input(name, {rows, 4, 3})}, {ints("perm", {2, 0, 1})});
         };
         return Ids{concat(s, {turned("a", 2), turned("b", 5)}, 1)};
     },
     "Concat Transpose"},
    {"other transposes before a concatenation", "merge-calls-before-concat", 0,
     [](Sketch &s) {
         return Ids{
             concat(s,
                    {s.call("Transpose", {s.input("a", {3, 3, 3})}, {ints("perm", {2, 0, 1})}),
                     s.call("Transpose", {s.input("b", {3, 3, 3})}, {ints("perm", {1, 0, 2})})},
                    1)};
     }},
    {"softmax along a concatenation", "merge-calls-before-concat", 0,
     [](Sketch &s) {
         return Ids{concat(
             s,
             {s.call("Softmax", {s.input("a", {3, 4})}), s.call("Softmax", {s.input("b", {3, 4})})},
             1)};
     }},

    {"parts joined again", "drop-concat-of-parts", 1,
     [](Sketch &s) {
         return Ids{s.call("Relu", {concat(s, split(s, s.input("x", {5, 9}), 1, {4, 5}), 1)})};
     },
     "Relu"},
    {"parts joined in another order", "drop-concat-of-parts", 0,
     [](Sketch &s) {
         const Ids parts = split(s, s.input("x", {5, 8}), 1, {4, 4});
         return Ids{s.call("Relu", {concat(s, {parts[1], parts[0]}, 1)})};
     }},
    {"parts joined along another dimension", "drop-concat-of-parts", 0,
     [](Sketch &s) {
         return Ids{s.call("Relu", {concat(s, split(s, s.input("x", {5, 8}), 1, {4, 4}), 0)})};
     }},
    {"joined and taken apart", "drop-split-of-concat", 1,
     [](Sketch &s) {
         const Ids parts =
             split(s, concat(s, {s.input("a", {5, 4}), s.input("b", {5, 3})}, 1), 1, {4, 3});
         return Ids{s.call("Relu", {parts[0]}), s.call("Sigmoid", {parts[1]})};
     },
     "Relu Sigmoid"},
    {"scores of attention", "scale-operand-of-product", 1,
     [](Sketch &s) {
         const TensorId scores = product(s, s.input("q", {2, 9, 4}), s.input("k", {2, 4, 9}));
         return Ids{s.call("Div", {scores, number(s, 2)})};
     },
     "Div MatMul"},
    {"a filter that is known", "scale-operand-of-product", 1,
     [](Sketch &s) {
         const TensorId x = s.input("x", {1, 4, 9, 9});
         const TensorId y = s.call("Conv", {x, weight(s, {3, 4, 3, 3})});
         return Ids{s.call("Mul", {number(s, 2), y})};
     },
     "Conv"},
    {"a result that is small", "scale-operand-of-product", 0,
     [](Sketch &s) {
         const TensorId x = product(s, s.input("a", {2, 9}), s.input("b", {9, 2}));
         return Ids{s.call("Mul", {x, number(s, 2)})};
     }},
    {"a result that is read elsewhere", "scale-operand-of-product", 0,
     [](Sketch &s) {
         const TensorId scores = product(s, s.input("q", {9, 4}), s.input("k", {4, 9}));
         return Ids{s.call("Div", {scores, number(s, 2)}), s.call("Relu", {scores})};
     }},
    {"a bias beside the product", "scale-operand-of-product", 0,
     [](Sketch &s) {
         const TensorId y =
             s.call("Gemm", {s.input("a", {9, 4}), s.input("b", {4, 9}), weight(s, {9})});
         return Ids{s.call("Mul", {y, number(s, 2)})};
     }},
    {"a row of numbers", "scale-operand-of-product", 0,
     [](Sketch &s) {
         const TensorId y = product(s, s.input("a", {9, 4}), s.input("b", {4, 9}));
         return Ids{s.call("Mul", {y, weight(s, {9})})};
     }},
    {"whole numbers", "scale-operand-of-product", 0,
     [](Sketch &s) {
         const auto whole = [&](const char *name, const Shape &shape) {
             return s.call("Cast", {s.input(name, shape)}, {graphloom::test::integer("to", 7)});
         };
         const TensorId y = product(s, whole("a", {9, 4}), whole("b", {4, 9}));
         return Ids{s.call("Div", {y, s.integers({2})})};
     }},

    {"a large operand", "scale-result-of-product", 1,
     [](Sketch &s) {
         const TensorId scores = s.call("Mul", {s.input("x", {9, 9}), number(s, 2)});
         return Ids{product(s, scores, s.input("v", {9, 4})),
                    product(s, s.input("w", {2, 9}), scores)};
     },
     "Mul MatMul Mul MatMul"},
    {"an operand that is read elsewhere", "scale-result-of-product", 0,
     [](Sketch &s) {
         const TensorId scores = s.call("Mul", {s.input("x", {9, 9}), number(s, 2)});
         return Ids{product(s, scores, s.input("v", {9, 4})), s.call("Relu", {scores})};
     }},
    {"an operand multiplied with itself", "scale-result-of-product", 0,
     [](Sketch &s) {
         const TensorId x = s.call("Mul", {s.input("x", {9, 9}), number(s, 2)});
         return Ids{product(s, x, x)};
     }},
    {"a small operand", "scale-result-of-product", 0,
     [](Sketch &s) {
         const TensorId x = s.call("Mul", {s.input("x", {9, 2}), number(s, 2)});
         return Ids{product(s, x, s.input("v", {2, 9}))};
     }},
    {"joined and taken apart elsewhere", "drop-split-of-concat", 0,
     [](Sketch &s) {
         const Ids parts =
             split(s, concat(s, {s.input("a", {5, 4}), s.input("b", {5, 3})}, 1), 1, {3, 4});
         return Ids{s.call("Relu", {parts[0]}), s.call("Sigmoid", {parts[1]})};
     }},
};

} // namespace

class RulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anotherDomainsSqueezeTakesNothingApart();
    void rule_data()
    {
        QTest::addColumn<int>("number");
        for (int k = 0; k < int(cases.size()); ++k)
            QTest::addRow("%s: %s", cases[std::size_t(k)].rule, cases[std::size_t(k)].name) << k;
    }
    void rule()
    {
        QFETCH(int, number);
        const Case &which = cases[std::size_t(number)];
        Sketch sketch;
        const Graph graph = sketch.finish(which.sketch(sketch));
        const auto sites = sitesOf(which.rule, graph, sketchOpset);
        QCOMPARE(sites.size(), which.sites);
        Graph after = graph;
        for (const RuleSite &site : sites)
            if (stillApplies(after, site))
                after = changed(after, sketchOpset, site.apply);
        if (which.sites == 0)
            return;
        QCOMPARE(operatorsOf(after), which.operators);
        QCOMPARE(difference(graph, after, sketchOpset), QString());
    }

    /// Each has graphs that it applies to and twins that it must leave alone.
    void allRules()
    {
        std::set<std::string> names;
        for (const GraphRule &rule : mergeRules()) {
            QVERIFY2(names.insert(rule.name).second, rule.name.c_str());
            const auto hasCase = [&](bool applies) {
                return std::ranges::any_of(cases, [&](const Case &c) {
                    return rule.name == c.rule && (c.sites > 0) == applies;
                });
            };
            QVERIFY2(hasCase(false), rule.name.c_str());
            // Sums over slices are of gradients: training_merges_test.cpp.
            QVERIFY2(hasCase(true) || rule.name == "stack-sums-of-calls", rule.name.c_str());
        }
    }

    /// The pass lists them, and each can be switched.
    void listed()
    {
        const MagisPass pass;
        QCOMPARE(pass.rules().size(), mergeRules().size());
        Settings settings(pass.parameters(), pass.rules());
        for (const RuleFacts &facts : pass.rules()) {
            QVERIFY(facts.exact && facts.initial && !facts.formula.empty() &&
                    !facts.domain.empty() && !facts.flops.empty());
            QVERIFY(settings.usesRule(facts.name));
            QVERIFY(settings.set("rules." + facts.name, "off"));
            QVERIFY(!settings.usesRule(facts.name));
        }
    }

    /// Without regrouping, only whole sums become one call.
    void sumsAsTheyAre()
    {
        Sketch s;
        const TensorId first = product(s, s.input("a", {5, 4}), weight(s, {4, 6})),
                       second = product(s, s.input("b", {5, 4}), weight(s, {4, 6}));
        const Graph graph =
            s.finish({s.call("Add", {s.call("Add", {first, s.input("x", {5, 6})}), second})});
        const auto none = [](std::string_view name) { return name != "regroup-sums"; };
        QVERIFY(sitesOf("concatenate-sums-of-calls", graph, sketchOpset, none).empty());
        Sketch t;
        const TensorId inner = t.call("Add", {product(t, t.input("a", {5, 4}), weight(t, {4, 6})),
                                              product(t, t.input("b", {5, 4}), weight(t, {4, 6}))});
        const Graph whole = t.finish({t.call("Add", {inner, t.input("x", {5, 6})})});
        const auto sites = sitesOf("concatenate-sums-of-calls", whole, sketchOpset, none);
        QCOMPARE(sites.size(), std::size_t(1));
        const Graph after = changed(whole, sketchOpset, sites[0].apply);
        QCOMPARE(operatorsOf(after), QString("Concat MatMul Add"));
        QCOMPARE(difference(whole, after, sketchOpset), QString());
    }

    /// What is joined of weights that change stays a call.
    void variables()
    {
        Sketch s;
        const TensorId x = s.input("x", {5, 4});
        const TensorId w = weight(s, {4, 6}), v = weight(s, {4, 6});
        const Graph graph = s.finish({product(s, x, w), product(s, x, v)});
        const auto sites = sitesOf("concatenate-calls-that-share-operands", graph, sketchOpset);
        QCOMPARE(sites.size(), std::size_t(1));
        QCOMPARE(operatorsOf(changed(graph, sketchOpset, sites[0].apply)), QString("MatMul Split"));
        const Ids weights{w, v};
        const Graph after = changed(graph, sketchOpset, sites[0].apply, weights);
        QCOMPARE(operatorsOf(after), QString("Concat MatMul Split"));
        QCOMPARE(difference(graph, after, sketchOpset), QString());
    }
};

/// An operator that is called like ONNX's, but is somebody else's, need not even have an input.
void RulesTest::anotherDomainsSqueezeTakesNothingApart()
{
    graphloom::test::GraphMaker maker;
    const TensorId a = maker.call("com.example.Squeeze", {}, {4});
    const TensorId b = maker.call("com.example.Squeeze", {}, {4});
    const Graph graph = maker.finish({a, b});
    const std::vector<TensorId> parts = {a, b};
    QVERIFY(!wholeOf(graph, parts, Joint::stack(1)).valid());
    QVERIFY(orderOf(graph, parts, Joint::stack(1)).empty());
}

GRAPHLOOM_TESTS(RulesTest)

} // namespace graphloom::test::rules_test

#include "rules_test.moc"
