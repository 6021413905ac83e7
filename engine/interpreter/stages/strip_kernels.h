// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/scalar_math.h"
#include "engine/ops/describe/stage.h"

#include <cstddef>
#include <cstdint>

/// Contains the innermost loops of the stage runner. Each works on a strip of up to stripLength
/// points, held in registers of doubles or 64-bit integers. Compiled for several instruction sets.
namespace graphloom::strip {

inline constexpr int stripLength = 256;

/// Describes where the elements of a strip lie in a tensor: element i at start + i * step, or at
/// start + positions[i] if there are positions.
struct Places {
    std::int64_t start = 0, step = 1;
    const std::int64_t *positions = nullptr;
};

/// Loads elements of a floating-point type as doubles, or elements of an integer type as 64-bit
/// integers.
void load(DataType type, const std::byte *data, const Places &places, int count, double *out);
void load(DataType type, const std::byte *data, const Places &places, int count, std::int64_t *out);
/// Stores doubles rounded to the type, or the low bits of integers (bool as 0 or 1).
void store(DataType type, std::byte *data, const Places &places, int count, const double *in);
void store(DataType type, std::byte *data, const Places &places, int count, const std::int64_t *in);

void fill(double *out, double value, int count);
void fill(std::int64_t *out, std::int64_t value, int count);
/// Computes out[i] = start + i * step.
void ramp(std::int64_t *out, std::int64_t start, std::int64_t step, int count);

// Scalar functions; functions of one argument do not read b. The function must be one that
// the bank has (compile() in stage_program.h ensures it).
void apply(Fn fn, int count, const double *a, const double *b, double *out);
void apply(Fn fn, bool isUnsigned, int count, const std::int64_t *a, const std::int64_t *b,
           std::int64_t *out);
void test(Fn fn, int count, const double *a, const double *b, std::int64_t *out);
void select(int count, const std::int64_t *condition, const double *a, const double *b,
            double *out);
void select(int count, const std::int64_t *condition, const std::int64_t *a, const std::int64_t *b,
            std::int64_t *out);

void round(DataType type, int count, const double *a, double *out);
void truncate(DataType type, int count, const double *a, std::int64_t *out);
void convert(DataType type, bool isUnsigned, int count, const std::int64_t *a, double *out);
void wrap(DataType type, int count, const std::int64_t *a, std::int64_t *out);

/// Computes gathered = fn(gathered, value[i]) for all i, one after the other.
void fold(Fn fn, bool isUnsigned, int count, const double *value, double &gathered);
void fold(Fn fn, bool isUnsigned, int count, const std::int64_t *value, std::int64_t &gathered);

/// Computes out[i] += a[i] * b[i], or out[i] += scale * b[i].
void multiplyAdd(int count, const double *a, const double *b, double *out);
void multiplyAdd(int count, double scale, const double *b, double *out);

/// Computes out[row][column] += sum over k, in ascending order, of left[row][k] * right[k][column].
/// Rows of `left` have `depth` elements; rows of `right` and `out` have `columns`, a multiple of
/// 16.
void multiplyPanels(const double *left, const double *right, double *out, int rows, int depth,
                    int columns);

} // namespace graphloom::strip
