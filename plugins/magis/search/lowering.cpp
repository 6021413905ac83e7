// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/lowering.h"

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
    /// An eviction that the arrangement allows, with what is asked of it again and again.
    struct Candidate {
        int eviction;
        int first, last; // runs between the uses of the tensor
        std::int64_t bytes;
    };

    Profile(const SearchSpace &space, const State &state, const Trace &trace)
        : m_space(space), m_memory(space.memory()), m_plan(*state.arrangement),
          m_policies(state.policies), m_bytes(trace.runs)
    {
        m_candidates.reserve(space.evictions().size());
        for (int e = 0; e < int(space.evictions().size()); ++e)
            if (const Arrangement::Gap &gap = m_plan.gap(e); gap.isPossible())
                m_candidates.push_back({e, trace.runAt[std::size_t(gap.drop)] + 1,
                                        trace.runAt[std::size_t(gap.need)] - 1,
                                        m_plan.bytes(space.evictions()[std::size_t(e)].buffer)});
        m_costs.assign(space.evictions().size(), -1);
    }

    const BytesByRun &bytes() const { return m_bytes; }
    std::vector<Policy> &policies() { return m_policies; }
    const std::vector<Candidate> &candidates() const { return m_candidates; }
    void change(const Candidate &candidate, std::int64_t bytes)
    {
        m_bytes.add(candidate.first, candidate.last, bytes);
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
        const auto [first, end] = m_space.evictionsOf(buffer);
        for (int e = first; e < end; ++e) {
            const Arrangement::Gap &gap = m_plan.gap(e);
            if (m_policies[std::size_t(e)] == Policy::Recompute && gap.isPossible() &&
                gap.drop < need && need < gap.need)
                return false;
        }
        return true;
    }

    const SearchSpace &m_space;
    const MemoryGraph &m_memory;
    const Arrangement &m_plan;
    std::vector<Policy> m_policies;
    BytesByRun m_bytes;
    std::vector<Candidate> m_candidates;
    std::vector<double> m_costs; // by eviction; less than 0: not known
    std::vector<int> m_visited;
    int m_budget = 0;
};

/// What may still be evicted, in the order of evictions, and whose runs between uses hold a run.
class OpenEvictions {
public:
    struct Open {
        int first, last; // as Profile::Candidate
        int candidate;
    };

    void add(const Profile::Candidate &candidate, int place)
    {
        m_open.push_back({candidate.first, candidate.last, place});
    }
    /// Calls with the candidate of each that holds the run.
    template <class Visit> void forEachAround(int run, Visit visit)
    {
        if (run != m_run) { // peaks often stay where they are
            m_run = run;
            m_around.clear();
            for (const Open &open : m_open)
                if (open.first <= run && run <= open.last)
                    m_around.push_back(open.candidate);
        }
        for (const int candidate : m_around)
            visit(candidate);
    }
    void erase(int candidate)
    {
        std::erase(m_around, candidate);
        m_open.erase(std::ranges::lower_bound(m_open, candidate, {}, &Open::candidate));
    }
    bool isEmpty() const { return m_open.empty(); }

private:
    std::vector<Open> m_open;
    std::vector<int> m_around; // candidates that hold m_run
    int m_run = -1;
};

} // namespace

