// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/c_emitter.h"

#include <optional>

namespace graphloom {

/// The registers and the like that a schedule is chosen for.
struct ScheduleTarget {
    int lanes = 8;
    int vectorRegisters = 16;
    int threads = 1;
    bool winograd = true; // convolutions may be computed by Winograd's algorithm (winograd.h)
};

/// The operands of a nest that sums products of two loads.
struct Contraction {
    int a = 0, b = 0; // reads
    /// Space axes by which operands depend on them.
    std::vector<int> onlyA, onlyB, both;
};
std::optional<Contraction> contractionOf(const Nest &nest);

/// The axis along which neighbours are neighbours in memory in what the nest writes; -1: there is
/// none.
int innermostAxis(const Nest &nest, std::span<const Storage> storages);

/// A reduction axis whose neighbours are better lanes than those of any space axis: what is read is
/// contiguous along it, and would be gathered lane by lane otherwise; -1: none.
int preferredReductionLane(const Nest &nest, const std::vector<BlockTensor> &tensors,
                           std::span<const Storage> storages, const ScheduleTarget &target);

/// Adjacent axes that all accesses walk as if they were one become one.
Nest withJoinedAxes(const Nest &nest, const std::vector<BlockTensor> &tensors,
                    std::span<const Storage> storages);

/// How a nest is scheduled when nothing is known but the machine: register tiles for contractions
/// and windows by an estimate of loads and multiply-adds, vectors over neighbours in memory,
/// packed constants, outer loops shared out.
/// `shared` (axis and tile) are outer loops that the nest has in common with others of its group,
/// outermost first; with them, only these are parallel.
struct SharedLoop {
    int axis = 0;
    std::int64_t tile = 1;
};
/// What a schedule leaves open; 0 everywhere: as estimated.
struct ScheduleChoice {
    int rows = 0;    // points of the register tile along the axis of rows
    int vectors = 0; // vectors of the register tile
    int unroll = 0;  // iterations of the innermost reduction in code
    int order = 0;   // 1: tiles of lanes inside of the loops over rows; 2: outside
    auto operator<=>(const ScheduleChoice &) const = default;
};
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

/// The register tile of a contraction: points of an axis of A times vectors of an axis of B.
struct RegisterTile {
    std::int64_t rows = 1, vectors = 1;
};
/// Tiles that are worth a trial, best first by the estimate. `gathered`: neighbours along the lanes
/// are no neighbours in B's memory, so that each lane of its vectors is loaded by itself.
std::vector<RegisterTile> registerTiles(std::int64_t rows, std::int64_t columns,
                                        const ScheduleTarget &target, bool gathered = false);

} // namespace graphloom
