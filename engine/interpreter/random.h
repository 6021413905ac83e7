// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/tensor_data.h"

#include <cstdint>

namespace graphloom {

/// Returns pseudo-random elements: reals uniform in [-1, 1), integers 0 or 1. The same seed gives
/// the same elements on every machine. Fails (Usage) for strings and complex numbers, and if the
/// tensor does not fit into memory.
Result<TensorData> randomTensor(DataType type, const TensorData::Extents &extents,
                                std::uint64_t seed);

} // namespace graphloom
