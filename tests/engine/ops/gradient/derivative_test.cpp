// SPDX-License-Identifier: Apache-2.0
// Derivatives of bodies, against central differences.
#include "engine/ops/gradient/derivative.h"
#include "tests/support/operator_run.h"

#include "engine/interpreter/stages/stage_runner.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <functional>

namespace graphloom::test::derivative_test {

namespace {

constexpr double steps[] = {-1.7, -0.6, 0.3, 0.8, 1.9};

const Expr x = Expr::load(0, DataType::Double), y = Expr::load(1, DataType::Double);

/// The value of an expression over two loaded numbers.
double valueOf(const Expr &body, double first, double second)
{
    Stage stage;
    for (int input = 0; input < 2; ++input)
        stage.reads.push_back({{Operand::Kind::Input, input}, {}, Read::Outside::Never, 0});
    stage.body = body;
    Description description;
    description.values.push_back({DataType::Double, Shape{}, {}});
    description.stages.push_back(std::move(stage));
    const TensorData a = numbers(DataType::Double, {}, {first}),
                     b = numbers(DataType::Double, {}, {second});
    const OperatorRun call("Foo", {a, b});
    const TensorData *inputs[] = {&a, &b};
    return (*runStagesLiterally(description, call.call(), inputs))[0].real(0);
}

double differenceQuotient(const Expr &body, int variable, double first, double second)
{
    constexpr double h = 1e-6;
    const double dx = variable == 0 ? h : 0, dy = variable == 1 ? h : 0;
    return (valueOf(body, first + dx, second + dy) - valueOf(body, first - dx, second - dy)) /
           (2 * h);
}

Expr of(Fn fn, const Expr &a)
{
    return Expr::unary(fn, a);
}
Expr of(Fn fn, const Expr &a, const Expr &b)
{
    return Expr::binary(fn, a, b);
}

} // namespace

class DerivativeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isTheLimitOfDifferences_data();
    void isTheLimitOfDifferences();
    void leavesOutZerosAndOnes();
    void isByTheVariableAlone();
    void ofTheAccumulator();
    void stepsAreFlat();
    void refusesBitsAndRemainders();
};

void DerivativeTest::isTheLimitOfDifferences_data()
{
    QTest::addColumn<Expr>("body");
    for (const Fn fn : {Fn::Negate, Fn::Abs, Fn::Exp, Fn::Sin, Fn::Cos, Fn::Tan, Fn::Atan, Fn::Sinh,
                        Fn::Cosh, Fn::Tanh, Fn::Asinh, Fn::Erf, Fn::Floor, Fn::Sign})
        QTest::newRow(std::string(nameOf(fn)).c_str()) << of(fn, x * y);
    const Expr positive = x * x + 0.1, small = of(Fn::Tanh, x * y) * 0.9;
    QTest::newRow("sqrt") << of(Fn::Sqrt, positive);
    QTest::newRow("log") << of(Fn::Log, positive);
    QTest::newRow("acosh") << of(Fn::Acosh, positive + 1.0);
    QTest::newRow("asin") << of(Fn::Asin, small);
    QTest::newRow("acos") << of(Fn::Acos, small);
    QTest::newRow("atanh") << of(Fn::Atanh, small);
    QTest::newRow("sum") << x + y * 3.0;
    QTest::newRow("difference") << x * 2.0 - y * x;
    QTest::newRow("quotient") << x / y;
    QTest::newRow("quotient by a number") << x / 3.0;
    QTest::newRow("min") << of(Fn::Min, x * 2.0, y);
    QTest::newRow("max") << of(Fn::Max, x * 2.0, y);
    QTest::newRow("power of a number") << of(Fn::Pow, x, Expr::real(3, DataType::Double));
    QTest::newRow("power") << of(Fn::Pow, positive, y);
    QTest::newRow("select") << Expr::select(of(Fn::Less, x, y), x * x, y * x);
    QTest::newRow("remainder by a number")
        << of(Fn::Fmod, x * 5.1, Expr::real(1.5, DataType::Double));
    QTest::newRow("through float")
        << Expr::cast(x, DataType::Double) * Expr::cast(y, DataType::Double);
    QTest::newRow("gelu") << x * 0.5 * (of(Fn::Erf, x * std::sqrt(0.5)) + 1.0);
}

void DerivativeTest::isTheLimitOfDifferences()
{
    QFETCH(Expr, body);
    for (const int variable : {0, 1}) {
        const auto slope = derivative(body, Variable::load(variable));
        QVERIFY(slope);
        for (const double a : steps)
            for (const double b : {-1.1, 0.45, 2.3}) {
                const double expected = differenceQuotient(body, variable, a, b);
                const double actual = valueOf(*slope, a, b);
                QVERIFY2(std::fabs(actual - expected) <= 1e-5 * (1 + std::fabs(expected)),
                         qPrintable(QString("by %1 at %2, %3: %4 instead of %5")
                                        .arg(variable)
                                        .arg(a)
                                        .arg(b)
                                        .arg(actual)
                                        .arg(expected)));
            }
    }
}

void DerivativeTest::leavesOutZerosAndOnes()
{
    QCOMPARE((*derivative(x + y, Variable::load(0)))->fn, Fn::Real);
    QCOMPARE((*derivative(x * y, Variable::load(0)))->fn, Fn::Load);
    QCOMPARE((*derivative(x * y, Variable::load(0)))->index, 1);
}

void DerivativeTest::isByTheVariableAlone()
{
    const auto slope = derivative(of(Fn::Exp, y), Variable::load(0));
    QVERIFY(slope && (*slope)->fn == Fn::Real && (*slope)->real == 0);
}

void DerivativeTest::ofTheAccumulator()
{
    const Expr acc = Expr::accumulator(DataType::Double);
    const auto slope = derivative(acc / 4.0 + x, Variable::accumulator());
    QVERIFY(slope);
    QCOMPARE(valueOf(*slope, 1, 1), 0.25);
}

void DerivativeTest::stepsAreFlat()
{
    const Expr isLess = of(Fn::Less, x, y);
    const auto slope = derivative(Expr::cast(isLess, DataType::Double), Variable::load(0));
    QVERIFY(slope);
    QCOMPARE(valueOf(*slope, 1, 2), 0.0);
}

void DerivativeTest::refusesBitsAndRemainders()
{
    QVERIFY(!derivative(of(Fn::Mod, y, x), Variable::load(0)));
    QVERIFY(!derivative(of(Fn::FloorDiv, x, y), Variable::load(0)));
}

GRAPHLOOM_TESTS(DerivativeTest)

} // namespace graphloom::test::derivative_test

#include "derivative_test.moc"
