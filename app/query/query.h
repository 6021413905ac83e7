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

/// What is wrong with a query, and where.
struct QueryProblem {
    QString message;
    qsizetype place = 0, length = 0; // of its text
};

/// A graph whose nodes are asked about: the model's own, or one nested in it, which has no groups.
struct QueryContext {
    const Graph &graph;
    const GraphFacts &facts;
    const Snapshot *groups = nullptr; // of the model's own graph, when that is asked about
};

/// What to look for: words, `key:value`, comparisons of figures (nodeFigures()), each of which must
/// hold; negation by "-", alternatives by "or", grouping by parentheses. `help()` says all.
class Query {
    Q_DECLARE_TR_FUNCTIONS(Query)

public:
    Query() = default;
    /// `own`: data of the user's own, whose columns are keys "own.<column>"; null: none.
    explicit Query(const QString &text, OwnTablePointer own = nullptr);

    bool isEmpty() const { return !m_root; }
    const std::optional<QueryProblem> &problem() const { return m_problem; }
    /// Requires that there is no problem. An empty query matches nothing.
    bool matches(const QueryContext &context, NodeId id) const;
    /// Of a graph's input or output: by its name, type and shape; what asks for more matches none.
    bool matches(const Tensor &tensor) const;
    /// What is asked for in one or several plain words.
    bool isPlain() const;

    /// A key with what it means and an example: for completion and help.
    struct Key {
        QString key, meaning, example;
        bool number = false;
    };
    static std::vector<Key> keys(const OwnTable *own = nullptr);
    /// What can stand behind a key: operators, types, classes of a graph…; empty for free text.
    static QStringList valuesOf(const QString &key, const Snapshot &snapshot);
    /// Rich text about all that can be asked for.
    static QString help();

    struct Term;

private:
    std::shared_ptr<const Term> m_root;
    std::optional<QueryProblem> m_problem;
};

} // namespace graphloom
