// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <vector>

namespace graphloom {

/// Holds which inputs and outputs of a call may have elements of another type.
struct FreeTypes {
    std::vector<bool> inputs, outputs;

    bool any() const;
};

/// Returns the inputs and outputs of a call that have elements of type `from` and may all have
/// elements of type `to` instead: by the definition of the operator in ONNX, their type is a
/// variable that an input has, too. None are free in operators that ONNX does not define or that
/// have nested graphs. `opset` is that of the node's domain.
FreeTypes freeTypes(const Graph &graph, const Node &node, std::int64_t opset, DataType from,
                    DataType to);

} // namespace graphloom
