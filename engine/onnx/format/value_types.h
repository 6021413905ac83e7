// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace graphloom {

/// Returns a dim_param as an extent: a sum of products of integers and names ("n", "2*n+1") is
/// parsed as such, with names in quotes if they are not plain; anything else becomes one symbol.
Dim dimFromText(std::string_view text);
/// Returns the dim_param that dimFromText() reads back.
std::string textForDim(const Dim &dim);

/// Reads what a file declares of a value: fills in type, shape or otherType. Extents that the file
/// leaves open become symbols named after the value. Fails (Model) without a place if the element
/// type is unknown, or if an extent is negative or overflows.
Result<Tensor> declaredTensor(const std::string &name, const onnx::TypeProto &type);

/// Tells whether nothing that is known of both contradicts each other.
bool compatible(const Tensor &a, const Tensor &b);

/// Writes the declaration of a tensor; leaves `info` without a type if nothing is known.
void writeValueInfo(const std::string &name, const Tensor &tensor, onnx::ValueInfoProto &info);

} // namespace graphloom
