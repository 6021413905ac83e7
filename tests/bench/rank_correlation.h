// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace graphloom::bench {

/// Returns the upper median, 0 of no values.
inline double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

/// Returns the rank of each value; equal values share the mean of their ranks.
inline std::vector<double> ranksOf(const std::vector<double> &values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() && values[order[end]] == values[order[first]])
            ++end;
        for (std::size_t i = first; i < end; ++i)
            ranks[order[i]] = double(first + end - 1) / 2;
        first = end;
    }
    return ranks;
}

/// Returns Spearman's rank correlation of as many values; 1 where one of them does not vary.
inline double spearman(const std::vector<double> &a, const std::vector<double> &b)
{
    const std::vector<double> ranksOfA = ranksOf(a), ranksOfB = ranksOf(b);
    const double mean = double(a.size() - 1) / 2;
    double both = 0, squaresOfA = 0, squaresOfB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (ranksOfA[i] - mean) * (ranksOfB[i] - mean);
        squaresOfA += (ranksOfA[i] - mean) * (ranksOfA[i] - mean);
        squaresOfB += (ranksOfB[i] - mean) * (ranksOfB[i] - mean);
    }
    return squaresOfA > 0 && squaresOfB > 0 ? both / std::sqrt(squaresOfA * squaresOfB) : 1;
}

} // namespace graphloom::bench
