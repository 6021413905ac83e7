// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/aligned_bytes.h"

#include "engine/base/integer_division.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace graphloom {

AlignedBytes alignedBytes(std::int64_t bytes)
{
    // A kernel that streams megabytes of weights misses fewer address translations in these.
    constexpr std::int64_t largePage = 2 << 20;
    const bool isLarge = bytes >= largePage;
    const std::int64_t alignment = isLarge ? largePage : std::int64_t(bufferAlignment);
    const std::int64_t whole = roundUp(std::max<std::int64_t>(bytes, 1), alignment);
    AlignedBytes made(
        static_cast<std::byte *>(std::aligned_alloc(std::size_t(alignment), std::size_t(whole))));
    if (!made)
        throw std::bad_alloc();
    if (isLarge) // what is left over would take a whole page; a wish that may be refused
        ::madvise(made.get(), std::size_t(bytes / largePage * largePage), MADV_HUGEPAGE);
    return made;
}

} // namespace graphloom
