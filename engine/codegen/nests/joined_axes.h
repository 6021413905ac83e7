// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/nests/nest.h"

#include <span>

namespace graphloom {

/// Returns the nest with adjacent axes joined that all accesses walk as if they were one.
Nest withJoinedAxes(const Nest &nest, const std::vector<BlockTensor> &tensors,
                    std::span<const Storage> storages);

} // namespace graphloom
