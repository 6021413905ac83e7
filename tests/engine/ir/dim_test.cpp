// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>

namespace graphloom::test::dim_test {

using test::below;
using test::Random;

namespace {

using Values = std::map<std::string, std::int64_t>;

Dim::Environment lookup(const Values &values)
{
    return [values](const std::string &name) -> std::optional<std::int64_t> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// A random expression, as a Dim and as the number that it must evaluate to.
struct Sample {
    Dim dim;
    std::int64_t value;
};

Sample randomSample(Random &random, const Values &values, int depth)
{
    if (depth == 0 || below(random, 8) == 0) {
        if (below(random, 2) == 0) {
            const auto constant = std::int64_t(below(random, 13)) - 6;
            return {Dim(constant), constant};
        }
        auto at = values.begin();
        std::advance(at, long(below(random, values.size())));
        return {Dim::symbol(at->first), at->second};
    }
    const Sample a = randomSample(random, values, depth - 1);
    const Sample b = randomSample(random, values, depth - 1);
    switch (below(random, 7)) {
    case 0:
        return {a.dim + b.dim, a.value + b.value};
    case 1:
        return {a.dim - b.dim, a.value - b.value};
    case 2:
        return {a.dim * b.dim, a.value * b.value};
    case 3:
        return {Dim::max(a.dim, b.dim), std::max(a.value, b.value)};
    case 4:
        return {Dim::min(a.dim, b.dim), std::min(a.value, b.value)};
    default:
        break;
    }
    // Divisors that are not zero, whatever the symbols are: extents are positive.
    const bool constant = below(random, 3) != 0;
    Sample divisor{Dim(0), 0};
    if (constant) {
        divisor.value = std::int64_t(1 + below(random, 9)) * (below(random, 4) == 0 ? -1 : 1);
        divisor.dim = divisor.value;
    } else {
        auto at = values.begin();
        std::advance(at, long(below(random, values.size())));
        divisor = {Dim::symbol(at->first) * Dim(2), at->second * 2};
    }
    const std::int64_t quotient = floorDivide(a.value, divisor.value);
    if (below(random, 2) == 0)
        return {Dim::floorDiv(a.dim, divisor.dim), quotient};
    return {Dim::mod(a.dim, divisor.dim), a.value - divisor.value * quotient};
}

Values randomValues(Random &random)
{
    return {{"n", std::int64_t(1 + below(random, 40))},
            {"len", std::int64_t(1 + below(random, 40))},
            {"2*n", std::int64_t(1 + below(random, 40))}}; // a name like an expression
}

QString textOf(const Dim &dim)
{
    return QString::fromStdString(dim.text());
}

} // namespace

class DimTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constants();
    void equalPolynomialsCompareEqual();
    void text();
    void divisionTakesWholePartsOut();
    void remaindersForgetMultiples();
    void maximaAndMinima();
    void namesThatLookLikeExpressions();
    void randomExpressionsEvaluate();
    void substitutionInSteps();
    void equalityMeansEqualValues();
    void overflowPoisons();
    void longExpressionsAreCutOff();
    void shapes();
};

void DimTest::constants()
{
    QVERIFY(Dim().isConstant());
    QCOMPARE(Dim(7).value(), std::int64_t(7));
    QCOMPARE(*(Dim(7) - Dim(9)).constant(), std::int64_t(-2));
    QCOMPARE(*Dim::floorDiv(-7, 2).constant(), std::int64_t(-4));
    QCOMPARE(*Dim::floorDiv(7, -2).constant(), std::int64_t(-4));
    QCOMPARE(*Dim::ceilDiv(7, 2).constant(), std::int64_t(4));
    QCOMPARE(*Dim::mod(-7, 3).constant(), std::int64_t(2));
    QCOMPARE(*Dim::mod(7, -3).constant(), std::int64_t(-2));
    QVERIFY(!Dim::symbol("n").constant());
    QVERIFY(Dim::symbol("n").isSymbol());
    QVERIFY(!(Dim::symbol("n") + Dim(1)).isSymbol());
}

void DimTest::equalPolynomialsCompareEqual()
{
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
    QVERIFY(Dim(2) * (n + Dim(1)) - Dim(2) == Dim(2) * n);
    QVERIFY((n + m) * (n - m) == n * n - m * m);
    QVERIFY(n * m == m * n);
    QVERIFY(n - n == Dim(0));
    QVERIFY((n - n).isConstant());
    QVERIFY(!(n == m));
    QVERIFY(!(n == n + Dim(1)));
    QCOMPARE((n + m).hash(), (m + n).hash());
    QVERIFY(n.hash() != m.hash());
    QVERIFY(n.hash() != (n + Dim(1)).hash());
}

void DimTest::text()
{
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
    QCOMPARE(textOf(Dim(-3)), "-3");
    QCOMPARE(textOf(n), "n");
    QCOMPARE(textOf(Dim(2) * n + Dim(1)), "2*n+1");
    QCOMPARE(textOf(n * m * Dim(3) - Dim(4)), "3*m*n-4");
    QCOMPARE(textOf(Dim(0) - n), "-n");
    QCOMPARE(textOf(Dim::floorDiv(n, 2)), "floor(n/2)");
    QCOMPARE(textOf(Dim::floorDiv(n + m, 2)), "floor((m+n)/2)");
    QCOMPARE(textOf(Dim::floorDiv(n, m + Dim(1))), "floor(n/(m+1))");
    QCOMPARE(textOf(Dim::floorDiv(n + Dim(1), Dim(2) * m)), "floor((n+1)/(2*m))");
    QCOMPARE(textOf(Dim::max(n, m)), "max(m,n)");
    QCOMPARE(textOf(Dim::overflow()), "overflow");
}

void DimTest::divisionTakesWholePartsOut()
{
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
    QVERIFY(Dim::floorDiv(Dim(4) * n, 2) == Dim(2) * n);
    QVERIFY(Dim::floorDiv(Dim(4) * n + Dim(3), 2) == Dim(2) * n + Dim(1));
    QVERIFY(Dim::floorDiv(n * m, n) == m);
    QVERIFY(Dim::floorDiv(Dim(6) * n * m + Dim(2) * n, Dim(2) * n) == Dim(3) * m + Dim(1));
    QVERIFY(Dim::floorDiv(n, n) == Dim(1));
    QVERIFY(Dim::floorDiv(n, 1) == n);
    QVERIFY(Dim::floorDiv(0, n) == Dim(0));
    // The same extent, as two ways of counting a strided window give it.
    QVERIFY(Dim::floorDiv(n - Dim(1), 2) + Dim(1) == Dim::floorDiv(n + Dim(1), 2));
    QVERIFY(Dim::ceilDiv(n, 2) == Dim::floorDiv(n + Dim(1), 2));
    QVERIFY(Dim::floorDiv(n, -2) == Dim::floorDiv(Dim(0) - n, 2));
    QVERIFY(!(Dim::floorDiv(n, 2) == Dim::floorDiv(n + Dim(1), 2)));
}

void DimTest::remaindersForgetMultiples()
{
    const Dim n = Dim::symbol("n");
    QVERIFY(Dim::mod(Dim(4) * n, 4) == Dim(0));
    QVERIFY(Dim::mod(Dim(4) * n + Dim(7), 4) == Dim(3));
    QVERIFY(Dim::mod(Dim(5) * n + Dim(7), 4) == Dim::mod(n + Dim(3), 4));
    QVERIFY(Dim::mod(n, n) == Dim(0));
    QVERIFY(!(Dim::mod(n, 4) == Dim::mod(n, 3)));
}

void DimTest::maximaAndMinima()
{
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
    QVERIFY(Dim::max(n, n + Dim(2)) == n + Dim(2));
    QVERIFY(Dim::min(n, n + Dim(2)) == n);
    QVERIFY(Dim::max(n, m) == Dim::max(m, n));
    QVERIFY(!(Dim::max(n, m) == Dim::min(n, m)));
}

void DimTest::namesThatLookLikeExpressions()
{
    const Dim a = Dim::symbol("a"), b = Dim::symbol("b");
    QVERIFY(!(Dim::symbol("a*b") == a * b));
    QVERIFY(!(Dim::symbol("a+1") == a + Dim(1)));
    QVERIFY(!(Dim::symbol("floor(a/2)") == Dim::floorDiv(a, 2)));
    QVERIFY(!(Dim::symbol("3") == Dim(3)));
    QVERIFY(!(Dim::symbol("") == Dim(0)));
    QVERIFY(!(Dim::symbol("x y\"*\"z w") == Dim::symbol("x y") * Dim::symbol("z w")));
    QCOMPARE(textOf(Dim::symbol("a*b")), "\"a*b\"");
    QCOMPARE(textOf(Dim::symbol("keep.dim0")), "keep.dim0");
    QCOMPARE(*Dim::symbol("a*b").evaluate(lookup({{"a*b", 5}})), std::int64_t(5));
    QVERIFY(!Dim::symbol("a*b").evaluate(lookup({{"a", 5}, {"b", 2}})));
}

void DimTest::randomExpressionsEvaluate()
{
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Random random(seed);
        const Values values = randomValues(random);
        const Sample sample = randomSample(random, values, 1 + int(below(random, 4)));
        if (sample.dim.isOverflow())
            continue; // too long: longExpressionsAreCutOff()
        const auto value = sample.dim.evaluate(lookup(values));
        QVERIFY2(value, qPrintable(QString("seed %1: %2").arg(seed).arg(textOf(sample.dim))));
        QVERIFY2(*value == sample.value,
                 qPrintable(QString("seed %1: %2").arg(seed).arg(textOf(sample.dim))));
    }
}

