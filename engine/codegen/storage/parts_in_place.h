// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/storage/plan_storages.h"

namespace graphloom {

/// Gives tensors that are only copied into a part of a larger one, such as operands of Concat, the
/// storage of that part, and notes them in `storages.parts`: their writers then write there, and
/// nothing is copied. A tensor stays where it is if an interpreted block, the model's user or a
/// window with margins needs it on its own, if something else is written to that part, if the
/// larger one has its dimensions in another order, or if the larger one, which then exists from the
/// first writer on, would raise the most bytes that are alive at a time.
void placeParts(const Graph &graph, const PlanNests &blocks, const std::set<TensorId> &interpreted,
                PlanStorages &storages);

} // namespace graphloom
