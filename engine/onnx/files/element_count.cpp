// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/element_count.h"

#include "engine/ir/dim.h"

#include <limits>

namespace graphloom {

Result<std::int64_t> countElements(std::span<const std::int64_t> extents)
{
    if (extents.size() > highestRank)
        return fail(Error::Kind::Model, "has " + std::to_string(extents.size()) +
                                            " dimensions; at most " + std::to_string(highestRank) +
                                            " are supported");
    // Products of extents must not overflow even where a zero makes the tensor empty.
    Dim product(1);
    bool empty = false;
    for (const std::int64_t extent : extents) {
        if (extent < 0)
            return fail(Error::Kind::Model, "has the negative extent " + std::to_string(extent));
        empty = empty || extent == 0;
        product *= Dim(extent == 0 ? 1 : extent);
    }
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
    if (product.isOverflow() || product.value() > most)
        return fail(Error::Kind::Model, "has more elements than 64 bits can count");
    return empty ? 0 : product.value();
}

} // namespace graphloom
