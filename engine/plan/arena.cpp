// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/arena.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace graphloom {

namespace {

std::int64_t greatestLiveSum(std::span<const ArenaRequest> requests)
{
    struct Change {
        std::uint64_t step;
        std::int64_t bytes;
    };
    std::vector<Change> changes;
    for (const ArenaRequest &request : requests) {
        changes.push_back({request.first, request.bytes});
        changes.push_back({std::uint64_t{request.last} + 1, -request.bytes});
    }
    std::ranges::sort(changes, [](const Change &a, const Change &b) { // frees before allocations
        return a.step != b.step ? a.step < b.step : a.bytes < b.bytes;
    });
    std::int64_t live = 0, most = 0;
    for (const Change &change : changes)
        most = std::max(most, live += change.bytes);
    return most;
}

struct Placed {
    std::int64_t begin, end;
    std::uint32_t first, last;
};

/// The smallest gap that holds the request between those already placed that live with it, or
/// the end of the last of them. `placed` is in the order of offsets.
std::int64_t bestFit(const std::vector<Placed> &placed, const ArenaRequest &request)
{
    std::int64_t best = -1, bestGap = std::numeric_limits<std::int64_t>::max(), end = 0;
    for (const Placed &other : placed) {
        if (other.last < request.first || request.last < other.first)
            continue;
        const std::int64_t gap = other.begin - end;
        if (gap >= request.bytes && gap < bestGap) {
            best = end;
            bestGap = gap;
        }
        end = std::max(end, other.end);
    }
    return best >= 0 ? best : end;
}

ArenaLayout place(std::span<const ArenaRequest> requests, std::span<const std::uint32_t> order,
                  const std::stop_token &stop)
{
    ArenaLayout layout;
    layout.offsets.resize(requests.size());
    std::vector<Placed> placed;
    placed.reserve(requests.size());
    for (const std::uint32_t i : order) {
        const ArenaRequest &request = requests[i];
        if (stop.stop_requested())
            break;
        if (request.bytes == 0)
            continue;
        const std::int64_t begin = bestFit(placed, request), end = begin + request.bytes;
        const auto next = std::ranges::upper_bound(placed, begin, {}, &Placed::begin);
        placed.insert(next, {begin, end, request.first, request.last});
        layout.offsets[i] = begin;
        layout.bytes = std::max(layout.bytes, end);
    }
    return layout;
}

} // namespace

ArenaLayout planArena(std::span<const ArenaRequest> requests, std::int64_t alignment,
                      std::stop_token stop)
{
    std::vector<ArenaRequest> rounded(requests.begin(), requests.end());
    for (ArenaRequest &request : rounded) {
        assert(request.bytes >= 0 && request.first <= request.last && alignment > 0);
        request.bytes = (request.bytes + alignment - 1) / alignment * alignment;
    }
    const std::int64_t bound = greatestLiveSum(rounded);
    const auto steps = [](const ArenaRequest &request) {
        return double(request.last) - double(request.first) + 1;
    };
    const auto size = [](const ArenaRequest &request) { return double(request.bytes); };
    const auto product = [&](const ArenaRequest &request) {
        return size(request) * steps(request);
    };

    ArenaLayout best;
    best.bytes = std::numeric_limits<std::int64_t>::max();
    const auto tryOrder = [&](auto weight) {
        if (best.bytes == bound)
            return;
        std::vector<std::uint32_t> order(rounded.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, std::ranges::greater{},
                                 [&](std::uint32_t i) { return weight(rounded[i]); });
        ArenaLayout layout = place(rounded, order, stop);
        if (layout.bytes < best.bytes)
            best = std::move(layout);
    };
    tryOrder(size);
    tryOrder(steps);
    tryOrder(product);
    best.lowerBound = bound;
    return best;
}

} // namespace graphloom
