// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <cstring>
#include <numeric>

/// Contains functions for boxes of tensors: positions from `begin` on, with the extents of the box.
namespace graphloom::test {

/// Calls visit(element of the tensor, element of the box) for all elements of the box.
template <class Visit>
void forEachOfBox(const TensorData::Extents &tensor, const TensorData::Extents &begin,
                  const TensorData::Extents &box, Visit visit)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : box)
        count *= extent;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i, at = 0, stride = 1;
        for (std::size_t d = box.size(); d-- > 0;) {
            at += (begin[d] + rest % box[d]) * stride;
            rest /= box[d];
            stride *= tensor[d];
        }
        visit(at, i);
    }
}

/// Returns a box of a tensor whose elements are whole bytes.
inline TensorData boxOf(const TensorData &data, const TensorData::Extents &begin,
                        const TensorData::Extents &box)
{
    const auto size = std::size_t(bitsOf(data.type())) / 8;
    std::size_t count = 1;
    for (const std::int64_t extent : box)
        count *= std::size_t(extent);
    std::vector<std::byte> bytes(size * count);
    forEachOfBox(data.extents(), begin, box, [&](std::int64_t from, std::int64_t to) {
        std::memcpy(bytes.data() + std::size_t(to) * size,
                    data.bytes().data() + (data.isSplat() ? 0 : std::size_t(from) * size), size);
    });
    return TensorData::fromBytes(data.type(), box, std::move(bytes));
}

/// Returns a part of one dimension.
inline TensorData partOf(const TensorData &data, int dim, std::int64_t begin, std::int64_t end)
{
    TensorData::Extents first(data.extents().size(), 0), box = data.extents();
    if (dim < 0)
        return data;
    first[std::size_t(dim)] = begin;
    box[std::size_t(dim)] = end - begin;
    return boxOf(data, first, box);
}

} // namespace graphloom::test
