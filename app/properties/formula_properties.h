// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/properties/properties.h"
#include "engine/ops/derive/analysis.h"

namespace graphloom {

// These functions describe what a node computes, for the properties panel. The description must not
// be opaque.

/// Describes how output elements depend on input elements: DNNFusion's mapping types.
PropertySection mappingSection(const Graph &graph, const Node &node,
                               const Description &description);

/// Gives the formula of each stage with its axes, in short names, and the tensors that these names
/// stand for: "y[n,o,h,w] += a[n,i,h+r-1,w+s-1] * b[o,i,r,s]", "a = x", "b = weight".
PropertySection formulaSection(const Graph &graph, const Node &node,
                               const Description &description);

} // namespace graphloom
