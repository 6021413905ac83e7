// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"
#include "plugins/magis/fission/fission.h"

#include <functional>
#include <map>

namespace graphloom::magis {

/// What one part of a fission computes.
struct RegionPart {
    std::vector<Parts::Interval> intervals; // steps of the nodes' splits, by place in the fission
    /// Which positions of a tensor that is put together from parts this one gives: those of the
    /// tensors that steps inside compute and that, or a view of which, are read outside.
    std::map<TensorId, TensorPart> gives;
};

/// Part `part` of those of the cutting. `within` gives the steps of a node that a fission around
/// this one has chosen along the same dimension, none where there is no such fission; they are
/// divided, then. Fails (Model) when a part has nothing to do.
Result<RegionPart> regionPart(const MemoryGraph &memory, const Fission &fission,
                              const Cutting &cutting, int part,
                              const std::function<std::optional<Parts::Interval>(NodeId)> &within);

} // namespace graphloom::magis
