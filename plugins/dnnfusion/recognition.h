// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/operator_table.h"

#include <string>
#include <vector>

namespace graphloom::dnnfusion {

/// Nodes that together are something known under a name of its own, as exporters write it out when
/// their operator set has no operator for it.
struct RecognisedBlock {
    std::string name;          // as ONNX names the operator: "LayerNormalization", "Gelu"
    std::vector<NodeId> nodes; // in the graph's order; the last one gives the result
};

/// Finds normalizations (layer, RMS), activations (Gelu by erf and by tanh, Swish, Mish,
/// HardSwish), softmaxes and attentions that are written out, however they are spelt: powers or
/// products, divisions or products with the inverse, factors before or behind, with affine part or
/// without. What is computed on the way is read inside only. Blocks do not overlap; the largest
/// come first. Expects an inferred graph.
std::vector<RecognisedBlock> recognise(const Graph &graph, const Opsets &opsets);

} // namespace graphloom::dnnfusion
