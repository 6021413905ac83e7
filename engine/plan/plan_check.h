// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

namespace graphloom {

struct Plan;

/// Checks that a plan's parts fit its graphs and each other: that partitions and blocks pass
/// checkPartition() and checkFusionPlan(), and that all other references to nodes, tensors or
/// blocks are valid. For plans from plugins and files. Fails (Fault), naming the part.
Result<void> checkPlan(const Plan &plan);

} // namespace graphloom
