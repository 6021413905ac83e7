// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>

namespace graphloom {

/// Matches texts against a value of a query, ignoring case. A value with * or ? must match the
/// whole text, unless it is quoted. Any other value must be a part of the text, or the whole if
/// `whole`.
class QueryPattern {
public:
    QueryPattern(const QString &value, bool whole, bool quoted);
    bool matches(const QString &text) const;

private:
    QString m_text;
    bool m_whole, m_wild = false;
    QRegularExpression m_expression;
};

} // namespace graphloom
