// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"

#include <cstdint>
#include <vector>

namespace graphloom {

/// Computes a minimum s-t cut of a directed network with real capacities by Dinic's algorithm, in
/// phases of breadth-first levels and blocking flows.
class MinCut {
public:
    static constexpr double unlimited = 1e300;

    /// Creates a network of two nodes: node 0 is the source, node 1 the sink.
    MinCut() : m_arcs(2) {}
    std::uint32_t addNode()
    {
        m_arcs.emplace_back();
        return std::uint32_t(m_arcs.size() - 1);
    }
    /// Adds an arc; `backwards` is its capacity in the opposite direction.
    void addArc(std::uint32_t from, std::uint32_t to, double capacity, double backwards = 0);

    /// Returns the weight of the cut; afterwards onSourceSide() tells the sides. Each arc looked at
    /// counts as a step. If `steps` stops the computation, neither result means anything.
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
