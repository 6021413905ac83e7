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

/// What a block is like, or why there can be no such block.
struct BlockAnswer {
    struct Edge {
        NodeId producer, consumer;
        std::string reason;
    };
    struct Refusal {
        BlockBorder::Cause cause;
        Edge edge; // its ends are invalid where no edge is to blame
    };

    std::optional<Refusal> refusal;
    // The rest is meaningful without a refusal.
    MappingType mapping = MappingType::OneToOne;
    std::vector<Edge> undecided; // the yellow cells
    /// Bytes of operands that are read again for every tile of rows.
    double rereadBytes = 0;
};

/// Says which sets of operators may be one fused loop nest: Table 3 along every path inside, and
/// the limits; and, of a graph that is cut into subgraphs, that all are of one. Does not look at
/// the graph around: whether blocks wait for each other in a cycle is BlockGraph's to say.
class BlockRules {
public:
    BlockRules(const Ecg &ecg, const BlockLimits &limits,
               std::shared_ptr<const Partition> within = nullptr)
        : m_ecg(ecg), m_limits(limits), m_within(std::move(within))
    {
    }

    const Ecg &ecg() const { return m_ecg; }
    const BlockLimits &limits() const { return m_limits; }
    /// Null: blocks are not bound to subgraphs.
    const std::shared_ptr<const Partition> &within() const { return m_within; }
    /// The nodes stand in the graph's order and are connected.
    BlockAnswer check(std::span<const NodeId> nodes) const;

private:
    const Ecg &m_ecg;
    BlockLimits m_limits;
    std::shared_ptr<const Partition> m_within;
};

} // namespace graphloom
