// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/prelude.h"
#include "engine/ir/tensor_data.h"
#include "engine/runtime/scalar_math.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace graphloom;

namespace {

using Floats = std::vector<float>;
using Map = void (*)(const float *, float *, long);
using Map2 = void (*)(const float *, const float *, float *, long);

struct Build {
    int lanes;
    QStringList machine;
    bool runs; ///< on this CPU
};

std::vector<Build> makeBuilds()
{
    const QStringList avx512{"-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mfma"};
    const QStringList avx2{"-mavx2", "-mfma", "-mf16c"};
    const bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    const bool has2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return {{16, avx512, has512}, {8, avx512, has512}, {16, avx2, has2},
            {8, avx2, has2},      {4, avx2, has2},     {4, {}, true}};
}

/// Padded to whole vectors.
Floats padded(Floats values)
{
    values.resize((values.size() + 15) / 16 * 16, 1.0f);
    return values;
}

/// Floats over all exponents and both signs, and values at which functions change their behaviour.
const Floats &sweep()
{
    static const Floats values = [] {
        Floats all{NAN, INFINITY, -INFINITY};
        for (const float x : {0.0f,        1e-45f,       1.1754942e-38f, 1.17549435e-38f,
                              0.49999997f, 0.5f,         0.7f,           1.0f,
                              1.5f,        2.0f,         2.5f,           3.0f,
                              8388607.5f,  8388608.0f,   16777215.0f,    87.3f,
                              88.72283f,   88.722845f,   103.9f,         104.1f,
                              1e5f,        3.4028235e38f}) {
            all.push_back(x);
            all.push_back(-x);
        }
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 8191)
            all.push_back(std::bit_cast<float>(std::uint32_t(bits)));
        return padded(std::move(all));
    }();
    return values;
}

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

bool same(float a, float b)
{
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<int>(a) == std::bit_cast<int>(b);
}

struct Function {
    const char *name;
    double (*exact)(double);
    double most; ///< ulps
};

// Of the first six the greatest error measured over every 17th float on all builds, rounded up; the
// others are libm's own.
const Function functions[] = {
    {"exp", std::exp, 1.0},     {"log", std::log, 0.82},    {"tanh", std::tanh, 1.34},
    {"erf", std::erf, 1.41},    {"sin", std::sin, 1.6},     {"cos", std::cos, 1.6},
    {"tan", std::tan, 2.0},     {"asin", std::asin, 2.0},   {"acos", std::acos, 2.0},
    {"atan", std::atan, 2.0},   {"sinh", std::sinh, 2.0},   {"cosh", std::cosh, 2.0},
    {"asinh", std::asinh, 2.0}, {"acosh", std::acosh, 2.0}, {"atanh", std::atanh, 2.0},
};

/// Memory whose end is followed by a page that must not be touched; writes as much as `T
/// values[n]`.
template <class T> class AtTheEnd {
public:
    explicit AtTheEnd(int n)
        : m_page(std::size_t(sysconf(_SC_PAGESIZE))),
          m_start(
              mmap(nullptr, 2 * m_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    {
        mprotect(static_cast<char *>(m_start) + m_page, m_page, PROT_NONE);
        values = reinterpret_cast<T *>(static_cast<char *>(m_start) + m_page) - n;
        for (int i = 0; i < n; ++i)
            values[i] = T(i + 1);
    }
    ~AtTheEnd() { munmap(m_start, 2 * m_page); }
    Q_DISABLE_COPY_MOVE(AtTheEnd)

    T *values;

private:
    std::size_t m_page;
    void *m_start;
};

} // namespace

class PreludeTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::map<std::string, void *> m_libraries;
    void *m_library = nullptr;

    void builds();
    template <class Call> Call find(const QString &name)
    {
        void *symbol = dlsym(m_library, qPrintable(name));
        if (!symbol)
            qFatal("the driver has no %s", qPrintable(name));
        return reinterpret_cast<Call>(symbol);
    }

private Q_SLOTS:
    void init();
    void cleanupTestCase();
    void compiles_data();
    void compiles();
    void functionsAreNearTheExactValue_data() { builds(); }
    void functionsAreNearTheExactValue();
    void roundsAsTheInterpreter_data() { builds(); }
    void roundsAsTheInterpreter();
    void comparesAsTheInterpreter_data() { builds(); }
    void comparesAsTheInterpreter();
    void boundsByConstants_data() { builds(); }
    void boundsByConstants();
    void raisesToPowers_data() { builds(); }
    void raisesToPowers();
    void reduces_data() { builds(); }
    void reduces();
    void movesFirstLanesOnly_data() { builds(); }
    void movesFirstLanesOnly();
    void convertsIntegers_data() { builds(); }
    void convertsIntegers();
    void convertsHalves_data() { builds(); }
    void convertsHalves();
};

