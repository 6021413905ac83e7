// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"

#include <functional>

namespace graphloom {

/// A node that may compute a part: attributes, and constants that take the place of inputs.
struct PartCandidate {
    Attributes attributes;
    std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> lists; // by input
};

/// What is known of a part before its node is.
struct PartFacts {
    const CallPart &whole;
    const Split &split;
    std::int64_t steps;             // of the part
    const Description &description; // of the part
    const std::vector<TensorPart> &inputs, &outputs;
    std::vector<Shape> inputShapes; // of the part; empty where omitted
};

/// Proposes nodes for a part, the likeliest first, until one is accepted: the call's own
/// attributes; with pads that are only those of the tensor's true border, extents that are the
/// part's, and counts that are as many as the split has steps. Gives whether one was accepted.
bool proposeParts(const PartFacts &facts, const std::function<bool(const PartCandidate &)> &accept);

} // namespace graphloom
