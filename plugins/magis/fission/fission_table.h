// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/fission/fission.h"

#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>

#include <mutex>
#include <unordered_map>

namespace graphloom::magis {

/// What arrangements ask of a fission again and again.
struct FissionFacts {
    std::vector<int> steps;             // of its nodes, in the graph's order
    std::vector<std::uint64_t> leaving; // a bit for each buffer of which something is read outside
    /// What it gives, or what it gives a view of; computed inside.
    std::vector<TensorId> given;
    /// Without windows: tensors from outside of which its nodes take parts. Shares are left out.
    std::vector<Parts::Piece> taken;

    FissionFacts(const MemoryGraph &memory, const Fission &fission);
    bool leaves(int buffer) const
    {
        return (leaving[std::size_t(buffer) / 64] >> (std::size_t(buffer) % 64) & 1) != 0;
    }
};

/// Of all parts of a step, and of the one with the largest workspace.
struct StepPrice {
    double seconds = 0;
    std::int64_t workspace = 0; // bytes
};

/// All fissions that a search has come across, each once, and the parts that their numbers give.
/// Safe to use from several threads; what it gives stays valid as long as it lives.
class FissionTable {
public:
    explicit FissionTable(const MemoryGraph &memory) : m_memory(memory) {}

    const MemoryGraph &memory() const { return m_memory; }
    /// Its number; that of an equal one if there is one.
    int add(Fission fission);
    const Fission &fission(int number) const;
    int count() const;
    const Parts &parts(int fission, const Cutting &cutting);
    /// Cuttings worth trying, whose largest parts become smaller: one for each of
    /// Fission::numbers(), and where calls are faster for parts of a certain size, as those are
    /// whose tiles just fill the units of the device, parts of that size and a rest.
    const std::vector<Cutting> &cuttings(int fission);
    const FissionFacts &facts(int fission);
    /// The price of what has this key, which is 64 bits of all that it depends on; found once as
    /// long as calls are modelled, since times that are measured change prices.
    template <class Find> StepPrice price(std::uint64_t key, Find find)
    {
        if (!m_memory.isModelled())
            return find();
        if (const auto at = m_prices.find(key); at != m_prices.end())
            return at->second;
        const StepPrice price = find();
        constexpr std::size_t most = 1 << 20;
        if (m_prices.size() < most)
            m_prices.emplace(key, price);
        return price;
    }

private:
    const MemoryGraph &m_memory;
    mutable std::mutex m_mutex; // of adding; what is there is read without
    tbb::concurrent_vector<Fission> m_fissions;
    std::unordered_map<std::uint64_t, int> m_known; // by hash
    tbb::concurrent_unordered_map<std::uint64_t, std::unique_ptr<const Parts>> m_parts;
    tbb::concurrent_unordered_map<int, std::unique_ptr<const FissionFacts>> m_facts;
    tbb::concurrent_unordered_map<int, std::unique_ptr<const std::vector<Cutting>>> m_cuttings;
    tbb::concurrent_unordered_map<std::uint64_t, StepPrice> m_prices;
};

} // namespace graphloom::magis
