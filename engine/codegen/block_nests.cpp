// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nest_fusion.h"
#include "engine/codegen/stage_nests.h"

namespace graphloom {

Result<BlockNests> nestsOf(const Graph &graph, const Opsets &opsets,
                           const std::vector<NodeId> &nodes)
{
    auto block = stageNestsOf(graph, opsets, nodes);
    if (block)
        fuseNests(*block);
    return block;
}

} // namespace graphloom
