// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/id.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace graphloom {

/// The order in memory of the dimensions of feature maps, tensors of batch, channels and at least
/// two dimensions of space. Every other tensor is in ONNX's order.
enum class Layout : std::uint8_t {
    ChannelsFirst, // as ONNX has it: NCHW, NCDHW
    ChannelsLast,  // NHWC, NDHWC
};
constexpr std::string_view nameOf(Layout layout)
{
    return layout == Layout::ChannelsFirst ? "channels first" : "channels last";
}

/// Data formats of the fusion blocks of a plan (DNNFusion section 4.4.2, inter-block).
struct LayoutPlan {
    struct Choice {
        Layout layout = Layout::ChannelsFirst;
        NodeId dominant;    // the operator that the choice matters most to; invalid: none
        double gainMs = 0;  // of the layout over the other one for the block alone, modelled
        bool locked = false; // chosen by hand: what is chosen anew keeps it
    };
    /// A tensor that must be reordered between its block and those that read it.
    struct Transformation {
        TensorId tensor;
        Layout from, to;
        double ms = 0; // modelled
    };
    std::vector<Choice> blocks; // by number in the fusion plan
    /// Of the feature maps that blocks hand on: as the block that computes them has them. The
    /// graph's inputs and outputs are in ONNX's order.
    std::map<TensorId, Layout> tensors;
    std::vector<Transformation> transformations;
    double ms = 0; // what the choices cost above each block's better layout, with transformations
    /// The same for the paper's heuristic, each block in the layout of its dominant operator, and
    /// for leaving all as ONNX has it.
    double heuristicMs = 0, unchangedMs = 0;
    std::size_t heuristicTransformations = 0;
};

} // namespace graphloom
