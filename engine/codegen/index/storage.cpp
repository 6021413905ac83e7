// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/storage.h"

#include <numeric>

namespace graphloom {

Storage Storage::dense(const std::vector<std::int64_t> &extents,
                       const std::vector<std::size_t> &order,
                       std::vector<std::pair<std::int64_t, std::int64_t>> margins,
                       double marginValue)
{
    Storage storage;
    storage.strides.resize(extents.size());
    storage.margins = std::move(margins);
    storage.marginValue = marginValue;
    std::int64_t stride = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
        const std::size_t d = order[k];
        storage.strides[d] = stride;
        std::int64_t extent = extents[d];
        if (!storage.margins.empty()) {
            storage.base += storage.margins[d].first * stride;
            extent += storage.margins[d].first + storage.margins[d].second;
        }
        stride *= extent;
    }
    storage.elements = stride;
    return storage;
}

Storage Storage::rowMajor(const std::vector<std::int64_t> &extents)
{
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return dense(extents, order);
}

} // namespace graphloom
