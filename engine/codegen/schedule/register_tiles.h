// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule_target.h"

#include <cstdint>
#include <vector>

namespace graphloom {

/// Describes the register tile of a contraction: points of an axis of A, times points of the axis
/// around it, times vectors of an axis of B.
struct RegisterTile {
    std::int64_t rows = 1, vectors = 1, outerRows = 1;
};
/// Describes the extents of a contraction along the axes that a register tile divides, of all
/// other axes of A together, and of all reductions together.
struct ContractionExtents {
    std::int64_t rows = 1, columns = 1, depth = 1, outerRows = 1, others = 1;
};
/// Returns the tiles that are worth a trial, best first by the estimate. `gathered`: neighbours
/// along the lanes are not adjacent in B's memory, so that each lane of its vectors is loaded by
/// itself.
std::vector<RegisterTile> registerTiles(const ContractionExtents &extents,
                                        const ScheduleTarget &target, bool gathered = false);

} // namespace graphloom
