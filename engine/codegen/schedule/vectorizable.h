// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Can neighbours along the axis be lanes of a vector, if they are neighbours in memory?
bool isVectorizable(const Nest &nest, const std::vector<BlockTensor> &tensors, int axis);

} // namespace graphloom
