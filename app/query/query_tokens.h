// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/query/query.h"

namespace graphloom {

struct QueryToken {
    enum class Kind { Open, Close, Or, Not, Word, End } kind = Kind::End;
    qsizetype place = 0, length = 0;
    QString key, relation, value; // of a term; a word has only the value
    bool quoted = false;
    qsizetype valuePlace = 0;
};

/// The words and signs of a query, one after the other.
class QueryTokens {
public:
    explicit QueryTokens(const QString &text) : m_text(text) { advance(); }

    /// The one that is looked at; End behind the last.
    const QueryToken &now() const { return m_token; }
    void advance();
    /// Nothing of what follows is looked at.
    void stop() { m_token = {}; }
    /// Of a quote that is not closed.
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
