// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/block_editing.h"

namespace graphloom {

FusionPlan BlockEditor::withLock(std::uint32_t block, bool locked) const
{
    FusionPlan plan = m_plan;
    plan.blocks[block].locked = locked;
    return plan;
}

} // namespace graphloom
