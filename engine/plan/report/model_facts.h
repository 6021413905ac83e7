// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace graphloom {

/// Figures of a model that follow from its graph alone.
struct ModelFacts {
    std::size_t nodes = 0;                        // constants are none
    std::map<std::string, std::size_t> operators; // qualified name: nodes
    std::uint64_t parameters = 0;                 // elements of floating-point constants
    /// Multiply-accumulates for one run; none when they depend on symbolic extents. Opaque
    /// nodes do not count: how many there are is in `opaque`.
    std::optional<std::int64_t> macs;
    std::size_t opaque = 0;
    std::int64_t opset = 0; // of ai.onnx, as the nodes follow it
};

/// Fails (Model) when a node contradicts its operator's definition.
Result<ModelFacts> factsOf(const Model &model);

} // namespace graphloom
