// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash> // first: the hash of strings must be known to all that follows

#include "app/snapshot/snapshot.h"

#include <QCoreApplication>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace graphloom {

class OwnTable;
using OwnTablePointer = std::shared_ptr<const OwnTable>;

/// A problem of a query, and where it is in the text.
struct QueryProblem {
    QString message;
    qsizetype place = 0, length = 0; // position in the text
};

/// The graph that a query is applied to: the model's own, or one nested in it, which has no groups.
struct QueryContext {
    const Graph &graph;
    const GraphFacts &facts;
    const Snapshot *groups = nullptr; // set only for the model's own graph
};

/// A query for nodes and tensors: words, `key:value` terms and comparisons of figures
/// (nodeFigures()), all of which must hold. "-" and "not" negate, "or" gives alternatives, and
/// parentheses group. `help()` describes everything.
class Query {
    Q_DECLARE_TR_FUNCTIONS(Query)

public:
    Query() = default;
    /// Parses a query. The columns of the user data `own` (null: none) are keys
    /// "own.<column>", and its metrics are keys, too.
    explicit Query(const QString &text, OwnTablePointer own = nullptr);

    bool isEmpty() const { return !m_root; }
    const std::optional<QueryProblem> &problem() const { return m_problem; }
    /// Tells whether a node matches. Requires that there is no problem. An empty query matches
    /// nothing.
    bool matches(const QueryContext &context, NodeId id) const;
    /// Tells whether an input or output of a graph matches, by its name, type and shape. A query
    /// that asks for anything else matches none.
    bool matches(const Tensor &tensor) const;

    /// A key with its meaning and an example, for completion and help.
    struct Key {
        QString key, meaning, example;
        bool number = false;
    };
    static std::vector<Key> keys(const OwnTable *own = nullptr);
    /// Returns the values that can follow a key: operators, types, classes of a graph and so on.
    /// Empty for free text.
    static QStringList valuesOf(const QString &key, const Snapshot &snapshot);
    /// Returns rich text that describes everything a query can ask for.
    static QString help();

    struct Term;

private:
    std::shared_ptr<const Term> m_root;
    std::optional<QueryProblem> m_problem;
};

} // namespace graphloom
