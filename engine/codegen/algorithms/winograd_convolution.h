// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <array>
#include <optional>
#include <vector>

namespace graphloom {

/// Names the axes and reads of a convolution that Winograd's minimal filtering can compute:
/// constant weights, a window of 3 x 3, strides and dilations of 1, no groups.
struct WinogradConvolution {
    int x = 0, w = 0;            // reads
    int outputs = 0, inputs = 0; // axes of channels
    std::array<int, 2> position{}, window{};
    std::array<int, 2> dimension{}; // dimensions of x that the window slides along
    std::array<int, 2> weight{};    // dimensions of w
    std::vector<int> batch;         // further axes of x and the result
};

/// Returns the axes and reads, or nothing if the nest is not such a convolution.
std::optional<WinogradConvolution> winogradConvolutionOf(const Nest &nest,
                                                         const std::vector<BlockTensor> &tensors);

} // namespace graphloom
