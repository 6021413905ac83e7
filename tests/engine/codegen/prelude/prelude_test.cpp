// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/codegen/prelude/prelude_builds.h"

#include "engine/interpreter/stages/scalar_math.h"
#include "tests/support/test_program.h"

namespace graphloom::test::prelude_test {

namespace {

using Map = void (*)(const float *, float *, long);
using Map2 = void (*)(const float *, const float *, float *, long);

/// Distance in units of the last place of a float near the exact value; infinite where one is NaN
/// and the other is not, or where zeros have different signs.
double ulps(double exact, float value)
{
    if (std::isnan(exact) || std::isnan(value))
        return std::isnan(exact) && std::isnan(value) ? 0 : INFINITY;
    if (float(exact) == value)
        return value != 0 || std::signbit(exact) == std::signbit(value) ? 0 : INFINITY;
    if (std::isinf(exact))
        return INFINITY;
    const double finite = std::isinf(value) ? std::copysign(0x1p128, value) : double(value);
    int exponent;
    std::frexp(exact, &exponent);
    return std::fabs(finite - exact) / std::ldexp(1, std::clamp(exponent - 24, -149, 104));
}

struct Function {
    const char *name;
    double (*exact)(double);
    double most; ///< ulps
};

/// 0 where the prelude has it.
double exponential(double x)
{
    const double y = std::exp(x);
    return y < 0x1.6a09e6p-126 ? 0 : y; // 2^-125.5
}

// Of the first six the greatest error measured over every 17th float on all builds, rounded up; the
// others are libm's own.
const Function functions[] = {
    {"exp", exponential, 1.0},  {"log", std::log, 0.82},    {"tanh", std::tanh, 1.34},
    {"erf", std::erf, 1.41},    {"sin", std::sin, 1.6},     {"cos", std::cos, 1.6},
    {"tan", std::tan, 2.0},     {"asin", std::asin, 2.0},   {"acos", std::acos, 2.0},
    {"atan", std::atan, 2.0},   {"sinh", std::sinh, 2.0},   {"cosh", std::cosh, 2.0},
    {"asinh", std::asinh, 2.0}, {"acosh", std::acosh, 2.0}, {"atanh", std::atanh, 2.0},
};

} // namespace

class PreludeTest : public QObject {
    Q_OBJECT

