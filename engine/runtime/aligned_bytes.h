// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace graphloom {

/// The alignment of kernel buffers, in bytes: a cache line, and the widest vectors.
inline constexpr std::size_t bufferAlignment = 64;

struct AlignedDelete {
    void operator()(std::byte *bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

/// Allocates at least one byte, uninitialized. Large buffers are in large pages if the system has
/// some. Throws std::bad_alloc.
AlignedBytes alignedBytes(std::int64_t bytes);

} // namespace graphloom
