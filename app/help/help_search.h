// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace graphloom {

/// Holds a page of the help as it can be searched.
struct HelpPage {
    QString name;     // "canvas"
    QString markdown; // its content
};

/// Searches all pages of the help.
class HelpSearch {
public:
    explicit HelpSearch(const std::vector<HelpPage> &pages);

    /// Holds a page that has all words, with the part of its text that tells most.
    struct Hit {
        QString page, title;
        QString snippet; // plain text
        double score = 0;
    };
    /// Returns the pages in which all words of the query occur, the best first: in the title, in
    /// headings, as whole words, and often.
    std::vector<Hit> find(const QString &query) const;
    /// Returns the hits as a page, with the words in bold.
    QString pageOf(const QString &query) const;

private:
    struct Page {
        QString name, title, text;
        QString headings; // below the title
    };
    std::vector<Page> m_pages;
};

} // namespace graphloom
