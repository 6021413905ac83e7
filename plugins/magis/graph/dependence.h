// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"

namespace graphloom::magis {

/// Tells which of some steps have to precede others among them, directly or indirectly. Steps are
/// named by their places in the list, which is topological.
class Dependence {
public:
    /// Counts the steps of the list.
    using Place = TypedIndex<struct DependencePlaceTag>;

    Dependence(const StepGraph &memory, std::span<const StepIndex> steps);

    bool isEarlier(Place a, Place b) const { return m_before.has(b, a); } // than b
    /// Returns nw: how many other steps have to come neither before nor after this one (MAGIS 6.1).
    int waist(Place place) const { return m_waists[place]; }
    const IndexedVector<Place, int> &waists() const { return m_waists; }

private:
    /// Holds a set of places for each place, as rows of bits.
    class Sets {
    public:
        explicit Sets(std::size_t count) : m_words((count + 63) / 64), m_bits(count * m_words, 0) {}

        bool has(Place set, Place member) const
        {
            return (m_bits[rowOf(set) + wordOf(member)] >> (member.number() % 64) & 1) != 0;
        }
        /// Adds a place, and all members of its own set.
        void addWithMembers(Place set, Place added);
        int size(Place set) const;

    private:
        std::size_t rowOf(Place set) const { return std::size_t(set.number()) * m_words; }
        static std::size_t wordOf(Place member) { return std::size_t(member.number()) / 64; }

        std::size_t m_words;
        std::vector<std::uint64_t> m_bits;
    };

    Sets m_before;
    IndexedVector<Place, int> m_waists;
};

/// Implements GraphPartition of Algorithm 2: returns segments that can be scheduled one after the
/// other, cut at steps with a waist of at most 1. `steps` must be in a topological order, and so is
/// each segment.
std::vector<std::vector<StepIndex>> partition(const StepGraph &memory,
                                              std::span<const StepIndex> steps);

} // namespace graphloom::magis
