// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/aligned_bytes.h"

#include "engine/base/integer_division.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace graphloom {

namespace {

/// What is not used of a piece takes address space only.
constexpr std::int64_t pieceBytes = 8 * largePage;

} // namespace

AlignedBytes alignedBytes(std::int64_t bytes)
{
    // Kernels that stream megabytes of weights have fewer TLB misses with large pages.
    const bool isLarge = bytes >= largePage;
    const std::int64_t alignment = isLarge ? largePage : std::int64_t(bufferAlignment);
    const std::int64_t whole = roundUp(std::max<std::int64_t>(bytes, 1), alignment);
    AlignedBytes made(
        static_cast<std::byte *>(std::aligned_alloc(std::size_t(alignment), std::size_t(whole))));
    if (!made)
        throw std::bad_alloc();
    if (isLarge) // a hint; the remainder would take a whole page
        ::madvise(made.get(), std::size_t(bytes / largePage * largePage), MADV_HUGEPAGE);
    return made;
}

std::byte *BytePool::take(std::int64_t bytes)
{
    const std::int64_t whole =
        roundUp(std::max<std::int64_t>(bytes, 1), std::int64_t(bufferAlignment));
    if (whole >= largePage) {
        m_pieces.push_back(alignedBytes(whole));
        return m_pieces.back().get();
    }
    if (whole > m_left) {
        m_pieces.push_back(alignedBytes(pieceBytes));
        m_next = m_pieces.back().get();
        m_left = pieceBytes;
    }
    m_left -= whole;
    return std::exchange(m_next, m_next + whole);
}

} // namespace graphloom
