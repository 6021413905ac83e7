// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/lanes.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_map.h"
#include "engine/codegen/schedule/vectorizable.h"

#include <algorithm>

namespace graphloom {

int Lanes::innermost() const
{
    // Where results are stored in several orders, the first one counts that has such an axis.
    for (const NestStore &store : m_nest.stores) {
        const IndexForm offset = offsetOf(store.map, m_storages[std::size_t(store.tensor)]);
        for (int axis = 0; axis < m_nest.spaceAxes(); ++axis)
            if (m_nest.axes[std::size_t(axis)].extent > 1 &&
                !m_nest.axes[std::size_t(axis)].ordered)
                for (const auto &[atom, coefficient] : offset.terms()) {
                    const bool direct =
                        atom->kind == IndexForm::Kind::Variable && atom->number == axis;
                    const bool digit = atom->kind == IndexForm::Kind::Remainder &&
                                       atom->argument.asVariable() == axis;
                    if (coefficient == 1 && (direct || digit))
                        return axis;
                }
    }
    return -1;
}

int Lanes::innermostVector() const
{
    const int lane = innermost();
    return lane >= 0 && isVectorizable(m_nest, m_tensors, lane) ? lane : -1;
}

int Lanes::reduction(std::span<const std::int64_t> extents, int lanes) const
{
    if (!m_nest.reduces())
        return -1;
    for (int axis = int(m_nest.axes.size()) - 1; axis >= m_nest.spaceAxes(); --axis) {
        if (extents[std::size_t(axis)] < lanes / 2 || !isVectorizable(m_nest, m_tensors, axis))
            continue;
        bool contiguous = true;
        for (const int read : readsOf(m_nest.body)) {
            const NestRead &operand = m_nest.reads[std::size_t(read)];
            if (dependsOn(operand.map, axis))
                contiguous = contiguous && stepOf(operand, axis) == 1 && !operand.guarded;
        }
        if (contiguous)
            return axis;
    }
    return -1;
}

int Lanes::preferredReduction(const ScheduleTarget &target) const
{
    if (!m_nest.reduces())
        return -1;
    const int best = reduction(m_nest.extents(), target.lanes);
    const int lane = innermostVector();
    return best >= 0 && (lane < 0 || gathers(lane)) ? best : -1;
}

bool Lanes::isGathered(int read, int lane) const
{
    const NestRead &operand = m_nest.reads[std::size_t(read)];
    const BlockTensor &tensor = m_tensors[std::size_t(operand.tensor)];
    return tensor.role != BlockTensor::Role::Constant && dependsOn(operand.map, lane) &&
           stepOf(operand, lane) != 1;
}

bool Lanes::gathers(int lane) const
{
    return std::ranges::any_of(readsOf(m_nest.body),
                               [&](int read) { return isGathered(read, lane); });
}

std::optional<std::int64_t> Lanes::stepOf(const NestRead &read, int axis) const
{
    return offsetOf(read.map, m_storages[std::size_t(read.tensor)]).stepOf(axis);
}

} // namespace graphloom
