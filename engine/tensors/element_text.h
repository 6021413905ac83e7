// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <string>

namespace graphloom {

/// Returns an element in full: the shortest decimal number that is read back as the same float or
/// double, "NaN", "Inf", "true", "1-2i". A string is returned as it is.
std::string elementText(const TensorData &data, std::int64_t element);

} // namespace graphloom
