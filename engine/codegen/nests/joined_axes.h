// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <span>

namespace graphloom {

/// Returns the nest with adjacent axes joined that all accesses walk as if they were one, except
/// `kept` ones.
Nest withJoinedAxes(const Nest &nest, const BlockTensors &tensors, const BlockStorages &storages,
                    std::span<const AxisIndex> kept = {});

} // namespace graphloom
