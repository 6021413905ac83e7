// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <cstdint>
#include <functional>

/// Verifies plans of models that are shipped without trained weights. Each weight of such a model
/// has one value in all elements (fill_weights.h). Rewriting moves factors into weights, and a
/// weight changed in this way cannot be given random elements that match those of the original.
/// Therefore the passes run once more, on the model with its weights filled first: their result is
/// compared with that model, and their result for the model as shipped must consist of the same
/// calls. The cost is a second run of the passes and memory for the weights; the exported model
/// stays as small as the opened one.
namespace graphloom {

/// Tells whether a weight that fillSplatWeights() would fill has been changed on the way to the
/// result.
bool hasChangedSplats(const Graph &original, const Graph &result);

/// Holds the plan that `passes` make of a model with its splat weights filled.
struct Rehearsal {
    Plan plan;
    std::size_t filledWeights = 0;
};
Result<Rehearsal> rehearse(const Model &model, std::uint64_t seed,
                           const std::function<Result<Plan>(Plan)> &passes);

/// Tells whether two graphs consist of the same calls, whatever the elements of their real
/// constants. Single numbers and integers are compared.
bool sameCalls(const Graph &a, const Graph &b);

/// Returns a graph that was exported from `result`, with the constants of `filled`, which consists
/// of the same calls in the same order. Constants whose elements differ from those of `result` stay
/// as they are, so that the comparison reveals them.
Result<Graph> withFilledConstants(const Graph &exported, const Graph &result, const Graph &filled);

} // namespace graphloom
