// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/nest_groups.h"

#include <map>
#include <string>
#include <string_view>

namespace graphloom {

/// Describes how a block computes, before its nests are scheduled: which algorithm each convolution
/// uses, and which nests run together tile by tile. What it leaves out is as estimated. Its text
/// consists of primitives like those of a schedule:
///     winograd 0 4x4         nest 0 of the block becomes Winograd's three, F(4x4, 3x3); or 2x2
///     direct 0               it stays one nest
///     together 0 2 h 4 w 7   nests 0 to 2 run tile by tile, with such tiles of the axes that they
///                            share, as nest 0 names them, outermost first; or as estimated
///     alone 3                nest 3 runs by itself
/// "winograd" and "direct" count nests as nestsOf() returns them; "together" and "alone" count them
/// after that, and name either all of them, in order, or none.
struct BlockAlgorithm {
    std::map<NestIndex, int> winograd; // m of F(m x m, 3 x 3), or 0
    std::vector<GroupChoice> groups;

    bool operator==(const BlockAlgorithm &) const = default;

    std::string text() const;
    /// Returns the algorithm that a text describes. Fails (Usage), naming the first primitive that
    /// is not valid.
    static Result<BlockAlgorithm> fromText(std::string_view text);
};

/// Returns the block with its convolutions computed as `algorithm` says, and completes `algorithm`:
/// it then names every nest that has a choice. Fails (Usage) if it names a nest that cannot be
/// computed so, or Winograd's algorithm although the target rules it out.
Result<BlockNests> withAlgorithms(BlockNests block, BlockAlgorithm &algorithm,
                                  const ScheduleTarget &target);

} // namespace graphloom
