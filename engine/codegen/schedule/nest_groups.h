// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/codegen/nests/sliding_axis.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace graphloom {

/// Counts the groups of a block's nests, and the phases of its kernel that compute one group each.
using PhaseIndex = TypedIndex<struct PhaseTag>;

/// Describes consecutive nests that run tile by tile of axes they share: each computes what the
/// next one needs of a tile, in memory of the thread, or all read the same tile. A group of one
/// nest shares nothing.
struct NestGroup {
    NestIndex first;
    int count = 1;
    /// Describes an axis that all nests have, in tiles of `tile` points; outermost first.
    struct Shared {
        MemberAxes axes;
        std::int64_t tile = 1;
        /// Its neighbours are the lanes of all nests: tiles are of whole vectors, such as channels
        /// of a pointwise and then a depthwise convolution (AGO Fig. 7a).
        bool isLane = false;
        /// What each nest computes for a row of the last one, if they slide along the axis; empty:
        /// all nests have the same points. The tile counts rows of the last nest; a task computes
        /// `strip` of them.
        IndexedVector<MemberIndex, RowWindow> windows;
        std::int64_t strip = 0;

        bool slides() const { return !windows.empty(); }
    };
    std::vector<Shared> shared;
    /// Tensors of the block of which only one tile exists at a time, with the margins that it
    /// needs.
    std::vector<BlockTensorIndex> local;
    std::int64_t scratchBytes = 0; // of all local tensors
    bool siblings = false;         // they compute nothing for each other, but read the same tensor

    IndexRange<NestIndex> nests() const { return {first, first + count}; }
    IndexRange<MemberIndex> members() const { return firstIndices<MemberIndex>(count); }
    NestIndex nestOf(MemberIndex member) const { return first + member.number(); }
    MemberIndex memberOf(NestIndex nest) const { return MemberIndex(nest - first); }
    /// Returns the points of a shared axis that tiles are of: those of the last nest.
    std::int64_t extentOf(const Shared &axis, const BlockNests &block) const
    {
        return block.nests[first + (count - 1)].axes[axis.axes.back()].extent;
    }
};
using NestGroups = IndexedVector<PhaseIndex, NestGroup>;

/// Limits the memory of a thread that a group may take, which its second-level cache should hold,
/// and the bytes of operands that it reads again for every tile. The operands may come from the
/// third-level cache, as a tile has many rows for each of them: measured, Winograd's transforms of
/// 128 x 64 channels (1.2 MB) gain a quarter by it, those of 128 x 128 nothing.
struct GroupLimits {
    std::int64_t scratchBytes = 640 * 1024;
    std::int64_t operandBytes = 1280 * 1024;
    /// So many may be read again though less lies between the nests: on SqueezeNet 1.1 at 112 x 112
    /// the transforms of its last modules (0.3 to 1.3 MB, maps of 6 x 6) take a quarter less time
    /// on their own.
    std::int64_t nearOperandBytes = 128 * 1024;
};

/// Returns groups that hold every nest of the block once, in order. Nests share a group if the
/// tensors between them are indexed alike along at least one axis, or read in windows along one,
/// and it pays: products of rows with what is done to the rows (softmax, normalization), Winograd's
/// transforms with their products, pointwise and depthwise convolutions.
/// If the size of a unit's own cache is known, the groups are those that move the fewest bytes
/// beyond it, and the longest ones of these; otherwise, the longest ones.
NestGroups groupsOf(const BlockNests &block, const BlockStorages &storages,
                    const ScheduleTarget &target, const GroupLimits &limits = {});

/// Holds the choice for a group: its nests, and the tiles of the axes that they share, as the first
/// nest names them; no tiles: as estimated.
struct GroupChoice {
    NestIndex first;
    int count = 1;
    std::vector<std::pair<std::string, std::int64_t>> tiles;

    bool operator==(const GroupChoice &) const = default;
};
std::vector<GroupChoice> choicesOf(const BlockNests &block, const NestGroups &groups);

/// Returns the chosen groups, regardless of the estimate and its limits. Fails (Usage) if they do
/// not hold all nests in order, share other axes, or have no tensor between their nests of which a
/// tile suffices. Only here siblings form groups: what that gains only measurements tell, as their
/// operand may come from a cache anyway.
Result<NestGroups> groupsOf(const BlockNests &block, const BlockStorages &storages,
                            const ScheduleTarget &target, std::span<const GroupChoice> choices);

} // namespace graphloom
