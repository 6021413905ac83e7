// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/strip_kernels.h"

#include <cassert>
#include <cstring>

// Compiles a function once for each instruction set; the best version is chosen when the program is
// loaded, when sanitizers are not ready yet.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GRAPHLOOM_CLONES                                                                           \
    __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define GRAPHLOOM_CLONES
#endif
// Functions that a cloned function calls are only compiled for its instruction set if inlined.
#define GRAPHLOOM_INLINE __attribute__((always_inline))

namespace graphloom::strip {

namespace {

template <class T> GRAPHLOOM_INLINE inline T elementAt(const std::byte *data, std::int64_t i)
{
    T value;
    std::memcpy(&value, data + i * std::int64_t(sizeof(T)), sizeof value);
    return value;
}

template <class T> GRAPHLOOM_INLINE inline void putAt(std::byte *data, std::int64_t i, T value)
{
    std::memcpy(data + i * std::int64_t(sizeof(T)), &value, sizeof value);
}

/// Calls visit(i, place of element i), with separate loops for the common forms of Places.
template <class Visit>
GRAPHLOOM_INLINE inline void forEachPlace(const Places &places, int count, Visit visit)
{
    if (places.positions)
        for (int i = 0; i < count; ++i)
            visit(i, places.start + places.positions[i]);
    else if (places.step == 1)
        for (int i = 0; i < count; ++i)
            visit(i, places.start + i);
    else
        for (int i = 0; i < count; ++i)
            visit(i, places.start + i * places.step);
}

template <class T, class Out>
GRAPHLOOM_INLINE inline void loadAs(const std::byte *data, const Places &places, int count,
                                    Out *out)
{
    if (!places.positions && places.step == 0)
        fill(out, Out(elementAt<T>(data, places.start)), count);
    else
        forEachPlace(places, count, [&](int i, std::int64_t place) GRAPHLOOM_INLINE {
            out[i] = Out(elementAt<T>(data, place));
        });
}

template <class T, class In>
GRAPHLOOM_INLINE inline void storeAs(std::byte *data, const Places &places, int count, const In *in)
{
    forEachPlace(places, count, [&](int i, std::int64_t place) GRAPHLOOM_INLINE {
        putAt<T>(data, place, T(in[i]));
    });
}

/// Runs `Function<fn>` over a strip, as a function object for scalar::visit….
template <template <Fn> class Function, class In, class Out> struct Over {
    int count;
    const In *a, *b;
    Out *out;

    template <Fn fn> GRAPHLOOM_INLINE void operator()() const
    {
        // `out` may be the same as a or b; vectorizing is safe all the same.
        if (b) {
#pragma GCC ivdep
            for (int i = 0; i < count; ++i)
                out[i] = Function<fn>::of(a[i], b[i]);
        } else {
#pragma GCC ivdep
            for (int i = 0; i < count; ++i)
                out[i] = Function<fn>::of(a[i], In(0));
        }
    }
    void unknown() const
    {
        assert(!"the function has no such arguments");
    }
};

template <Fn fn> struct OfReals {
    GRAPHLOOM_INLINE static double of(double a, double b) { return scalar::ofReals<fn>(a, b); }
};
template <Fn fn> struct TestOfReals {
    GRAPHLOOM_INLINE static std::int64_t of(double a, double b)
    {
        return scalar::testOfReals<fn>(a, b);
    }
};
template <Fn fn> struct OfSigned {
    GRAPHLOOM_INLINE static std::int64_t of(std::int64_t a, std::int64_t b)
    {
        return scalar::ofIntegers<fn, false>(a, b);
    }
};
template <Fn fn> struct OfUnsigned {
    GRAPHLOOM_INLINE static std::int64_t of(std::int64_t a, std::int64_t b)
    {
        return scalar::ofIntegers<fn, true>(a, b);
    }
};

} // namespace

GRAPHLOOM_CLONES void fill(double *out, double value, int count)
{
    for (int i = 0; i < count; ++i)
        out[i] = value;
}

GRAPHLOOM_CLONES void fill(std::int64_t *out, std::int64_t value, int count)
{
    for (int i = 0; i < count; ++i)
        out[i] = value;
}

GRAPHLOOM_CLONES void ramp(std::int64_t *out, std::int64_t start, std::int64_t step, int count)
{
    for (int i = 0; i < count; ++i)
        out[i] = start + i * step;
}

GRAPHLOOM_CLONES void load(DataType type, const std::byte *data, const Places &places, int count,
                           double *out)
{
    if (type == DataType::Float)
        return loadAs<float>(data, places, count, out);
    if (type == DataType::Double)
        return loadAs<double>(data, places, count, out);
    const int bytes = (bitsOf(type) + 7) / 8;
    forEachPlace(places, count, [&](int i, std::int64_t place) {
        out[i] = decodeReal(type, data + place * bytes);
    });
}

GRAPHLOOM_CLONES void load(DataType type, const std::byte *data, const Places &places, int count,
                           std::int64_t *out)
{
    switch (type) {
    case DataType::Bool:
        loadAs<std::uint8_t>(data, places, count, out);
        for (int i = 0; i < count; ++i)
            out[i] = out[i] != 0;
        return;
    case DataType::Uint4:
    case DataType::Uint8:
        return loadAs<std::uint8_t>(data, places, count, out);
    case DataType::Int4:
    case DataType::Int8:
        return loadAs<std::int8_t>(data, places, count, out);
    case DataType::Uint16:
        return loadAs<std::uint16_t>(data, places, count, out);
    case DataType::Int16:
        return loadAs<std::int16_t>(data, places, count, out);
    case DataType::Uint32:
        return loadAs<std::uint32_t>(data, places, count, out);
    case DataType::Int32:
        return loadAs<std::int32_t>(data, places, count, out);
    default:
        return loadAs<std::int64_t>(data, places, count, out);
    }
}

GRAPHLOOM_CLONES void store(DataType type, std::byte *data, const Places &places, int count,
                            const double *in)
{
    if (type == DataType::Float)
        return storeAs<float>(data, places, count, in);
    if (type == DataType::Double)
        return storeAs<double>(data, places, count, in);
    const int bytes = (bitsOf(type) + 7) / 8;
    forEachPlace(places, count,
                 [&](int i, std::int64_t place) { encodeReal(type, in[i], data + place * bytes); });
}

GRAPHLOOM_CLONES void store(DataType type, std::byte *data, const Places &places, int count,
                            const std::int64_t *in)
{
    switch (type) {
    case DataType::Bool:
        forEachPlace(places, count, [&](int i, std::int64_t place) GRAPHLOOM_INLINE {
            data[place] = std::byte(in[i] != 0);
        });
        return;
    case DataType::Int4: // one byte per element, with the sign
    case DataType::Uint4:
        forEachPlace(places, count, [&](int i, std::int64_t place) {
            data[place] = std::byte(scalar::wrappedTo(type, in[i]));
        });
        return;
    case DataType::Uint8:
    case DataType::Int8:
        return storeAs<std::uint8_t>(data, places, count, in);
    case DataType::Uint16:
    case DataType::Int16:
        return storeAs<std::uint16_t>(data, places, count, in);
    case DataType::Uint32:
    case DataType::Int32:
        return storeAs<std::uint32_t>(data, places, count, in);
    default:
        return storeAs<std::uint64_t>(data, places, count, in);
    }
}

GRAPHLOOM_CLONES void apply(Fn fn, int count, const double *a, const double *b, double *out)
{
    scalar::visitOfReals(fn, Over<OfReals, double, double>{count, a, b, out});
}

GRAPHLOOM_CLONES void apply(Fn fn, bool isUnsigned, int count, const std::int64_t *a,
                            const std::int64_t *b, std::int64_t *out)
{
    if (isUnsigned)
        scalar::visitOfIntegers(fn, Over<OfUnsigned, std::int64_t, std::int64_t>{count, a, b, out});
    else
        scalar::visitOfIntegers(fn, Over<OfSigned, std::int64_t, std::int64_t>{count, a, b, out});
}

GRAPHLOOM_CLONES void test(Fn fn, int count, const double *a, const double *b, std::int64_t *out)
{
    scalar::visitTestOfReals(fn, Over<TestOfReals, double, std::int64_t>{count, a, b, out});
}

GRAPHLOOM_CLONES void select(int count, const std::int64_t *condition, const double *a,
                             const double *b, double *out)
{
    for (int i = 0; i < count; ++i)
        out[i] = condition[i] != 0 ? a[i] : b[i];
}

GRAPHLOOM_CLONES void select(int count, const std::int64_t *condition, const std::int64_t *a,
                             const std::int64_t *b, std::int64_t *out)
{
    for (int i = 0; i < count; ++i)
        out[i] = condition[i] != 0 ? a[i] : b[i];
}

GRAPHLOOM_CLONES void round(DataType type, int count, const double *a, double *out)
{
    if (type == DataType::Float)
        for (int i = 0; i < count; ++i)
            out[i] = double(float(a[i]));
    else
        for (int i = 0; i < count; ++i)
            out[i] = scalar::roundedTo(type, a[i]);
}

void truncate(DataType type, int count, const double *a, std::int64_t *out)
{
    for (int i = 0; i < count; ++i)
        out[i] = scalar::truncatedTo(type, a[i]);
}

GRAPHLOOM_CLONES void convert(DataType type, bool isUnsigned, int count, const std::int64_t *a,
                              double *out)
{
    for (int i = 0; i < count; ++i)
        out[i] = scalar::convertedTo(type, a[i], isUnsigned);
}

GRAPHLOOM_CLONES void wrap(DataType type, int count, const std::int64_t *a, std::int64_t *out)
{
    for (int i = 0; i < count; ++i)
        out[i] = scalar::wrappedTo(type, a[i]);
}

namespace {

template <class T> struct Folding {
    bool isUnsigned;
    int count;
    const T *value;
    T &gathered;

    template <Fn fn> void operator()() const
    {
        for (int i = 0; i < count; ++i) {
            if constexpr (std::is_same_v<T, double>)
                gathered = scalar::ofReals<fn>(gathered, value[i]);
            else
                gathered = isUnsigned ? scalar::ofIntegers<fn, true>(gathered, value[i])
                                      : scalar::ofIntegers<fn, false>(gathered, value[i]);
        }
    }
    void unknown() const { assert(!"the function has no such arguments"); }
};

} // namespace

void fold(Fn fn, bool isUnsigned, int count, const double *value, double &gathered)
{
    double result = gathered;
    scalar::visitOfReals(fn, Folding<double>{isUnsigned, count, value, result});
    gathered = result;
}

void fold(Fn fn, bool isUnsigned, int count, const std::int64_t *value, std::int64_t &gathered)
{
    std::int64_t result = gathered;
    scalar::visitOfIntegers(fn, Folding<std::int64_t>{isUnsigned, count, value, result});
    gathered = result;
}

GRAPHLOOM_CLONES void multiplyAdd(int count, const double *a, const double *b, double *out)
{
    for (int i = 0; i < count; ++i)
        out[i] += a[i] * b[i];
}

GRAPHLOOM_CLONES void multiplyAdd(int count, double scale, const double *b, double *out)
{
    for (int i = 0; i < count; ++i)
        out[i] += scale * b[i];
}

namespace {

using Vector = double __attribute__((vector_size(64))); // may take several registers
constexpr int vectorLength = 8, tileVectors = 2;

/// Computes `rows` rows and 16 columns of multiplyPanels() with the sums in registers.
template <int rows>
GRAPHLOOM_INLINE inline void multiplyTile(const double *left, const double *right, double *out,
                                          int depth, int columns)
{
    Vector sum[rows][tileVectors];
    for (int r = 0; r < rows; ++r)
        std::memcpy(sum[r], out + r * columns, sizeof sum[r]);
    for (int k = 0; k < depth; ++k) {
        Vector b[tileVectors];
        std::memcpy(b, right + k * columns, sizeof b);
#pragma GCC unroll 16
        for (int r = 0; r < rows; ++r) {
            const double a = left[r * depth + k];
#pragma GCC unroll 16
            for (int v = 0; v < tileVectors; ++v)
                sum[r][v] += a * b[v];
        }
    }
    for (int r = 0; r < rows; ++r)
        std::memcpy(out + r * columns, sum[r], sizeof sum[r]);
}

} // namespace

GRAPHLOOM_CLONES void multiplyPanels(const double *left, const double *right, double *out, int rows,
                                     int depth, int columns)
{
    constexpr int width = vectorLength * tileVectors;
    assert(columns % width == 0);
    for (int column = 0; column < columns; column += width) {
        int row = 0;
        for (; row + 4 <= rows; row += 4)
            multiplyTile<4>(left + row * depth, right + column, out + row * columns + column, depth,
                            columns);
        for (; row < rows; ++row)
            multiplyTile<1>(left + row * depth, right + column, out + row * columns + column, depth,
                            columns);
    }
}

} // namespace graphloom::strip
