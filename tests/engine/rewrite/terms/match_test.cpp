// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/match.h"
#include "tests/support/rewrite_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::match_test {

namespace {

/// How often a pattern matches at the last node of a graph.
int matches(const Pattern &pattern, GraphMaker &maker, TensorId output)
{
    const GraphTerms terms(maker.finish({output}), opset17);
    int count = 0;
    forEachMatch(pattern, terms, maker.nodes.back(), false, [&](const Match &) {
        ++count;
        return true;
    });
    return count;
}

const Pattern first = any("a"), second = any("b");

} // namespace

class MatchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void commutativeOperandsMatchInBothOrders();
    void otherOperandsMatchInTheirOrder();
    void aVariableStandsForOneValue();
    void equalNumbersAreOneValue();
    void equalWeightsAreNot();
    void numbersAreOfOneElement();
    void attributesMustBeGiven();
    void furtherInputsMustBeAllowed();
    void aSingleReader();
    void domainsMustBeProved();
};

void MatchTest::commutativeOperandsMatchInBothOrders()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2}), y = maker.call("Exp", {x}, {2});
    const TensorId sum = maker.call("Add", {x, y}, {2});
    QCOMPARE(matches(call("Add", {call("Exp", {first}), second}), maker, sum), 1);
}

void MatchTest::otherOperandsMatchInTheirOrder()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2}), y = maker.call("Exp", {x}, {2});
    const TensorId difference = maker.call("Sub", {x, y}, {2});
    QCOMPARE(matches(call("Sub", {call("Exp", {first}), second}), maker, difference), 0);
}

void MatchTest::aVariableStandsForOneValue()
{
    GraphMaker same, different;
    const TensorId x = same.input("x", {2});
    QCOMPARE(matches(call("Sub", {first, first}), same, same.call("Sub", {x, x}, {2})), 1);
    const TensorId y = different.input("y", {2}), z = different.input("z", {2});
    QCOMPARE(matches(call("Sub", {first, first}), different, different.call("Sub", {y, z}, {2})),
             0);
}

void MatchTest::equalNumbersAreOneValue()
{
    GraphMaker maker;
    const TensorId p = maker.constant("p", floats({}, {2})),
                   q = maker.constant("q", floats({}, {2}));
    QCOMPARE(matches(call("Sub", {first, first}), maker, maker.call("Sub", {p, q}, {})), 1);
}

void MatchTest::equalWeightsAreNot()
{
    GraphMaker maker;
    const TensorId p = maker.constant("p", splat(2, {8})), q = maker.constant("q", splat(2, {8}));
    QCOMPARE(matches(call("Sub", {first, first}), maker, maker.call("Sub", {p, q}, {8})), 0);
}

void MatchTest::numbersAreOfOneElement()
{
    GraphMaker one, many;
    const Pattern doubled = call("Mul", {first, number(2)});
    const TensorId x = one.input("x", {2}), p = one.constant("p", floats({1}, {2}));
    QCOMPARE(matches(doubled, one, one.call("Mul", {x, p}, {2})), 1);
    const TensorId y = many.input("y", {2}), q = many.constant("q", floats({2}, {2, 2}));
    QCOMPARE(matches(doubled, many, many.call("Mul", {y, q}, {2})), 0);
}

void MatchTest::attributesMustBeGiven()
{
    const Pattern alongOne = call("Softmax", {first}).with("axis", std::int64_t{1});
    for (const std::int64_t axis : {0, 1}) {
        GraphMaker maker;
        const TensorId x = maker.input("x", {2, 2});
        QCOMPARE(matches(alongOne, maker, maker.call("Softmax", {x}, {2, 2}, {{"axis", axis}})),
                 int(axis));
    }
}

void MatchTest::furtherInputsMustBeAllowed()
{
    const auto count = [](const Pattern &pattern) {
        GraphMaker maker;
        const TensorId x = maker.input("x", {2}), y = maker.input("y", {2}),
                       z = maker.input("z", {2});
        return matches(pattern, maker, maker.call("Sum", {x, y, z}, {2}));
    };
    QCOMPARE(count(call("Sum", {first, second})), 0);
    QCOMPARE(count(call("Sum", {first, second}).andMore()), 1);
}

void MatchTest::aSingleReader()
{
    const Pattern pattern = call("Relu", {call("Exp", {first}).once()});
    GraphMaker maker;
    const TensorId x = maker.input("x", {2}), y = maker.call("Exp", {x}, {2});
    const TensorId other = maker.call("Neg", {y}, {2}), relu = maker.call("Relu", {y}, {2});
    const GraphTerms terms(maker.finish({relu, other}), opset17);
    forEachMatch(pattern, terms, maker.nodes.back(), false, [](const Match &) {
        [] { QFAIL("matched a value with two readers"); }();
        return true;
    });
    GraphMaker alone;
    const TensorId p = alone.input("x", {2}), q = alone.call("Exp", {p}, {2});
    QCOMPARE(matches(pattern, alone, alone.call("Relu", {q}, {2})), 1);
}

void MatchTest::domainsMustBeProved()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2}), y = maker.call("Relu", {x}, {2});
    const TensorId sum = maker.call("Sub", {x, y}, {2});
    const GraphTerms terms(maker.finish({sum}), opset17);
    for (const bool assume : {false, true})
        forEachMatch(call("Sub", {first, second}), terms, maker.nodes.back(), assume,
                     [&](const Match &m) {
                         [&] {
                             QVERIFY(m.lies("b", Range::atLeast(0)));
                             QCOMPARE(m.lies("a", Range::atLeast(0)), assume);
                             QCOMPARE(m.isNonZero("b"), assume);
                         }();
                         return true;
                     });
}

GRAPHLOOM_TESTS(MatchTest)

} // namespace graphloom::test::match_test

#include "match_test.moc"
