// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <array>
#include <optional>
#include <vector>

namespace graphloom {

/// Names the axes and operands of a convolution that Winograd's minimal filtering can compute: a
/// window of 3 x 3, strides and dilations of 1, no groups.
struct WindowConvolution {
    int feature = -1, weights = -1; // reads of the stage
    int inputs = -1, outputs = -1;  // axes of channels
    std::array<int, 2> position = {-1, -1};
    std::vector<int> batch; // further axes of the result
};

/// Returns the axes and operands, or nothing if the stage is not such a convolution.
std::optional<WindowConvolution> windowConvolutionOf(const Stage &stage);

} // namespace graphloom
