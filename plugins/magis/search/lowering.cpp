// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/lowering.h"

#include <algorithm>
#include <limits>
#include <random>

namespace graphloom::magis {

namespace {

/// Counts the candidates of a profile.
using CandidateIndex = TypedIndex<struct EvictionCandidateTag>;

/// Holds bytes by run, in blocks, so that updates of ranges and maxima do not visit all runs.
class BytesByRun {
public:
    explicit BytesByRun(const IndexedVector<RunIndex, Trace::Run> &runs)
    {
        for (const Trace::Run &run : runs)
            m_bytes.push_back(run.bytes);
        m_added.assign(m_bytes.size() / size + 1, 0);
        m_highest.assign(m_added.size(), std::numeric_limits<std::int64_t>::min());
        for (const RunIndex r : m_bytes.indices())
            m_highest[blockOf(r)] = std::max(m_highest[blockOf(r)], m_bytes[r]);
    }
    void add(RunIndex first, RunIndex last, std::int64_t bytes)
    {
        for (RunIndex r = first; r <= last;) {
            const Block block = blockOf(r);
            const RunIndex begin = beginOf(block), end = beginOf(block + 1);
            if (r == begin && end <= last + 1) {
                m_added[block] += bytes;
                m_highest[block] += bytes;
            } else {
                for (; r < end && r <= last; ++r)
                    m_bytes[r] += bytes;
                m_highest[block] = std::numeric_limits<std::int64_t>::min();
                for (const RunIndex i : IndexRange(begin, std::min(end, m_bytes.nextIndex())))
                    m_highest[block] = std::max(m_highest[block], m_bytes[i] + m_added[block]);
            }
            r = end;
        }
    }
    /// Returns the first run with the most bytes.
    RunIndex peak() const
    {
        const Block block(std::ranges::max_element(m_highest) - m_highest.begin());
        RunIndex r = beginOf(block);
        while (m_bytes[r] + m_added[block] != m_highest[block])
            ++r;
        return r;
    }
    std::int64_t at(RunIndex run) const { return m_bytes[run] + m_added[blockOf(run)]; }
    std::int64_t highest(RunIndex first, RunIndex last) const
    {
        std::int64_t found = std::numeric_limits<std::int64_t>::min();
        for (RunIndex r = first; r <= last;) {
            const Block block = blockOf(r);
            const RunIndex end = beginOf(block + 1);
            if (r == beginOf(block) && end <= last + 1)
                found = std::max(found, m_highest[block]);
            else
                for (; r < end && r <= last; ++r)
                    found = std::max(found, m_bytes[r] + m_added[block]);
            r = end;
        }
        return found;
    }

private:
    /// Counts the blocks of runs.
    using Block = TypedIndex<struct RunBlockTag>;
    static constexpr unsigned size = 32; // runs per block

    static Block blockOf(RunIndex run) { return Block(unsigned(run.number()) / size); }
    static RunIndex beginOf(Block block) { return RunIndex(unsigned(block.number()) * size); }

    IndexedVector<RunIndex, std::int64_t> m_bytes;
    IndexedVector<Block, std::int64_t> m_added, m_highest;
};

/// Estimates how evictions change the memory profile of a state.
class Profile {
public:
    /// An eviction that the arrangement allows, with facts that are needed repeatedly.
    struct Candidate {
        EvictionIndex eviction;
        RunIndex first, last; // between the uses of the tensor
        std::int64_t bytes;
    };

    Profile(const SearchSpace &space, const State &state, const Trace &trace)
        : m_space(space), m_memory(space.memory()), m_plan(*state.arrangement),
          m_policies(state.policies), m_bytes(trace.runs)
    {
        m_candidates.reserve(space.evictions().size());
        for (const EvictionIndex e : space.evictions().indices())
            if (const Arrangement::Gap &gap = m_plan.gap(e); gap.isPossible())
                m_candidates.push_back({e, trace.runAt[gap.drop] + 1, trace.runAt[gap.need] - 1,
                                        m_plan.bytes(space.evictions()[e].buffer)});
        m_costs.assign(space.evictions().size(), -1);
    }

    const BytesByRun &bytes() const { return m_bytes; }
    Policies &policies() { return m_policies; }
    const IndexedVector<CandidateIndex, Candidate> &candidates() const { return m_candidates; }
    void change(const Candidate &candidate, std::int64_t bytes)
    {
        m_bytes.add(candidate.first, candidate.last, bytes);
    }

