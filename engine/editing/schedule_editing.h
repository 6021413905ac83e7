// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/plan.h"

namespace graphloom {

enum class Direction { Earlier, Later };

/// Swaps one step of the plan's schedule with the step before or after it. A step is the node's
/// fusion block if there are blocks, else the node. Partitions, blocks, layouts and kernels stay as
/// they are; a memory plan is dropped, since it belongs to another schedule. Fails (Usage), with
/// the nodes that are the cause, if one of the two steps depends on the other, or if there is no
/// such step.
Result<Plan> withStepMoved(Plan plan, NodeId node, Direction direction);

} // namespace graphloom
