// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <vector>

namespace graphloom {

/// Returns an attribute's value in a few words: "[1, 1]", "\"SAME_UPPER\"", "a tensor float32 [64,
/// 3]".
std::string valueText(const AttributeValue &value);
bool sameValue(const AttributeValue &a, const AttributeValue &b);

/// Describes the changes: "shape is [1, 64], was [1, 32]", "type is float16, was float32"; empty if
/// there are none.
std::vector<std::string> tensorChanges(const Tensor &before, const Tensor &now);
/// Describes how two constants of the same type and extents differ: by how much, as far as that can
/// be determined quickly.
std::string valueChange(const TensorData &before, const TensorData &now);

} // namespace graphloom
