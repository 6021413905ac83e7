// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/attributes.h"
#include "engine/onnx/files/tensor_reader.h"

#include <functional>

namespace graphloom {

/// Returns the kind that the attribute declares, or, in files that declare none, the kind of the
/// value that it has. Fails (Model) if it holds a value of another kind, several, or none at all.
Result<onnx::AttributeProto::AttributeType> kindOf(const onnx::AttributeProto &attribute);

/// Returns "INT", "list of FLOAT"…, for messages.
std::string nameOf(onnx::AttributeProto::AttributeType kind);

/// Returns the attribute's value; graphs are read by `readGraph`. Types and sparse tensors stay
/// serialized. Errors (Model) have no place.
Result<AttributeValue>
readAttribute(const onnx::AttributeProto &attribute, TensorReader &tensors,
              const std::function<Result<GraphPointer>(const onnx::GraphProto &)> &readGraph);

} // namespace graphloom
