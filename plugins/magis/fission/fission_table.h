// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/fission/fission.h"

#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>

#include <mutex>
#include <unordered_map>

namespace graphloom::magis {

/// Counts the fissions of a table, in the order in which they are added; that depends on threads.
using FissionIndex = TypedIndex<struct FissionTag>;

/// Caches the properties of a fission that arrangements need again and again.
struct FissionFacts {
    std::vector<StepIndex> steps;       // steps of its nodes, in the graph's order
    std::vector<std::uint64_t> leaving; // a bit for each buffer of which something is read outside
    /// Tensors computed inside that are read outside, directly or through a view.
    std::vector<TensorId> given;
    /// Tensors from outside that its nodes read parts of, without shares. Empty if windows overlap.
    std::vector<Parts::Piece> taken;

    FissionFacts(const MemoryGraph &memory, const Fission &fission);
    bool leaves(BufferIndex buffer) const
    {
        const auto bit = std::size_t(buffer.number());
        return (leaving[bit / 64] >> (bit % 64) & 1) != 0;
    }
};

/// Holds the seconds of all parts of a step, and the workspace of the part with the largest one.
struct StepPrice {
    double seconds = 0;
    std::int64_t workspace = 0; // bytes
};

/// Holds all fissions that a search has come across, each once, and the parts that cuttings of them
/// give. Safe to use from several threads; references to its contents stay valid as long as the
/// table lives.
class FissionTable {
public:
    explicit FissionTable(const MemoryGraph &memory) : m_memory(memory) {}

    const MemoryGraph &memory() const { return m_memory; }
    /// Adds a fission and returns its index. If there is an equal one already, returns the index of
    /// that one.
    FissionIndex add(Fission fission);
    const Fission &fission(FissionIndex index) const
    {
        return m_fissions[std::size_t(index.number())];
    }
    IndexRange<FissionIndex> indices() const;
    const Parts &parts(FissionIndex fission, const Cutting &cutting);
    /// Returns the cuttings worth trying, with ever smaller largest parts: one for each of
    /// Fission::numbers(), and, where calls are faster for parts of a certain size (those whose
    /// tiles just fill the units of the device), parts of that size and a rest.
    const std::vector<Cutting> &cuttings(FissionIndex fission);
    const FissionFacts &facts(FissionIndex fission);
    /// Returns the price for a key, which is a hash of 64 bits of all that the price depends on.
    /// Calls `find` only once per key as long as calls are modelled; measured times change prices.
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
    mutable std::mutex m_mutex; // guards adding; reading needs no lock
    tbb::concurrent_vector<Fission> m_fissions;
    std::unordered_map<std::uint64_t, FissionIndex> m_known; // by hash
    tbb::concurrent_unordered_map<std::uint64_t, std::unique_ptr<const Parts>> m_parts;
    tbb::concurrent_unordered_map<FissionIndex, std::unique_ptr<const FissionFacts>> m_facts;
    tbb::concurrent_unordered_map<FissionIndex, std::unique_ptr<const std::vector<Cutting>>>
        m_cuttings;
    tbb::concurrent_unordered_map<std::uint64_t, StepPrice> m_prices;
};

} // namespace graphloom::magis
