// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/id.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Names the order in memory of the dimensions of feature maps: tensors of batch, channels and at
/// least two spatial dimensions. All other tensors are in ONNX's order.
enum class Layout : std::uint8_t {
    ChannelsFirst, // ONNX's order: NCHW, NCDHW
    ChannelsLast,  // NHWC, NDHWC
};
constexpr std::string_view nameOf(Layout layout)
{
    return layout == Layout::ChannelsFirst ? "channels first" : "channels last";
}
/// Returns the one of the two layouts that `layout` is not.
constexpr Layout otherThan(Layout layout)
{
    return layout == Layout::ChannelsFirst ? Layout::ChannelsLast : Layout::ChannelsFirst;
}

/// Holds the data formats of the fusion blocks of a plan (DNNFusion section 4.4.2, inter-block).
struct LayoutPlan {
    struct Choice {
        Layout layout = Layout::ChannelsFirst;
        NodeId dominant;     // the operator that the choice affects most; invalid: none
        double gainMs = 0;   // modelled gain over the other layout, for the block alone
        bool locked = false; // chosen by hand: later choices keep it
        /// The times that decided, in words; empty where the model decided.
        std::string measured = {};
    };
    /// Describes a tensor that must be reordered between the block that computes it and those that
    /// read it.
    struct Transformation {
        TensorId tensor;
        Layout from, to;
        double ms = 0; // modelled
    };
    std::vector<Choice> blocks; // by block number in the fusion plan
    /// Layouts of the feature maps that blocks pass on, as in the block that computes them. The
    /// graph's inputs and outputs are in ONNX's order.
    std::map<TensorId, Layout> tensors;
    std::vector<Transformation> transformations;
    double ms = 0; // modelled cost above each block's better layout, with transformations
    /// State the same cost for the paper's heuristic, which gives each block the layout of its
    /// dominant operator, and for keeping ONNX's order everywhere.
    double heuristicMs = 0, unchangedMs = 0;
    std::size_t heuristicTransformations = 0;
};

} // namespace graphloom
