// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/expr_edit.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::expr_edit_test {

namespace {

Expr load(int read)
{
    return loadOf(ReadIndex(read), DataType::Float);
}

} // namespace

class ExprEditTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workCountsSharedPartsOnce();
    void formsAsExpressions();
};

void ExprEditTest::workCountsSharedPartsOnce()
{
    const Expr part = Expr::unary(Fn::Exp, load(0));
    QVERIFY(workOf(part) > workOf(load(0) + load(1)));
    QCOMPARE(workOf(part + part), workOf(part) + 1);
    QCOMPARE(workOf(load(0)), 0);
}

void ExprEditTest::formsAsExpressions()
{
    const AxisExtents extents{20, 3};
    const IndexForm x = IndexForm::variable(AxisIndex(0)), y = IndexForm::variable(AxisIndex(1));
    const Expr expr =
        exprOf(IndexForm::quotient(x, 7, extents) * 2 + IndexForm::lookup(ReadIndex(1), 9) - y + 4);
    int quotients = 0, axes = 0;
    forEachPart(expr, [&](const Expr::Node &node) {
        quotients += node.fn == Fn::FloorDiv;
        axes += node.fn == Fn::Axis;
    });
    QCOMPARE(expr.type(), DataType::Int64);
    QCOMPARE(quotients, 1);
    QCOMPARE(axes, 2);
    QCOMPARE(readsIn(expr), std::vector{ReadIndex(1)});
    QCOMPARE(exprOf(IndexForm(5))->integer, std::int64_t(5));
}

GRAPHLOOM_TESTS(ExprEditTest)

} // namespace graphloom::test::expr_edit_test

#include "expr_edit_test.moc"
