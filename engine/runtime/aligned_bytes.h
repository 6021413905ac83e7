// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace graphloom {

/// What buffers of kernels begin at a multiple of, in bytes: a cache line, and the widest vectors.
inline constexpr std::size_t bufferAlignment = 64;

struct AlignedDelete {
    void operator()(std::byte *bytes) const
    {
        ::operator delete[](bytes, std::align_val_t{bufferAlignment});
    }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

/// At least one byte, not initialized.
inline AlignedBytes alignedBytes(std::int64_t bytes)
{
    return AlignedBytes(static_cast<std::byte *>(::operator new[](
        std::size_t(std::max<std::int64_t>(bytes, 1)), std::align_val_t{bufferAlignment})));
}

} // namespace graphloom
