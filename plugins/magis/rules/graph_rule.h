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

/// A place where a rule applies.
struct RuleSite {
    const GraphRule *rule = nullptr;
    std::vector<NodeId> nodes;      // that it replaces
    std::vector<NodeId> calls = {}; // that become one: none may depend on another one
    /// Lists of values that it joins: sites that join the same values pay for that once.
    std::vector<std::vector<TensorId>> joins = {};
    /// The rules that made way for it, by name.
    std::vector<std::string> afterwards = {};
    /// Changes the graph, if the site stillApplies().
    std::function<void(GraphChange &)> apply = {};
};

/// A rewrite rule whose left side is no tree: calls side by side become one. As with Rule
/// (engine/rewrite/terms/rule.h), rules say what is equal, not what is better.
struct GraphRule {
    std::string name;
    /// "aggregation": makes one operator of several (A-Trans); "interim": makes way for others
    /// (I-Trans).
    std::string category;
    std::string formula, domain, flops;
    /// All places in a graph whose extents are numbers. `uses` says which other rules may help.
    std::vector<RuleSite> (*find)(const Graph &graph, const Opsets &opsets,
                                  const std::function<bool(std::string_view)> &uses);
};

/// All of them; names are unique.
std::span<const GraphRule> mergeRules();
/// What --list rules says of them.
std::span<const RuleFacts> mergeRuleFacts();

/// Whether a site is possible in a graph that was made of the one it was found in.
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
