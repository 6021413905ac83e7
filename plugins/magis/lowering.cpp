// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/lowering.h"

#include <algorithm>
#include <random>

namespace graphloom::magis {

namespace {

/// Estimates on the memory profile of a state.
class Profile {
public:
    Profile(const SearchSpace &space, const State &state, const Trace &trace)
        : m_space(space), m_memory(space.memory()), m_plan(*state.arrangement),
          m_policies(state.policies), m_trace(trace)
    {
        for (const Trace::Run &run : trace.runs)
            m_bytes.push_back(run.bytes);
        m_evictionsOf.resize(m_memory.buffers().size());
        for (int e = 0; e < int(space.evictions().size()); ++e)
            if (m_plan.gap(e).isPossible())
                m_evictionsOf[std::size_t(space.evictions()[std::size_t(e)].buffer)].push_back(e);
        m_costs.assign(space.evictions().size(), -1);
    }

    std::vector<std::int64_t> &bytes() { return m_bytes; }
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
        for (int r = first; r <= last; ++r)
            m_bytes[std::size_t(r)] += bytes;
    }

    /// Seconds of kernels until the tensor is there again; large where it cannot be.
    double recomputeSeconds(int eviction)
    {
        double &cost = m_costs[std::size_t(eviction)];
        if (cost < 0) {
            m_budget = 60;
            m_visited.clear();
            const int buffer = m_space.evictions()[std::size_t(eviction)].buffer;
            cost = again(buffer, m_plan.scope(buffer), m_plan.gap(eviction).need);
        }
        return cost;
    }
    void forgetCosts() { m_costs.assign(m_costs.size(), -1); }
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
        for (const int input : m_plan.reads(position))
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
    std::vector<std::int64_t> m_bytes;
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
    auto &bytes = profile.bytes();
    for (int picked = 0; !open.empty(); ++picked) {
        const auto peak = int(std::ranges::max_element(bytes) - bytes.begin());
        if (bytes[std::size_t(peak)] <= lowering.target)
            break;
        int best = -1;
        double bestCost = 1e6;
        Policy bestPolicy = Policy::Keep;
        if (picked % 8 == 0)
            profile.forgetCosts(); // what was evicted since makes others dearer
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
        const auto from = profile.bytes().begin();
        if (first <= last && *std::max_element(from + first, from + last + 1) + size > limit)
            continue;
        profile.policies()[std::size_t(candidate.eviction)] = Policy::Keep;
        profile.change(candidate.eviction, size);
    }
    return profile.policies();
}

} // namespace graphloom::magis
