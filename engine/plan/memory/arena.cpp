// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory/arena.h"

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

/// What was placed, so that what lives with a request is found without a look at all others, where
/// that is little: in a tree over the steps, in which a life is at the highest node whose middle it
/// covers. Where it is much, a look at all, which are kept in the order of offsets, is cheaper.
class PlacedLives {
public:
    explicit PlacedLives(std::uint32_t steps)
    {
        while (m_steps < steps)
            m_steps *= 2;
        m_nodes.resize(2 * m_steps);
        m_counts.resize(2 * m_steps);
    }

    void add(const Placed &placed)
    {
        Range at{1, 0, m_steps};
        for (;;) {
            ++m_counts[at.node];
            if (at.size() > 1 && at.middle() > placed.last)
                at = at.left();
            else if (at.size() > 1 && at.middle() < placed.first)
                at = at.right();
            else
                break;
        }
        m_nodes[at.node].push_back(placed);
        m_added.push_back(placed);
    }

    /// Calls a function with all that live with the request, in the order of offsets.
    template <class See> void eachLivingWith(const ArenaRequest &request, See see)
    {
        constexpr std::size_t few = 64, share = 32;
        constexpr int patience = 16;
        m_found.clear();
        m_most = few + (m_all.size() + m_added.size()) / share;
        // Where much lived with those before, it will with this one, too.
        if (m_inVain == 0 && find({1, 0, m_steps}, request)) {
            std::ranges::sort(m_found, {}, &Placed::begin);
            for (const Placed &life : m_found)
                see(life);
            return;
        }
        m_inVain = m_inVain == 0 ? patience : m_inVain - 1;
        mergeAdded();
        for (const Placed &life : m_all)
            if (lives(life, request))
                see(life);
    }

private:
    /// A node and the steps that it is for.
    struct Range {
        std::size_t node;
        std::uint32_t from, to;
        std::uint32_t size() const { return to - from; }
        std::uint32_t middle() const { return from + size() / 2; }
        Range left() const { return {2 * node, from, middle()}; }
        Range right() const { return {2 * node + 1, middle(), to}; }
    };
    static bool lives(const Placed &life, const ArenaRequest &request)
    {
        return life.first <= request.last && request.first <= life.last;
    }
    /// False when there are too many.
    bool find(const Range &at, const ArenaRequest &request)
    {
        if (m_counts[at.node] == 0)
            return true;
        for (const Placed &life : m_nodes[at.node])
            if (lives(life, request)) {
                if (m_found.size() == m_most)
                    return false;
                m_found.push_back(life);
            }
        if (at.size() == 1)
            return true;
        return (request.first >= at.middle() || find(at.left(), request)) &&
               (request.last < at.middle() || find(at.right(), request));
    }
    void mergeAdded()
    {
        const auto before = [](const Placed &a, const Placed &b) { return a.begin < b.begin; };
        if (m_added.size() == 1) {
            m_all.insert(std::ranges::upper_bound(m_all, m_added[0].begin, {}, &Placed::begin),
                         m_added[0]);
        } else {
            std::ranges::sort(m_added, before);
            const auto middle = m_all.insert(m_all.end(), m_added.begin(), m_added.end());
            std::inplace_merge(m_all.begin(), middle, m_all.end(), before);
        }
        m_added.clear();
    }

    std::uint32_t m_steps = 1;
    std::vector<std::vector<Placed>> m_nodes;
    std::vector<std::uint32_t> m_counts; // of a node and all below it
    std::vector<Placed> m_all,
        m_added; // in the order of offsets; those that are not among them yet
    std::vector<Placed> m_found;
    std::size_t m_most = 0; // that are looked for in the tree
    int m_inVain = 0;       // how many requests go on without it
};

/// The smallest gap that holds the request between those that live with it, or the end of the last
/// of them.
std::int64_t bestFit(PlacedLives &placed, const ArenaRequest &request)
{
    std::int64_t best = -1, bestGap = std::numeric_limits<std::int64_t>::max(), end = 0;
    placed.eachLivingWith(request, [&](const Placed &other) {
        const std::int64_t gap = other.begin - end;
        if (gap >= request.bytes && gap < bestGap) {
            best = end;
            bestGap = gap;
        }
        end = std::max(end, other.end);
    });
    return best >= 0 ? best : end;
}

ArenaLayout place(std::span<const ArenaRequest> requests, std::span<const std::uint32_t> order,
                  const std::stop_token &stop)
{
    ArenaLayout layout;
    layout.offsets.resize(requests.size());
    std::uint32_t last = 0;
    for (const ArenaRequest &request : requests)
        last = std::max(last, request.last);
    PlacedLives placed(last + 1);
    for (const std::uint32_t i : order) {
        const ArenaRequest &request = requests[i];
        if (stop.stop_requested())
            break;
        if (request.bytes == 0)
            continue;
        const std::int64_t begin = bestFit(placed, request), end = begin + request.bytes;
        placed.add({begin, end, request.first, request.last});
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
