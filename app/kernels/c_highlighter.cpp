// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/c_highlighter.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr std::array<QStringView, 27> words = {
    u"bool",     u"break",    u"case",    u"char",     u"const",  u"continue", u"double",
    u"else",     u"float",    u"for",     u"if",       u"int",    u"int16_t",  u"int32_t",
    u"int64_t",  u"int8_t",   u"return",  u"static",   u"struct", u"switch",   u"uint16_t",
    u"uint32_t", u"uint64_t", u"uint8_t", u"unsigned", u"void",   u"while"};

bool isOfWord(QChar c)
{
    return c.isLetterOrNumber() || c == '_';
}

} // namespace

void CHighlighter::setTheme(const Theme &theme)
{
    m_word = theme.palette.color(QPalette::Link);
    m_comment = theme.palette.color(QPalette::PlaceholderText);
    m_number = theme.success;
    m_directive = theme.warning;
    rehighlight();
}

void CHighlighter::highlightBlock(const QString &line)
{
    if (line.startsWith('#')) {
        setFormat(0, int(line.size()), m_directive);
        return;
    }
    for (qsizetype at = 0; at < line.size();) {
        if (line[at] == '/' && at + 1 < line.size() && line[at + 1] == '/') {
            setFormat(int(at), int(line.size() - at), m_comment);
            return;
        }
        if (!isOfWord(line[at])) {
            ++at;
            continue;
        }
        const bool number = line[at].isDigit();
        qsizetype end = at + 1;
        while (end < line.size() && (isOfWord(line[end]) || (number && line[end] == '.')))
            ++end;
        if (number)
            setFormat(int(at), int(end - at), m_number);
        else if (std::ranges::binary_search(words, QStringView(line).mid(at, end - at)))
            setFormat(int(at), int(end - at), m_word);
        at = end;
    }
}

} // namespace graphloom
