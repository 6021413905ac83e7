// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Returns the nest with adjacent axes joined that all accesses walk as if they were one.
Nest withJoinedAxes(const Nest &nest, const BlockTensors &tensors, const BlockStorages &storages);

} // namespace graphloom
