// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Declares functions for types of values that are not tensors, as Tensor::otherType and
/// Value::otherType hold them: serialized TypeProtos. These functions look only at the outermost
/// layer.
namespace graphloom::valuetype {

/// Returns the type of a tensor with elements of the type and any shape.
std::string tensorOf(DataType type);
std::string sequenceOf(const std::string &element);
std::string optionalOf(const std::string &element);

/// Return the element type of a sequence or an optional, or nothing if the type is another one or
/// malformed.
std::optional<std::string> elementOfSequence(const std::string &type);
std::optional<std::string> elementOfOptional(const std::string &type);
/// Returns the element type of a tensor.
std::optional<DataType> elementOfTensor(const std::string &type);
/// Returns the extents of a tensor, or nothing if the type is another one or not all extents are
/// numbers.
std::optional<std::vector<std::int64_t>> extentsOfTensor(const std::string &type);

} // namespace graphloom::valuetype
