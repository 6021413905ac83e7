// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/own_table.h"
#include "app/query/query_term.h"
#include "app/query/query_tokens.h"

namespace graphloom {

/// Reads a query: alternatives of terms that must all hold, each perhaps negated or in parentheses.
class QueryParser {
public:
    /// `own`: columns of the user's own; null: there are none.
    QueryParser(const QString &text, OwnTablePointer own);

    /// Null for an empty text.
    std::shared_ptr<const Query::Term> parse();
    /// What is wrong first.
    std::optional<QueryProblem> problem() const;

private:
    using Term = Query::Term;

    void fail(const QString &message, qsizetype place, qsizetype length);
    void failAtValue(const QString &message, const QueryToken &token);
    Term any();
    Term all();
    Term one();
    Term made(const QueryToken &token);
    Term named(const QString &key, const QueryToken &token);
    Term own(const QString &name, const QueryToken &token);
    std::optional<double> limitOf(const QueryToken &token);
    static QString wrongValue(const QString &key, const QString &value);

    QueryTokens m_tokens;
    OwnTablePointer m_own;
    std::optional<QueryProblem> m_problem;
};

} // namespace graphloom
