// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/help_search.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr qsizetype snippetBefore = 60, snippetLength = 200;
constexpr std::size_t mostHits = 30;

struct HelpSearchText {
    Q_DECLARE_TR_FUNCTIONS(HelpSearch)
};

QStringList wordsOf(const QString &query)
{
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    QStringList words = query.split(spaces, Qt::SkipEmptyParts);
    words.removeDuplicates();
    return words;
}

/// Returns the text of Markdown without its marks.
QString plainOf(QString markdown)
{
    static const QRegularExpression pictures(QStringLiteral("!\\[[^\\]]*\\]\\([^)]*\\)")),
        links(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)")),
        rules(QStringLiteral("^[|\\s:-]{4,}$"), QRegularExpression::MultilineOption),
        marks(QStringLiteral("[*`#|]+")), spaces(QStringLiteral("\\s+"));
    return markdown.remove(pictures)
        .replace(links, QStringLiteral("\\1"))
        .remove(rules)
        .replace(marks, QStringLiteral(" "))
        .replace(spaces, QStringLiteral(" "))
        .trimmed();
}

bool isWordAt(const QString &text, qsizetype at, qsizetype length)
{
    const auto isLetter = [&](qsizetype place) {
        return place >= 0 && place < text.size() && text[place].isLetterOrNumber();
    };
    return !isLetter(at - 1) && !isLetter(at + length);
}

/// Returns how much an occurrence of the word in a text tells; more of them add less and less.
double weightIn(const QString &text, const QString &word)
{
    double weight = 0;
    for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(word, at + word.size(), Qt::CaseInsensitive))
        weight += isWordAt(text, at, word.size()) ? 2 : 1;
    return std::log2(1 + weight);
}

/// Returns the part of a text that has most of the words.
QString snippetOf(const QString &text, const QStringList &words)
{
    qsizetype best = 0;
    int most = 0;
    for (const QString &word : words)
        for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
             at = text.indexOf(word, at + 1, Qt::CaseInsensitive)) {
            const qsizetype begin = std::max<qsizetype>(0, at - snippetBefore);
            const QStringView part = QStringView(text).mid(begin, snippetLength);
            const auto count = int(std::ranges::count_if(words, [&](const QString &other) {
                return part.contains(other, Qt::CaseInsensitive);
            }));
            if (count > most) {
                most = count;
                best = begin;
            }
        }
    while (best > 0 && !text[best - 1].isSpace())
        --best; // whole words
    const bool ends = best + snippetLength >= text.size();
    return (best > 0 ? QStringLiteral("… ") : QString()) + text.mid(best, snippetLength).trimmed() +
           (ends ? QString() : QStringLiteral(" …"));
}

/// Escapes a text for Markdown, with the words in bold.
QString marked(QString text, const QStringList &words)
{
    static const QRegularExpression special(QStringLiteral("([\\\\`*_{}\\[\\]<>#|~])"));
    QStringList patterns;
    for (const QString &word : words)
        patterns << QRegularExpression::escape(word);
    const QRegularExpression found(patterns.join(u'|'), QRegularExpression::CaseInsensitiveOption);
    QString result;
    qsizetype from = 0;
    for (const auto &match : found.globalMatch(text)) {
        result +=
            text.mid(from, match.capturedStart() - from).replace(special, QStringLiteral("\\\\1"));
        result += QStringLiteral("**%1**").arg(
            match.captured().replace(special, QStringLiteral("\\\\1")));
        from = match.capturedEnd();
    }
    return result + text.mid(from).replace(special, QStringLiteral("\\\\1"));
}

} // namespace

HelpSearch::HelpSearch(const std::vector<HelpPage> &pages)
{
    static const QRegularExpression heading(QStringLiteral("^#+ (.*)$"),
                                            QRegularExpression::MultilineOption);
    for (const HelpPage &page : pages) {
        QStringList headings;
        for (const auto &match : heading.globalMatch(page.markdown))
            headings << plainOf(match.captured(1));
        const QString title = headings.isEmpty() ? page.name : headings.takeFirst();
        m_pages.push_back({page.name, title, plainOf(page.markdown), headings.join(u'\n')});
    }
}

std::vector<HelpSearch::Hit> HelpSearch::find(const QString &query) const
{
    constexpr double titleWeight = 8, headingWeight = 3;
    const QStringList words = wordsOf(query);
    std::vector<Hit> hits;
    for (const Page &page : m_pages) {
        double score = 0;
        bool all = !words.isEmpty();
        for (const QString &word : words) {
            const double weight = weightIn(page.text, word);
            all = all && weight > 0;
            score += weight + titleWeight * weightIn(page.title, word) +
                     headingWeight * weightIn(page.headings, word);
        }
        if (words.size() > 1 && page.text.contains(query.simplified(), Qt::CaseInsensitive))
            score += headingWeight; // as a phrase
        if (all)
            hits.push_back({page.name, page.title, snippetOf(page.text, words), score});
    }
    std::ranges::stable_sort(hits, std::greater{}, &Hit::score);
    if (hits.size() > mostHits)
        hits.resize(mostHits);
    return hits;
}

QString HelpSearch::pageOf(const QString &query) const
{
    const QStringList words = wordsOf(query);
    const auto hits = find(query);
    QString text = QStringLiteral("# %1\n\n").arg(HelpSearchText::tr("Search results"));
    if (hits.empty())
        return text +
               HelpSearchText::tr("No page has all of these words: %1").arg(marked(query, words)) +
               u'\n';
    for (const Hit &hit : hits)
        text += QStringLiteral("### [%1](%2.md)\n\n%3\n\n")
                    .arg(hit.title, hit.page, marked(hit.snippet, words));
    return text;
}

} // namespace graphloom