    PreludeBuilds m_builds{QFINDTESTDATA("engine/codegen/prelude/prelude_functions.c")};

private Q_SLOTS:
    void init() { m_builds.prepareRow(); }
    void functionsAreNearTheExactValue_data() { PreludeBuilds::addRows(); }
    void functionsAreNearTheExactValue();
    void exponentialsAreNeverSubnormal_data() { PreludeBuilds::addRows(); }
    void exponentialsAreNeverSubnormal();
    void roundsAsTheInterpreter_data() { PreludeBuilds::addRows(); }
    void roundsAsTheInterpreter();
    void comparesAsTheInterpreter_data() { PreludeBuilds::addRows(); }
    void comparesAsTheInterpreter();
    void boundsByConstants_data() { PreludeBuilds::addRows(); }
    void boundsByConstants();
    void raisesToPowers_data() { PreludeBuilds::addRows(); }
    void raisesToPowers();
};

void PreludeTest::functionsAreNearTheExactValue()
{
    const Floats &x = sweep();
    QVERIFY(x.size() > 500'000);
    Floats y(x.size());
    static std::map<QString, std::vector<double>> exactValues;
    for (const auto &[name, exact, most] : functions) {
        std::vector<double> &expected = exactValues[name];
        if (expected.empty())
            for (const float value : x)
                expected.push_back(exact(value));
        for (const QString kind : {"v_", "s_"}) {
            m_builds.find<Map>(kind + name)(x.data(), y.data(), long(x.size()));
            for (std::size_t i = 0; i < x.size(); ++i)
                if (const double error = ulps(expected[i], y[i]); !(error <= most))
                    QFAIL(qPrintable(QString("%1%2(%3) = %4, not %5: %6 ulp")
                                         .arg(kind, name)
                                         .arg(x[i], 0, 'g', 9)
                                         .arg(y[i], 0, 'g', 9)
                                         .arg(expected[i], 0, 'g', 9)
                                         .arg(error)));
        }
    }
}

/// Of the activations of a network many may be beyond 87, and vectors with subnormal numbers take
/// several times as long, on some processors much longer.
void PreludeTest::exponentialsAreNeverSubnormal()
{
    Floats x;
    for (float value = -110; value < -80; value += 0.0078125f)
        x.push_back(value);
    x = padded(std::move(x));
    Floats y(x.size());
    for (const char *kind : {"v_exp", "s_exp"}) {
        m_builds.find<Map>(kind)(x.data(), y.data(), long(x.size()));
        const auto isSubnormal = [](float value) { return std::fpclassify(value) == FP_SUBNORMAL; };
        QCOMPARE(std::ranges::count_if(y, isSubnormal), 0);
        QVERIFY(y[0] == 0 && y[x.size() - 100] > 0); // of -110 and of about -81
    }
}

void PreludeTest::roundsAsTheInterpreter()
{
    const std::pair<const char *, double (*)(double, double)> rounding[] = {
        {"floor", scalar::ofReals<Fn::Floor>},
        {"ceil", scalar::ofReals<Fn::Ceil>},
        {"round", scalar::ofReals<Fn::Round>},
        {"abs", scalar::ofReals<Fn::Abs>},
        {"sqrt", scalar::ofReals<Fn::Sqrt>}};
    const Floats &x = sweep();
    QVERIFY(x.size() > 500'000);
    Floats y(x.size());
    for (const auto &[name, exact] : rounding)
        for (const QString kind : {"v_", "s_"}) {
            m_builds.find<Map>(kind + name)(x.data(), y.data(), long(x.size()));
            for (std::size_t i = 0; i < x.size(); ++i)
                if (const auto expected = float(exact(x[i], 0)); !same(y[i], expected))
                    QFAIL(qPrintable(QString("%1%2(%3) = %4").arg(kind, name).arg(x[i]).arg(y[i])));
        }
}

namespace {

/// All pairs of values at which comparisons and powers behave differently.
std::pair<Floats, Floats> pairs()
{
    Floats values{NAN,  INFINITY, 0, 1e-45f, 1e-20f, 0.25f, 0.5f, 0.99999994f, 1,     1.0000001f,
                  1.5f, 2,        3, 4,      7.5f,   31,    1e7f, 16777215,    1e20f, 3e38f};
    for (std::size_t i = 1, n = values.size(); i < n; ++i)
        values.push_back(-values[i]);
    Floats a, b;
    for (const float x : values)
        for (const float y : values) {
            a.push_back(x);
            b.push_back(y);
        }
    return {padded(a), padded(b)};
}

} // namespace

void PreludeTest::comparesAsTheInterpreter()
{
    const std::pair<const char *, double (*)(double, double)> comparing[] = {
        {"max", scalar::ofReals<Fn::Max>},
        {"min", scalar::ofReals<Fn::Min>},
        {"pick", [](double a, double b) { return a < b ? a : b; }},
        {"copysign", [](double a, double b) { return std::copysign(a, b); }},
        {"minus", [](double a, double b) { return b - a; }}}; // as -1 a + b
    const auto [a, b] = pairs();
    QVERIFY(a.size() > 1000 && b.size() == a.size());
    Floats y(a.size());
    for (const auto &[name, exact] : comparing)
        for (const QString kind : {"v_", "s_"}) {
            m_builds.find<Map2>(kind + name)(a.data(), b.data(), y.data(), long(a.size()));
            for (std::size_t i = 0; i < a.size(); ++i)
                if (!same(y[i], float(exact(a[i], b[i]))))
                    QFAIL(qPrintable(QString("%1%2(%3, %4) = %5")
                                         .arg(kind, name)
                                         .arg(a[i])
                                         .arg(b[i])
                                         .arg(y[i])));
        }
}

/// Equal to the interpreter's with the constant first; with the constant second but for zeros.
void PreludeTest::boundsByConstants()
{
    const auto [c, x] = pairs();
    QVERIFY(c.size() > 1000 && x.size() == c.size());
    Floats least(c.size()), most(c.size());
    for (const QString kind : {"v_", "s_"}) {
        m_builds.find<Map2>(kind + "max_c")(c.data(), x.data(), least.data(), long(c.size()));
        m_builds.find<Map2>(kind + "min_c")(c.data(), x.data(), most.data(), long(c.size()));
        for (std::size_t i = 0; i < c.size(); ++i) {
            if (std::isnan(c[i]))
                continue;
            QVERIFY(same(least[i], float(scalar::ofReals<Fn::Max>(c[i], x[i]))));
            QVERIFY(same(most[i], float(scalar::ofReals<Fn::Min>(c[i], x[i]))));
            if (c[i] != 0 || x[i] != 0) {
                QVERIFY(same(least[i], float(scalar::ofReals<Fn::Max>(x[i], c[i]))));
                QVERIFY(same(most[i], float(scalar::ofReals<Fn::Min>(x[i], c[i]))));
            }
        }
    }
}

void PreludeTest::raisesToPowers()
{
    auto [a, b] = pairs();
    const auto add = [&](float base, float exponent) {
        a.push_back(base);
        b.push_back(exponent);
    };
    for (const float base : {0.01f, 0.9f, 1.001f, 1.7f, 40.0f, 1e7f, -3.0f, 1e-40f}) {
        for (float exponent = -160; exponent < 160; exponent += 0.375f) // around the overflow
            add(base, exponent);
        for (float exponent = 1000; exponent < 1e37f; exponent *= 1.7f) { // far beyond it
            add(base, exponent);
            add(base, -exponent);
        }
    }
    a = padded(a);
    b = padded(b);
    QVERIFY(a.size() > 5000 && b.size() == a.size());
    Floats y(a.size());
    for (const QString kind : {"v_", "s_"}) {
        m_builds.find<Map2>(kind + "pow")(a.data(), b.data(), y.data(), long(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double exact = scalar::ofReals<Fn::Pow>(a[i], b[i]);
            if (const double error = ulps(exact, y[i]); !(error <= 1.0))
                QFAIL(qPrintable(QString("%1pow(%2, %3) = %4, not %5: %6 ulp")
                                     .arg(kind)
                                     .arg(a[i], 0, 'g', 9)
                                     .arg(b[i], 0, 'g', 9)
                                     .arg(y[i], 0, 'g', 9)
                                     .arg(exact, 0, 'g', 9)
                                     .arg(error)));
        }
    }
}

GRAPHLOOM_TESTS(PreludeTest)

} // namespace graphloom::test::prelude_test

#include "prelude_test.moc"
