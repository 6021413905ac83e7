// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/attributes.h"
#include "engine/onnx/files/tensor_reader.h"

#include <functional>

namespace graphloom {

/// The kind that the attribute declares, or, in files that declare none, the kind of the value
/// that it has. Fails (Model) when it holds a value of another kind, several, or none at all.
Result<onnx::AttributeProto::AttributeType> kindOf(const onnx::AttributeProto &attribute);

/// "INT", "list of FLOAT"…, for messages.
std::string nameOf(onnx::AttributeProto::AttributeType kind);

/// The attribute's value; graphs are read by `readGraph`. Types and sparse tensors stay
/// serialized. Errors (Model) have no place.
Result<AttributeValue>
readAttribute(const onnx::AttributeProto &attribute, TensorReader &tensors,
              const std::function<Result<GraphPointer>(const onnx::GraphProto &)> &readGraph);

} // namespace graphloom