void PreludeTest::compiles_data()
{
    QTest::addColumn<QString>("compiler");
    QTest::addColumn<int>("lanes");
    QTest::addColumn<QStringList>("machine");
    QTest::addColumn<bool>("runs");
    for (const QString compiler : {"gcc", "clang"})
        for (const Build &build : makeBuilds())
            QTest::addRow("%s %d %s", qPrintable(compiler), build.lanes,
                          qPrintable(build.machine.join(' ')))
                << compiler << build.lanes << build.machine << build.runs;
}

void PreludeTest::builds()
{
    compiles_data();
}

/// Compiles what the row says, without a warning, and loads it.
void PreludeTest::compiles()
{
    QFETCH(QString, compiler);
    QFETCH(int, lanes);
    QFETCH(QStringList, machine);
    QFETCH(bool, runs);
    if (QStandardPaths::findExecutable(compiler).isEmpty())
        QSKIP(qPrintable(compiler + " is not installed"));
    QFile driver(QFINDTESTDATA("engine/codegen/prelude_driver.c"));
    QVERIFY(driver.open(QIODevice::ReadOnly));
    const QString base = m_folder.filePath(QString::number(m_libraries.size()));
    QFile source(base + ".c");
    QVERIFY(source.open(QIODevice::WriteOnly));
    source.write(QByteArray(cPrelude().data(), qsizetype(cPrelude().size())) + driver.readAll());
    source.close();
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(compiler, QStringList{"-std=c11", "-O2", "-Wall", "-Wextra", "-Werror",
                                        "-Wno-psabi", "-fno-math-errno", "-fPIC", "-shared",
                                        QString("-DGL_LANES=%1").arg(lanes)} +
                                machine +
                                QStringList{source.fileName(), "-o", base + ".so", "-lm"});
    QVERIFY(process.waitForFinished(60000));
    const QByteArray output = process.readAll();
    QVERIFY2(process.exitCode() == 0 && output.isEmpty(), output);
    void *library = runs ? dlopen(qPrintable(base + ".so"), RTLD_NOW) : nullptr;
    QVERIFY2(!runs || library, runs && !library ? dlerror() : "");
    m_libraries[QTest::currentDataTag()] = library;
}

void PreludeTest::cleanupTestCase()
{
    for (const auto &[name, library] : m_libraries)
        if (library)
            dlclose(library);
}

/// Takes the library that compiles() made for this row.
void PreludeTest::init()
{
    if (QByteArray(QTest::currentTestFunction()) == "compiles")
        return;
    const auto found = m_libraries.find(QTest::currentDataTag());
    if (found == m_libraries.end())
        QSKIP("the compiler is not installed");
    m_library = found->second;
    if (!m_library)
        QSKIP("this CPU does not have these instructions");
}

