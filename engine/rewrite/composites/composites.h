// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <functional>
#include <string>
#include <vector>

namespace graphloom {

/// Describes a computation that exporters write out as several calls if their operator set has no
/// operator for it. Every call of the patterns has a name; calls that are the same have equal
/// names.
struct Composite {
    std::string name; // as ONNX names the operator: "LayerNormalization", "Gelu"
    std::vector<Pattern> spellings;
    std::function<bool(const Match &)> when = {};
    /// Builds the one call that gives the same value; empty if no operator does.
    std::function<Replacement(const Match &, Builder &)> build = {};
};

/// Returns the composites: normalizations (layer, RMS), activations (Gelu by erf and by tanh,
/// Swish, Mish, HardSwish), softmax and attention, in all spellings: powers or products, divisions
/// or products with the inverse, factors on either side, with or without an affine part.
const std::vector<Composite> &composites();

} // namespace graphloom
