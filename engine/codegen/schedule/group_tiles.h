// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/nest_groups.h"

/// Tiles of a group's shared axes, and the memory of a thread that they take.
namespace graphloom {

/// Where a tile of a local tensor is: as the storage has it, for a tile only. Dimensions along
/// shared axes are counted from the tile's begin.
Storage localStorage(const BlockNests &block, const NestGroup &group, int tensor,
                     const Storage &whole);

/// Bytes of all local tensors' tiles.
std::int64_t scratchOf(const NestGroup &group, const BlockNests &block,
                       std::span<const Storage> storages);

/// Rows for the register tiles of contractions, from the innermost shared axis outwards, as
/// long as `scratchBytes` hold them and every thread has some tiles. Without contractions tiles
/// stay as they are.
void chooseTiles(NestGroup &group, const BlockNests &block, std::span<const Storage> storages,
                 int threads, std::int64_t scratchBytes);

} // namespace graphloom
