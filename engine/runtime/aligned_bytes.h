// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace graphloom {

/// The alignment of kernel buffers, in bytes: a cache line, and the widest vectors.
inline constexpr std::size_t bufferAlignment = 64;

/// The bytes of a large page of the system, where it has some.
inline constexpr std::int64_t largePage = 2 << 20;

struct AlignedDelete {
    void operator()(std::byte *bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

/// Allocates at least one byte, uninitialized. Large buffers are in large pages if the system has
/// some. Throws std::bad_alloc.
AlignedBytes alignedBytes(std::int64_t bytes);

/// Hands out memory for as long as it lives. Small buffers follow each other, so that many of them
/// are in one large page.
class BytePool {
public:
    /// Returns at least one byte, aligned to bufferAlignment, uninitialized. Throws std::bad_alloc.
    std::byte *take(std::int64_t bytes);

private:
    std::vector<AlignedBytes> m_pieces;
    std::byte *m_next = nullptr;
    std::int64_t m_left = 0; // after `m_next`
};

} // namespace graphloom
