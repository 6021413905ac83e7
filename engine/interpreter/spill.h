// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <vector>

namespace graphloom {

/// Returns folded constants in the form in which they are kept. Large results move to an unnamed
/// file, since they are seldom read and would double the memory that weights take; they stay in
/// memory if there is no room for such a file. Inputs that are memory-mapped release their pages.
std::vector<TensorData> spilled(std::vector<TensorData> results,
                                const std::vector<const TensorData *> &inputs);

} // namespace graphloom
