// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/opsets.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/plan/partition.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Tells why the border between a block and a neighbour is where it is.
struct BlockBorder {
    enum class Cause {
        MappingTypes, // a red cell of DNNFusion's Table 3
        Constraint,   // registers, buffers, inputs or code of the fused loop nest
        Cost,         // a yellow cell that the profile database or the cost model decided against
        Cycle,        // the fused block would depend on itself
        Opaque,       // one of the two has no index maps
        Lock,         // one of the two is locked
        Taken,        // the neighbour belongs to a recognised or already planned block
        Subgraph,     // the two lie in different subgraphs of the partition
        Generator,    // in one kernel, their loop nests would still run one after the other
    };
    NodeId producer, consumer; // the edge across the border; one end is in the block
    Cause cause = Cause::MappingTypes;
    std::string reason; // in words, with the cell or the figures
};
std::string_view nameOf(BlockBorder::Cause cause);

/// Records a yellow case that was decided in favour of fusion, and the reason.
struct BlockDecision {
    NodeId producer, consumer;
    std::string reason; // the cell, and the cost of both ways with provenance
};

/// Describes one fused operator, which becomes a kernel.
struct FusionBlock {
    /// The mapping type of the fused operator (DNNFusion Table 3).
    MappingType mapping = MappingType::OneToOne;
    /// The name of a well-known pattern: "LayerNormalization", "Gelu"; "" for others.
    std::string pattern;
    /// Tensors, other than constants, that cross the border.
    std::vector<TensorId> inputs, outputs;
    std::vector<BlockBorder> borders;
    std::vector<BlockDecision> decisions;
    /// Operators that only move data and cost nothing in the block: readers of their results read
    /// their inputs instead, at another index (section 4.4.2, intra-block).
    std::vector<NodeId> indexChanges;
    /// Inputs that their producers write to their place in the block's output, so that its
    /// concatenation copies nothing.
    std::vector<TensorId> placed;
    /// Bytes of its intermediate results that are never written.
    std::int64_t removedBytes = 0;
    bool locked = false; // passes leave it as it is
};

/// Holds the counts of DNNFusion's Table 5. Layers are nodes before and blocks after; bytes are
/// those of intermediate results: tensors that are neither constants nor graph inputs or outputs.
struct FusionStatistics {
    struct Side {
        std::int64_t layers = 0;
        /// Layers in which some input, other than broadcast ones, is read more than once per
        /// element: convolutions, matrix products.
        std::int64_t computeIntensive = 0;
        std::int64_t irsBytes = 0;
        /// Intermediate results whose extents are known only at run time; not in irsBytes.
        std::int64_t unsized = 0;

        std::int64_t memoryIntensive() const { return layers - computeIntensive; }
    };
    Side before, after;
};

/// Limits what the loop nest of a fused block may need (DNNFusion section 4.3.2, step 2.2: "incurs
/// too many overheads, e.g. excessive register spills").
struct BlockLimits {
    int operators = 64;  // code size
    int inputs = 16;     // tensors read, without constants
    int outputs = 8;     // tensors written
    int liveValues = 24; // intermediate scalars live at the same time
    /// Scratch memory for the values of one row that are kept while a reduction over it runs
    /// (engine/fusion/facts/row_fusion.h).
    double scratchBytes = 256 * 1024;
    /// Cache size into which an operand must fit if it is read again for every tile of rows.
    double operandBytes = 256 * 1024;
    /// Least number of rows at which a block with a contraction is shared among cores.
    double leastRows = 8;
    /// Fuses Many-to-Many after One-to-Many or Many-to-Many if each element is needed once, and
    /// reductions with the operators that they normalize if a row fits into the scratch memory. If
    /// off, such cases are red as in Table 3.
    bool reductions = true;
    /// Tells how contractions (AGO's complex operators) of one block may depend on each other.
    enum class Contractions {
        One,       // at most one: AGO's conventional fusion (section III-A)
        Apart,     // with another reduction between them, as in attention
        Intensive, // also directly, if tiles recompute nothing: AGO's intensive fusion (III-B)
    };
    Contractions contractions = Contractions::Apart;
};

/// Tells how kernels of the blocks are tuned (AGO section V).
struct BlockTuning {
    /// Takes blocks apart, tunes the parts first, and joins them where that is measured to be
    /// faster; if not, tunes the blocks as they are (the paper's AGO-NR).
    bool reforms = false;
    /// The times of a kernel are stable when they have fallen by less than this share of them over
    /// the last trials.
    double stableGain = 0.02;
    int stableTrials = 24;
};

/// Holds the fusion blocks: disjoint, covering every node, in a topological order.
struct FusionPlan {
    Partition partition;             // the blocks as subgraphs, weighted by FLOPs
    std::vector<FusionBlock> blocks; // in the same order
    FusionStatistics statistics;
    BlockLimits limits;   // the limits that it was planned with
    double costMs = 0;    // of one run, as modelled for `device`
    double unfusedMs = 0; // the same, with every operator a block of its own
    std::string device;
    /// The partition in whose subgraphs the blocks lie, each in one; null: blocks are not bound to
    /// subgraphs.
    std::shared_ptr<const Partition> within;
    BlockTuning tuning;

    std::uint32_t blockOf(NodeId node) const { return partition.subgraphOf[node.index]; }
};

/// Holds the tensors that cross the border of a set of nodes, in the graph's order. Inputs are read
/// in the set but not written in it, without constants; outputs are written in it and read outside,
/// or are outputs of the graph.
struct BlockInterface {
    std::vector<TensorId> inputs, outputs;
};
BlockInterface interfaceOf(const Graph &graph, const std::vector<NodeId> &nodes);

/// Checks a fusion plan. Fails (Fault), naming the block, unless its partition passes
/// checkPartition(), an opaque node is alone in its block, inputs and outputs are the tensors that
/// cross the border, and, if blocks are bound to subgraphs, each lies in one of them.
Result<void> checkFusionPlan(const Graph &graph, const Opsets &opsets, const FusionPlan &plan);

} // namespace graphloom
