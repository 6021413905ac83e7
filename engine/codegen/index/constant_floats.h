// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <cstring>

namespace graphloom {

/// Returns element i of a constant of type Float. In a mapped file it may begin at any address.
inline float floatAt(const TensorData &data, std::int64_t i)
{
    float value;
    std::memcpy(&value, data.bytes().data() + (data.isSplat() ? 0 : std::size_t(i) * sizeof value),
                sizeof value);
    return value;
}

} // namespace graphloom
