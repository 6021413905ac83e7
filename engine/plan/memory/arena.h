// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Describes a tensor's memory, needed from step `first` to step `last`, both inclusive.
struct ArenaRequest {
    std::int64_t bytes;
    std::uint32_t first, last;
};

struct ArenaLayout {
    std::int64_t bytes = 0;            // of the whole arena
    std::vector<std::int64_t> offsets; // in bytes, one for each request
    std::int64_t lowerBound = 0;       // greatest sum of live bytes; no layout can need less
};

/// Places requests in one arena so that those live at the same step never overlap. Sizes (also in
/// the lower bound) are rounded up to `alignment` bytes, and offsets are multiples of it. Offsets
/// are calculated by greedy best fit (Pisarchyk, Lee: Efficient Memory Management for Deep Neural
/// Net Inference, 2020), in the orders of size, lifetime and their product; the smallest arena is
/// kept. When stopped, the offsets are meaningless.
ArenaLayout planArena(std::span<const ArenaRequest> requests, std::int64_t alignment = 64,
                      std::stop_token stop = {});

} // namespace graphloom
