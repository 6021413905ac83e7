// SPDX-License-Identifier: Apache-2.0
// Scatters seen from where they go to: each way to solve a map, with a map that it must not take.
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/index_edit.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/scatter_axes.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::scatter_test {

namespace {

using Kind = Axis::Kind;

Index sum(std::vector<Index::Term> terms, Dim offset = 0)
{
    Index index;
    index.terms = std::move(terms);
    index.offset = std::move(offset);
    return index;
}

Index divided(Index index, const Dim &divide, const Dim &modulo = 0)
{
    index.divide = divide;
    index.modulo = modulo;
    return index;
}

Index lookedUp()
{
    Index index = Index::constant(0);
    index.lookup = 0;
    return index;
}

/// A scatter of a tensor that has a dimension for each axis.
Scatter scatterOf(std::vector<Axis> axes, IndexMap target,
                  Read::Outside outside = Read::Outside::Never)
{
    Scatter scatter;
    scatter.reads = {build::readInput(0, build::identityMap(axes.size()))};
    scatter.axes = std::move(axes);
    scatter.factor = Expr::load(0, DataType::Float);
    scatter.target = std::move(target);
    scatter.outside = outside;
    return scatter;
}

QString nameOf(Way way)
{
    constexpr const char *names[] = {"constant", "direct", "digits", "decoded", "shift",
                                     "divided",  "phase",  "table",  "match"};
    return names[int(way)];
}

QString waysOf(const Scatter &scatter, const Shape &shape)
{
    QStringList names;
    const ScatterAxes axes(scatter, shape, std::vector<bool>(shape.size()));
    for (const Way way : axes.ways())
        names << nameOf(way);
    return names.join(' ');
}

QStringList formulasOf(const Scatter &scatter, const Shape &shape)
{
    Shape extents;
    for (const Axis &axis : scatter.axes)
        extents.push_back(axis.extent);
    const OperandFacts facts{[&](const Operand &) { return extents; },
                             [](const Operand &) { return DataType::Float; }};
    QStringList formulas;
    for (const Stage &stage : gathered(scatter, shape, facts))
        formulas << QString::fromStdString(formulaOf(stage, {"g"}, {"d"}));
    return formulas;
}

Axis space(const char *name, const Dim &extent)
{
    return {name, extent, Kind::Space};
}
Axis window(const char *name, const Dim &extent)
{
    return {name, extent, Kind::Reduce};
}

} // namespace

class ScatterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ways_data();
    void ways();
    void formulas_data();
    void formulas();
    void phases();
    void partsAreSummedAlone();
    void sumsGoToWhereDataSay();
    void composesIndices();
};

