// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace graphloom {

/// Holds figures of a model that follow from its graph alone.
struct ModelFacts {
    std::size_t nodes = 0;                        // without constants
    std::map<std::string, std::size_t> operators; // number of nodes by qualified name
    std::uint64_t parameters = 0;                 // elements of floating-point constants
    /// Multiply-accumulates of one run; empty if they depend on symbolic extents. Opaque nodes do
    /// not count: `opaque` is their number.
    std::optional<std::int64_t> macs;
    std::size_t opaque = 0;
    std::int64_t opset = 0; // the ai.onnx opset that the nodes follow
};

/// Returns the figures of a model. Fails (Model) if a node contradicts its operator's definition.
Result<ModelFacts> factsOf(const Model &model);

} // namespace graphloom
