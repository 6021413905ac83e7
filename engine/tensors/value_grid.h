// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensors/element_reader.h"
#include "engine/tensors/slice.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace graphloom {

/// A rectangle of a slice.
struct SliceRange {
    std::int64_t row = 0, column = 0, rows = 0, columns = 0;

    bool operator==(const SliceRange &) const = default;
};
/// Returns the range of the whole slice.
SliceRange wholeRange(const TensorSlice &slice);

/// Holds a picture of a range of a slice in numbers: a cell for each element, or for a rectangle of
/// elements if there are more of them than cells.
struct ValueGrid {
    SliceRange range;
    std::int64_t rows = 0, columns = 0;         // cells
    std::int64_t cellRows = 1, cellColumns = 1; // elements of a cell; the last may have fewer
    std::vector<double> means;                  // of the finite elements, row by row
    enum class Content : std::uint8_t { Empty, Finite, NotFinite };
    std::vector<Content> contents;         // NotFinite: some element is NaN or infinite
    std::optional<double> least, greatest; // of the finite elements

    bool isReduced() const { return cellRows > 1 || cellColumns > 1; }
    double mean(std::int64_t row, std::int64_t column) const
    {
        return means[std::size_t(row * columns + column)];
    }
    Content content(std::int64_t row, std::int64_t column) const
    {
        return contents[std::size_t(row * columns + column)];
    }
};

/// Returns the grid of a range of at most mostRows by mostColumns cells; nothing when stopped. All
/// elements of the range are read, in the order in which they lie in memory. Not for strings.
std::optional<ValueGrid> gridOf(const TensorData &data, const TensorSlice &slice,
                                const SliceRange &range, std::int64_t mostRows,
                                std::int64_t mostColumns, const ReadOptions &options = {});

} // namespace graphloom
