// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/register_tiles.h"

#include "engine/base/integer_division.h"

#include <algorithm>

namespace graphloom {

std::vector<RegisterTile> registerTiles(std::int64_t rows, std::int64_t columns,
                                        const ScheduleTarget &target, bool gathered)
{
    const std::int64_t all = ceilDiv(columns, target.lanes);
    struct Candidate {
        RegisterTile tile;
        double cost;
    };
    std::vector<Candidate> candidates;
    for (std::int64_t vectors = 1; vectors <= std::min<std::int64_t>(all, 6); ++vectors)
        for (std::int64_t r = 1; r <= std::min<std::int64_t>(rows, 30); ++r) {
            // Registers hold accumulators, a vector of B for each column, and one of A.
            if (r * vectors + vectors + 1 > target.vectorRegisters)
                break;
            // A cycle has two multiply-adds and two loads; at least eight chains of multiply-adds
            // are needed to hide their latency of four cycles. A gathered vector takes a load and a
            // move for each lane.
            const double vector = gathered ? double(target.lanes) : 0;
            const auto cycles = [&](std::int64_t m, std::int64_t n) {
                const double multiplyAdds = double(std::max<std::int64_t>(m * n, 8)) / 2;
                return std::max(multiplyAdds, double(m + n) / 2) + 0.15 * double(m + n) +
                       vector * double(n);
            };
            const std::int64_t wholeRows = rows / r, restRows = rows % r;
            const std::int64_t wholeColumns = all / vectors, restColumns = all % vectors;
            double cost = double(wholeRows * wholeColumns) * cycles(r, vectors);
            if (restRows)
                cost += double(wholeColumns) * cycles(restRows, vectors);
            if (restColumns)
                cost += double(wholeRows) * cycles(r, restColumns);
            if (restRows && restColumns)
                cost += cycles(restRows, restColumns);
            candidates.push_back({{r, vectors}, cost});
        }
    std::ranges::stable_sort(candidates, {}, &Candidate::cost);
    std::vector<RegisterTile> tiles;
    for (const Candidate &candidate : candidates)
        tiles.push_back(candidate.tile);
    return tiles;
}

} // namespace graphloom
