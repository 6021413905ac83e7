// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/elements.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <cstring>

namespace graphloom {

namespace {

/// Gives access to the bytes of each element; elements smaller than a byte are compared bytewise.
struct ElementBytes {
    explicit ElementBytes(const TensorData &data)
        : bytes(data.bytes()), size(std::size_t(std::max(1, bitsOf(data.type()) / 8))),
          splat(data.isSplat())
    {
    }
    std::span<const std::byte> at(std::size_t i) const
    {
        const std::size_t place = splat ? 0 : i * size;
        return bytes.subspan(std::min(place, bytes.size()),
                             std::min(size, bytes.size() - std::min(place, bytes.size())));
    }

    std::span<const std::byte> bytes;
    std::size_t size;
    bool splat;
};

} // namespace

std::uint64_t sampleLabel(const TensorData &data)
{
    std::uint64_t label = combine(std::uint64_t(data.type()), data.extents().size());
    for (const std::int64_t extent : data.extents())
        label = combine(label, std::uint64_t(extent));
    if (data.elements() <= 0)
        return label;
    if (data.type() == DataType::String)
        return combine(label, data.hash());
    constexpr std::size_t samples = 16;
    const ElementBytes elements(data);
    const std::size_t count = bitsOf(data.type()) < 8 && !data.isSplat()
                                  ? data.bytes().size()
                                  : std::size_t(data.elements());
    const std::size_t taken = std::min(samples, count);
    for (std::size_t s = 0; s < taken; ++s)
        label = hashBytes(elements.at(taken > 1 ? s * (count - 1) / (taken - 1) : 0), label);
    return label;
}

bool sameElements(const TensorData &a, const TensorData &b)
{
    if (a.type() != b.type() || a.extents() != b.extents())
        return false;
    if (a.hash() == b.hash() || a.elements() == 0)
        return true;
    if (a.type() == DataType::String)
        return false;
    if (a.isSplat() == b.isSplat()) {
        const bool same = a.bytes().size() == b.bytes().size() &&
                          std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0;
        a.release();
        b.release();
        return same;
    }
    if (bitsOf(a.type()) < 8)
        return false;
    const TensorData &splat = a.isSplat() ? a : b, &full = a.isSplat() ? b : a;
    const ElementBytes one(splat), all(full);
    bool same = true;
    for (std::size_t i = 0; same && i < std::size_t(full.elements()); ++i)
        same = std::ranges::equal(all.at(i), one.at(0));
    full.release();
    return same;
}

} // namespace graphloom
