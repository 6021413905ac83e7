// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

namespace graphloom {

/// A number for a tensor's type, extents and a few of its elements: equal for equal tensors,
/// wherever they are kept, without reading all of a mapped one.
std::uint64_t sampleLabel(const TensorData &data);

/// Have both the same type, extents and bits of all elements? Reads mapped ones, unless it is known
/// that they are the same part of one file, and gives their memory back.
bool sameElements(const TensorData &a, const TensorData &b);

} // namespace graphloom
