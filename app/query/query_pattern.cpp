// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_pattern.h"

#include <cmath>

namespace graphloom {

QueryPattern::QueryPattern(const QString &value, bool whole, bool quoted)
    : m_text(value.toLower()), m_whole(whole)
{
    if (quoted || (!value.contains('*') && !value.contains('?')))
        return;
    m_expression.setPattern(QRegularExpression::anchoredPattern(
        QRegularExpression::escape(m_text)
            .replace(QStringLiteral("\\*"), QStringLiteral(".*"))
            .replace(QStringLiteral("\\?"), QStringLiteral("."))));
    m_expression.setPatternOptions(QRegularExpression::CaseInsensitiveOption);
    m_expression.optimize();
    m_wild = true;
}

bool QueryPattern::matches(const QString &text) const
{
    if (m_wild)
        return m_expression.match(text).hasMatch();
    return m_whole ? text.compare(m_text, Qt::CaseInsensitive) == 0
                   : text.contains(m_text, Qt::CaseInsensitive);
}

std::optional<double> queryNumberOf(const QString &text)
{
    static const QRegularExpression form(
        QStringLiteral("^(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?([kmgt]?)(i?)b?$"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(text);
    if (!match.hasMatch() || (match.captured(3).isEmpty() && !match.captured(4).isEmpty()))
        return std::nullopt;
    const double number = (match.captured(1) + match.captured(2)).toDouble();
    const auto power = match.captured(3).isEmpty()
                           ? 0
                           : 1 + QStringLiteral("kmgt").indexOf(match.captured(3).toLower());
    return number * std::pow(match.captured(4).isEmpty() ? 1000.0 : 1024.0, double(power));
}

} // namespace graphloom
