// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/codegen/prelude/prelude_builds.h"

#include "engine/interpreter/stages/scalar_math.h"
#include "engine/ir/tensor_data.h"
#include "tests/support/test_program.h"

#include <sys/mman.h>
#include <unistd.h>

namespace graphloom::test::prelude_memory_test {

namespace {

/// `T values[n]` and behind them a page that must not be touched.
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

class PreludeMemoryTest : public QObject {
    Q_OBJECT

    PreludeBuilds m_builds{QFINDTESTDATA("engine/codegen/prelude/prelude_memory.c")};

private Q_SLOTS:
    void init() { m_builds.prepareRow(); }
    void reduces_data() { PreludeBuilds::addRows(); }
    void reduces();
    void movesFirstLanesOnly_data() { PreludeBuilds::addRows(); }
    void movesFirstLanesOnly();
    void convertsIntegers_data() { PreludeBuilds::addRows(); }
    void convertsIntegers();
    void convertsHalves_data() { PreludeBuilds::addRows(); }
    void convertsHalves();
};

void PreludeMemoryTest::reduces()
{
    QFETCH(int, lanes);
    Floats x(std::size_t(lanes), 0.0f);
    float sum = 0;
    for (int i = 0; i < lanes; ++i)
        sum += x[std::size_t(i)] = float((i * 7 + 3) % lanes) - 2; // each of -2, -1, ... once
    QCOMPARE(m_builds.find<float (*)(const float *)>("v_sum")(x.data()), sum);
    QCOMPARE(m_builds.find<float (*)(const float *)>("v_hmax")(x.data()), float(lanes - 3));
    QCOMPARE(m_builds.find<float (*)(const float *)>("v_hmin")(x.data()), -2.0f);
    for (float &lane : x) {
        const float kept = std::exchange(lane, NAN);
        QVERIFY(std::isnan(m_builds.find<float (*)(const float *)>("v_hmax")(x.data())));
        QVERIFY(std::isnan(m_builds.find<float (*)(const float *)>("v_hmin")(x.data())));
        lane = kept;
    }
}

void PreludeMemoryTest::movesFirstLanesOnly()
{
    QFETCH(int, lanes);
    const auto move =
        m_builds.find<void (*)(int, float *, std::int32_t *, std::uint16_t *, std::uint16_t *,
                               float *, std::int32_t *, float *, float *)>("first_lanes");
    QVERIFY(lanes > 1);
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

void PreludeMemoryTest::convertsIntegers()
{
    Floats x;
    for (float value = -2147483648.0f; value < 2147483648.0f; value += 12345678.9f)
        for (const float shift : {0.0f, 0.5f, -0.75f})
            x.push_back(value / float(1 + x.size() % 1000) + shift);
    x = padded(x);
    QVERIFY(x.size() > 1000);
    for (const QString kind : {"v_", "s_"}) {
        std::vector<std::int32_t> y(x.size(), 1);
        y[1] = 0; // takes the other arm of the driver's selection
        m_builds.find<void (*)(const float *, std::int32_t *, long)>(kind + "integers")(
            x.data(), y.data(), long(x.size()));
        QCOMPARE(y[1], 7);
        y[1] = std::int32_t(x[1]);
        Floats back(x.size());
        m_builds.find<void (*)(const std::int32_t *, float *, long)>(kind + "reals")(
            y.data(), back.data(), long(x.size()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            QCOMPARE(std::int64_t(y[i]), scalar::truncatedTo(DataType::Int32, x[i]));
            QCOMPARE(back[i], float(y[i]));
        }
    }
}

void PreludeMemoryTest::convertsHalves()
{
    std::vector<std::uint16_t> all(1 << 16);
    std::iota(all.begin(), all.end(), std::uint16_t(0));
    Floats reals(all.size());
    const Floats &x = sweep();
    QVERIFY(x.size() > 500'000);
    std::vector<std::uint16_t> stored(x.size());
    for (const auto &[name, type] :
         {std::pair{"f16", DataType::Float16}, {"bf16", DataType::BFloat16}})
        for (const QString kind : {"v_", "s_"}) {
            m_builds.find<void (*)(const std::uint16_t *, float *, long)>(kind + "load_" + name)(
                all.data(), reals.data(), long(all.size()));
            for (std::size_t i = 0; i < all.size(); ++i)
                if (const auto bytes = reinterpret_cast<const std::byte *>(&all[i]);
                    !same(reals[i], float(decodeReal(type, bytes))))
                    QFAIL(qPrintable(QString("%1load_%2 of %3: %4")
                                         .arg(kind, name)
                                         .arg(all[i], 0, 16)
                                         .arg(reals[i])));
            m_builds.find<void (*)(const float *, std::uint16_t *, long)>(kind + "store_" + name)(
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

GRAPHLOOM_TESTS(PreludeMemoryTest)

} // namespace graphloom::test::prelude_memory_test

#include "prelude_memory_test.moc"
