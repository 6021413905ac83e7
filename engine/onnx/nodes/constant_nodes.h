// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/onnx/files/tensor_reader.h"
#include "engine/onnx/nodes/call_check.h"

namespace graphloom {

// Nodes that only write down a value become constants of the graph when it is read.

/// Tells whether the node is an ai.onnx Constant.
bool isConstantNode(const onnx::NodeProto &node);
/// Returns its value, from whichever attribute holds it. Errors (Model) have no place.
Result<TensorData> constantValue(std::span<const GivenAttribute> attributes, TensorReader &tensors);

/// Least size in bytes of constants of equal elements that are kept as one element, and written as
/// a node that fills them.
inline constexpr std::uint64_t leastSplat = 1024;

/// Tells whether the node is an ai.onnx ConstantOfShape.
bool isConstantFill(const Node &node);
/// Returns its output for the given shape. Errors (Model) have no place.
Result<TensorData> filledConstant(const Node &node, const TensorData &shape);

} // namespace graphloom
