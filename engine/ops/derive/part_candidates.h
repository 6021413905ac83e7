// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"

#include <functional>

namespace graphloom {

/// Describes a node that may compute a part: its attributes, and constants that take the place of
/// inputs.
struct PartCandidate {
    Attributes attributes;
    std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> lists; // by input
};

/// Holds what is known of a part before its node is found.
struct PartFacts {
    const CallPart &whole;
    const Split &split;
    std::int64_t steps;             // of the part
    const Description &description; // of the part
    const std::vector<TensorPart> &inputs, &outputs;
    std::vector<Shape> inputShapes; // of the part; empty where omitted
};

/// Proposes nodes for a part, the likeliest first, until one is accepted: with the call's own
/// attributes; with the pads of only the tensor's true border, the extents of the part, and counts
/// equal to the steps of the split. Returns whether one was accepted.
bool proposeParts(const PartFacts &facts, const std::function<bool(const PartCandidate &)> &accept);

} // namespace graphloom
