// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/own_table.h"
#include "app/query/query_term.h"
#include "app/query/query_tokens.h"

namespace graphloom {

/// Parses a query: alternatives of terms that must all hold, each possibly negated or in
/// parentheses.
class QueryParser {
public:
    /// Sets up a parser. `own` is the user data whose columns are keys; null: none.
    QueryParser(const QString &text, OwnTablePointer own);

    /// Parses the text. Returns null for an empty text.
    std::shared_ptr<const Query::Term> parse();
    /// Returns the first problem, or nothing.
    std::optional<QueryProblem> problem() const;

private:
    using Term = Query::Term;

    void fail(const QString &message, qsizetype place, qsizetype length);
    void failAtValue(const QString &message, const QueryToken &token);
    Term any();
    Term all();
    Term one();
    Term negatedOrNested();
    Term made(const QueryToken &token);
    Term named(const QString &key, const QueryToken &token);
    Term own(const QString &name, const QueryToken &token);
    std::optional<double> limitOf(const QueryToken &token);
    static QString wrongValue(const QString &key, const QString &value);

    QueryTokens m_tokens;
    OwnTablePointer m_own;
    int m_depth = 0; // of parentheses and negations
    std::optional<QueryProblem> m_problem;
};

} // namespace graphloom
