// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/lowering.h"

#include <algorithm>
#include <limits>
#include <random>

namespace graphloom::magis {

namespace {

/// Bytes by run, in blocks, so that ranges change and maxima are found without going through all.
class BytesByRun {
public:
    explicit BytesByRun(const std::vector<Trace::Run> &runs)
    {
        for (const Trace::Run &run : runs)
            m_bytes.push_back(run.bytes);
        m_added.assign(m_bytes.size() / size + 1, 0);
        m_highest.assign(m_added.size(), std::numeric_limits<std::int64_t>::min());
        for (std::size_t r = 0; r < m_bytes.size(); ++r)
            m_highest[r / size] = std::max(m_highest[r / size], m_bytes[r]);
    }
    void add(int first, int last, std::int64_t bytes)
    {
        for (std::size_t r = std::size_t(first); int(r) <= last;) {
            const std::size_t block = r / size, end = (block + 1) * size;
            if (r % size == 0 && int(end) <= last + 1) {
                m_added[block] += bytes;
                m_highest[block] += bytes;
            } else {
                for (; r < end && int(r) <= last; ++r)
                    m_bytes[r] += bytes;
                m_highest[block] = std::numeric_limits<std::int64_t>::min();
                for (std::size_t i = block * size; i < std::min(end, m_bytes.size()); ++i)
                    m_highest[block] = std::max(m_highest[block], m_bytes[i] + m_added[block]);
            }
            r = end;
        }
    }
    /// The first run with the most.
    int peak() const
    {
        const auto block = std::size_t(std::ranges::max_element(m_highest) - m_highest.begin());
        std::size_t r = block * size;
        while (m_bytes[r] + m_added[block] != m_highest[block])
            ++r;
        return int(r);
    }
    std::int64_t at(int run) const
    {
        return m_bytes[std::size_t(run)] + m_added[std::size_t(run) / size];
    }
    std::int64_t highest(int first, int last) const
    {
        std::int64_t found = std::numeric_limits<std::int64_t>::min();
        for (std::size_t r = std::size_t(first); int(r) <= last;) {
            const std::size_t block = r / size, end = (block + 1) * size;
            if (r % size == 0 && int(end) <= last + 1)
                found = std::max(found, m_highest[block]);
            else
                for (; r < end && int(r) <= last; ++r)
                    found = std::max(found, m_bytes[r] + m_added[block]);
            r = end;
        }
        return found;
    }

private:
    static constexpr std::size_t size = 32;
    std::vector<std::int64_t> m_bytes, m_added, m_highest;
};

/// Estimates on the memory profile of a state.
class Profile {
public:
    Profile(const SearchSpace &space, const State &state, const Trace &trace)
        : m_space(space), m_memory(space.memory()), m_plan(*state.arrangement),
          m_policies(state.policies), m_trace(trace), m_bytes(trace.runs)
    {
        m_evictionsOf.resize(m_memory.buffers().size());
        for (int e = 0; e < int(space.evictions().size()); ++e)
            if (m_plan.gap(e).isPossible())
                m_evictionsOf[std::size_t(space.evictions()[std::size_t(e)].buffer)].push_back(e);
        m_costs.assign(space.evictions().size(), -1);
    }

    const BytesByRun &bytes() const { return m_bytes; }
    std::vector<Policy> &policies() { return m_policies; }

    /// Runs between the uses of an evicted tensor.
    std::pair<int, int> idle(int eviction) const
    {
        const Arrangement::Gap &gap = m_plan.gap(eviction);
        return {m_trace.runAt[std::size_t(gap.drop)] + 1, m_trace.runAt[std::size_t(gap.need)] - 1};
    }
    std::int64_t size(int eviction) const
    {
        return m_plan.bytes(m_space.evictions()[std::size_t(eviction)].buffer);
    }
    void change(int eviction, std::int64_t bytes)
    {
        const auto [first, last] = idle(eviction);
        m_bytes.add(first, last, bytes);
    }

    /// Seconds of kernels until the tensor is there again; large where it cannot be.
    double recomputeSeconds(int eviction)
    {
        double &cost = m_costs[std::size_t(eviction)];
        if (cost < 0) {
            m_budget = 60;
            m_visited.clear();
            const int buffer = m_space.evictions()[std::size_t(eviction)].buffer;
            cost = m_space.canRecompute(eviction)
                       ? again(buffer, m_plan.scope(buffer), m_plan.gap(eviction).need)
                       : impossible;
        }
        return cost;
    }
    void forgetCost(int eviction) { m_costs[std::size_t(eviction)] = -1; }
    double transferSeconds(int eviction) const
    {
        const int buffer = m_space.evictions()[std::size_t(eviction)].buffer;
        double bytes = double(m_plan.bytes(buffer));
        for (int r = m_plan.scope(buffer); r >= 0; r = m_plan.regions()[std::size_t(r)].parent)
            bytes *= m_plan.fissions()[std::size_t(r)].number;
        return bytes / m_memory.device().hostLink;
    }

private:
    static constexpr double impossible = 1e9;

