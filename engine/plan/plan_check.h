// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

namespace graphloom {

struct Plan;

/// Whether a plan's parts fit its graphs and each other: partitions and blocks are what
/// checkPartition() and checkFusionPlan() ask for, everything else that names nodes, tensors or
/// blocks names such as there are. For plans from plugins and files. Fails (Fault) naming the part.
Result<void> checkPlan(const Plan &plan);

} // namespace graphloom
