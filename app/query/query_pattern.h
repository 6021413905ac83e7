// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>

#include <optional>

namespace graphloom {

/// What a text of a query is compared with: a value with * and ?, as a whole; else a part of the
/// text, or the whole where `whole`. Case does not count.
class QueryPattern {
public:
    QueryPattern(const QString &value, bool whole, bool quoted);
    bool matches(const QString &text) const;

private:
    QString m_text;
    bool m_whole, m_wild = false;
    QRegularExpression m_expression;
};

enum class QueryRelation { Equal, Different, Less, AtMost, More, AtLeast };

/// Of ">", ">=", "<", "<=", "!="; all others are Equal.
QueryRelation queryRelationOf(const QString &sign);
bool holds(double value, QueryRelation relation, double limit);

/// "64", "1.5M", "2MB", "2MiB"; none for what is no number.
std::optional<double> queryNumberOf(const QString &text);

} // namespace graphloom
