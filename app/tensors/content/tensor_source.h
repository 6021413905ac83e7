// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"
#include "engine/ir/tensor_data.h"

#include <QString>

#include <memory>

namespace graphloom {

/// Supplies values of tensors that are no constants: those that a run of the graph has computed.
class TensorSource {
public:
    virtual ~TensorSource() = default;

    /// Says which run the values are of, after "values of": "a run on random inputs, seed 1".
    virtual QString title() const = 0;
    /// Returns the values of a tensor of the graph of a snapshot; null if the run has none, or is
    /// one of another graph. Returns at once, without computing anything.
    virtual std::shared_ptr<const TensorData> valuesOf(const Snapshot &snapshot,
                                                       TensorId id) const = 0;
};
using TensorSourcePointer = std::shared_ptr<const TensorSource>;

} // namespace graphloom
