// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/c_functions.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::c_functions_test {

class CFunctionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void functions();
    void combinations();
};

void CFunctionsTest::functions()
{
    QCOMPARE(cVectorFunction(Fn::Add, {"a", "b"}), std::string("(a + b)"));
    QCOMPARE(cVectorFunction(Fn::Exp, {"a"}), std::string("gv_exp(a)"));
    QCOMPARE(cRealFunction(Fn::Max, false, {"a", "b"}), std::string("gs_max(a, b)"));
    QCOMPARE(cRealFunction(Fn::Round, true, {"a"}), std::string("__builtin_nearbyint(a)"));
    QCOMPARE(cIntegerFunction(Fn::Mod, false, {"a", "b"}), std::string("gi_mod(a, b)"));
    QCOMPARE(cIntegerFunction(Fn::ShiftRight, true, {"a", "b"}), std::string("gu_shr(a, b)"));
    QVERIFY(cIntegerFunction(Fn::Exp, false, {"a"}).empty());
    QVERIFY(cRealFunction(Fn::BitAnd, false, {"a", "b"}).empty());
    QVERIFY(!hasVectorFunction(Fn::BitAnd));
    QVERIFY(hasVectorFunction(Fn::Select));
}

void CFunctionsTest::combinations()
{
    const auto text = [](Combine combine, bool vector, bool integer) {
        return cCombination(combine, "acc", "x", vector, false, integer, false);
    };
    QCOMPARE(text(Combine::Sum, true, false), std::string("acc + x"));
    QCOMPARE(text(Combine::Product, true, false), std::string("(acc * x)"));
    QCOMPARE(text(Combine::Max, true, false), std::string("gv_max(acc, x)"));
    QCOMPARE(text(Combine::Min, false, true), std::string("gi_min(acc, x)"));
    QVERIFY(text(Combine::ArgMax, false, false).empty());
    QVERIFY(text(Combine::None, false, false).empty());
}

GRAPHLOOM_TESTS(CFunctionsTest)

} // namespace graphloom::test::c_functions_test

#include "c_functions_test.moc"
