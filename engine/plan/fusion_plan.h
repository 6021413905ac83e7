// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/analysis.h"
#include "engine/plan/partition.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Why the border between a block and a neighbour is where it is.
struct BlockBorder {
    enum class Cause {
        MappingTypes, // a red cell of DNNFusion's Table 3
        Constraint,   // registers, buffers, inputs or code of the fused loop nest
        Cost,         // a yellow cell that the profile database or the cost model decided against
        Cycle,        // fused, the block would wait for itself
        Opaque,       // one of the two has no index maps
        Lock,         // one of the two is locked
        Taken,        // the neighbour belongs to a recognised block, or was planned before
        Subgraph,     // the two lie in different subgraphs of the partition
        Generator,    // as one kernel their loop nests would run one after the other all the same
    };
    NodeId producer, consumer; // the edge across the border; one end is in the block
    Cause cause = Cause::MappingTypes;
    std::string reason; // in words, with the cell or the figures
};
std::string_view nameOf(BlockBorder::Cause cause);

/// A yellow case that was decided for fusion, and by what.
struct BlockDecision {
    NodeId producer, consumer;
    std::string reason; // the cell, and what both ways cost with provenance
};

/// One fused operator: a kernel to be.
struct FusionBlock {
    /// Of the fused operator (DNNFusion Table 3).
    MappingType mapping = MappingType::OneToOne;
    /// What is known under a name of its own: "LayerNormalization", "Gelu"; "" otherwise.
    std::string pattern;
    /// Tensors, other than constants, that cross the border.
    std::vector<TensorId> inputs, outputs;
    std::vector<BlockBorder> borders;
    std::vector<BlockDecision> decisions;
    /// Operators that only move data and are no work in the block: who reads their results reads
    /// what they read, at another index (section 4.4.2, intra-block).
    std::vector<NodeId> indexChanges;
    /// Inputs that their producers write to where the block's output has them, so that its
    /// concatenation copies nothing.
    std::vector<TensorId> placed;
    /// Bytes that its intermediate results would take, and that are never written.
    std::int64_t removedBytes = 0;
    bool locked = false; // passes leave it as it is
};

/// What DNNFusion's Table 5 counts. Layers are nodes before and blocks after; bytes are those of
/// intermediate results: tensors that are neither constants, nor graph inputs or outputs.
struct FusionStatistics {
    struct Side {
        std::int64_t layers = 0;
        /// Some input, other than those that are broadcast, is read more than once per element:
        /// convolutions, matrix products.
        std::int64_t computeIntensive = 0;
        std::int64_t irsBytes = 0;
        /// Intermediate results with extents that only the running model tells; not in irsBytes.
        std::int64_t unsized = 0;

        std::int64_t memoryIntensive() const { return layers - computeIntensive; }
    };
    Side before, after;
};

/// What the loop nest of a fused block may need (DNNFusion section 4.3.2, step 2.2: "incurs too
/// many overheads, e.g. excessive register spills").
struct BlockLimits {
    int operators = 64;  // code size
    int inputs = 16;     // tensors read, constants left out
    int outputs = 8;     // tensors written
    int liveValues = 24; // intermediate scalars that wait for their readers at one time
    /// Scratch memory for what is kept of one row while a reduction over it runs
    /// (engine/fusion/facts/row_fusion.h).
    double scratchBytes = 256 * 1024;
    /// An operand that is read again for every tile of rows must stay in a cache of this size.
    double operandBytes = 256 * 1024;
    /// Rows that a block must have to be shared among cores, where it holds a contraction.
    double leastRows = 8;
    /// Fuse Many-to-Many behind One-to-Many or Many-to-Many where each element is needed once, and
    /// reductions with what they normalize where a row fits into the scratch memory. Off, such
    /// cases are red as in Table 3.
    bool reductions = true;
    /// How contractions (AGO's complex operators) of one block may depend on each other.
    enum class Contractions {
        One,       // there is at most one: AGO's conventional fusion (section III-A)
        Apart,     // with something between them that gathers anew: attention
        Intensive, // also directly, where tiles recompute nothing: AGO's intensive fusion (III-B)
    };
    Contractions contractions = Contractions::Apart;
};

/// Fusion blocks: disjoint, every node in one of them, in a topological order.
struct FusionPlan {
    Partition partition;             // the blocks as its subgraphs, weighted with their FLOPs
    std::vector<FusionBlock> blocks; // in the same order
    FusionStatistics statistics;
    BlockLimits limits;   // that it was planned with
    double costMs = 0;    // of one run, as modelled for `device`
    double unfusedMs = 0; // the same with every operator on its own
    std::string device;
    /// Each block lies in one subgraph of it; null: blocks are not bound to subgraphs.
    std::shared_ptr<const Partition> within;

    std::uint32_t blockOf(NodeId node) const { return partition.subgraphOf[node.index]; }
};

/// The tensors that cross the border of a set of nodes, given in the graph's order: read but not
/// written in it, constants left out; written in it and read outside, or outputs of the graph.
struct BlockInterface {
    std::vector<TensorId> inputs, outputs;
};
BlockInterface interfaceOf(const Graph &graph, const std::vector<NodeId> &nodes);

/// Fails (Fault), naming the block, unless its partition passes checkPartition(), an opaque node
/// is alone in its block, inputs and outputs are what crosses the border, and each block is in one
/// subgraph where they are bound to subgraphs.
Result<void> checkFusionPlan(const Graph &graph, const Opsets &opsets, const FusionPlan &plan);

} // namespace graphloom
