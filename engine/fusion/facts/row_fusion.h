// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/ecg.h"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphloom {

/// A read inside a block that needs more than the element at hand: all of a row.
struct RowRead {
    NodeId producer, consumer;
    TensorId tensor;
    /// The tensor itself is kept and read again and again; else it is the result of a reduction
    /// that is spread over the row that was reduced.
    bool kept = false;
};

/// What it takes to run a block row by row. A row is what is left of every tensor of the block at
/// one point of the loops that no reduction of the block runs over: LayerNormalization's row is
/// one token, attention's the scores of one query. No element of a row depends on another row, so
/// nothing is computed twice, and a row in scratch memory replaces the tensor.
struct RowFusion {
    std::string refusal;  // why rows do not come apart; empty when they do
    double rows = 1;      // how many there are
    double keptBytes = 0; // of one row, in scratch memory
    /// Bytes of operands of contractions that are read again for every tile of rows, when one
    /// tile follows the other; given the number of rows in a tile.
    double rereadBytes(double tileRows) const;

    struct Operand {
        TensorId tensor;
        double bytes = 0;  // of the part that one row reads
        double slices = 1; // how many such parts there are
    };
    std::vector<Operand> operands;
};

/// `nodes` in the graph's order; `rowReads` not empty. Whole-row dependencies are found by giving
/// dimensions labels and passing them on along the D-Graph edges (MAGIS section 4.1) of the nodes.
RowFusion rowFusionOf(const Ecg &ecg, std::span<const NodeId> nodes,
                      std::span<const RowRead> rowReads);

} // namespace graphloom
