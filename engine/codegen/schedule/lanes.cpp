// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/lanes.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_map.h"
#include "engine/codegen/schedule/vectorizable.h"

#include <algorithm>

namespace graphloom {

AxisIndex Lanes::innermost() const
{
    // If results are stored in several orders, the first one with such an axis decides.
    for (const NestStore &store : m_nest.stores) {
        const IndexForm offset = offsetOf(store.map, m_storages[store.tensor]);
        for (const AxisIndex axis : m_nest.spaceAxes())
            if (m_nest.axes[axis].extent > 1 && !m_nest.axes[axis].ordered)
                for (const auto &[atom, coefficient] : offset.terms()) {
                    const bool direct =
                        atom->kind == IndexForm::Kind::Variable && atom->variable == axis;
                    const bool digit = atom->kind == IndexForm::Kind::Remainder &&
                                       atom->argument.asVariable() == axis;
                    if (coefficient == 1 && (direct || digit))
                        return axis;
                }
    }
    return {};
}

AxisIndex Lanes::innermostVector() const
{
    const AxisIndex axis = innermost();
    return axis.isValid() && isVectorizable(m_nest, m_tensors, axis) ? axis : AxisIndex();
}

AxisIndex Lanes::reduction(const AxisExtents &extents, int lanes) const
{
    if (!m_nest.reduces())
        return {};
    for (const AxisIndex axis : m_nest.reductionAxes().reversed()) {
        if (extents[axis] < lanes / 2 || !isVectorizable(m_nest, m_tensors, axis))
            continue;
        bool contiguous = true;
        for (const ReadIndex read : readsIn(m_nest.body)) {
            const NestRead &operand = m_nest.reads[read];
            if (dependsOn(operand.map, axis))
                contiguous = contiguous && stepOf(operand, axis) == 1 && !operand.guarded;
        }
        if (contiguous)
            return axis;
    }
    return {};
}

AxisIndex Lanes::preferredReduction(const ScheduleTarget &target) const
{
    if (!m_nest.reduces())
        return {};
    const AxisIndex best = reduction(m_nest.extents(), target.lanes);
    const AxisIndex inner = innermostVector();
    return best.isValid() && (!inner.isValid() || gathers(inner)) ? best : AxisIndex();
}

bool Lanes::isGathered(ReadIndex read, AxisIndex axis) const
{
    const NestRead &operand = m_nest.reads[read];
    const BlockTensor &tensor = m_tensors[operand.tensor];
    return tensor.role != BlockTensor::Role::Constant && dependsOn(operand.map, axis) &&
           stepOf(operand, axis) != 1;
}

bool Lanes::gathers(AxisIndex axis) const
{
    return std::ranges::any_of(readsIn(m_nest.body),
                               [&](ReadIndex read) { return isGathered(read, axis); });
}

std::optional<std::int64_t> Lanes::stepOf(const NestRead &read, AxisIndex axis) const
{
    return offsetOf(read.map, m_storages[read.tensor]).stepOf(axis);
}

} // namespace graphloom
