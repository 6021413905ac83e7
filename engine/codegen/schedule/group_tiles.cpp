// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/group_tiles.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/nests/contraction.h"

#include <algorithm>
#include <numeric>

namespace graphloom {

namespace {

bool multiplies(const NestGroup &group, const BlockNests &block)
{
    return std::ranges::any_of(group.nests(), [&](NestIndex nest) {
        return contractionOf(block.nests[nest]).has_value();
    });
}

/// Tells whether no contraction has the axis in both operands, so that a tile of it reads one of
/// them once.
bool isRow(const NestGroup &group, const NestGroup::Shared &shared, const BlockNests &block)
{
    for (const MemberIndex member : group.members())
        if (const auto contraction = contractionOf(block.nests[group.nestOf(member)]))
            if (std::ranges::count(contraction->both, shared.axes[member]))
                return false;
    return true;
}

/// Chooses as many vectors as a half of a core's cache holds, at most four, but so few that every
/// thread has some tiles.
void chooseLanes(NestGroup &group, NestGroup::Shared &shared, const BlockNests &block,
                 const BlockStorages &storages, const ScheduleTarget &target)
{
    constexpr std::int64_t cacheBytes = 256 * 1024, mostVectors = 4;
    const std::int64_t extent = block.nests[group.first].axes[shared.axes.front()].extent;
    shared.tile = std::min<std::int64_t>(target.lanes, extent);
    for (std::int64_t vectors = 2; vectors <= mostVectors; ++vectors) {
        const std::int64_t before = shared.tile;
        shared.tile = std::min(vectors * target.lanes, extent);
        if (scratchOf(group, block, storages) > cacheBytes ||
            ceilDiv(extent, shared.tile) < 2 * target.threads) {
            shared.tile = before;
            break;
        }
    }
}

} // namespace

Storage localStorage(const BlockNests &block, const NestGroup &group, BlockTensorIndex tensor,
                     const Storage &whole)
{
    std::vector<std::int64_t> extents = block.tensors[tensor].extents;
    std::vector<bool> local(extents.size(), false);
    for (const MemberIndex member : group.members())
        for (const NestStore &store : block.nests[group.nestOf(member)].stores)
            if (store.tensor == tensor)
                for (std::size_t d = 0; d < extents.size(); ++d)
                    for (const NestGroup::Shared &shared : group.shared)
                        if (store.map[d].asVariable() == shared.axes[member]) {
                            extents[d] = std::min(extents[d], shared.tile);
                            local[d] = true;
                        }
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t d) { return whole.strides[d]; });
    auto margins = whole.margins;
    for (std::size_t d = 0; d < margins.size(); ++d)
        if (local[d])
            margins[d] = {0, 0};
    Storage storage = Storage::dense(extents, order, std::move(margins), whole.marginValue);
    storage.local = std::move(local);
    return storage;
}

std::int64_t scratchOf(const NestGroup &group, const BlockNests &block,
                       const BlockStorages &storages)
{
    std::int64_t bytes = 0;
    for (const BlockTensorIndex tensor : group.local)
        bytes += roundUp(localStorage(block, group, tensor, storages[tensor]).elements * 4, 64);
    return bytes;
}

void chooseTiles(NestGroup &group, const BlockNests &block, const BlockStorages &storages,
                 const ScheduleTarget &target, std::int64_t scratchBytes)
{
    for (NestGroup::Shared &shared : group.shared)
        if (shared.isLane)
            chooseLanes(group, shared, block, storages, target);
    group.scratchBytes = scratchOf(group, block, storages);
    if (!multiplies(group, block))
        return;
    // Operands are read again for every tile: with few rows, more of them count for more than equal
    // shares of the threads.
    constexpr std::int64_t mostRows = 48, fewRows = 8;
    const std::int64_t threads = target.threads, fewestTiles = threads > 1 ? 4 * threads : 1;
    std::int64_t rows = 1, tiles = 1;
    const auto extentOf = [&](const NestGroup::Shared &shared) {
        return block.nests[group.first].axes[shared.axes.front()].extent;
    };
    for (const NestGroup::Shared &shared : group.shared)
        tiles *= extentOf(shared);
    for (std::size_t s = group.shared.size(); s-- > 0;) {
        NestGroup::Shared &shared = group.shared[s];
        const std::int64_t extent = extentOf(shared);
        if (shared.isLane || !isRow(group, shared, block))
            continue;
        const auto tilesWith = [&](std::int64_t size) {
            return tiles / extent * ceilDiv(extent, size);
        };
        while (shared.tile < extent) {
            const std::int64_t next = std::min(shared.tile * 2, extent);
            const std::int64_t before = shared.tile;
            shared.tile = ceilDiv(extent, ceilDiv(extent, next)); // tiles of about equal size
            const std::int64_t bytes = scratchOf(group, block, storages);
            if (bytes > scratchBytes || rows * shared.tile > mostRows ||
                tilesWith(shared.tile) < (rows * before < fewRows ? threads : fewestTiles)) {
                shared.tile = before;
                break;
            }
            group.scratchBytes = bytes;
        }
        tiles = tilesWith(shared.tile);
        rows *= shared.tile;
        if (shared.tile < extent)
            break;
    }
    group.scratchBytes = scratchOf(group, block, storages);
}

} // namespace graphloom
