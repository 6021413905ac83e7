// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/storage/margin_runs.h"

#include "engine/ir/tensor_data.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>

namespace graphloom {

std::vector<std::pair<std::int64_t, std::int64_t>>
marginRuns(const Storage &storage, const std::vector<std::int64_t> &extents)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;
    if (storage.margins.empty())
        return runs;
    const auto add = [&](std::int64_t first, std::int64_t count) {
        if (count <= 0)
            return;
        if (!runs.empty() && runs.back().first + runs.back().second == first)
            runs.back().second += count;
        else
            runs.emplace_back(first, count);
    };
    std::vector<std::size_t> dims(extents.size());
    std::iota(dims.begin(), dims.end(), std::size_t{0});
    const auto whole = [&](std::size_t d) {
        return storage.margins[d].first + extents[d] + storage.margins[d].second;
    };
    // If two dimensions have the same stride, one has a single element; it goes outside.
    std::ranges::sort(dims, [&](std::size_t a, std::size_t b) {
        return std::pair(-storage.strides[a], whole(a)) < std::pair(-storage.strides[b], whole(b));
    });
    const std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t k,
                                                                     std::int64_t at) {
        if (k == dims.size())
            return;
        // If no inner dimension has margins, the tensor's own part is one piece.
        const std::size_t d = dims[k];
        const std::int64_t stride = storage.strides[d];
        add(at, storage.margins[d].first * stride);
        const std::int64_t own = at + storage.margins[d].first * stride;
        const bool inside =
            std::any_of(dims.begin() + std::ptrdiff_t(k) + 1, dims.end(), [&](std::size_t inner) {
                return storage.margins[inner] != std::pair<std::int64_t, std::int64_t>{0, 0};
            });
        if (inside)
            for (std::int64_t i = 0; i < extents[d]; ++i)
                visit(k + 1, own + i * stride);
        add(own + extents[d] * stride, storage.margins[d].second * stride);
    };
    visit(0, 0);
    return runs;
}

Element elementOf(double value, DataType type)
{
    std::array<std::byte, sizeof(double)> stored{};
    encodeReal(type, value, stored.data());
    Element element;
    element.bytes = int(bytesOf(type, 1));
    std::memcpy(&element.bits, stored.data(), sizeof element.bits);
    return element;
}

} // namespace graphloom
