// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensors/element_reader.h"
#include "engine/tensors/histogram.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace graphloom {

/// A value that a tensor contains, and how often.
struct DistinctValue {
    std::int64_t position = 0; // of its first element
    std::int64_t count = 0;
};

/// Holds figures about the elements of a tensor; of complex numbers, about their real parts. Mean,
/// deviation, bounds and histogram are those of the finite numbers.
struct TensorStatistics {
    std::int64_t elements = 0;
    std::int64_t zeros = 0, negatives = 0;
    std::int64_t nans = 0, positiveInfinities = 0, negativeInfinities = 0;
    /// Positions of the first elements with the least and the greatest number; absent if there is
    /// no finite number.
    std::optional<std::int64_t> leastAt, greatestAt;
    double least = 0, greatest = 0;
    double mean = 0;
    double deviation = 0; // of the whole: divided by n, not by n - 1
    /// Number of different values (NaNs are one); absent if it is large.
    std::optional<std::int64_t> distinct;
    /// The different values in ascending order, NaN last; empty if there are more than
    /// mostDistinctValues.
    std::vector<DistinctValue> values;
    Histogram histogram; // without bins if there is no finite number

    std::int64_t infinities() const { return positiveInfinities + negativeInfinities; }
    std::int64_t finite() const { return elements - nans - infinities(); }
};

inline constexpr std::size_t mostDistinctValues = 64;
inline constexpr int mostHistogramBins = 64;

/// Returns the figures of a tensor, which must not contain strings; nothing when stopped. Reads
/// element types of at most 16 bits once, and others twice. It needs little memory however large
/// the tensor is.
std::optional<TensorStatistics> statisticsOf(const TensorData &data,
                                             const ReadOptions &options = {});

} // namespace graphloom