void DimTest::substitutionInSteps()
{
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        Random random(seed);
        const Values values = randomValues(random);
        const Sample sample = randomSample(random, values, 3);
        if (sample.dim.isOverflow())
            continue;
        Values first = values, second = values;
        first.erase("n");
        second.erase("len");
        const Dim half = sample.dim.substitute(lookup(first));
        const auto value = half.evaluate(lookup(second));
        QVERIFY2(value && *value == sample.value, qPrintable(QString("seed %1").arg(seed)));
        QVERIFY(sample.dim.substitute(lookup({})) == sample.dim);
    }
}

void DimTest::equalityMeansEqualValues()
{
    int equal = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Random random(seed);
        const Values values = randomValues(random);
        const Sample a = randomSample(random, values, 2), b = randomSample(random, values, 2);
        if (a.dim.isOverflow() || b.dim.isOverflow())
            continue;
        if (a.value != b.value)
            QVERIFY2(!(a.dim == b.dim), qPrintable(QString("seed %1").arg(seed)));
        if (a.dim == b.dim) {
            ++equal;
            QCOMPARE(a.dim.hash(), b.dim.hash());
        }
    }
    QVERIFY(equal > 10);
}

void DimTest::overflowPoisons()
{
    const Dim n = Dim::symbol("n");
    const Dim large = INT64_MAX;
    for (const Dim &poisoned :
         {large + Dim(1), large * Dim(2), Dim(INT64_MIN) - Dim(1), large * n * Dim(2),
          large * n + n, Dim::floorDiv(INT64_MIN, -1), Dim::floorDiv(n, 0), Dim::mod(n, 0),
          Dim::floorDiv(Dim(INT64_MIN) * n, -1), Dim::overflow() * Dim(0),
          Dim::overflow() - Dim::overflow(), Dim::max(Dim::overflow(), n),
          Dim::min(n, Dim::overflow()), Dim::mod(Dim::overflow(), 3)}) {
        QVERIFY2(poisoned.isOverflow(), poisoned.text().c_str());
        QVERIFY(!poisoned.isConstant());
        QVERIFY(!poisoned.constant());
        QVERIFY(!poisoned.evaluate(lookup({{"n", 1}})));
        QVERIFY((poisoned + Dim(1)).isOverflow());
        QVERIFY((poisoned * n).isOverflow());
    }
    QVERIFY(!(Dim::overflow() == Dim(0)));
    QVERIFY(!(n * n * n).evaluate(lookup({{"n", std::int64_t{1} << 40}}))); // beyond 64 bits
    QVERIFY(!Dim::floorDiv(Dim(5), n).evaluate(lookup({{"n", 0}})));
    // INT64_MIN must not reach a machine division by -1.
    QVERIFY(Dim::floorDiv(Dim(INT64_MIN) * n * n, Dim(-1) * n).evaluate(lookup({{"n", 3}})) ==
            std::nullopt);
}

