// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/nest_groups.h"

#include <map>
#include <string>
#include <string_view>

namespace graphloom {

/// How a block computes, before its nests are scheduled: which algorithm a convolution takes, and
/// which nests run together tile by tile. What is not said is as estimated. As text, primitives
/// like those of a schedule:
///     winograd 0 4x4         nest 0 of the block becomes Winograd's three, F(4x4, 3x3); or 2x2
///     direct 0               it stays one nest
///     together 0 2 h 4 w 7   nests 0 to 2 run tile by tile, with such tiles of the axes that they
///                            share, as nest 0 names them, outermost first; or as estimated
///     alone 3                nest 3 runs by itself
/// "winograd" and "direct" count nests as nestsOf() gives them; "together" and "alone" as they are
/// then, and name all of them in order, or none.
struct BlockAlgorithm {
    std::map<int, int> winograd; // by nest: m of F(m x m, 3 x 3), or 0
    std::vector<GroupChoice> groups;

    bool operator==(const BlockAlgorithm &) const = default;

    std::string text() const;
    /// Fails (Usage) naming the first primitive that is none.
    static Result<BlockAlgorithm> fromText(std::string_view text);
};

/// The block with its convolutions as `algorithm` says, which is completed: then it names every
/// nest that there is a choice for. Fails (Usage) where it names a nest that cannot be computed
/// so, or Winograd's algorithm where the target leaves it out.
Result<BlockNests> withAlgorithms(BlockNests block, BlockAlgorithm &algorithm,
                                  const ScheduleTarget &target);

} // namespace graphloom
