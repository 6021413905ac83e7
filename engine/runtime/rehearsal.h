// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <cstdint>
#include <functional>

/// Models that are shipped without trained weights have one value in all elements of a weight
/// (fill_weights.h). Rewriting takes factors into weights, and what comes of a weight cannot be
/// given random elements that go with those of the original. So the passes are run once more, on
/// the model with its weights filled first: what they make of that is compared with that, and what
/// they had made of the model as shipped has to consist of the same calls. The price is a second
/// run of the passes and memory for the weights; the exported model stays as small as the one that
/// was opened.
namespace graphloom {

/// Has some weight that fillSplatWeights() would fill been changed on the way to the result?
bool hasChangedSplats(const Graph &original, const Graph &result);

/// The plan that `passes` make of a model with its splat weights filled.
struct Rehearsal {
    Plan plan;
    std::size_t filledWeights = 0;
};
Result<Rehearsal> rehearse(const Model &model, std::uint64_t seed,
                           const std::function<Result<Plan>(Plan)> &passes);

/// Do two graphs consist of the same calls, whatever the elements of their real constants are?
/// Single numbers, and integers, count.
bool sameCalls(const Graph &a, const Graph &b);

/// A graph that was exported from `result` with the constants of `filled`, which consists of the
/// same calls in the same order. Constants whose elements are not those of `result` stay as they
/// are, and will show.
Result<Graph> withFilledConstants(const Graph &exported, const Graph &result, const Graph &filled);

} // namespace graphloom
