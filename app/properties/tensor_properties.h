// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/properties/properties.h"

namespace graphloom {

/// "float 64x3x7x7 · 36.8 KiB · constant".
QString tensorText(const Graph &graph, TensorId id);

/// A line for each tensor: its place in the list, its name, and tensorText().
void addTensors(PropertySection &section, const Graph &graph, const std::vector<TensorId> &tensors);

} // namespace graphloom