    /// Returns the kernel seconds to rematerialize the tensor; large if that is impossible.
    double recomputeSeconds(EvictionIndex eviction)
    {
        double &cost = m_costs[eviction];
        if (cost < 0) {
            m_budget = 60;
            m_visited.clear();
            const BufferIndex buffer = m_space.evictions()[eviction].buffer;
            cost = m_space.canRecompute(eviction)
                       ? again(buffer, m_plan.scope(buffer), m_plan.gap(eviction).need)
                       : impossible;
        }
        return cost;
    }
    void forgetCost(EvictionIndex eviction) { m_costs[eviction] = -1; }
    double transferSeconds(EvictionIndex eviction) const
    {
        const BufferIndex buffer = m_space.evictions()[eviction].buffer;
        double bytes = double(m_plan.bytes(buffer));
        for (RegionIndex r = m_plan.scope(buffer); r.isValid(); r = m_plan.regions()[r].parent)
            bytes *= m_plan.fissions()[r].number;
        return bytes / m_memory.device().hostLink;
    }

private:
    static constexpr double impossible = 1e9;

    double again(BufferIndex buffer, RegionIndex region, Position need)
    {
        const StepIndex producer = m_memory.buffers()[buffer].producer;
        if (!producer.isValid() || --m_budget < 0)
            return impossible;
        const Position position = m_plan.position(producer);
        if (m_plan.regionAt(position) != region)
            return impossible;
        if (std::ranges::find(m_visited, producer) != m_visited.end())
            return 0;
        m_visited.push_back(producer);
        double seconds = m_plan.seconds(position);
        for (const BufferIndex input : m_memory.reads(producer))
            if (!isThere(input, need))
                seconds += again(input, region, need);
        return seconds;
    }
    bool isThere(BufferIndex buffer, Position need) const
    {
        if (!m_memory.buffers()[buffer].producer.isValid())
            return true;
        if (m_plan.lastUse(buffer) < need)
            return false;
        for (const EvictionIndex e : m_space.evictionsOf(buffer)) {
            const Arrangement::Gap &gap = m_plan.gap(e);
            if (m_policies[e] == Policy::Recompute && gap.isPossible() && gap.drop < need &&
                need < gap.need)
                return false;
        }
        return true;
    }

    const SearchSpace &m_space;
    const MemoryGraph &m_memory;
    const Arrangement &m_plan;
    Policies m_policies;
    BytesByRun m_bytes;
    IndexedVector<CandidateIndex, Candidate> m_candidates;
    IndexedVector<EvictionIndex, double> m_costs; // negative: unknown
    std::vector<StepIndex> m_visited;
    int m_budget = 0;
};

/// Holds the candidates left to evict, by eviction, and finds those whose gap contains a run.
class OpenEvictions {
public:
    struct Open {
        RunIndex first, last; // as in Profile::Candidate
        CandidateIndex candidate;
    };

    void add(const Profile::Candidate &candidate, CandidateIndex index)
    {
        m_open.push_back({candidate.first, candidate.last, index});
    }
    /// Visits the candidates whose gap contains the run.
    template <class Visit> void forEachAround(RunIndex run, Visit visit)
    {
        if (run != m_run) { // the peak often stays at one run
            m_run = run;
            m_around.clear();
            for (const Open &open : m_open)
                if (open.first <= run && run <= open.last)
                    m_around.push_back(open.candidate);
        }
        for (const CandidateIndex candidate : m_around)
            visit(candidate);
    }
    void erase(CandidateIndex candidate)
    {
        std::erase(m_around, candidate);
        m_open.erase(std::ranges::lower_bound(m_open, candidate, {}, &Open::candidate));
    }
    bool isEmpty() const { return m_open.empty(); }

private:
    std::vector<Open> m_open;
    std::vector<CandidateIndex> m_around; // whose gap contains m_run
    RunIndex m_run;
};

/// Evicts the candidates of a state's profile one by one, at randomly scaled prices.
class Evictor {
public:
    struct Choice {
        CandidateIndex candidate; // invalid: nothing more can be evicted around the run
        Policy policy = Policy::Keep;
    };

