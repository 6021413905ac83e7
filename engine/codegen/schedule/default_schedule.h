// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/schedule/loop_arrangement.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <optional>
#include <span>

namespace graphloom {

/// What a schedule leaves open; 0 everywhere: as estimated.
struct ScheduleChoice {
    int rows = 0;    // points of the register tile along the axis of rows
    int vectors = 0; // vectors of the register tile
    int unroll = 0;  // iterations of the innermost reduction in code
    int order = 0;   // 1: tiles of lanes inside of the loops over rows; 2: outside
    auto operator<=>(const ScheduleChoice &) const = default;
};

/// How a nest is scheduled when nothing is known but the machine: register tiles for contractions
/// and windows by an estimate of loads and multiply-adds, vectors over neighbours in memory,
/// packed constants, outer loops shared out.
/// `shared` are outer loops that the nest has in common with others of its group, outermost first;
/// with them, only these are parallel.
Schedule defaultSchedule(const Nest &nest, const std::vector<BlockTensor> &tensors,
                         std::span<const Storage> storages, const ScheduleTarget &target,
                         const std::vector<SharedLoop> &shared = {},
                         const ScheduleChoice &choice = {});

/// The choice that the estimate makes, where the nest has a register tile.
std::optional<ScheduleChoice> estimatedChoice(const Nest &nest,
                                              const std::vector<BlockTensor> &tensors,
                                              std::span<const Storage> storages,
                                              const ScheduleTarget &target,
                                              const std::vector<SharedLoop> &shared);

} // namespace graphloom
