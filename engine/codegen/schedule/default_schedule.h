// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/schedule/loop_arrangement.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <optional>

namespace graphloom {

/// Holds what a schedule leaves open. 0 means the estimated value.
struct ScheduleChoice {
    int rows = 0;    // points of the register tile along the axis of rows
    int vectors = 0; // vectors of the register tile
    int unroll = 0;  // unrolled iterations of the innermost reduction
    int order = 0;   // 1: tiles of lanes inside the loops over rows; 2: outside
    /// Bytes that packed operands are prefetched ahead; below 0: they are not.
    int ahead = 0;
    /// A value of `ahead`: the part of the operand that the next tile of lanes reads
    /// (Schedule::prefetchTile()).
    static constexpr int nextTile = 1;
    int outerRows = 0; // points of the register tile along the axis around that of rows
    /// 1: operands are read as images (readsTexels()); 2: from buffers. 0 where there are none.
    int images = 0;
    auto operator<=>(const ScheduleChoice &) const = default;
};

/// Returns a schedule for a nest when only the machine is known: register tiles for contractions
/// and windows by an estimate of loads and multiply-adds, vectors over neighbours in memory, packed
/// constants, parallel outer loops. `shared` are outer loops that the nest shares with others of
/// its group, outermost first; if there are any, only these are parallel.
Schedule defaultSchedule(const Nest &nest, const BlockTensors &tensors,
                         const BlockStorages &storages, const ScheduleTarget &target,
                         const std::vector<SharedLoop> &shared = {},
                         const ScheduleChoice &choice = {});

/// Describes the register tile of a nest, and the choice that the estimate makes.
struct EstimatedTile {
    ScheduleChoice choice;
    bool isWindow = false; // a reduction that is no product of two operands
};
/// Returns the register tile of a nest, if it has one.
std::optional<EstimatedTile> estimatedTile(const Nest &nest, const BlockTensors &tensors,
                                           const BlockStorages &storages,
                                           const ScheduleTarget &target,
                                           const std::vector<SharedLoop> &shared);

} // namespace graphloom
