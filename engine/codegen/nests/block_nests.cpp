// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/nest_fusion.h"
#include "engine/codegen/nests/stage_nests.h"

namespace graphloom {

Result<BlockNests> nestsOf(const Graph &graph, const Opsets &opsets,
                           const std::vector<NodeId> &nodes, Steps *steps)
{
    Steps own;
    Steps &counted = steps ? *steps : own;
    auto block = stageNestsOf(graph, opsets, nodes, counted);
    if (block && !fuseNests(*block, counted))
        return stoppedError();
    return block;
}

} // namespace graphloom
