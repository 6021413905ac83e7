// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/search_space.h"

#include "engine/base/hash.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

StateHash times(const StateHash &hash, std::uint64_t factor)
{
    return {scramble(hash.first + factor),
            scramble(hash.second ^ (factor * 0x9e3779b97f4a7c15ULL))};
}

void add(StateHash &sum, const StateHash &term)
{
    sum.first += term.first;
    sum.second += term.second;
}

} // namespace

SearchSpace::SearchSpace(const MemoryGraph &memory, std::vector<StepOrder> orders,
                         const std::stop_token &stop)
    : m_memory(memory), m_orders(std::move(orders)), m_fissions(memory)
{
    for (const OrderIndex order : m_orders.indices())
        m_known.emplace(m_orders[order].elements(), order);
    findEvictions();
    hashSteps();
    tryRecomputing(stop);
}

/// Finds evictions of tensors that are large enough, between uses that are far enough apart.
void SearchSpace::findEvictions()
{
    std::int64_t largest = 0;
    for (const Buffer &buffer : m_memory.buffers())
        if (!buffer.resident)
            largest = std::max(largest, buffer.bytes);
    constexpr std::int64_t negligible = 1000; // times smaller than the largest
    constexpr int least = 3;                  // steps between uses
    for (const BufferIndex b : m_memory.buffers().indices()) {
        m_firstEviction.push_back(m_evictions.nextIndex());
        const Buffer &buffer = m_memory.buffers()[b];
        if (buffer.resident || buffer.updates.isValid() || buffer.bytes * negligible < largest)
            continue;
        StepIndex last = std::max(StepIndex(0), buffer.producer);
        for (const StepIndex reader : buffer.readers) {
            if (reader - last > least)
                m_evictions.push_back({b, reader});
            last = reader;
        }
    }
    m_firstEviction.push_back(m_evictions.nextIndex());
}

void SearchSpace::tryRecomputing(const std::stop_token &stop)
{
    const auto arrangement = arrange(firstOrder, {});
    Simulator simulator(m_memory, m_evictions);
    Policies policies = keepAll();
    for (const EvictionIndex e : policies.indices()) {
        policies[e] = Policy::Recompute;
        m_canRecompute.push_back(!stop.stop_requested() &&
                                 simulator.run(*arrangement, policies).possible);
        policies[e] = Policy::Keep;
    }
}

/// Hashes steps with upstream and downstream terms. The paper's GraphHash uses upstream terms only,
/// and cannot distinguish copies of a node for different readers.
void SearchSpace::hashSteps()
{
    const auto steps = m_memory.steps();
    const auto buffers = m_memory.buffers();
    IndexedVector<StepIndex, StateHash> up(steps.size()), down(steps.size());
    for (const StepIndex s : steps.indices()) {
        const auto kind = std::uint64_t(steps[s].kind.number());
        up[s] = {scramble(kind + 1), scramble(~kind)};
        for (const BufferIndex b : steps[s].reads) {
            const StepIndex producer = buffers[b].producer;
            const StateHash source =
                producer.isValid() ? up[producer]
                                   : StateHash{std::uint64_t(buffers[b].bytes), std::uint64_t(7)};
            add(up[s], times(source, 3));
        }
        up[s] = times(up[s], 5);
    }
    for (const StepIndex s : steps.indices().reversed()) {
        const auto kind = std::uint64_t(steps[s].kind.number());
        down[s] = {scramble(kind + 11), scramble(kind ^ 13)};
        for (const StepIndex after : steps[s].after)
            add(down[s], times(down[after], 17));
        down[s] = times(down[s], 19);
    }
    for (const Eviction &eviction : m_evictions) {
        const StepIndex producer = buffers[eviction.buffer].producer;
        StateHash hash{scramble(std::uint64_t(buffers[eviction.buffer].bytes)), 23};
        if (producer.isValid()) {
            add(hash, times(up[producer], 29));
            add(hash, times(down[producer], 31));
        }
        add(hash, times(up[eviction.reader], 37));
        add(hash, times(down[eviction.reader], 41));
        m_evictionHashes.push_back(hash);
    }
}

OrderIndex SearchSpace::addOrder(StepOrder order) const
{
    const std::lock_guard lock(m_adding);
    const auto [at, added] =
        m_known.try_emplace(order.elements(), m_orders.size() + m_added.size());
    if (added)
        m_added.push_back(std::move(order));
    return at->second;
}

StateHash SearchSpace::hashOf(OrderIndex order, const Arrangement &arrangement,
                              const Policies &policies) const
{
    auto name = std::uint64_t(order.number());
    if (!m_orders.contains(order)) // the index of an added order is arbitrary
        name = hashBytes(std::as_bytes(std::span(this->order(order).elements())));
    StateHash hash{scramble(name), scramble(name + 43)};
    for (const EnabledFission &enabled : arrangement.fissions()) {
        const std::uint64_t term = m_fissions.fission(enabled.fission).hash() +
                                   std::uint64_t(enabled.number) * 47 +
                                   std::uint64_t(enabled.size) * 0x100000051ULL;
        add(hash, {scramble(term), scramble(~term)});
    }
    for (const EvictionIndex e : policies.indices())
        if (policies[e] != Policy::Keep && arrangement.gap(e).isPossible())
            add(hash,
                policies[e] == Policy::Swap ? times(m_evictionHashes[e], 53) : m_evictionHashes[e]);
    return hash;
}

std::shared_ptr<const GraphDimension> SearchSpace::dimension(TensorId tensor, int dim,
                                                             bool halos) const
{
    const std::tuple key(tensor, dim, halos);
    {
        const std::shared_lock lock(m_mutex);
        if (const auto at = m_dimensions.find(key); at != m_dimensions.end())
            return at->second;
    }
    auto grown =
        std::make_shared<const GraphDimension>(dimensionThrough(m_memory, tensor, dim, halos));
    const std::unique_lock lock(m_mutex);
    return m_dimensions.try_emplace(key, std::move(grown)).first->second;
}

std::shared_ptr<const Arrangement> SearchSpace::arrange(OrderIndex order,
                                                        std::vector<EnabledFission> fissions) const
{
    std::ranges::sort(fissions);
    Key key{order, std::move(fissions)};
    {
        const std::shared_lock lock(m_mutex);
        if (const auto at = m_arrangements.find(key); at != m_arrangements.end())
            return at->second;
    }
    auto arrangement =
        Arrangement::of(m_fissions, this->order(order), key.fissions, m_evictions, &m_pool);
    const std::unique_lock lock(m_mutex);
    constexpr std::size_t most = 512; // 100 kB or more each
    if (m_arrangements.size() >= most)
        m_arrangements.clear(); // states still hold theirs
    return m_arrangements.try_emplace(std::move(key), std::move(arrangement)).first->second;
}

std::optional<State> SearchSpace::evaluate(Simulator &simulator, OrderIndex order,
                                           std::shared_ptr<const Arrangement> arrangement,
                                           Policies policies, PartTimes *times) const
{
    PartTimes ignored;
    PartTimes &spent = times ? *times : ignored;
    State state;
    state.outcome =
        spent.timed(SearchPart::Simulating, [&] { return simulator.run(*arrangement, policies); });
    if (!state.outcome.possible)
        return std::nullopt;
    state.hash =
        spent.timed(SearchPart::Hashing, [&] { return hashOf(order, *arrangement, policies); });
    state.arrangement = std::move(arrangement);
    state.order = order;
    state.policies = std::move(policies);
    return state;
}

} // namespace graphloom::magis