    double again(int buffer, int region, int need)
    {
        const int producer = m_memory.buffers()[std::size_t(buffer)].producer;
        if (producer < 0 || --m_budget < 0)
            return impossible;
        const int position = m_plan.position(producer);
        if (m_plan.regionAt(position) != region)
            return impossible;
        if (std::ranges::find(m_visited, producer) != m_visited.end())
            return 0;
        m_visited.push_back(producer);
        double seconds = m_plan.seconds(position);
        for (const int input : m_memory.reads(producer))
            if (!isThere(input, need))
                seconds += again(input, region, need);
        return seconds;
    }
    bool isThere(int buffer, int need) const
    {
        if (m_memory.buffers()[std::size_t(buffer)].producer < 0)
            return true;
        if (m_plan.lastUse(buffer) < need)
            return false;
        return std::ranges::none_of(m_evictionsOf[std::size_t(buffer)], [&](int e) {
            const Arrangement::Gap &gap = m_plan.gap(e);
            return m_policies[std::size_t(e)] == Policy::Recompute && gap.drop < need &&
                   need < gap.need;
        });
    }

    const SearchSpace &m_space;
    const MemoryGraph &m_memory;
    const Arrangement &m_plan;
    std::vector<Policy> m_policies;
    const Trace &m_trace;
    BytesByRun m_bytes;
    std::vector<std::vector<int>> m_evictionsOf;
    std::vector<double> m_costs;
    std::vector<int> m_visited;
    int m_budget = 0;
};

} // namespace

std::vector<Policy> lowered(const SearchSpace &space, const State &state, const Trace &trace,
                            const Lowering &lowering)
{
    Profile profile(space, state, trace);
    const int count = int(space.evictions().size());
    const bool swaps = lowering.swaps && space.memory().device().hostLink > 0;
    std::mt19937_64 random(lowering.seed);
    std::vector<double> factors(std::size_t(count), 1);
    if (lowering.noise > 1)
        for (double &factor : factors)
            factor = std::pow(lowering.noise, double(random() >> 11) * 0x1p-53);
    double transfers = 0; // seconds of the busier stream
    std::vector<int> open;
    for (int e = 0; e < count; ++e) {
        if (!state.arrangement->gap(e).isPossible())
            continue;
        if (profile.policies()[std::size_t(e)] == Policy::Swap)
            transfers += profile.transferSeconds(e);
        if (profile.policies()[std::size_t(e)] == Policy::Keep)
            open.push_back(e);
    }
    int doubted = -1; // the eviction whose cost is as of now
    while (!open.empty()) {
        const int peak = profile.bytes().peak();
        if (profile.bytes().at(peak) <= lowering.target)
            break;
        int best = -1;
        double bestCost = 1e6;
        Policy bestPolicy = Policy::Keep;
        for (const int e : open) {
            const auto [first, last] = profile.idle(e);
            if (peak < first || peak > last)
                continue;
            const double size = double(profile.size(e)) / 1e6;
            if (size <= 0)
                continue;
            if (lowering.recomputes) {
                const double cost = profile.recomputeSeconds(e) * factors[std::size_t(e)] / size;
                if (cost < bestCost) {
                    bestCost = cost;
                    best = e;
                    bestPolicy = Policy::Recompute;
                }
            }
            if (swaps) {
                const double seconds = profile.transferSeconds(e);
                const double weight =
                    transfers + seconds > 0.9 * state.outcome.seconds ? 1 : lowering.transferWeight;
                const double cost = seconds * weight * factors[std::size_t(e)] / size;
                if (cost < bestCost) {
                    bestCost = cost;
                    best = e;
                    bestPolicy = Policy::Swap;
                }
            }
        }
        if (best < 0)
            break; // nothing more leaves this step
        // What was evicted since its cost was found may have made it dearer.
        if (bestPolicy == Policy::Recompute && best != doubted) {
            profile.forgetCost(best);
            doubted = best;
            continue;
        }
        profile.policies()[std::size_t(best)] = bestPolicy;
        profile.change(best, -profile.size(best));
        if (bestPolicy == Policy::Swap)
            transfers += profile.transferSeconds(best);
        std::erase(open, best);
    }
    return profile.policies();
}

std::vector<Policy> relaxed(const SearchSpace &space, const State &state, const Trace &trace,
                            std::int64_t limit)
{
    Profile profile(space, state, trace);
    struct Evicted {
        int eviction;
        double cost;
    };
    std::vector<Evicted> evicted;
    for (int e = 0; e < int(space.evictions().size()); ++e) {
        if (!state.arrangement->gap(e).isPossible())
            continue;
        const Policy policy = state.policies[std::size_t(e)];
        if (policy == Policy::Recompute)
            evicted.push_back({e, profile.recomputeSeconds(e) / double(profile.size(e) + 1)});
        else if (policy == Policy::Swap)
            evicted.push_back({e, 0.2 * profile.transferSeconds(e) / double(profile.size(e) + 1)});
    }
    std::ranges::stable_sort(evicted, std::ranges::greater{}, &Evicted::cost);
    for (const Evicted &candidate : evicted) {
        const auto [first, last] = profile.idle(candidate.eviction);
        const std::int64_t size = profile.size(candidate.eviction);
        if (first <= last && profile.bytes().highest(first, last) + size > limit)
            continue;
        profile.policies()[std::size_t(candidate.eviction)] = Policy::Keep;
        profile.change(candidate.eviction, size);
    }
    return profile.policies();
}

} // namespace graphloom::magis
