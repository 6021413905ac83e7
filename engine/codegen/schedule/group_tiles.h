// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/nest_groups.h"

/// Chooses tiles of a group's shared axes, and computes the memory of a thread that they take.
namespace graphloom {

/// Returns the storage of a tile of a local tensor: in the order of the tensor's storage, with room
/// for a tile only, and margins. Dimensions along shared axes are counted from the beginning of the
/// tile; they have no margins, as nothing reads outside of a tile along them. A dimension along a
/// sliding axis becomes a ring of a power of two of slots, outermost.
Storage localStorage(const BlockNests &block, const NestGroup &group, BlockTensorIndex tensor,
                     const Storage &whole);

/// Returns the bytes of all local tensors' tiles.
std::int64_t scratchOf(const NestGroup &group, const BlockNests &block,
                       const BlockStorages &storages);

/// Returns how many rows of a sliding axis a task computes: each thread has one strip, or two where
/// what strips compute again at their beginning is little.
std::int64_t stripOf(const NestGroup &group, const NestGroup::Shared &sliding,
                     const BlockNests &block, const ScheduleTarget &target);

/// Chooses tiles with enough rows for the register tiles of contractions, from the innermost shared
/// axis outwards, as long as they fit into `scratchBytes` and every thread has some tiles. Without
/// contractions the tiles stay as they are. Tiles of lanes are one or more vectors.
void chooseTiles(NestGroup &group, const BlockNests &block, const BlockStorages &storages,
                 const ScheduleTarget &target, std::int64_t scratchBytes);

} // namespace graphloom
