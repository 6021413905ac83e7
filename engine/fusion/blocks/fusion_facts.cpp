// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/fusion_facts.h"

namespace graphloom {

Result<std::unique_ptr<const FusionFacts>>
FusionFacts::of(Graph graph, const Opsets &opsets, const BlockLimits &limits, const Device &device,
                MeasuredBlocks measured, std::shared_ptr<const Partition> within,
                const std::stop_token &stop)
{
    auto own = std::make_unique<const Graph>(std::move(graph));
    GL_TRY_RESULT(ecg, Ecg::of(*own, opsets, stop));
    return std::unique_ptr<const FusionFacts>(new FusionFacts(
        std::move(own), std::move(*ecg), limits, device, std::move(measured), std::move(within)));
}

} // namespace graphloom
