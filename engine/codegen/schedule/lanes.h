// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/nests/nest.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <span>

namespace graphloom {

/// Which axis of a nest may run through the lanes of a vector, by where its tensors are.
class Lanes {
public:
    Lanes(const Nest &nest, const std::vector<BlockTensor> &tensors,
          std::span<const Storage> storages)
        : m_nest(nest), m_tensors(tensors), m_storages(storages)
    {
    }

    /// The axis along which neighbours are neighbours in memory in what the nest writes; -1: there
    /// is none.
    int innermost() const;
    /// The same, where it can be vectorized.
    int innermostVector() const;
    /// A reduction axis along which everything in the body that depends on it is contiguous; -1:
    /// none. Axes run to `extents`, and those of less than half a vector do not count.
    int reduction(std::span<const std::int64_t> extents, int lanes) const;
    /// A reduction axis whose neighbours are better lanes than those of any space axis: what is
    /// read is contiguous along it, and would be gathered lane by lane otherwise; -1: none.
    int preferredReduction(const ScheduleTarget &target) const;
    /// Whether a read that is of no constant loads its lanes one by one.
    bool isGathered(int read, int lane) const;
    /// Whether any read of the body does so.
    bool gathers(int lane) const;

private:
    std::optional<std::int64_t> stepOf(const NestRead &read, int axis) const;

    const Nest &m_nest;
    const std::vector<BlockTensor> &m_tensors;
    std::span<const Storage> m_storages;
};

} // namespace graphloom
