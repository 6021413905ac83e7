// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>

#include <optional>

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

/// Returns the number of a text such as "64", "1.5M", "2MB" or "2MiB", or nothing if it is not a
/// number.
std::optional<double> queryNumberOf(const QString &text);

} // namespace graphloom
