// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace graphloom {

/// A dim_param as an extent: a sum of products of integers and names ("n", "2*n+1") is read as
/// what it says, with names in quotes where they are no plain ones; anything else is one symbol.
Dim dimFromText(std::string_view text);
/// The dim_param that dimFromText() reads back.
std::string textForDim(const Dim &dim);

/// What a file declares of a value: fills in type, shape or otherType. Extents that the file
/// leaves open become symbols named after the value. Fails (Model) without a place: the element
/// type is unknown, or an extent is negative or overflows.
Result<Tensor> declaredTensor(const std::string &name, const onnx::TypeProto &type);

/// True when nothing that is known of both contradicts.
bool compatible(const Tensor &a, const Tensor &b);

/// The declaration of a tensor; leaves `info` without a type when nothing is known.
void writeValueInfo(const std::string &name, const Tensor &tensor, onnx::ValueInfoProto &info);

} // namespace graphloom
