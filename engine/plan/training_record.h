// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/id.h"
#include "engine/ir/training_options.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphloom {

/// What is known of the training graph that a model is.
struct TrainingRecord {
    TrainingOptions options; // with the loss as chosen
    std::size_t forwardNodes = 0, backwardNodes = 0, updateNodes = 0;
    std::size_t weights = 0;      // tensors
    std::uint64_t parameters = 0; // their elements
    std::uint64_t savedBytes = 0; // TrainingGraph::savedBytes
    std::vector<std::string> unused;
    /// Constants of the graph that are others after the step: weights and running statistics. No
    /// pass may compute constants of them; see RewriteOptions::variables.
    std::vector<TensorId> variables;
};

} // namespace graphloom
