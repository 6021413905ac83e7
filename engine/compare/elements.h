// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

namespace graphloom {

/// Returns a number for a tensor's type, extents and a few of its elements. It is equal for equal
/// tensors, wherever they are kept, and does not require reading all of a mapped one.
std::uint64_t sampleLabel(const TensorData &data);

/// Tells whether both have the same type, extents and bits of all elements. Reads mapped tensors,
/// unless both are known to be the same part of one file, and releases their memory.
bool sameElements(const TensorData &a, const TensorData &b);

} // namespace graphloom
