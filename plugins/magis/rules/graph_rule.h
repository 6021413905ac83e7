// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/rules/graph_change.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace graphloom::magis {

struct GraphRule;

/// Describes a place where a rule applies.
struct RuleSite {
    const GraphRule *rule = nullptr;
    std::vector<NodeId> nodes;      // that it replaces
    std::vector<NodeId> calls = {}; // that become one; none may depend on another
    /// Lists of values that it joins; joining the same values costs only once for all sites.
    std::vector<std::vector<TensorId>> joins = {};
    /// Names of the rules that made way for it; the log lists them as steps before this one.
    std::vector<std::string> afterwards = {};
    /// Changes the graph; requires that the site stillApplies().
    std::function<void(GraphChange &)> apply = {};
};

/// Describes a rewrite rule whose left side is not a tree: independent calls become one. As with
/// Rule (engine/rewrite/terms/rule.h), rules state what is equal, not what is better.
struct GraphRule {
    std::string name;
    /// Either "aggregation", which makes one operator of several (A-Trans), or "interim", which
    /// enables other rules (I-Trans).
    std::string category;
    std::string formula, domain, flops;
    /// Returns all places in a graph whose extents are numbers. `uses` tells which other rules may
    /// help.
    std::vector<RuleSite> (*find)(const Graph &graph, const Opsets &opsets,
                                  const std::function<bool(std::string_view)> &uses);
};

/// Returns all rules; their names are unique.
std::span<const GraphRule> mergeRules();
/// Returns what `--list rules` prints about them.
std::span<const RuleFacts> mergeRuleFacts();

/// Tells whether a site is still possible in a graph that was made from the one it was found in.
bool stillApplies(const Graph &graph, const RuleSite &site);

using UsesRule = std::function<bool(std::string_view)>;

// What mergeRules() is put together from.
std::vector<RuleSite> stacksOfSharing(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> concatenationsOfSharing(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> stacksOfSums(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> concatenationsOfSums(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> sumsToRegroup(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> callsOfParts(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> callsBeforeJoining(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> joinedParts(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> dividedWholes(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> scaledResults(const Graph &, const Opsets &, const UsesRule &);
std::vector<RuleSite> scaledOperands(const Graph &, const Opsets &, const UsesRule &);

} // namespace graphloom::magis
