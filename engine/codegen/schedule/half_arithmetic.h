// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"
#include "engine/codegen/schedule/schedule_target.h"

namespace graphloom {

/// Tells whether a nest can be computed with arithmetic of half precision: all of its elements are
/// of half precision or truth values, its functions have such a form, and what it sums are few
/// products with weights; other sums may be too large for half precision, and long ones lose too
/// much.
bool computesInHalf(const Nest &nest, const BlockTensors &tensors);

/// Returns the target of one nest: with vectors of twice the lanes if the target computes it in
/// half precision.
ScheduleTarget targetOf(const Nest &nest, const BlockTensors &tensors,
                        const ScheduleTarget &target);

} // namespace graphloom
