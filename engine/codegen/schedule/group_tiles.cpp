// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/group_tiles.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/nests/contraction.h"

#include <algorithm>
#include <bit>
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
    const std::int64_t extent = group.extentOf(shared, block);
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

/// Chooses as many rows of a sliding axis at a time as have enough points for an operand that is
/// read once for them, unless half of a core's cache does not hold them.
void chooseRows(NestGroup &group, NestGroup::Shared &shared, const BlockNests &block,
                const BlockStorages &storages, const ScheduleTarget &target)
{
    constexpr std::int64_t cacheBytes = 256 * 1024, enough = 48;
    const std::int64_t extent = group.extentOf(shared, block);
    std::int64_t points = 1; // of a row, along the axes that are no lanes
    const Nest &last = block.nests[group.first + (group.count - 1)];
    for (const AxisIndex axis : last.spaceAxes())
        if (axis > shared.axes.back())
            points *= last.axes[axis].extent;
    shared.tile = 1;
    while (shared.tile < extent && shared.tile * points < enough) {
        const std::int64_t before = shared.tile;
        shared.tile = std::min(2 * shared.tile, extent);
        if (scratchOf(group, block, storages) > cacheBytes) {
            shared.tile = before;
            break;
        }
    }
    shared.strip = stripOf(group, shared, block, target);
}

} // namespace

Storage localStorage(const BlockNests &block, const NestGroup &group, BlockTensorIndex tensor,
                     const Storage &whole)
{
    std::vector<std::int64_t> extents = block.tensors[tensor].extents;
    std::vector<bool> local(extents.size(), false);
    Storage::Ring ring;
    for (const MemberIndex member : group.members())
        for (const NestStore &store : block.nests[group.nestOf(member)].stores)
            if (store.tensor == tensor)
                for (std::size_t d = 0; d < extents.size(); ++d)
                    for (const NestGroup::Shared &shared : group.shared)
                        if (store.map[d].asVariable() == shared.axes[member]) {
                            if (shared.slides()) {
                                const auto rows = shared.windows[member].rowsFor(shared.tile);
                                ring = {d, std::int64_t(std::bit_ceil(std::uint64_t(rows)))};
                                continue;
                            }
                            extents[d] = std::min(extents[d], shared.tile);
                            local[d] = true;
                        }
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const bool isRing = ring.slots > 0;
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t d) {
        return std::pair(isRing && d == ring.dimension, whole.strides[d]);
    });
    auto margins = whole.margins;
    for (std::size_t d = 0; d < margins.size(); ++d)
        if (local[d])
            margins[d] = {0, 0};
    auto around = margins; // rows in the margin are in slots
    if (isRing) {
        extents[ring.dimension] = ring.slots;
        if (!around.empty())
            around[ring.dimension] = {0, 0};
    }
    Storage storage = Storage::dense(extents, order, std::move(around), whole.marginValue);
    storage.margins = std::move(margins);
    storage.local = std::move(local);
    storage.ring = ring;
    return storage;
}

std::int64_t stripOf(const NestGroup &group, const NestGroup::Shared &sliding,
                     const BlockNests &block, const ScheduleTarget &target)
{
    constexpr std::int64_t longStrip = 16; // of windows that overlap by two rows
    const std::int64_t extent = group.extentOf(sliding, block), threads = target.threads;
    if (threads == 1)
        return extent;
    const std::int64_t half = ceilDiv(extent, 2 * threads);
    return roundUp(half >= longStrip ? half : ceilDiv(extent, threads), sliding.tile);
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
        else if (shared.slides())
            chooseRows(group, shared, block, storages, target);
    group.scratchBytes = scratchOf(group, block, storages);
    if (!multiplies(group, block))
        return;
    // Operands are read again for every tile: with few rows, more of them count for more than equal
    // shares of the threads.
    constexpr std::int64_t mostRows = 48, fewRows = 8;
    const std::int64_t threads = target.threads, fewestTiles = threads > 1 ? 4 * threads : 1;
    std::int64_t rows = 1, tiles = 1;
    for (const NestGroup::Shared &shared : group.shared)
        tiles *= group.extentOf(shared, block);
    for (std::size_t s = group.shared.size(); s-- > 0;) {
        NestGroup::Shared &shared = group.shared[s];
        const std::int64_t extent = group.extentOf(shared, block);
        if (shared.isLane || shared.slides() || !isRow(group, shared, block))
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
