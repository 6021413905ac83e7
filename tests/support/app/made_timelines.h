// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/timeline/memory_timeline.h"
#include "tests/support/random_graph.h"

namespace graphloom::test {

/// Returns a timeline of random tensors, most of them alive for a short time; some take over the
/// memory of one that ends, some are swapped. Steps take 0 to 2 ms.
MemoryTimeline randomTimeline(test::Random &random, std::uint32_t tensors, std::uint32_t steps);

/// Returns a handmade timeline of four steps of 10, 30, 40 and 20 bytes, of 1 ms each but the last,
/// which takes 3 ms: "in" (10 bytes, steps 0 to 1), "kept" (20, 1 to 3), "top" (20, 2 to 2).
MemoryTimeline smallTimeline();

} // namespace graphloom::test
