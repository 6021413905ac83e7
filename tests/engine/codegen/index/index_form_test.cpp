// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_form.h"
#include "tests/support/index_values.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::index_form_test {

namespace {

/// An index form beside the same expression as it is evaluated without any simplification.
struct Pair {
    IndexForm form;
    std::function<std::int64_t(const Point &)> plain;
};

class Formulas {
public:
    Formulas(std::uint64_t seed, AxisExtents extents)
        : m_random(seed), m_extents(std::move(extents))
    {
    }

    Pair any(int depth)
    {
        switch (depth == 0 ? pick(2) : pick(7)) {
        case 0: {
            const AxisIndex variable(pick(int(m_extents.size())));
            return {IndexForm::variable(variable),
                    [variable](const Point &at) { return at[variable]; }};
        }
        case 1: {
            const std::int64_t value = pick(21) - 10;
            return {value, [value](const Point &) { return value; }};
        }
        case 2: {
            const Pair a = any(depth - 1);
            const std::int64_t factor = pick(9) - 4;
            return {a.form * factor, [a, factor](const Point &at) { return a.plain(at) * factor; }};
        }
        case 3: {
            const Pair a = any(depth - 1);
            const std::int64_t divisor = 1 + pick(12);
            return {IndexForm::quotient(a.form, divisor, m_extents),
                    [a, divisor](const Point &at) { return floored(a.plain(at), divisor); }};
        }
        case 4: {
            const Pair a = any(depth - 1);
            const std::int64_t divisor = 1 + pick(12);
            return {IndexForm::remainder(a.form, divisor, m_extents),
                    [a, divisor](const Point &at) {
                        const std::int64_t value = a.plain(at);
                        return value - divisor * floored(value, divisor);
                    }};
        }
        default: {
            const Pair a = any(depth - 1), b = any(depth - 1);
            return {a.form + b.form, [a, b](const Point &at) { return a.plain(at) + b.plain(at); }};
        }
        }
    }

    int pick(int bound) { return int(below(m_random, std::uint64_t(bound))); }

private:
    Random m_random;
    AxisExtents m_extents;
};

const AxisIndex xAxis(0), yAxis(1);
const IndexForm x = IndexForm::variable(xAxis), y = IndexForm::variable(yAxis);
const AxisExtents extents{12, 5};

std::string name(AxisIndex variable)
{
    return variable == xAxis ? "x" : "y";
}

} // namespace

class IndexFormTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalForms();
    void sumsAreCanonical();
    void divisionsVanish_data();
    void divisionsVanish();
    void simplifiedValuesAreThePlainOnes();
    void boundsHoldAllValues();
    void substitution();
    void joinedValuesAreTheSame();
    void joinedGivesBackTheNumber();
    void progressionsNeedNoTable();
    void tablesStopAtTheirBorder();
    void steps();
    void lookups();
    void texts();
};

void IndexFormTest::equalForms()
{
    QVERIFY(x + y == y + x);
    QVERIFY(!(x == y));
    QVERIFY(!(x == x + 1));
    QVERIFY(x * 2 - x == x);
    QVERIFY((x - x).isConstant());
}

void IndexFormTest::sumsAreCanonical()
{
    const IndexForm form = y * 3 + x + 4 - y * 2;
    QCOMPARE(form.terms().size(), std::size_t(2));
    QCOMPARE(form.offset(), std::int64_t(4));
    QVERIFY(form.isAffine());
    QVERIFY(!form.asVariable());
    QCOMPARE(x.asVariable(), std::optional(xAxis));
}

void IndexFormTest::divisionsVanish_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const IndexForm &form, const char *expected) {
        QTest::newRow(expected) << QString::fromStdString(form.text(name)) << expected;
    };
    row(IndexForm::quotient(x * 5 + y, 5, extents), "x");
    row(IndexForm::remainder(x * 5 + y, 5, extents), "y");
    row(IndexForm::quotient(x * 10 + y, 5, extents), "2 * x");
    row(IndexForm::quotient(x, 12, extents), "0");
    row(IndexForm::remainder(x - 12, 12, extents), "x");
    row(IndexForm::quotient(x * 5 + y, 10, extents), "(x) / 2");
    row(IndexForm::remainder(x * 5 + y, 10, extents), "5 * (x) % 2 + y");
    row(IndexForm::quotient(IndexForm::quotient(x, 2, extents), 3, extents), "(x) / 6");
    row(IndexForm::quotient(x * 4 + 7, 4, extents), "x + 1");
}

void IndexFormTest::divisionsVanish()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(text, expected);
}

void IndexFormTest::simplifiedValuesAreThePlainOnes()
{
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        const AxisExtents domain{1 + std::int64_t(seed % 5), 4, 6};
        const Pair pair = Formulas(seed, domain).any(4);
        forEachPoint(domain, [&](const Point &at) {
            if (valueAt(pair.form, at) != pair.plain(at))
                QFAIL(qPrintable(QString("seed %1: %2")
                                     .arg(seed)
                                     .arg(QString::fromStdString(pair.form.text([](AxisIndex axis) {
                                         return "v" + std::to_string(axis.number());
                                     })))));
        });
    }
}

