// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/properties/properties.h"

namespace graphloom {

/// Describes a tensor: "float 64x3x7x7 · 36.8 KiB · constant".
QString tensorText(const Graph &graph, TensorId id);

/// Adds a line for each tensor: its position in the list, its name, and tensorText().
void addTensors(PropertySection &section, const Graph &graph, const std::vector<TensorId> &tensors);

} // namespace graphloom
