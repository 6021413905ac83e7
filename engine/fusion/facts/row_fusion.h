// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/ecg.h"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphloom {

/// Describes a read inside a block that needs a whole row, not just the current element.
struct RowRead {
    NodeId producer, consumer; // no producer: siblings read a tensor from outside
    TensorId tensor;
    /// Tells that the tensor itself is kept and read repeatedly; otherwise it is the result of a
    /// reduction that is broadcast over the row that was reduced.
    bool kept = false;
};

/// Describes what it takes to run a block row by row. A row is the part of every tensor of the
/// block at one point of the loops that no reduction of the block runs over: LayerNormalization's
/// row is one token, attention's the scores of one query. No element of a row depends on another
/// row, so nothing is computed twice, and a row in scratch memory replaces the tensor.
///
/// Where windows read several rows, such as those of a depthwise convolution after a pointwise one,
/// a block may slide along them: each row is computed once and kept as long as windows read it.
struct RowFusion {
    std::string refusal;  // why rows are not independent; empty if they are
    double rows = 1;      // number of rows
    double keptBytes = 0; // of one row, in scratch memory
    /// Returns the bytes of contraction operands that are reread for every tile of rows, if the
    /// tiles run one after the other; takes the number of rows in a tile.
    double rereadBytes(double tileRows) const;

    struct Operand {
        TensorId tensor;
        double bytes = 0;  // of the part that one row reads
        double slices = 1; // number of such parts
    };
    std::vector<Operand> operands;
};

/// Analyses a block; `nodes` are in the graph's order, `rowReads` is not empty. Whole-row
/// dependences are found by labelling dimensions and propagating the labels along the D-Graph edges
/// (MAGIS section 4.1) of the nodes. Returns independent rows, or why there are none, and then, if
/// the block joins contractions, others: larger ones with one dimension more inside, such as all
/// heads of a query, whose results the next product sums up, and those along which the block may
/// slide.
std::vector<RowFusion> rowFusionsOf(const Ecg &ecg, std::span<const NodeId> nodes,
                                    std::span<const RowRead> rowReads, bool joinsContractions);

} // namespace graphloom