void ScatterTest::ways_data()
{
    QTest::addColumn<Scatter>("scatter");
    QTest::addColumn<Shape>("shape");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, Scatter scatter, Shape shape, const char *expected) {
        QTest::newRow(name) << std::move(scatter) << std::move(shape) << expected;
    };
    const std::vector<Axis> plane{space("i", 4), space("j", 6)};
    row("permuted", scatterOf(plane, {Index::axis(1), Index::axis(0)}), {6, 4}, "direct direct");
    row("permuted, of other extents", scatterOf(plane, {Index::axis(1), Index::axis(0)}), {4, 6},
        "shift shift");
    row("summed", scatterOf(plane, {Index::axis(0), Index::constant(0)}), {4, 1},
        "direct constant");
    row("summed at a place", scatterOf(plane, {Index::axis(0), Index::constant(2)}), {4, 3},
        "direct match");
    row("diagonal", scatterOf({space("i", 4)}, {Index::axis(0), Index::axis(0)}), {4, 4},
        "direct match");
    row("factors", scatterOf(plane, {sum({{0, 6}, {1, 1}})}), {24}, "direct");
    row("factors with a gap", scatterOf(plane, {sum({{0, 7}, {1, 1}})}), {28}, "shift");
    row("some of the columns", scatterOf(plane, {sum({{0, 6}, {1, 1}}, 5)}), {40}, "digits");
    row("symbolic factors",
        scatterOf({space("i", Dim::symbol("n")), space("j", 6)}, {sum({{0, 6}, {1, 1}})}),
        {Dim::symbol("n") * Dim(6)}, "direct");
    row("window", scatterOf({space("h", 6), window("r", 3)}, {sum({{0, 1}, {1, 1}}, -1)}), {6},
        "shift");
    row("window with a stride",
        scatterOf({space("h", 6), window("r", 3)}, {sum({{0, 2}, {1, 1}}, -1)}), {12}, "phase");
    row("windows side by side", scatterOf({space("h", 6), window("r", 3)}, {sum({{0, 3}, {1, 1}})}),
        {18}, "direct");
    row("window with a long stride",
        scatterOf({space("h", 6), window("r", 90)}, {sum({{0, 80}, {1, 1}})}), {490}, "divided");
    row("every other one", scatterOf({space("h", 6)}, {sum({{0, 2}})}), {11}, "divided");
    row("backwards", scatterOf({space("h", 6)}, {sum({{0, -1}}, 5)}), {6}, "shift");
    const IndexMap digits{divided(sum({{0, 6}, {1, 1}}), 4), divided(sum({{0, 6}, {1, 1}}), 1, 4)};
    row("reshaped", scatterOf(plane, digits), {6, 4}, "decoded decoded");
    row("not all digits", scatterOf(plane, {digits[0]}), {6}, "table");
    row("clamped", scatterOf({space("h", 6)}, {sum({{0, 1}}, -2)}, Read::Outside::Clamp), {6},
        "table");
    row("clamped, but inside", scatterOf({space("h", 6)}, {sum({{0, 1}})}, Read::Outside::Clamp),
        {6}, "direct");
    row("clamped and symbolic",
        scatterOf({space("h", Dim::symbol("n"))}, {sum({{0, 1}}, -2)}, Read::Outside::Clamp), {6},
        "match");
    row("looked up", scatterOf({space("i", 4)}, {lookedUp()}), {9}, "match");
    // An axis is solved for once.
    row("one window, two positions",
        scatterOf({space("h", 6), space("w", 6), window("r", 3)},
                  {sum({{0, 1}, {2, 1}}), sum({{1, 1}, {2, 1}})}),
        {8, 8}, "shift shift");
}

void ScatterTest::ways()
{
    QFETCH(Scatter, scatter);
    QFETCH(Shape, shape);
    QFETCH(QString, expected);
    QCOMPARE(waysOf(scatter, shape), expected);
}

void ScatterTest::formulas_data()
{
    QTest::addColumn<Scatter>("scatter");
    QTest::addColumn<Shape>("shape");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, Scatter scatter, Shape shape, const char *expected) {
        QTest::newRow(name) << std::move(scatter) << std::move(shape) << expected;
    };
    const std::vector<Axis> plane{space("i", 4), space("j", 6)};
    row("permuted", scatterOf(plane, {Index::axis(1), Index::axis(0)}), {6, 4}, "d[j,i] = g[i,j]");
    row("summed", scatterOf(plane, {Index::axis(0)}), {4}, "d[i] += g[i,j]");
    row("window", scatterOf({space("h", 6), window("r", 3)}, {sum({{0, 1}, {1, 1}}, -1)}), {6},
        "d[h] += g[h-r+1,r]");
    row("reshaped",
        scatterOf(plane, {divided(sum({{0, 6}, {1, 1}}), 4), divided(sum({{0, 6}, {1, 1}}), 1, 4)}),
        {6, 4}, "d[x0,x1] = g[(x1+4*x0)/6,(x1+4*x0)%6]");
}

void ScatterTest::formulas()
{
    QFETCH(Scatter, scatter);
    QFETCH(Shape, shape);
    QFETCH(QString, expected);
    const QStringList formulas = formulasOf(scatter, shape);
    QCOMPARE(formulas, QStringList{expected});
}

