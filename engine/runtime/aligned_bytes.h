// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace graphloom {

/// What buffers of kernels begin at a multiple of, in bytes: a cache line, and the widest vectors.
inline constexpr std::size_t bufferAlignment = 64;

struct AlignedDelete {
    void operator()(std::byte *bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

/// At least one byte, not initialized. Large ones are in large pages where the system has some.
/// Throws std::bad_alloc.
AlignedBytes alignedBytes(std::int64_t bytes);

} // namespace graphloom