void PreludeTest::functionsAreNearTheExactValue()
{
    const Floats &x = sweep();
    Floats y(x.size());
    static std::map<QString, std::vector<double>> exactValues;
    for (const auto &[name, exact, most] : functions) {
        std::vector<double> &expected = exactValues[name];
        if (expected.empty())
            for (const float value : x)
                expected.push_back(exact(value));
        for (const QString kind : {"v_", "s_"}) {
            find<Map>(kind + name)(x.data(), y.data(), long(x.size()));
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

void PreludeTest::roundsAsTheInterpreter()
{
    const std::pair<const char *, double (*)(double, double)> rounding[] = {
        {"floor", scalar::ofReals<Fn::Floor>},
        {"ceil", scalar::ofReals<Fn::Ceil>},
        {"round", scalar::ofReals<Fn::Round>},
        {"abs", scalar::ofReals<Fn::Abs>},
        {"sqrt", scalar::ofReals<Fn::Sqrt>}};
    const Floats &x = sweep();
    Floats y(x.size());
    for (const auto &[name, exact] : rounding)
        for (const QString kind : {"v_", "s_"}) {
            find<Map>(kind + name)(x.data(), y.data(), long(x.size()));
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
    Floats y(a.size());
    for (const auto &[name, exact] : comparing)
        for (const QString kind : {"v_", "s_"}) {
            find<Map2>(kind + name)(a.data(), b.data(), y.data(), long(a.size()));
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
    Floats least(c.size()), most(c.size());
    for (const QString kind : {"v_", "s_"}) {
        find<Map2>(kind + "max_c")(c.data(), x.data(), least.data(), long(c.size()));
        find<Map2>(kind + "min_c")(c.data(), x.data(), most.data(), long(c.size()));
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
    for (const float base :
         {0.01f, 0.9f, 1.001f, 1.7f, 40.0f, -3.0f, 1e-40f}) // and near the overflow
        for (float exponent = -160; exponent < 160; exponent += 0.375f) {
            a.push_back(base);
            b.push_back(exponent);
        }
    a = padded(a);
    b = padded(b);
    Floats y(a.size());
    for (const QString kind : {"v_", "s_"}) {
        find<Map2>(kind + "pow")(a.data(), b.data(), y.data(), long(a.size()));
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

void PreludeTest::reduces()
{
    QFETCH(int, lanes);
    Floats x(std::size_t(lanes), 0.0f);
    float sum = 0;
    for (int i = 0; i < lanes; ++i)
        sum += x[std::size_t(i)] = float((i * 7 + 3) % lanes) - 2; // each of -2, -1, ... once
    QCOMPARE(find<float (*)(const float *)>("v_sum")(x.data()), sum);
    QCOMPARE(find<float (*)(const float *)>("v_hmax")(x.data()), float(lanes - 3));
    QCOMPARE(find<float (*)(const float *)>("v_hmin")(x.data()), -2.0f);
    for (float &lane : x) {
        const float kept = std::exchange(lane, NAN);
        QVERIFY(std::isnan(find<float (*)(const float *)>("v_hmax")(x.data())));
        QVERIFY(std::isnan(find<float (*)(const float *)>("v_hmin")(x.data())));
        lane = kept;
    }
}

void PreludeTest::movesFirstLanesOnly()
{
    QFETCH(int, lanes);
    const auto move = find<void (*)(int, float *, std::int32_t *, std::uint16_t *, std::uint16_t *,
                                    float *, std::int32_t *, float *, float *)>("first_lanes");
    for (int n = 1; n < lanes; ++n) {
        const AtTheEnd<float> x(n);
        const AtTheEnd<std::int32_t> integers(n);
        const AtTheEnd<std::uint16_t> half(n), brain(n);
        Floats loaded(16), halves(16), brains(16);
        std::vector<std::int32_t> loadedIntegers(16);
        move(n, x.values, integers.values, half.values, brain.values, loaded.data(),
             loadedIntegers.data(), halves.data(), brains.data());
        for (int i = 0; i < lanes; ++i) {
            const auto at = std::size_t(i);
            const int expected = i < n ? i + 1 : 0;
            QCOMPARE(loaded[at], float(expected));
            QCOMPARE(loadedIntegers[at], expected);
            QCOMPARE(halves[at], std::ldexp(float(expected), -24));
            QCOMPARE(brains[at], std::bit_cast<float>(expected << 16));
        }
        for (int i = 0; i < n; ++i) {
            QCOMPARE(x.values[i], 5.0f);
            QCOMPARE(integers.values[i], 6);
            QCOMPARE(half.values[i], 0x3c00);
            QCOMPARE(brain.values[i], 0x3f80);
        }
    }
}

void PreludeTest::convertsIntegers()
{
    Floats x;
    for (float value = -2147483648.0f; value < 2147483648.0f; value += 12345678.9f)
        for (const float shift : {0.0f, 0.5f, -0.75f})
            x.push_back(value / float(1 + x.size() % 1000) + shift);
    x = padded(x);
    for (const QString kind : {"v_", "s_"}) {
        std::vector<std::int32_t> y(x.size(), 1);
        y[1] = 0; // takes the other arm of the driver's selection
        find<void (*)(const float *, std::int32_t *, long)>(kind + "integers")(x.data(), y.data(),
                                                                               long(x.size()));
        QCOMPARE(y[1], 7);
        y[1] = std::int32_t(x[1]);
        Floats back(x.size());
        find<void (*)(const std::int32_t *, float *, long)>(kind + "reals")(y.data(), back.data(),
                                                                            long(x.size()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            QCOMPARE(std::int64_t(y[i]), scalar::truncatedTo(DataType::Int32, x[i]));
            QCOMPARE(back[i], float(y[i]));
        }
    }
}

void PreludeTest::convertsHalves()
{
    std::vector<std::uint16_t> all(1 << 16);
    std::iota(all.begin(), all.end(), std::uint16_t(0));
    Floats reals(all.size());
    const Floats &x = sweep();
    std::vector<std::uint16_t> stored(x.size());
    for (const auto &[name, type] :
         {std::pair{"f16", DataType::Float16}, {"bf16", DataType::BFloat16}})
        for (const QString kind : {"v_", "s_"}) {
            find<void (*)(const std::uint16_t *, float *, long)>(kind + "load_" + name)(
                all.data(), reals.data(), long(all.size()));
            for (std::size_t i = 0; i < all.size(); ++i)
                if (const auto bytes = reinterpret_cast<const std::byte *>(&all[i]);
                    !same(reals[i], float(decodeReal(type, bytes))))
                    QFAIL(qPrintable(QString("%1load_%2 of %3: %4")
                                         .arg(kind, name)
                                         .arg(all[i], 0, 16)
                                         .arg(reals[i])));
            find<void (*)(const float *, std::uint16_t *, long)>(kind + "store_" + name)(
                x.data(), stored.data(), long(x.size()));
            for (std::size_t i = 0; i < x.size(); ++i) {
                const auto bytes = reinterpret_cast<const std::byte *>(&stored[i]);
                if (!same(float(decodeReal(type, bytes)), float(scalar::roundedTo(type, x[i]))))
                    QFAIL(qPrintable(QString("%1store_%2 of %3: %4")
                                         .arg(kind, name)
                                         .arg(x[i], 0, 'g', 9)
                                         .arg(stored[i], 0, 16)));
            }
        }
}

QTEST_GUILESS_MAIN(PreludeTest)
#include "prelude_test.moc"
