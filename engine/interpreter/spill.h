// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <vector>

namespace graphloom {

/// What folding made of constants, ready to be kept: results that are large move to a file without
/// a name, as they are seldom read and would double the memory that weights take (they stay where
/// they are when there is no room for one), and inputs that are mapped give theirs back.
std::vector<TensorData> spilled(std::vector<TensorData> results,
                                const std::vector<const TensorData *> &inputs);

} // namespace graphloom
