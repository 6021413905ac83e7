// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_merger.h"

#include <memory>
#include <stop_token>

namespace graphloom {

/// Holds all that editing and planning need of one graph together: rules and costs refer to the
/// facts and to the device, and the facts to the graph.
class FusionFacts {
public:
    /// Derives the facts; fails as Ecg::of() does.
    static Result<std::unique_ptr<const FusionFacts>>
    of(Graph graph, const Opsets &opsets, const BlockLimits &limits, const Device &device,
       MeasuredBlocks measured = {}, std::shared_ptr<const Partition> within = nullptr,
       const std::stop_token &stop = {});

    const Ecg &ecg() const { return m_ecg; }
    const BlockMerger &merger() const { return m_merger; }

private:
    FusionFacts(std::unique_ptr<const Graph> graph, Ecg ecg, const BlockLimits &limits,
                const Device &device, MeasuredBlocks measured,
                std::shared_ptr<const Partition> within)
        : m_graph(std::move(graph)), m_device(device), m_ecg(std::move(ecg)),
          m_rules(m_ecg, limits, std::move(within)), m_cost(m_ecg, m_device, std::move(measured)),
          m_merger(m_rules, m_cost)
    {
    }

    std::unique_ptr<const Graph> m_graph;
    Device m_device;
    Ecg m_ecg;
    BlockRules m_rules;
    BlockCost m_cost;
    BlockMerger m_merger;
};

} // namespace graphloom
