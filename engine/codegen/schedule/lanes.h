// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/nests/nest.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <optional>

namespace graphloom {

/// Finds the axes of a nest that may run through the lanes of a vector, from where its tensors are
/// in memory.
class Lanes {
public:
    Lanes(const Nest &nest, const BlockTensors &tensors, const BlockStorages &storages)
        : m_nest(nest), m_tensors(tensors), m_storages(storages)
    {
    }

    /// Returns the axis whose neighbours are adjacent in memory in what the nest writes, or an
    /// invalid one if there is none.
    AxisIndex innermost() const;
    /// Returns the same axis if it can be vectorized.
    AxisIndex innermostVector() const;
    /// Returns a reduction axis along which everything in the body that depends on it is
    /// contiguous, if there is one. Axes run to `extents`; those of less than half a vector do not
    /// count.
    AxisIndex reduction(const AxisExtents &extents, int lanes) const;
    /// Returns a reduction axis that makes better lanes than any space axis, if there is one: what
    /// is read is contiguous along it, and would be gathered lane by lane otherwise.
    AxisIndex preferredReduction(const ScheduleTarget &target) const;
    /// Tells whether a read of a tensor that is not constant loads its lanes, neighbours along
    /// `axis`, one by one.
    bool isGathered(ReadIndex read, AxisIndex axis) const;
    /// Tells whether any read of the body does so.
    bool gathers(AxisIndex axis) const;

private:
    std::optional<std::int64_t> stepOf(const NestRead &read, AxisIndex axis) const;

    const Nest &m_nest;
    const BlockTensors &m_tensors;
    const BlockStorages &m_storages;
};

} // namespace graphloom
