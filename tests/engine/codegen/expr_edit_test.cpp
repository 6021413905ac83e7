// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/expr_edit.h"

#include <QtTest>

using namespace graphloom;

namespace {

Expr load(int read)
{
    return Expr::load(read, DataType::Float);
}

} // namespace

class ExprEditTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void leavesAreReplaced();
    void whatIsKeptStaysShared();
    void sharedPartsStayShared();
    void typesStay();
    void workCountsSharedPartsOnce();
    void readsAreListedOnce();
    void formsAsExpressions();
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

void ExprEditTest::workCountsSharedPartsOnce()
{
    const Expr part = Expr::unary(Fn::Exp, load(0));
    QVERIFY(workOf(part) > workOf(load(0) + load(1)));
    QCOMPARE(workOf(part + part), workOf(part) + 1);
    QCOMPARE(workOf(load(0)), 0);
}

void ExprEditTest::readsAreListedOnce()
{
    const Expr expr = load(2) * load(0) + Expr::cast(Expr::inside(4), DataType::Float) * load(2);
    QCOMPARE(readsOf(expr), (std::vector<int>{2, 0, 4}));
}

void ExprEditTest::formsAsExpressions()
{
    const std::vector<std::int64_t> extents{20, 3};
    const IndexForm x = IndexForm::variable(0), y = IndexForm::variable(1);
    const Expr expr =
        exprOf(IndexForm::quotient(x, 7, extents) * 2 + IndexForm::lookup(1, 9) - y + 4);
    int quotients = 0, axes = 0;
    forEachPart(expr, [&](const Expr::Node &node) {
        quotients += node.fn == Fn::FloorDiv;
        axes += node.fn == Fn::Axis;
    });
    QCOMPARE(expr.type(), DataType::Int64);
    QCOMPARE(quotients, 1);
    QCOMPARE(axes, 2);
    QCOMPARE(readsOf(expr), std::vector<int>{1});
    QCOMPARE(exprOf(IndexForm(5))->integer, std::int64_t(5));
}

QTEST_APPLESS_MAIN(ExprEditTest)
#include "expr_edit_test.moc"
