// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_tokens.h"

#include "app/common/condition_words.h"

namespace graphloom {

void QueryTokens::advance()
{
    const auto size = m_text.size();
    while (m_at < size && m_text[m_at].isSpace())
        ++m_at;
    m_token = {};
    m_token.place = m_at;
    if (m_at >= size)
        return;
    const QChar c = m_text[m_at];
    if (c == '(' || c == ')') {
        m_token.kind = c == '(' ? QueryToken::Kind::Open : QueryToken::Kind::Close;
        m_token.length = 1;
        ++m_at;
        return;
    }
    const bool ends = m_at + 1 >= size || m_text[m_at + 1].isSpace();
    if ((c == '-' || c == '!') && !ends) {
        m_token.kind = QueryToken::Kind::Not;
        m_token.value = c;
        m_token.length = 1;
        ++m_at;
        return;
    }
    m_token.kind = QueryToken::Kind::Word;
    if (c == '"') {
        m_token.value = quoted();
        m_token.quoted = true;
    } else {
        word();
    }
    m_token.length = m_at - m_token.place;
    if (m_token.quoted || !m_token.key.isEmpty())
        return;
    if (const auto connective = connectiveOf(m_token.value.toStdString()))
        m_token.kind = *connective == Connective::And  ? QueryToken::Kind::And
                       : *connective == Connective::Or ? QueryToken::Kind::Or
                                                       : QueryToken::Kind::Not;
}

QString QueryTokens::quoted()
{
    const qsizetype begin = m_at + 1, end = m_text.indexOf('"', begin);
    if (end < 0) {
        const QString rest = m_text.mid(begin);
        m_problem = m_problem ? m_problem
                              : QueryProblem{Query::tr("Missing closing quote"), m_at,
                                             m_text.size() - m_at};
        m_at = m_text.size();
        return rest;
    }
    m_at = end + 1;
    return m_text.mid(begin, end - begin);
}

/// A key consists of letters; "onnx::MatMul_7" and "a/b:0" are words.
void QueryTokens::word()
{
    qsizetype at = m_at;
    const auto size = m_text.size();
    if (const qsizetype column = ownColumn(); column > at)
        at = column;
    else
        while (at < size && (m_text[at].isLetter() || m_text[at] == '_'))
            ++at;
    if (at > m_at && at < size &&
        (QStringLiteral("<>=:").contains(m_text[at]) ||
         (m_text[at] == '!' && at + 1 < size && m_text[at + 1] == '=')) &&
        m_text.mid(at, 2) != u"::") {
        m_token.key = m_text.mid(m_at, at - m_at).remove('"');
        const qsizetype signs = at + 1 < size && m_text[at] != ':' && m_text[at + 1] == '=' ? 2 : 1;
        m_token.relation = m_text.mid(at, signs);
        m_at = at + signs;
        m_token.valuePlace = m_at;
        if (m_at < size && m_text[m_at] == '"') {
            m_token.value = quoted();
            m_token.quoted = true;
            return;
        }
    }
    const qsizetype begin = m_at;
    while (m_at < size && !m_text[m_at].isSpace() && m_text[m_at] != '(' && m_text[m_at] != ')')
        ++m_at;
    m_token.value = m_text.mid(begin, m_at - begin);
}

/// Returns the position after the key of a user's column, which may have any name, such as own.p95
/// or own."peak latency"; 0 if there is none.
qsizetype QueryTokens::ownColumn() const
{
    static const QString prefix = QStringLiteral("own.");
    if (!QStringView(m_text).mid(m_at).startsWith(prefix, Qt::CaseInsensitive))
        return 0;
    qsizetype at = m_at + prefix.size();
    if (at < m_text.size() && m_text[at] == '"') {
        const qsizetype end = m_text.indexOf('"', at + 1);
        return end < 0 ? 0 : end + 1;
    }
    while (at < m_text.size() && (m_text[at].isLetterOrNumber() || m_text[at] == '_' ||
                                  m_text[at] == '.' || m_text[at] == '-'))
        ++at;
    return at;
}

} // namespace graphloom
