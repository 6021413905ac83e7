// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Tells whether neighbours along the axis can be lanes of a vector if they are adjacent in memory.
bool isVectorizable(const Nest &nest, const BlockTensors &tensors, AxisIndex axis);

} // namespace graphloom
