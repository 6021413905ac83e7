// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"
#include "plugins/magis/fission/fission.h"

#include <functional>
#include <map>

namespace graphloom::magis {

/// Describes what one part of a fission computes.
struct RegionPart {
    IndexedVector<NodePlace, Parts::Interval> intervals; // steps of the nodes' splits
    /// Positions that this part computes of each tensor that is assembled from parts: of the
    /// tensors that steps inside compute and that are read outside, directly or through a view.
    std::map<TensorId, TensorPart> gives;
};

/// Returns a part of the cutting. `within` returns the steps of a node that an
/// enclosing fission along the same dimension has chosen, which this cutting then divides further;
/// it returns nothing if there is no such fission. Fails (Model) if a part has nothing to compute.
Result<RegionPart> regionPart(const MemoryGraph &memory, const Fission &fission,
                              const Cutting &cutting, PartIndex part,
                              const std::function<std::optional<Parts::Interval>(NodeId)> &within);

} // namespace graphloom::magis
