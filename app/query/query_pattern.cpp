// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_pattern.h"

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

} // namespace graphloom
