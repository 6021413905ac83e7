// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/winograd_transform.h"

#include "engine/codegen/index/constant_floats.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

Expr scaled(const Expr &value, double factor)
{
    return factor == 1 ? value : value * Expr::real(factor, DataType::Float);
}

/// Returns the sum of factors[k] * values[k]; empty if all factors are 0.
Expr combination(const std::vector<double> &factors, const std::vector<Expr> &values)
{
    Expr sum;
    for (const bool positive : {true, false}) // so that the sum need not begin with a negation
        for (std::size_t k = 0; k < factors.size(); ++k) {
            if (factors[k] == 0 || (factors[k] > 0) != positive)
                continue;
            if (sum.empty())
                sum = positive ? scaled(values[k], factors[k])
                               : values[k] * Expr::real(factors[k], DataType::Float);
            else
                sum = positive ? sum + scaled(values[k], factors[k])
                               : sum - scaled(values[k], -factors[k]);
        }
    return sum;
}

/// Returns matrix * values. Two rows that agree except for signs share an even and an odd part, two
/// such columns a sum and a difference.
std::vector<Expr> product(const WinogradMatrix &matrix, std::vector<Expr> values)
{
    WinogradMatrix rest = matrix;
    const std::size_t columns = values.size();
    for (std::size_t a = 0; a < columns; ++a)
        for (std::size_t b = a + 1; b < columns; ++b) {
            const auto agree = [&](const std::vector<double> &row) {
                return std::abs(row[a]) == std::abs(row[b]) && row[a] >= 0;
            };
            const auto uses = std::ranges::count_if(
                rest, [&](const std::vector<double> &row) { return row[a] != 0 && row[b] != 0; });
            if (uses < 3 || !std::ranges::all_of(rest, agree))
                continue;
            const Expr sum = values[a] + values[b], difference = values[a] - values[b];
            for (std::vector<double> &row : rest) {
                const bool even = row[a] == row[b];
                row.push_back(even ? row[a] : 0);
                row.push_back(even ? 0 : row[a]);
                row[a] = row[b] = 0;
            }
            values.push_back(sum);
            values.push_back(difference);
        }
    std::vector<Expr> results(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (!results[i].empty())
            continue;
        for (std::size_t j = i + 1; j < rest.size(); ++j) {
            std::vector<double> even(values.size(), 0), odd(values.size(), 0);
            bool pairs = true;
            for (std::size_t k = 0; k < values.size(); ++k) {
                if (rest[i][k] == rest[j][k])
                    even[k] = rest[i][k];
                else if (rest[i][k] == -rest[j][k])
                    odd[k] = rest[i][k];
                else
                    pairs = false;
            }
            const Expr e = pairs ? combination(even, values) : Expr();
            const Expr o = pairs ? combination(odd, values) : Expr();
            if (e.empty() || o.empty())
                continue;
            results[i] = e + o;
            results[j] = e - o;
            break;
        }
        if (results[i].empty())
            results[i] = combination(rest[i], values);
    }
    return results;
}

} // namespace

WinogradTransforms winogradTransforms(int m)
{
    if (m == 2)
        return {{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
                {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}},
                {{1, 1, 1, 0}, {0, 1, -1, -1}}};
    return {{{4, 0, -5, 0, 1, 0},
             {0, -4, -4, 1, 1, 0},
             {0, 4, -4, -1, 1, 0},
             {0, -2, -1, 2, 1, 0},
             {0, 2, -1, -2, 1, 0},
             {0, 4, 0, -5, 0, 1}},
            {{1. / 4, 0, 0},
             {-1. / 6, -1. / 6, -1. / 6},
             {-1. / 6, 1. / 6, -1. / 6},
             {1. / 24, 1. / 12, 1. / 6},
             {1. / 24, -1. / 12, 1. / 6},
             {0, 0, 1}},
            {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
}

TransformedTile transformedTile(const WinogradMatrix &matrix, const std::vector<Expr> &tile)
{
    const std::size_t from = matrix.front().size(), to = matrix.size();
    std::vector<std::vector<Expr>> columns(from); // for each column of the tile, `to` rows
    for (std::size_t c = 0; c < from; ++c) {
        std::vector<Expr> column;
        for (std::size_t r = 0; r < from; ++r)
            column.push_back(tile[r * from + c]);
        columns[c] = product(matrix, std::move(column));
    }
    TransformedTile result;
    for (const std::vector<Expr> &column : columns)
        result.columns.insert(result.columns.end(), column.begin(), column.end());
    for (std::size_t r = 0; r < to; ++r) {
        std::vector<Expr> row;
        for (std::size_t c = 0; c < from; ++c)
            row.push_back(columns[c][r]);
        std::ranges::move(product(matrix, std::move(row)), std::back_inserter(result.elements));
    }
    return result;
}

TensorData transformedWeights(const Nest &nest, const WinogradConvolution &parts,
                              const BlockTensor &weights, int m)
{
    const WinogradMatrix g = winogradTransforms(m).weights;
    const std::int64_t outputs = nest.axes[parts.outputs].extent;
    const std::int64_t inputs = nest.axes[parts.inputs].extent;
    const int side = m + 2;
    std::vector<float> values(std::size_t(side * side * outputs * inputs));
    const NestRead &read = nest.reads[parts.w];
    std::array<std::int64_t, 4> strides{}; // by axis: o, i, r, s
    std::int64_t stride = 1;
    for (std::size_t d = 4; d-- > 0;) {
        const AxisIndex axis = *read.map[d].asVariable();
        strides[axis == parts.outputs     ? 0
                : axis == parts.inputs    ? 1
                : axis == parts.window[0] ? 2
                                          : 3] = stride;
        stride *= weights.extents[d];
    }
    const TensorData &data = *weights.constant;
    for (std::int64_t o = 0; o < outputs; ++o)
        for (std::int64_t i = 0; i < inputs; ++i) {
            std::array<std::array<double, 3>, 3> window{};
            for (int r = 0; r < 3; ++r)
                for (int s = 0; s < 3; ++s)
                    window[std::size_t(r)][std::size_t(s)] = floatAt(
                        data, o * strides[0] + i * strides[1] + r * strides[2] + s * strides[3]);
            std::array<std::array<double, 3>, 6> half{};
            for (int a = 0; a < side; ++a)
                for (std::size_t s = 0; s < 3; ++s)
                    for (std::size_t r = 0; r < 3; ++r)
                        half[std::size_t(a)][s] += g[std::size_t(a)][r] * window[r][s];
            for (int a = 0; a < side; ++a)
                for (int b = 0; b < side; ++b) {
                    double sum = 0;
                    for (std::size_t s = 0; s < 3; ++s)
                        sum += half[std::size_t(a)][s] * g[std::size_t(b)][s];
                    values[std::size_t(((a * side + b) * outputs + o) * inputs + i)] = float(sum);
                }
        }
    return TensorData::fromValues<float>(DataType::Float, {side * side, outputs, inputs}, values);
}

} // namespace graphloom
