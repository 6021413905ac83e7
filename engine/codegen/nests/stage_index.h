// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/codegen/nests/nest.h"
#include "engine/ops/describe/stage.h"

namespace graphloom {

/// Returns a Model error that tells why there is no kernel for the node.
tl::unexpected<Error> refuseKernel(const Node &node, const std::string &why);

/// Returns a stage's index as a form over axes that run to `extents`. `dimension` is the extent
/// that negative values of a lookup count from. Fails (Model) if a number is not known yet.
Result<IndexForm> formOf(const Node &node, const Index &index, const AxisExtents &extents,
                         std::int64_t dimension);

/// Returns a stage's read of the block's tensor `tensor`, which has the given shape. Elements
/// outside are guarded, or a table tells which element inside is meant. Fails (Model) as formOf()
/// does, if a lookup may lead outside, or if a table would be too long.
Result<NestRead> readOf(const Node &node, const Read &read, BlockTensorIndex tensor,
                        const std::vector<std::int64_t> &shape, const AxisExtents &extents);

} // namespace graphloom