void IndexFormTest::boundsHoldAllValues()
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const AxisExtents domain{3, 4, 6};
        const IndexForm form = Formulas(seed, domain).any(4).form;
        const Bounds bounds = form.bounds(domain);
        forEachPoint(domain, [&](const Point &at) {
            const std::int64_t value = valueAt(form, at);
            QVERIFY2(bounds.least <= value && value <= bounds.most,
                     qPrintable(QString::number(seed)));
        });
    }
}

void IndexFormTest::substitution()
{
    // v0, v1 of a form become forms of other variables.
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const AxisExtents inner{3, 4}, domain{4, 6};
        Formulas outer(seed, inner), replaced(seed + 1000, domain);
        const IndexForm form = outer.any(3).form;
        const AxisForms axes{IndexForm::remainder(replaced.any(2).form, 3, domain),
                             IndexForm::remainder(replaced.any(2).form, 4, domain)};
        const IndexForm result = form.substituted(
            [&](AxisIndex axis) -> std::optional<IndexForm> { return axes[axis]; }, domain);
        forEachPoint(domain, [&](const Point &at) {
            QCOMPARE(valueAt(result, at),
                     valueAt(form, {valueAt(axes.front(), at), valueAt(axes.back(), at)}));
        });
    }
}

void IndexFormTest::joinedValuesAreTheSame()
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const AxisExtents domain{3, 4, 6};
        Formulas formulas(seed, domain);
        const IndexForm number = formulas.any(2).form;
        const std::int64_t d = 2 + formulas.pick(6);
        const IndexForm form = IndexForm::quotient(number, d, domain) * (2 * d) +
                               IndexForm::remainder(number, d, domain) * 2 + formulas.any(2).form;
        const IndexForm joined = form.joined();
        forEachPoint(domain,
                     [&](const Point &at) { QCOMPARE(valueAt(joined, at), valueAt(form, at)); });
    }
}

void IndexFormTest::joinedGivesBackTheNumber()
{
    const AxisExtents hundred{100, 3};
    const IndexForm parts =
        IndexForm::quotient(x, 7, hundred) * 21 + IndexForm::remainder(x, 7, hundred) * 3 + y;
    QVERIFY(!parts.isAffine());
    QVERIFY(parts.joined() == x * 3 + y);
}

void IndexFormTest::progressionsNeedNoTable()
{
    const auto table =
        std::make_shared<const std::vector<std::int64_t>>(std::vector<std::int64_t>{5, 3, 1, -1});
    QVERIFY(IndexForm::table(table, y) == y * -2 + 5);
}

void IndexFormTest::tablesStopAtTheirBorder()
{
    const auto table =
        std::make_shared<const std::vector<std::int64_t>>(std::vector<std::int64_t>{5, 3, 9});
    QCOMPARE(IndexForm::table(table, 7).offset(), std::int64_t(9));
    QCOMPARE(IndexForm::table(table, -1).offset(), std::int64_t(5));
    QCOMPARE(IndexForm::table(table, y).bounds(extents).least, std::int64_t(3));
    QCOMPARE(IndexForm::table(table, y).bounds(extents).most, std::int64_t(9));
}

void IndexFormTest::steps()
{
    QCOMPARE((x * 3 + y).stepOf(xAxis), std::optional<std::int64_t>(3));
    QCOMPARE((y * 3).stepOf(xAxis), std::optional<std::int64_t>(0));
    QVERIFY(!IndexForm::quotient(x, 5, extents).stepOf(xAxis));
    QCOMPARE((IndexForm::quotient(x, 5, extents) + y).stepOf(yAxis),
             std::optional<std::int64_t>(1));
    QVERIFY(!IndexForm::lookup(ReadIndex(0), 4).stepOf(xAxis));
}

void IndexFormTest::lookups()
{
    const IndexForm form = IndexForm::quotient(IndexForm::lookup(ReadIndex(2), 50) + x, 7, extents);
    QVERIFY(form.hasLookup());
    const IndexForm renumbered = form.renumbered([](ReadIndex read) { return read + 3; });
    std::vector<ReadIndex> reads;
    renumbered.forEachLookup([&](ReadIndex read) { reads.push_back(read); });
    QCOMPARE(reads, std::vector{ReadIndex(5)});
    QVERIFY(renumbered.dependsOn(xAxis));
    QVERIFY(!renumbered.dependsOn(yAxis));
}

void IndexFormTest::texts()
{
    QCOMPARE(IndexForm(0).text(name), std::string("0"));
    QCOMPARE((x * 2 - y - 3).text(name), std::string("2 * x - y - 3"));
    QCOMPARE((y - x * 4).text(name), std::string("-4 * x + y"));
}

GRAPHLOOM_TESTS(IndexFormTest)

} // namespace graphloom::test::index_form_test

#include "index_form_test.moc"
