// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <optional>

namespace graphloom {

/// A rule's replacement for a call of a graph, with what putting it in place would change.
struct Step {
    const Rule *rule = nullptr;
    NodeId root;
    Builder built;
    Replacement replacement;
    /// After minus before: negative is better. What loses its last reader is gone, what other
    /// readers need stays.
    Cost change;
};

/// The step that a match allows. None where the rule does not apply after all, would change type
/// or shape of a value, or changes nothing.
std::optional<Step> stepOf(const GraphTerms &terms, const Rule &rule, const Match &match);

/// A graph with a step done: replaced values keep their ids where a new call gives them, new names
/// are made of those of the root, calls that lost their last reader are gone.
struct DoneStep {
    Graph graph;
    std::vector<NodeId> removed, added;
    /// Values that have got or lost readers.
    std::vector<TensorId> touched;
};
/// Fails (Fault), naming the rule, when the result is no valid graph.
Result<DoneStep> done(const GraphTerms &terms, const Step &step);

} // namespace graphloom
