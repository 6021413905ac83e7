// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <array>
#include <optional>
#include <vector>

namespace graphloom {

/// Names the axes and reads of a convolution that Winograd's minimal filtering can compute:
/// constant weights, a window of 3 x 3, strides and dilations of 1, no groups. If tiles go beyond
/// the end of the result, its positions are dimensions of what is written.
struct WinogradConvolution {
    ReadIndex x, w;
    AxisIndex outputs, inputs; // of channels
    std::array<AxisIndex, 2> position, window;
    std::vector<AxisIndex> batch; // further axes of x and the result
};

/// Returns the axes and reads, or nothing if the nest is not such a convolution.
std::optional<WinogradConvolution> winogradConvolutionOf(const Nest &nest,
                                                         const BlockTensors &tensors);

} // namespace graphloom
