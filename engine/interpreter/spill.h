// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <vector>

namespace graphloom {

/// Fewer bytes cost more as a file than they save.
inline constexpr std::size_t leastSpilled = std::size_t{1} << 18;

/// Returns the tensor with its elements in an unnamed file; as it is if they are few or in a file
/// already, or if there is no room for one.
TensorData spilled(TensorData data);

/// Returns the tensor with elements that nobody else can change: those of a mapped file are copied,
/// many of them to an unnamed file if there is room for one.
TensorData detached(const TensorData &data);

/// Returns folded constants in the form in which they are kept. Large results move to an unnamed
/// file, since they are seldom read and would double the memory that weights take; they stay in
/// memory if there is no room for such a file. Inputs that are memory-mapped release their pages.
std::vector<TensorData> spilled(std::vector<TensorData> results,
                                const std::vector<const TensorData *> &inputs);

} // namespace graphloom
