// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/register_tiles.h"

#include "engine/base/integer_division.h"

#include <algorithm>
#include <array>
#include <utility>

namespace graphloom {

std::vector<RegisterTile> registerTiles(const ContractionExtents &extents,
                                        const ScheduleTarget &target, bool gathered)
{
    // What a tile reads of B is read again for the next rows: from the first cache if it has room
    // for it beside A, of 32 KiB or more in today's processors; else from the second one, which
    // delivers about 32 bytes in a cycle.
    constexpr std::int64_t room = 24 * 1024;
    constexpr double bytesInCycle = 32;
    // A large B comes from memory or the last cache, about 8 bytes in a cycle: while the first rows
    // are computed, or, if there are many, while those of the tile before are.
    constexpr std::int64_t large = 128 * 1024, fewPasses = 4;
    constexpr double bytesInCycleFromFar = 8;
    const std::int64_t all = ceilDiv(extents.columns, target.lanes);
    const std::int64_t vectorBytes = target.lanes * std::int64_t(sizeof(float));
    // A cycle has a multiply-add for each pipe, and as many loads, but no more than three. Their
    // latency of four cycles is hidden by four chains of multiply-adds for each pipe. A gathered
    // vector takes a load and a move for each lane.
    constexpr std::int64_t latency = 4;
    const double loadPipes = std::min(target.pipes, 3);
    const double vector = gathered ? double(target.lanes) : 0;
    // Where a multiply-add takes an element of a vector, A is loaded a vector at a time.
    const double share = target.byElement ? 1.0 / target.lanes : 1;
    const auto cycles = [&](std::int64_t m, std::int64_t n) {
        const double multiplyAdds =
            double(std::max<std::int64_t>(m * n, latency * target.pipes)) / target.pipes;
        const double loads = share * double(m) + double(n);
        return std::max(multiplyAdds, loads / loadPipes) + 0.3 / target.pipes * loads +
               vector * double(n);
    };
    // The cycles of one iteration of the reduction, of all tiles.
    const auto cost = [&](const RegisterTile &tile) {
        double sum = 0;
        const auto parts = [](std::int64_t extent, std::int64_t size) {
            return std::array{std::pair(extent / size, size),
                              std::pair(std::int64_t{extent % size != 0}, extent % size)};
        };
        for (const auto &[outerCount, outer] : parts(extents.outerRows, tile.outerRows))
            for (const auto &[rowCount, rows] : parts(extents.rows, tile.rows))
                for (const auto &[count, vectors] : parts(all, tile.vectors))
                    if (outerCount * rowCount * count > 0)
                        sum +=
                            double(outerCount * rowCount * count) * cycles(outer * rows, vectors);
        const std::int64_t passes = ceilDiv(extents.outerRows, tile.outerRows) *
                                    ceilDiv(extents.rows, tile.rows) * extents.others;
        const bool isFar = extents.depth * tile.vectors * vectorBytes > room;
        double waits = isFar ? double((passes - 1) * all * vectorBytes) / bytesInCycle : 0;
        if (extents.depth * all * vectorBytes > large)
            waits += double(all) / double(tile.vectors) *
                     std::max(0., double(tile.vectors * vectorBytes) / bytesInCycleFromFar -
                                      double(passes > fewPasses ? passes : 1) *
                                          cycles(tile.outerRows * tile.rows, tile.vectors));
        // Where memory alone decides, more results at once leave more room for what is slower.
        const double results = double(tile.rows * tile.outerRows * tile.vectors);
        return (double(extents.others) * sum + waits) * (1 - 1e-6 * results);
    };
    struct Candidate {
        RegisterTile tile;
        double cost;
    };
    std::vector<Candidate> candidates;
    for (std::int64_t vectors = 1; vectors <= std::min<std::int64_t>(all, 6); ++vectors)
        for (std::int64_t rows = 1; rows <= std::min<std::int64_t>(extents.rows, 30); ++rows)
            for (std::int64_t outer = 1; outer <= (rows == extents.rows ? extents.outerRows : 1);
                 ++outer) {
                // Registers hold accumulators, a vector of B for each column, and one of A, or one
                // for each row if it has its next elements, too.
                const std::int64_t ofA = target.byElement ? rows * outer : 1;
                if (rows * outer * vectors + vectors + ofA > target.vectorRegisters)
                    break;
                const RegisterTile tile{rows, vectors, outer};
                candidates.push_back({tile, cost(tile)});
            }
    std::ranges::stable_sort(candidates, {}, &Candidate::cost);
    std::vector<RegisterTile> tiles;
    for (const Candidate &candidate : candidates)
        tiles.push_back(candidate.tile);
    return tiles;
}

} // namespace graphloom
