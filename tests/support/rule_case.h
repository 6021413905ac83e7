// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/compare.h"
#include "tests/support/rewrite_case.h"
#include "tests/support/sketch.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>

/// Checks rules on handwritten graphs: the result of a rule, and that it computes the same.
namespace graphloom::test {

using test::integer;
using test::ints;
using test::real;
using test::Sketch;
using test::word;

/// Returns a tensor whose elements are all different, of both signs.
inline TensorData varied(TensorData::Extents extents)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(float(std::sin(double(i + 1) * 12.9898)));
    return floats(std::move(extents), values);
}
/// Returns a tensor whose elements are all different, above 0.5.
inline TensorData positive(TensorData::Extents extents)
{
    const TensorData data = varied(extents);
    std::vector<float> values;
    for (std::int64_t i = 0; i < data.elements(); ++i)
        values.push_back(float(std::abs(data.real(i))) + 0.5f);
    return floats(std::move(extents), values);
}

/// Returns the outputs of a graph as termsOf(), with "#" for constants that rules have made, whose
/// names are those of nodes.
inline QString shortTermsOf(const Graph &graph)
{
    static const QRegularExpression made("[A-Za-z0-9]+\\.\\d+|\\b[ciw]\\d+\\b");
    return termsOf(graph).replace(made, "#");
}

/// Holds a graph for a rule, and its result in the form of shortTermsOf(); "" if the rule must not
/// apply.
struct RuleCase {
    const char *name, *rule;
    std::function<TensorId(test::Sketch &)> sketch; // returns the output
    QString expected;
};

/// Returns inputs of a graph: random, zero, and large ones of both signs.
inline std::vector<std::vector<TensorData>> inputsFor(const Graph &graph)
{
    std::vector<std::vector<TensorData>> all;
    for (const double scale : {1.0, 0.0, 1000.0}) {
        auto random = *randomInputs(graph, 7);
        for (TensorData &data : random) {
            if (data.type() != DataType::Float)
                continue;
            std::vector<float> values;
            for (std::int64_t i = 0; i < data.elements(); ++i)
                values.push_back(float(data.real(i) * scale));
            data = floats(data.extents(), values);
        }
        all.push_back(std::move(random));
    }
    return all;
}

/// Returns where two graphs disagree, or an empty string if they agree.
inline QString disagreement(const Graph &before, const Graph &after, double tolerance = 1e-5)
{
    for (const auto &inputs : inputsFor(before)) {
        const auto expected = interpret(before, opset17, inputs);
        const auto actual = interpret(after, opset17, inputs);
        if (!expected || !actual)
            return QString::fromStdString((expected ? actual : expected).error().text());
        for (std::size_t i = 0; i < expected->size(); ++i)
            if (const auto c = compare((*expected)[i], (*actual)[i]); !(c.maxRelError <= tolerance))
                return QString("output %1: %2").arg(i).arg(QString::fromStdString(c.worst));
    }
    return {};
}

/// Fails the test unless the case's rule, alone, has the expected result on its graph.
inline void checkCase(const RuleCase &wanted, const std::vector<Rule> &rules)
{
    const auto rule = std::ranges::find(rules, wanted.rule, &Rule::name);
    QVERIFY2(rule != rules.end(), wanted.rule);
    test::Sketch sketch;
    const TensorId output = wanted.sketch(sketch);
    const Graph graph = sketch.finish({output});
    const auto result = rewritten(graph, std::span(&*rule, 1));
    if (wanted.expected.isEmpty()) {
        QCOMPARE(termsOf(result.graph), termsOf(graph));
        QCOMPARE(result.graph.hash(), graph.hash());
        return;
    }
    QVERIFY2(!result.log.steps.empty(), "it does not apply");
    QCOMPARE(shortTermsOf(result.graph), wanted.expected);
    const QString differs = disagreement(graph, result.graph);
    QVERIFY2(differs.isEmpty(), qPrintable(differs));
}

/// Adds a row for every case, with its index.
inline void addRows(const std::vector<RuleCase> &cases)
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < cases.size(); ++i)
        QTest::newRow(cases[i].name) << int(i);
}

/// Checks that every rule has a case in which it applies, and a similar one in which it does not.
inline void checkTwins(const std::vector<Rule> &rules, const std::vector<RuleCase> &cases)
{
    for (const Rule &rule : rules)
        for (const bool applies : {true, false})
            QVERIFY2(std::ranges::any_of(cases,
                                         [&](const RuleCase &some) {
                                             return some.rule == rule.name &&
                                                    some.expected.isEmpty() != applies;
                                         }),
                     rule.name.c_str());
}

} // namespace graphloom::test
