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

SearchSpace::SearchSpace(const MemoryGraph &memory, std::vector<std::vector<int>> orders,
                         const std::stop_token &stop)
    : m_memory(memory), m_orders(std::move(orders)), m_fissions(memory)
{
    for (int order = 0; order < int(m_orders.size()); ++order)
        m_numbers.emplace(m_orders[std::size_t(order)], order);
    findEvictions();
    hashSteps();
    tryRecomputing(stop);
}

/// Tensors that are worth it, between uses that are not next to each other.
void SearchSpace::findEvictions()
{
    std::int64_t largest = 0;
    for (const Buffer &buffer : m_memory.buffers())
        if (!buffer.resident)
            largest = std::max(largest, buffer.bytes);
    constexpr std::int64_t negligible = 1000; // of the largest
    constexpr int least = 3;                  // steps between the uses
    for (int b = 0; b < int(m_memory.buffers().size()); ++b) {
        m_firstEviction.push_back(int(m_evictions.size()));
        const Buffer &buffer = m_memory.buffers()[std::size_t(b)];
        if (buffer.resident || buffer.updates >= 0 || buffer.bytes * negligible < largest)
            continue;
        int last = std::max(0, buffer.producer);
        for (const int reader : buffer.readers) {
            if (reader - last > least)
                m_evictions.push_back({b, reader});
            last = reader;
        }
    }
    m_firstEviction.push_back(int(m_evictions.size()));
}

void SearchSpace::tryRecomputing(const std::stop_token &stop)
{
    const auto arrangement = arrange(0, {});
    Simulator simulator(m_memory, m_evictions);
    std::vector<Policy> policies = keepAll();
    for (std::size_t e = 0; e < policies.size(); ++e) {
        policies[e] = Policy::Recompute;
        m_canRecompute.push_back(!stop.stop_requested() &&
                                 simulator.run(*arrangement, policies).possible);
        policies[e] = Policy::Keep;
    }
}

/// Hashes with upstream and downstream terms (the paper's GraphHash looks upstream only, and takes
/// copies of one node for different readers for the same).
void SearchSpace::hashSteps()
{
    const auto steps = m_memory.steps();
    const auto buffers = m_memory.buffers();
    std::vector<StateHash> up(steps.size()), down(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const auto kind = std::uint64_t(steps[s].kind);
        up[s] = {scramble(kind + 1), scramble(~kind)};
        for (const int b : steps[s].reads) {
            const int producer = buffers[std::size_t(b)].producer;
            const StateHash source =
                producer >= 0
                    ? up[std::size_t(producer)]
                    : StateHash{std::uint64_t(buffers[std::size_t(b)].bytes), std::uint64_t(7)};
            add(up[s], times(source, 3));
        }
        up[s] = times(up[s], 5);
    }
    for (std::size_t s = steps.size(); s-- > 0;) {
        down[s] = {scramble(std::uint64_t(steps[s].kind) + 11),
                   scramble(std::uint64_t(steps[s].kind) ^ 13)};
        for (const int after : steps[s].after)
            add(down[s], times(down[std::size_t(after)], 17));
        down[s] = times(down[s], 19);
    }
    for (const Eviction &eviction : m_evictions) {
        const int producer = buffers[std::size_t(eviction.buffer)].producer;
        StateHash hash{scramble(std::uint64_t(buffers[std::size_t(eviction.buffer)].bytes)), 23};
        if (producer >= 0) {
            add(hash, times(up[std::size_t(producer)], 29));
            add(hash, times(down[std::size_t(producer)], 31));
        }
        add(hash, times(up[std::size_t(eviction.reader)], 37));
        add(hash, times(down[std::size_t(eviction.reader)], 41));
        m_evictionHashes.push_back(hash);
    }
}

int SearchSpace::addOrder(std::vector<int> order) const
{
    const std::lock_guard lock(m_adding);
    const auto [at, added] =
        m_numbers.try_emplace(std::move(order), int(m_orders.size() + m_added.size()));
    if (added)
        m_added.push_back(at->first);
    return at->second;
}

StateHash SearchSpace::hashOf(int order, const Arrangement &arrangement,
                              std::span<const Policy> policies) const
{
    auto name = std::uint64_t(order);
    if (std::size_t(order) >= m_orders.size()) // its number is no property of it
        name = hashBytes(std::as_bytes(std::span(this->order(order))));
    StateHash hash{scramble(name), scramble(name + 43)};
    for (const EnabledFission &enabled : arrangement.fissions()) {
        const std::uint64_t term = m_fissions.fission(enabled.fission).hash() +
                                   std::uint64_t(enabled.number) * 47 +
                                   std::uint64_t(enabled.size) * 0x100000051ULL;
        add(hash, {scramble(term), scramble(~term)});
    }
    for (std::size_t e = 0; e < policies.size(); ++e)
        if (policies[e] != Policy::Keep && arrangement.gap(int(e)).isPossible())
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

std::shared_ptr<const Arrangement> SearchSpace::arrange(int order,
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
    constexpr std::size_t most = 512; // of 100 kB and more each
    if (m_arrangements.size() >= most)
        m_arrangements.clear(); // states keep theirs
    return m_arrangements.try_emplace(std::move(key), std::move(arrangement)).first->second;
}

std::optional<State> SearchSpace::evaluate(Simulator &simulator, int order,
                                           std::shared_ptr<const Arrangement> arrangement,
                                           std::vector<Policy> policies) const
{
    State state;
    state.outcome = simulator.run(*arrangement, policies);
    if (!state.outcome.possible)
        return std::nullopt;
    state.hash = hashOf(order, *arrangement, policies);
    state.arrangement = std::move(arrangement);
    state.order = order;
    state.policies = std::move(policies);
    return state;
}

} // namespace graphloom::magis
