// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <functional>
#include <string>
#include <vector>

namespace graphloom {

/// What exporters write out as several calls when their operator set has no operator for it. Every
/// call of the patterns has a name, equal ones where they are one.
struct Composite {
    std::string name; // as ONNX names the operator: "LayerNormalization", "Gelu"
    std::vector<Pattern> spellings;
    std::function<bool(const Match &)> when = {};
    /// The one call that gives the same value; empty where no operator does.
    std::function<Replacement(const Match &, Builder &)> build = {};
};

/// Normalizations (layer, RMS), activations (Gelu by erf and by tanh, Swish, Mish, HardSwish),
/// softmax and attention, however they are spelt: powers or products, divisions or products with
/// the inverse, factors before or behind, with affine part or without.
const std::vector<Composite> &composites();

} // namespace graphloom
