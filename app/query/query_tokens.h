// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/query/query.h"

namespace graphloom {

struct QueryToken {
    enum class Kind { Open, Close, And, Or, Not, Word, End } kind = Kind::End;
    qsizetype place = 0, length = 0;
    QString key, relation, value; // parts of a term; words and signs have only a value
    bool quoted = false;
    qsizetype valuePlace = 0;
};

/// Splits a query into words and signs, one after the other.
class QueryTokens {
public:
    explicit QueryTokens(const QString &text) : m_text(text) { advance(); }

    /// Returns the current token, or End after the last.
    const QueryToken &now() const { return m_token; }
    void advance();
    /// Ends the input: all further tokens are ignored.
    void stop() { m_token = {}; }
    /// Returns the problem of a quote that is not closed, or nothing.
    const std::optional<QueryProblem> &problem() const { return m_problem; }

private:
    QString quoted();
    void word();
    qsizetype ownColumn() const;

    const QString m_text;
    qsizetype m_at = 0;
    QueryToken m_token;
    std::optional<QueryProblem> m_problem;
};

} // namespace graphloom
