// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/c_names.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace graphloom::test::c_names_test {

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

GRAPHLOOM_TESTS(CNamesTest)

} // namespace graphloom::test::c_names_test

#include "c_names_test.moc"
