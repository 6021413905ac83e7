// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <vector>

namespace graphloom {

/// An attribute's value in a few words: "[1, 1]", "\"SAME_UPPER\"", "a tensor float32 [64, 3]".
std::string valueText(const AttributeValue &value);
bool sameValue(const AttributeValue &a, const AttributeValue &b);

/// "shape is [1, 64], was [1, 32]", "type is float16, was float32"; empty where they are the same.
std::vector<std::string> tensorChanges(const Tensor &before, const Tensor &now);
/// How two constants of the same type and extents differ: by how much, as far as that is known
/// quickly.
std::string valueChange(const TensorData &before, const TensorData &now);

} // namespace graphloom
