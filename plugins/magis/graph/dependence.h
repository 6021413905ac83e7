// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"

namespace graphloom::magis {

/// Which of some steps have to be earlier and later than others of them, directly or not. Steps are
/// named by their places in the list, which is topological.
class Dependence {
public:
    Dependence(const StepGraph &memory, std::span<const int> steps);

    bool isEarlier(std::size_t a, std::size_t b) const // than b
    {
        return (m_before[b * m_words + a / 64] >> (a % 64) & 1) != 0;
    }
    /// nw: how many others have to be neither (MAGIS 6.1).
    int waist(std::size_t place) const { return m_waists[place]; }
    const std::vector<int> &waists() const { return m_waists; }

private:
    std::size_t m_words;
    std::vector<std::uint64_t> m_before; // a row of bits for each step
    std::vector<int> m_waists;
};

/// GraphPartition of Algorithm 2: segments that can be scheduled one after the other, cut at steps
/// with a waist of at most 1. `steps` are topological, and so is each segment.
std::vector<std::vector<int>> partition(const StepGraph &memory, std::span<const int> steps);

} // namespace graphloom::magis
