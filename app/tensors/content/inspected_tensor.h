// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/tensors/content/tensor_source.h"

#include <vector>

namespace graphloom {

/// A tensor that belongs to an item and can be inspected.
struct TensorChoice {
    TensorId id;
    QString text; // "input 1 · conv1.weight · float 64x3x7x7"
    bool operator==(const TensorChoice &) const = default;
};

/// Returns the tensors of an item, each once: the constants that a node reads, then its other
/// inputs, its outputs and what the graphs inside it read; the tensor itself for an item that is
/// one. Returns an empty list for other items, and for one that the snapshot lacks.
std::vector<TensorChoice> tensorsOf(const Snapshot &snapshot, const Item &item);

/// Holds what is known of a tensor, and its values if there are any.
struct InspectedTensor {
    QString name, type;                     // "float"
    QString shape;                          // "64x3x7x7"
    QString role;                           // "constant", "graph input"…
    QString bytes;                          // of all elements; empty while the shape is not static
    QString inferred;                       // elements that shape inference knows without a run
    std::shared_ptr<const TensorData> data; // null if there are no values
    QString origin;                         // where the values are, or why there are none
    bool isConstant = false;
};

/// Returns a tensor of the graph, which must have it. Values of a constant come from the graph or
/// those around it, other values from the source, which may be null.
InspectedTensor inspected(const Snapshot &snapshot, TensorId id, const TensorSource *source);

} // namespace graphloom
