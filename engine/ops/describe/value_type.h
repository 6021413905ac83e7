// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Types of values that are not tensors, as Tensor::otherType and Value::otherType hold them: a
/// serialized TypeProto. Only their outermost layer is looked at.
namespace graphloom::valuetype {

/// A tensor of elements of the type and any shape.
std::string tensorOf(DataType type);
std::string sequenceOf(const std::string &element);
std::string optionalOf(const std::string &element);

/// What a sequence or an optional is of; none when the type is something else or malformed.
std::optional<std::string> elementOfSequence(const std::string &type);
std::optional<std::string> elementOfOptional(const std::string &type);
/// The element type of a tensor.
std::optional<DataType> elementOfTensor(const std::string &type);
/// The extents of a tensor; none when the type is something else, or not all of them are numbers.
std::optional<std::vector<std::int64_t>> extentsOfTensor(const std::string &type);

} // namespace graphloom::valuetype
