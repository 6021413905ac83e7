// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/ecg.h"
#include "engine/plan/fusion_plan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// What the loop nest of a fused block may need (DNNFusion section 4.3.2, step 2.2: "incurs too
/// many overheads, e.g. excessive register spills").
struct BlockLimits {
    int operators = 64;  // code size
    int inputs = 16;     // tensors read, constants left out
    int outputs = 8;     // tensors written
    int liveValues = 24; // intermediate scalars that wait for their readers at one time
    /// Scratch memory for what is kept of one row while a reduction over it runs (row_fusion.h).
    double scratchBytes = 256 * 1024;
    /// An operand that is read again for every tile of rows must stay in a cache of this size.
    double operandBytes = 256 * 1024;
    /// Rows that a block must have to be shared among cores, where it holds a contraction.
    double leastRows = 8;
    /// Fuse Many-to-Many behind One-to-Many or Many-to-Many where each element is needed once, and
    /// reductions with what they normalize where a row fits into the scratch memory. Off, such
    /// cases are red as in Table 3.
    bool reductions = true;
};

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
/// the limits. Does not look at the graph around: whether blocks wait for each other in a cycle is
/// BlockGraph's to say.
class BlockRules {
public:
    BlockRules(const Ecg &ecg, const BlockLimits &limits) : m_ecg(ecg), m_limits(limits) {}

    const Ecg &ecg() const { return m_ecg; }
    const BlockLimits &limits() const { return m_limits; }
    /// The nodes stand in the graph's order and are connected.
    BlockAnswer check(std::span<const NodeId> nodes) const;

private:
    const Ecg &m_ecg;
    BlockLimits m_limits;
};

} // namespace graphloom
