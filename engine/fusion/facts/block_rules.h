// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/ecg.h"
#include "engine/plan/fusion_plan.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// Describes a block, or tells why there can be no such block.
struct BlockAnswer {
    struct Edge {
        NodeId producer, consumer;
        std::string reason;
    };
    struct Refusal {
        BlockBorder::Cause cause;
        Edge edge; // its ends are invalid if no edge is the cause
    };

    std::optional<Refusal> refusal;
    // The rest is meaningful only without a refusal.
    MappingType mapping = MappingType::OneToOne;
    std::vector<Edge> undecided; // the yellow cells
    /// Bytes of operands that are reread for every tile of rows.
    double rereadBytes = 0;
};

/// Tells which sets of operators may be one fused loop nest: checks Table 3 along every path
/// inside, the limits and, in a graph that is cut into subgraphs, that all nodes are of one
/// subgraph. Does not look at the rest of the graph: BlockGraph tells whether blocks depend on each
/// other in a cycle.
class BlockRules {
public:
    BlockRules(const Ecg &ecg, const BlockLimits &limits,
               std::shared_ptr<const Partition> within = nullptr)
        : m_ecg(ecg), m_limits(limits), m_within(std::move(within))
    {
    }

    const Ecg &ecg() const { return m_ecg; }
    const BlockLimits &limits() const { return m_limits; }
    /// Returns the partition that blocks are bound to; null if there is none.
    const std::shared_ptr<const Partition> &within() const { return m_within; }
    /// Checks a block, whose nodes must be in the graph's order and connected, or in parts that
    /// read the same tensor.
    BlockAnswer check(std::span<const NodeId> nodes) const;

private:
    const Ecg &m_ecg;
    BlockLimits m_limits;
    std::shared_ptr<const Partition> m_within;
};

} // namespace graphloom
