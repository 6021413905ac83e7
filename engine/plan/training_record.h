// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/id.h"
#include "engine/ir/training_options.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphloom {

/// Holds the facts about a model that is a training graph.
struct TrainingRecord {
    TrainingOptions options; // with the chosen loss
    std::size_t forwardNodes = 0, backwardNodes = 0, updateNodes = 0;
    std::size_t weights = 0;      // tensors
    std::uint64_t parameters = 0; // their elements
    std::uint64_t savedBytes = 0; // TrainingGraph::savedBytes
    std::vector<std::string> unused;
    /// Constants of the graph that the step changes: weights and running statistics. No pass may
    /// compute constants from them; see RewriteOptions::variables.
    std::vector<TensorId> variables;
};

} // namespace graphloom