std::vector<std::vector<Policy>> lowered(const SearchSpace &space, const State &state,
                                         const Trace &trace, const Lowering &lowering)
{
    Profile profile(space, state, trace);
    const bool swaps = lowering.swaps && space.memory().device().hostLink > 0;
    std::mt19937_64 random(lowering.seed);
    /// What a candidate costs, in seconds and as chance has it.
    struct Price {
        double size; // in megabytes
        double factor = 1;
        double transfer = 0; // seconds
    };
    const auto &candidates = profile.candidates();
    std::vector<Price> prices;
    prices.reserve(candidates.size());
    OpenEvictions open;
    double transfers = 0; // seconds of the busier stream
    for (int c = 0; c < int(candidates.size()); ++c) {
        const Profile::Candidate &candidate = candidates[std::size_t(c)];
        Price price{double(candidate.bytes) / 1e6};
        if (lowering.noise > 1)
            price.factor = std::pow(lowering.noise, double(random() >> 11) * 0x1p-53);
        price.transfer = swaps ? profile.transferSeconds(candidate.eviction) : 0;
        const Policy policy = profile.policies()[std::size_t(candidate.eviction)];
        if (policy == Policy::Swap)
            transfers += price.transfer;
        if (policy == Policy::Keep && candidate.bytes > 0)
            open.add(candidate, c);
        prices.push_back(price);
    }
    std::vector<std::vector<Policy>> reached;
    int doubted = -1; // the candidate whose cost is as of now
    for (auto target = lowering.targets.begin(); target != lowering.targets.end();) {
        const int peak = profile.bytes().peak();
        if (profile.bytes().at(peak) <= *target) {
            reached.push_back(profile.policies());
            ++target;
            continue;
        }
        int best = -1;
        double bestCost = 1e6;
        Policy bestPolicy = Policy::Keep;
        open.forEachAround(peak, [&](int c) {
            const Price &price = prices[std::size_t(c)];
            if (lowering.recomputes) {
                const double cost = profile.recomputeSeconds(candidates[std::size_t(c)].eviction) *
                                    price.factor / price.size;
                if (cost < bestCost) {
                    bestCost = cost;
                    best = c;
                    bestPolicy = Policy::Recompute;
                }
            }
            if (swaps) {
                const double weight = transfers + price.transfer > 0.9 * state.outcome.seconds
                                          ? 1
                                          : lowering.transferWeight;
                const double cost = price.transfer * weight * price.factor / price.size;
                if (cost < bestCost) {
                    bestCost = cost;
                    best = c;
                    bestPolicy = Policy::Swap;
                }
            }
        });
        if (best < 0) { // nothing more leaves this step
            reached.push_back(profile.policies());
            break;
        }
        const Profile::Candidate &chosen = candidates[std::size_t(best)];
        // What was evicted since its cost was found may have made it dearer.
        if (bestPolicy == Policy::Recompute && best != doubted) {
            profile.forgetCost(chosen.eviction);
            doubted = best;
            continue;
        }
        profile.policies()[std::size_t(chosen.eviction)] = bestPolicy;
        profile.change(chosen, -chosen.bytes);
        if (bestPolicy == Policy::Swap)
            transfers += prices[std::size_t(best)].transfer;
        open.erase(best);
    }
    return reached;
}

std::vector<Policy> relaxed(const SearchSpace &space, const State &state, const Trace &trace,
                            std::int64_t limit)
{
    Profile profile(space, state, trace);
    struct Evicted {
        const Profile::Candidate *candidate;
        double cost;
    };
    std::vector<Evicted> evicted;
    for (const Profile::Candidate &candidate : profile.candidates()) {
        const Policy policy = state.policies[std::size_t(candidate.eviction)];
        const double size = double(candidate.bytes + 1);
        if (policy == Policy::Recompute)
            evicted.push_back({&candidate, profile.recomputeSeconds(candidate.eviction) / size});
        else if (policy == Policy::Swap)
            evicted.push_back(
                {&candidate, 0.2 * profile.transferSeconds(candidate.eviction) / size});
    }
    std::ranges::stable_sort(evicted, std::ranges::greater{}, &Evicted::cost);
    for (const Evicted &back : evicted) {
        const auto &[eviction, first, last, bytes] = *back.candidate;
        if (first <= last && profile.bytes().highest(first, last) + bytes > limit)
            continue;
        profile.policies()[std::size_t(eviction)] = Policy::Keep;
        profile.change(*back.candidate, bytes);
    }
    return std::move(profile.policies());
}

} // namespace graphloom::magis
