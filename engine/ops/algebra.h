// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/stage.h"

namespace graphloom {

/// Whether the call's result stays the same when two of its inputs, of equal shape or broadcast,
/// change places: told from the body of its elementwise stage.
bool isCommutative(const Description &description, int first = 0, int second = 1);

} // namespace graphloom
