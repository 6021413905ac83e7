// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace graphloom {

/// Represents an index into a graph that cannot be mixed up with an index of another kind.
template <class Tag> struct Id {
    static constexpr std::uint32_t noIndex = ~std::uint32_t{0};

    std::uint32_t index = noIndex;

    constexpr bool valid() const { return index != noIndex; }
    constexpr auto operator<=>(const Id &) const = default;
};

using NodeId = Id<struct NodeTag>;
using TensorId = Id<struct TensorTag>;

} // namespace graphloom

template <class Tag> struct std::hash<graphloom::Id<Tag>> {
    std::size_t operator()(graphloom::Id<Tag> id) const noexcept { return id.index; }
};
