// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/graph_step.h"

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace graphloom {

/// Finds the rules to try at a call, by its operator.
class RuleIndex {
public:
    struct Entry {
        const Rule *rule;
        const Pattern *pattern;
    };

    explicit RuleIndex(std::span<const Rule> rules);

    /// Calls visit(entry) for the patterns whose root may match a call of this operator, in the
    /// order of the rules.
    template <class Visit> void forEach(const Node &node, Visit visit) const
    {
        const auto found = m_byOperator.find(node.domain.empty() ? node.op : node.qualifiedOp());
        for (const Entry &entry : found != m_byOperator.end() ? found->second : m_anywhere)
            visit(entry);
    }
    /// Tells whether a pattern mentions the operator by its name.
    bool mentions(const Node &node) const { return m_mentioned.contains(node.qualifiedOp()); }
    /// Returns the largest number of calls from the root of a pattern to its deepest one.
    int depth() const { return m_depth; }

private:
    void mention(const Pattern &pattern);

    std::unordered_map<std::string, std::vector<Entry>> m_byOperator; // with those of m_anywhere
    std::vector<Entry> m_anywhere;                                    // roots of any operator
    std::unordered_set<std::string> m_mentioned;
    int m_depth = 0;
};

/// Returns groups of nodes that rules may look at together: the graph is cut at operators that no
/// rule mentions (DNNFusion section 4.2: those without algebraic properties). Every node is in one
/// region, a cutting one in a region of its own; regions are in the order of their first nodes.
std::vector<std::vector<NodeId>> regionsOf(const Graph &graph, const RuleIndex &rules);

} // namespace graphloom