void ScatterTest::phases()
{
    // 3 taps over a stride of 2: two for one phase, one for the other.
    const QStringList formulas =
        formulasOf(scatterOf({space("h", 6), window("r", 3)}, {sum({{0, 2}, {1, 1}}, -1)}), {12});
    QCOMPARE(formulas.size(), 2);
    QCOMPARE(formulas[0], "d[2*h] = g[h,1]");
    QCOMPARE(formulas[1], "d[2*h+1] += g[h-r+1,2*r]");
    // A phase that no tap reaches is 0.
    const QStringList gap =
        formulasOf(scatterOf({space("h", 6), window("r", 2)}, {sum({{0, 3}, {1, 1}})}), {17});
    QCOMPARE(gap.size(), 3);
    QCOMPARE(gap[2], "d[3*h+2] = 0");
}

void ScatterTest::sumsGoToWhereDataSay()
{
    const std::vector<Axis> plane{space("i", 4), space("j", 6)};
    const auto lookingUp = [&](IndexMap target) {
        Scatter scatter = scatterOf(plane, std::move(target));
        scatter.reads.push_back(build::readInput(1, {Index::axis(0)}));
        for (Index &index : scatter.target)
            if (index.lookup >= 0)
                index.lookup = 1;
        return scatter;
    };
    const auto stages =
        accumulated(lookingUp({lookedUp(), Index::axis(1)}), {9, 6}, 0, DataType::Float);
    QVERIFY(stages);
    QCOMPARE(stages->size(), std::size_t(2));
    const auto formula = [](const Stage &stage) {
        return QString::fromStdString(formulaOf(stage, {"g", "w"}, {"d"}));
    };
    QCOMPARE(formula((*stages)[0]), QString("d[i,j] = 0"));
    QCOMPARE(formula((*stages)[1]), QString("d[w[i],j] = d[w[i],j] + g[i,j]"));
    const auto accumulation = accumulationOf((*stages)[1]);
    QVERIFY(accumulation && accumulation->combine == Combine::Sum);
    QVERIFY(sharesElements((*stages)[1], 0) && !sharesElements((*stages)[1], 1));
    // One point for each row: a choice for each element is as much work.
    Scatter alone = lookingUp({Index::axis(0), lookedUp()});
    alone.axes.pop_back();
    alone.reads[0].map.pop_back();
    QVERIFY(!accumulated(alone, {4, 9}, 0, DataType::Float));
    // What may be outside is not added there.
    Scatter outside = lookingUp({lookedUp(), Index::axis(1)});
    outside.outside = Read::Outside::Clamp;
    QVERIFY(!accumulated(outside, {9, 6}, 0, DataType::Float));
    QVERIFY(!accumulated(scatterOf(plane, {Index::axis(1), Index::axis(0)}), {6, 4}, 0,
                         DataType::Float));
}

void ScatterTest::partsAreSummedAlone()
{
    const std::vector<Axis> axes{space("i", 4), window("j", 6)};
    const auto split = compact(scatterOf(axes, {Index::axis(0, 2)}), {8});
    QVERIFY(split);
    QVERIFY(split->shape == Shape{4});
    QVERIFY(!compact(scatterOf(axes, {Index::axis(0)}), {4}));               // reaches all
    QVERIFY(!compact(scatterOf({space("i", 4)}, {Index::axis(0, 2)}), {8})); // sums nothing
}

void ScatterTest::composesIndices()
{
    // Digits of a number make up the number, other sums of them do not.
    const Index number = sum({{0, 4}, {1, 1}});
    const std::vector<Index> images{divided(number, 6), divided(number, 1, 6)};
    const auto whole = composed(sum({{0, 6}, {1, 1}}), images);
    QVERIFY(whole && whole->isAffine() && whole->terms.size() == 2);
    QVERIFY(!composed(sum({{0, 5}, {1, 1}}), images));
    // Something may be added to a quotient, but it cannot be scaled.
    QVERIFY(composed(sum({{0, 1}}, 3), images));
    QVERIFY(!composed(sum({{0, 2}}), images));
    QVERIFY(staysWithin(number, {space("i", 6), space("j", 4)}, 24));
    QVERIFY(!staysWithin(number, {space("i", 6), space("j", 4)}, 23));
}

GRAPHLOOM_TESTS(ScatterTest)

} // namespace graphloom::test::scatter_test

#include "scatter_test.moc"
