// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <optional>

namespace graphloom {

/// Holds a rule's replacement for a call of a graph, with the change of cost that it would make.
struct Step {
    const Rule *rule = nullptr;
    NodeId root;
    Builder built;
    Replacement replacement;
    /// Cost after minus cost before: negative is better. Calls that lose their last reader are
    /// removed, those with other readers stay.
    Cost change;
};

/// Returns the step that a match allows. Returns nothing if the rule does not apply after all,
/// would change the type or shape of a value, or changes nothing.
std::optional<Step> stepOf(const GraphTerms &terms, const Rule &rule, const Match &match);

/// Holds a graph after a step: replaced values keep their ids if a new call gives them, new names
/// are derived from those of the root, calls that lost their last reader are removed.
struct DoneStep {
    Graph graph;
    std::vector<NodeId> removed, added;
    /// Values that have gained or lost readers.
    std::vector<TensorId> touched;
};
/// Carries out a step. Fails (Fault), naming the rule, if the result is no valid graph.
Result<DoneStep> done(const GraphTerms &terms, const Step &step);

} // namespace graphloom