    Evictor(const SearchSpace &space, const State &state, const Trace &trace,
            const Lowering &lowering)
        : m_lowering(lowering), m_profile(space, state, trace), m_seconds(state.outcome.seconds),
          m_swaps(lowering.swaps && space.memory().device().hostLink > 0)
    {
        std::mt19937_64 random(lowering.seed);
        const auto &candidates = m_profile.candidates();
        m_prices.reserve(candidates.size());
        for (const CandidateIndex c : candidates.indices()) {
            const Profile::Candidate &candidate = candidates[c];
            Price price{double(candidate.bytes) / 1e6};
            if (lowering.noise > 1)
                price.factor = std::pow(lowering.noise, double(random() >> 11) * 0x1p-53);
            price.transfer = m_swaps ? m_profile.transferSeconds(candidate.eviction) : 0;
            const Policy policy = m_profile.policies()[candidate.eviction];
            if (policy == Policy::Swap)
                m_transfers += price.transfer;
            if (policy == Policy::Keep && candidate.bytes > 0)
                m_open.add(candidate, c);
            m_prices.push_back(price);
        }
    }

    const BytesByRun &bytes() const { return m_profile.bytes(); }
    const Policies &policies() { return m_profile.policies(); }

    /// Returns the eviction around a run with the lowest cost per byte.
    Choice cheapest(RunIndex run)
    {
        Choice best;
        double bestCost = 1e6;
        const auto consider = [&](CandidateIndex candidate, Policy policy, double cost) {
            if (cost < bestCost) {
                bestCost = cost;
                best = {candidate, policy};
            }
        };
        m_open.forEachAround(run, [&](CandidateIndex c) {
            const Price &price = m_prices[c];
            if (m_lowering.recomputes)
                consider(c, Policy::Recompute,
                         m_profile.recomputeSeconds(m_profile.candidates()[c].eviction) *
                             price.factor / price.size);
            if (m_swaps) {
                const double weight =
                    m_transfers + price.transfer > 0.9 * m_seconds ? 1 : m_lowering.transferWeight;
                consider(c, Policy::Swap, price.transfer * weight * price.factor / price.size);
            }
        });
        return best;
    }
    /// Tells whether the cost of a choice must be updated: evictions since then may have raised it.
    bool doubts(const Choice &choice)
    {
        if (choice.policy != Policy::Recompute || choice.candidate == m_doubted)
            return false;
        m_profile.forgetCost(m_profile.candidates()[choice.candidate].eviction);
        m_doubted = choice.candidate;
        return true;
    }
    void evict(const Choice &choice)
    {
        const Profile::Candidate &chosen = m_profile.candidates()[choice.candidate];
        m_profile.policies()[chosen.eviction] = choice.policy;
        m_profile.change(chosen, -chosen.bytes);
        if (choice.policy == Policy::Swap)
            m_transfers += m_prices[choice.candidate].transfer;
        m_open.erase(choice.candidate);
    }

private:
    /// Holds the size and costs of a candidate, and its random factor.
    struct Price {
        double size; // in megabytes
        double factor = 1;
        double transfer = 0; // seconds
    };

    const Lowering &m_lowering;
    Profile m_profile;
    double m_seconds; // of the state
    bool m_swaps;
    IndexedVector<CandidateIndex, Price> m_prices;
    OpenEvictions m_open;
    double m_transfers = 0;   // seconds of the busier stream
    CandidateIndex m_doubted; // the candidate whose cost is up to date
};

} // namespace

std::vector<Policies> lowered(const SearchSpace &space, const State &state, const Trace &trace,
                              const Lowering &lowering)
{
    Evictor evictor(space, state, trace, lowering);
    std::vector<Policies> reached;
    for (auto target = lowering.targets.begin(); target != lowering.targets.end();) {
        const RunIndex peak = evictor.bytes().peak();
        if (evictor.bytes().at(peak) <= *target) {
            reached.push_back(evictor.policies());
            ++target;
            continue;
        }
        const Evictor::Choice choice = evictor.cheapest(peak);
        if (!choice.candidate.isValid()) { // nothing more can be evicted around it
            reached.push_back(evictor.policies());
            break;
        }
        if (!evictor.doubts(choice))
            evictor.evict(choice);
    }
    return reached;
}

Policies relaxed(const SearchSpace &space, const State &state, const Trace &trace,
                 std::int64_t limit)
{
    Profile profile(space, state, trace);
    struct Evicted {
        const Profile::Candidate *candidate;
        double cost;
    };
    std::vector<Evicted> evicted;
    for (const Profile::Candidate &candidate : profile.candidates()) {
        const Policy policy = state.policies[candidate.eviction];
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
        profile.policies()[eviction] = Policy::Keep;
        profile.change(*back.candidate, bytes);
    }
    return std::move(profile.policies());
}

} // namespace graphloom::magis
