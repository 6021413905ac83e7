// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/algorithm_space.h"

#include "engine/base/integer_division.h"

namespace graphloom {

std::vector<BlockAlgorithm> otherConvolutions(const PlanKernels &kernels, BlockIndex block,
                                              double hopeless)
{
    std::vector<BlockAlgorithm> others;
    BlockAlgorithm now = kernels.kernels[block]->algorithm;
    now.groups.clear();
    for (const auto &[nest, costs] : kernels.convolutions[block])
        for (const WinogradCost &cost : costs)
            if (cost.m != now.winograd.at(nest) && cost.cycles <= hopeless * costs.front().cycles) {
                others.push_back(now);
                others.back().winograd[nest] = cost.m;
            }
    return others;
}

std::vector<BlockAlgorithm> otherGroups(const BlockKernel &kernel, int lanes)
{
    std::vector<BlockAlgorithm> others;
    const std::vector<GroupChoice> &groups = kernel.algorithm.groups;
    /// Adds an algorithm with the `count` groups from `at` on replaced.
    const auto add = [&](std::size_t at, std::size_t count, const std::vector<GroupChoice> &by) {
        BlockAlgorithm &other = others.emplace_back(kernel.algorithm);
        const auto from = other.groups.begin() + std::ptrdiff_t(at);
        const auto rest = other.groups.erase(from, from + std::ptrdiff_t(count));
        other.groups.insert(rest, by.begin(), by.end());
    };
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const GroupChoice &group = groups[g];
        for (std::size_t t = 0; t < group.tiles.size(); ++t) {
            const NestGroup::Shared &shared = kernel.groups[PhaseIndex(g)].shared[t];
            const std::int64_t extent = kernel.groups[PhaseIndex(g)].extentOf(shared, kernel.block);
            for (const std::int64_t points : {shared.tile * 2, shared.tile / 2}) {
                if (points < 1 || shared.tile == std::min(points, extent))
                    continue;
                GroupChoice other = group;
                std::int64_t tile = ceilDiv(extent, ceilDiv(extent, points)); // about equal
                if (shared.isLane)
                    tile = std::min(roundUp(tile, lanes), extent);
                other.tiles[t].second = tile;
                if (other != group)
                    add(g, 1, {other});
            }
        }
        if (group.count > 1) {
            std::vector<GroupChoice> apart;
            for (const NestIndex nest : kernel.groups[PhaseIndex(g)].nests())
                apart.push_back({nest, 1, {}});
            add(g, 1, apart);
        }
        if (g + 1 < groups.size())
            add(g, 2, {{group.first, group.count + groups[g + 1].count, {}}});
    }
    return others;
}

} // namespace graphloom
