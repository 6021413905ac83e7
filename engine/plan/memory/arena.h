// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace graphloom {

/// A tensor's memory: needed from step `first` to step `last`, both inclusive.
struct ArenaRequest {
    std::int64_t bytes;
    std::uint32_t first, last;
};

struct ArenaLayout {
    std::int64_t bytes = 0;            // of the whole arena
    std::vector<std::int64_t> offsets; // in bytes, one for each request
    std::int64_t lowerBound = 0;       // greatest sum of live bytes: no layout needs less
};

/// Places requests in one arena so that those alive at one step never overlap; sizes (also in the
/// bound) are rounded up to `alignment` bytes, offsets are multiples of it. Offset calculation by
/// greedy best fit (Pisarchyk, Lee: Efficient Memory Management for Deep Neural Net Inference,
/// 2020), in the orders of size, lifetime and their product; the smallest arena is kept. When
/// stopped, offsets mean nothing.
ArenaLayout planArena(std::span<const ArenaRequest> requests, std::int64_t alignment = 64,
                      std::stop_token stop = {});

} // namespace graphloom
