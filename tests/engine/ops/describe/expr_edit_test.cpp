// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/expr_edit.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::expr_edit_test {

namespace {

Expr load(int read)
{
    return Expr::load(read, DataType::Float);
}
Expr number(double value)
{
    return Expr::real(value, DataType::Float);
}

} // namespace

class ExprEditTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void leavesAreReplaced();
    void partsAreReplaced();
    void whatIsKeptStaysShared();
    void sharedPartsStayShared();
    void typesStay();
    void readsAreListedOnce();
    void zerosAndOnesAddNothing();
    void choicesStayOutside();
    void literalsThroughCasts();
};

void ExprEditTest::leavesAreReplaced()
{
    const Expr sum = load(0) + load(1);
    const Expr edited = rewritten(sum, [](const Expr::Node &leaf) {
        return leaf.index == 0 ? Expr::load(7, leaf.type) : Expr();
    });
    QCOMPARE(edited.argument(0)->index, 7);
    QCOMPARE(edited.argument(1)->index, 1);
}

void ExprEditTest::whatIsKeptStaysShared()
{
    const Expr sum = load(0) + load(1);
    const Expr edited = rewritten(sum, [](const Expr::Node &) { return Expr(); });
    QVERIFY(&*edited == &*sum);
}

void ExprEditTest::sharedPartsStayShared()
{
    const Expr part = load(0) * load(1);
    const Expr edited = rewritten(
        part + part, [](const Expr::Node &leaf) { return Expr::load(leaf.index + 1, leaf.type); });
    QVERIFY(&*edited.argument(0) == &*edited.argument(1));
}

void ExprEditTest::typesStay()
{
    const Expr expr =
        Expr::select(Expr::binary(Fn::Less, load(0), load(1)), Expr::cast(load(0), DataType::Int8),
                     Expr::table({1, 2}, Expr::cast(load(1), DataType::Int64)));
    const Expr edited = rewritten(expr, [](const Expr::Node &leaf) {
        return leaf.fn == Fn::Load ? Expr::load(leaf.index + 1, leaf.type) : Expr();
    });
    QCOMPARE(edited->fn, Fn::Select);
    QCOMPARE(edited.argument(0).type(), DataType::Bool);
    QCOMPARE(edited.argument(1).type(), DataType::Int8);
    QCOMPARE(edited.argument(2)->table->size(), std::size_t(2));
}

void ExprEditTest::readsAreListedOnce()
{
    const Expr expr = load(2) * load(0) + Expr::cast(Expr::inside(4), DataType::Float) * load(2);
    QCOMPARE(readsOf(expr), (std::vector<int>{2, 0, 4}));
}

void ExprEditTest::partsAreReplaced()
{
    const Expr inner = load(0) * load(1);
    const Expr edited = withParts(
        inner + load(2), [](const Expr &part) { return part->fn == Fn::Mul ? load(7) : Expr(); });
    QCOMPARE(edited.argument(0)->index, 7);
    QCOMPARE(edited.argument(1)->index, 2);
    QVERIFY(contains(inner, Fn::Mul) && !contains(edited, Fn::Mul));
}

void ExprEditTest::zerosAndOnesAddNothing()
{
    QCOMPARE(productOf(number(1), load(3))->index, 3);
    QCOMPARE(productOf(load(3), number(0))->fn, Fn::Real);
    QCOMPARE(sumOf(number(0), load(3))->index, 3);
    QCOMPARE(sumOf(number(2), load(3))->fn, Fn::Add);
    QCOMPARE(quotientOf(load(3), number(1))->index, 3);
    QCOMPARE(quotientOf(load(3), number(2))->fn, Fn::Div);
}

void ExprEditTest::choicesStayOutside()
{
    const Expr test = Expr::binary(Fn::Less, load(0), load(1));
    const Expr product = productOf(Expr::select(test, load(2), number(0)), load(3));
    QCOMPARE(product->fn, Fn::Select);
    QCOMPARE(product.argument(1)->fn, Fn::Mul);
    QVERIFY(isLiteral(product.argument(2), 0));
    // Only where one side is 0.
    QCOMPARE(productOf(Expr::select(test, load(2), number(2)), load(3))->fn, Fn::Mul);
}

void ExprEditTest::literalsThroughCasts()
{
    QVERIFY(isLiteral(Expr::cast(number(1), DataType::Double), 1));
    QVERIFY(!isLiteral(Expr::cast(number(1.5), DataType::Int32), 1));
    QCOMPARE(inType(number(2), DataType::Double)->fn, Fn::Real);
    QCOMPARE(inType(load(0), DataType::Double)->fn, Fn::Cast);
    QCOMPARE(bothOf(Expr(), load(0))->index, 0);
}

GRAPHLOOM_TESTS(ExprEditTest)

} // namespace graphloom::test::expr_edit_test

#include "expr_edit_test.moc"
