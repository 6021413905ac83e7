// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"
#include "engine/plan/layout_plan.h"

#include <map>
#include <optional>
#include <set>

namespace graphloom {

/// Counts the blocks of a plan for which kernels are generated.
using BlockIndex = TypedIndex<struct BlockTag>;

/// Holds the nests of these blocks; none where a block is interpreted.
using PlanNests = IndexedVector<BlockIndex, std::optional<BlockNests>>;

/// Holds the storage of every tensor of a plan while it runs.
struct PlanStorages {
    /// Says that a tensor is in the buffer of a larger one, where it is a part: the nest that would
    /// copy it there need not run.
    struct Part {
        BlockIndex block;
        NestIndex nest;
        BlockTensorIndex whole; // of the block
        TensorId tensor;        // the same if it is between blocks, else invalid

        bool operator==(const Part &) const = default;
    };

    /// Those of constants are row-major.
    IndexedVector<BlockIndex, BlockStorages> blocks;
    std::map<TensorId, Storage> tensors;
    std::map<TensorId, Part> parts;
};

/// Assigns every tensor of a plan its storage: the order of its dimensions in memory, and margins.
///
/// For example, for a network that begins with
///
///     y = Clip(Conv(x[1,3,224,224], W[32,3,3,3], pads = 1, strides = 2))  block 0, y[1,32,112,112]
///     z = Clip(Conv(y, V[32,1,3,3], group = 32, pads = 1))                block 1
///     s = Reshape(ReduceMean(z))                                          block 2, output
///
/// 1. Block 0 has one nest, with the contraction x * W. Only the weights depend on the axis o, the
///    output channel. The store's index map has o in dimension 1, so y gets the order (0, 2, 3, 1):
///    channels last, and the lanes of the kernel write side by side.
/// 2. Block 1 is not a contraction with such an axis (each channel has weights of its own): z takes
///    the order of the largest tensor that it reads and that is not constant, y's.
/// 3. x and s are an input and an output of the graph: row-major, as ONNX requires.
/// 4. Block 1 reads y at h + r - 1 for r in 0..2; outside, the value is 0. So y gets margins of
///    one element on both sides of h and w: its storage is 114 x 114 x 32, block 0 writes
///    inside, the margins are zeroed once (margin_runs.h), and the kernel of block 1 needs
///    no border tests.
///
/// Feature maps between blocks have the layouts that the plan has chosen. For other tensors, the
/// order of dimensions follows from the computation: the result of a contraction with weights has
/// that axis innermost on which only the weights depend (channels last for convolutions, unchanged
/// for matrix products), and everything else has the order of what it reads. Inputs and outputs of
/// the graph are row-major. A tensor gets margins that hold a value if windows read this value
/// outside of it. Tensors that are only copied into larger ones are parts of those (placeParts()).
/// `blocks` are in plan order, without nests where a block is interpreted; what such
/// blocks read and write (`interpreted`) is row-major.
PlanStorages storagesOf(const Graph &graph, const PlanNests &blocks,
                        const std::set<TensorId> &interpreted,
                        const std::map<TensorId, Layout> &layouts = {});

} // namespace graphloom
