// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

namespace graphloom {

/// Describes how a tensor of a call takes part in a split of the call.
struct SplitTensor {
    /// The dimension that is cut; -1: every part reads, or adds to, the whole tensor.
    int dim = -1;
    /// Steps [a, b) of the split need positions [step * a - before, step * b + after) of that
    /// dimension, as far as the tensor has them. `before` and `after` are the halo of a sliding
    /// window; they are 0 for outputs, and for windows that do not reach beyond their stride.
    std::int64_t step = 1, before = 0, after = 0;

    bool isCut() const { return dim >= 0; }
    bool hasHalo() const { return before != 0 || after != 0; }
    bool operator==(const SplitTensor &) const = default;
};

/// Returns how an input or output takes part in a split. Those after the end of the list are not
/// cut.
inline const SplitTensor &cutOf(const std::vector<SplitTensor> &cuts, std::size_t index)
{
    static const SplitTensor whole;
    return index < cuts.size() ? cuts[index] : whole;
}

/// Describes a way to compute a call in parts, each with a part of its tensors: all axes and
/// dimensions that have to be cut together. This is what MAGIS' D-Graph (section 4.1) holds of one
/// operator, with the windows that the paper leaves out.
struct Split {
    std::vector<SplitTensor> inputs, outputs; // of the node
    std::int64_t extent = 1;                  // steps that can be cut between
    /// Combination of the parts of outputs that are not cut into the output: Sum, Product, Max or
    /// Min; None if all outputs are cut, so that their parts follow each other.
    Combine combine = Combine::None;
    std::vector<std::vector<int>> axes; // of each stage, those that become shorter

    bool hasHalo() const;
};

/// Returns all ways to split a call; none for opaque calls and for calls whose extents are not
/// numbers. A split computes nothing twice except the halo: normalized axes, whose every element
/// needs all others, cannot be split, nor can axes whose position matters to the values.
std::vector<Split> splitsOf(const Description &description);

} // namespace graphloom
