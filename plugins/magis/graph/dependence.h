// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"

namespace graphloom::magis {

/// Tells which of some steps have to precede others among them, directly or indirectly. Steps are
/// named by their places in the list, which is topological.
class Dependence {
public:
    Dependence(const StepGraph &memory, std::span<const int> steps);

    bool isEarlier(std::size_t a, std::size_t b) const // than b
    {
        return (m_before[b * m_words + a / 64] >> (a % 64) & 1) != 0;
    }
    /// Returns nw: how many other steps have to come neither before nor after this one (MAGIS 6.1).
    int waist(std::size_t place) const { return m_waists[place]; }
    const std::vector<int> &waists() const { return m_waists; }

private:
    std::size_t m_words;
    std::vector<std::uint64_t> m_before; // a row of bits for each step
    std::vector<int> m_waists;
};

/// Implements GraphPartition of Algorithm 2: returns segments that can be scheduled one after the
/// other, cut at steps with a waist of at most 1. `steps` must be in a topological order, and so is
/// each segment.
std::vector<std::vector<int>> partition(const StepGraph &memory, std::span<const int> steps);

} // namespace graphloom::magis
