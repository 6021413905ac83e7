// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/c_names.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace graphloom;

class CNamesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void identifiers_data();
    void identifiers();
    void takenIdentifiers();
    void comments();
    void realLiterals_data();
    void realLiterals();
    void integerLiterals();
    void realsAsIntegersSaturate();
    void types();
    void functions();
    void combinations();
};

void CNamesTest::identifiers_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, const char *expected) {
        QTest::newRow(*name ? name : "empty") << name << expected;
    };
    row("k", "k");
    row("k.o", "k_o");
    row("w'", "wp");
    row("", "n");
    row("3d", "n3d");
    row("do", "do_");
    row("if", "if_");
    row("status", "status_");
    row("t", "t_");
    row("v1", "v1_");
    row("b12", "b12_");
    row("acc0", "acc0_");
    row("bc", "bc");
    row("\xc3\xa4", "__");
}

void CNamesTest::identifiers()
{
    QFETCH(QString, name);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(cIdentifier(name.toStdString(), {})), expected);
}

void CNamesTest::takenIdentifiers()
{
    QCOMPARE(cIdentifier("k.o", {"k_o", "k_o_2"}), std::string("k_o_3"));
}

void CNamesTest::comments()
{
    QCOMPARE(cComment("a\nb\\"), std::string("a?b?"));
}

void CNamesTest::realLiterals_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("expected");
    const auto row = [](double value, DataType type, const char *expected) {
        QTest::newRow(expected) << value << int(type) << expected;
    };
    row(1, DataType::Float, "1.0f");
    row(-0.5, DataType::Float, "(-0.5f)");
    row(-0.0, DataType::Float, "(-0.0f)");
    row(0.1, DataType::Double, "0.1");
    row(1e-30, DataType::Float, "1e-30f");
    row(INFINITY, DataType::Float, "(__builtin_inff())");
    row(-1e300, DataType::Float, "(-__builtin_inff())");
    row(-INFINITY, DataType::Double, "(-__builtin_inf())");
    row(NAN, DataType::Float, "__builtin_nanf(\"\")");
    row(2.5, DataType::Float16, "2.5f");
}

void CNamesTest::realLiterals()
{
    QFETCH(double, value);
    QFETCH(int, type);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(cLiteral(value, DataType(type))), expected);
}

void CNamesTest::integerLiterals()
{
    using Limits = std::numeric_limits<std::int64_t>;
    QCOMPARE(cLiteral(std::int64_t{7}, DataType::Int32), std::string("7"));
    QCOMPARE(cLiteral(std::int64_t{-7}, DataType::Int64), std::string("(-7)"));
    QCOMPARE(cLiteral(std::int64_t{-1}, DataType::Uint64), std::string("18446744073709551615u"));
    QCOMPARE(cLiteral(Limits::min(), DataType::Int64), std::string("(-9223372036854775807 - 1)"));
}

void CNamesTest::realsAsIntegersSaturate()
{
    QCOMPARE(cLiteral(-1e300, DataType::Int8), std::string("(-128)"));
    QCOMPARE(cLiteral(1e300, DataType::Uint8), std::string("255"));
    QCOMPARE(cLiteral(-1e300, DataType::Uint64), std::string("0u"));
    QCOMPARE(cLiteral(1e300, DataType::Int64), std::string("9223372036854775807"));
}

void CNamesTest::types()
{
    QCOMPARE(cType(DataType::Float), std::string("float"));
    QCOMPARE(cType(DataType::Bool), std::string("uint8_t"));
    QCOMPARE(cType(DataType::BFloat16), std::string("uint16_t"));
    QCOMPARE(cHalf(DataType::BFloat16), std::string("bf16"));
    for (const DataType type : {DataType::String, DataType::Complex64, DataType::Int4,
                                DataType::Float8E4M3FN, DataType::Undefined})
        QCOMPARE(cType(type), std::string());
}

void CNamesTest::functions()
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

void CNamesTest::combinations()
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

QTEST_APPLESS_MAIN(CNamesTest)
#include "c_names_test.moc"
