// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"

#include <cstdint>
#include <vector>

namespace graphloom {

/// Minimum s-t cut of a directed network with real capacities, by Dinic's algorithm: phases of
/// breadth-first levels and blocking flows.
class MinCut {
public:
    static constexpr double unlimited = 1e300;

    /// Node 0 is the source, node 1 the sink.
    MinCut() : m_arcs(2) {}
    std::uint32_t addNode()
    {
        m_arcs.emplace_back();
        return std::uint32_t(m_arcs.size() - 1);
    }
    /// `backwards`: the capacity the other way.
    void addArc(std::uint32_t from, std::uint32_t to, double capacity, double backwards = 0);

    /// The weight of the cut. Afterwards onSourceSide() tells the sides. An arc looked at is a
    /// step; where it is stopped between them, neither means anything.
    double run(Steps *steps = nullptr);
    bool onSourceSide(std::uint32_t node) const { return m_level[node] >= 0; }

private:
    struct Arc {
        std::uint32_t to;
        std::uint32_t reverse; // index among the arcs of `to`
        double left;           // capacity that is not used yet
    };

    bool layer();
    double push(std::uint32_t node, double amount);
    bool stopped() { return m_steps && m_steps->stopped(); }

    std::vector<std::vector<Arc>> m_arcs;
    std::vector<int> m_level;
    std::vector<std::size_t> m_next;
    Steps *m_steps = nullptr;
};

} // namespace graphloom
