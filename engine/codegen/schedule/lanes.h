// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/nests/nest.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <span>

namespace graphloom {

/// Finds the axes of a nest that may run through the lanes of a vector, from where its tensors are
/// in memory.
class Lanes {
public:
    Lanes(const Nest &nest, const std::vector<BlockTensor> &tensors,
          std::span<const Storage> storages)
        : m_nest(nest), m_tensors(tensors), m_storages(storages)
    {
    }

    /// Returns the axis whose neighbours are adjacent in memory in what the nest writes, or -1 if
    /// there is none.
    int innermost() const;
    /// Returns the same axis if it can be vectorized, or else -1.
    int innermostVector() const;
    /// Returns a reduction axis along which everything in the body that depends on it is
    /// contiguous, or -1 if there is none. Axes run to `extents`; those of less than half a vector
    /// do not count.
    int reduction(std::span<const std::int64_t> extents, int lanes) const;
    /// Returns a reduction axis that makes better lanes than any space axis: what is read is
    /// contiguous along it, and would be gathered lane by lane otherwise; -1 if there is none.
    int preferredReduction(const ScheduleTarget &target) const;
    /// Tells whether a read of a tensor that is not constant loads its lanes one by one.
    bool isGathered(int read, int lane) const;
    /// Tells whether any read of the body does so.
    bool gathers(int lane) const;

private:
    std::optional<std::int64_t> stepOf(const NestRead &read, int axis) const;

    const Nest &m_nest;
    const std::vector<BlockTensor> &m_tensors;
    std::span<const Storage> m_storages;
};

} // namespace graphloom
