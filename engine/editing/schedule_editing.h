// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/plan.h"

namespace graphloom {

enum class Direction { Earlier, Later };

/// The plan with one step of its schedule in the place of the one before or behind it: the node's
/// fusion block where there are blocks, else the node. Partitions, blocks, layouts and kernels stay
/// what they are; a memory plan is dropped, since it is of another schedule. Fails (Usage), with
/// the nodes that are the cause, where one of the two steps needs the other, or where there is
/// none.
Result<Plan> withStepMoved(Plan plan, NodeId node, Direction direction);

} // namespace graphloom