void DimTest::longExpressionsAreCutOff()
{
    // Each squaring doubles the length: a file with forty of them must not take all memory.
    Dim product = Dim::symbol("n"), sum = Dim::symbol("n") + Dim::symbol("m");
    Dim nested = Dim::symbol("n");
    for (int i = 0; i < 60; ++i) {
        product *= product;
        sum = sum * (sum + Dim(i));
        nested = Dim::floorDiv(nested + Dim::symbol("m"), nested + Dim(i + 2));
    }
    QVERIFY(product.isOverflow());
    QVERIFY(sum.isOverflow());
    QVERIFY(nested.isOverflow());
}

void DimTest::shapes()
{
    const Dim n = Dim::symbol("n");
    QCOMPARE(QString::fromStdString(graphloom::text(Shape{1, 3, 224})), "1x3x224");
    QCOMPARE(QString::fromStdString(graphloom::text(Shape{n, 8})), "nx8");
    QCOMPARE(QString::fromStdString(graphloom::text(Shape{})), "scalar");
    QVERIFY(isStatic({1, 2}));
    QVERIFY(!isStatic({n, 2}));
    QVERIFY(elementsOf({n, 2, 3}) == Dim(6) * n);
    QCOMPARE(*staticElements({}), std::int64_t(1));
    QCOMPARE(*staticElements({4, 5}), std::int64_t(20));
    QCOMPARE(*staticElements({4, 0, 5}), std::int64_t(0));
    QVERIFY(!staticElements({INT64_MAX, 0, INT64_MAX}));
    QVERIFY(!staticElements({0, INT64_MAX}));
    QVERIFY(!staticElements({n}));
    QVERIFY(!staticElements({-1, 5}));
    QVERIFY(!staticElements({-1, 0}));
    QVERIFY(!staticElements({INT64_MAX, 3}));
    QVERIFY(!staticElements({std::int64_t{1} << 40, std::int64_t{1} << 23}));
}

GRAPHLOOM_TESTS(DimTest)

} // namespace graphloom::test::dim_test

#include "dim_test.moc"
