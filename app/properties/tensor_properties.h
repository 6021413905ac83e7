// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/properties/properties.h"

namespace graphloom {

/// Returns "Conv conv1" or, for nodes without a name, the position in the schedule: "Conv #17".
QString nodeText(const Snapshot &snapshot, NodeId id);
/// Describes a tensor: "float 64x3x7x7 · 36.8 KiB · constant".
QString tensorText(const Graph &graph, TensorId id);

/// Tells where the links of tensors lead to: what writes them, or what reads them.
enum class TensorEnds { Producer, Readers };

/// Adds a line for each tensor of the graph that is shown: its position in the list, its name as a
/// link to its values, and tensorText(). Lines with links to the nodes at the other ends follow:
/// "from" the node or graph input that writes the tensor, or "to" the nodes that read it.
void addTensors(PropertySection &section, const Snapshot &snapshot,
                const std::vector<TensorId> &tensors, TensorEnds ends);

} // namespace graphloom
