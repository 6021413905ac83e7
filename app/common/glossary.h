// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace graphloom {

/// A `GlossaryEntry` holds a term that the window uses: its meaning, and the source that describes
/// it at length. All entries are in resources/glossary.json, from which tooltips, What's This and
/// the help's glossary are made.
struct GlossaryEntry {
    QString key;    // "fusion-block"
    QString term;   // "Fusion block"
    QString text;   // a few sentences
    QString source; // short name of a paper or standard: "DNNFusion"
    QString place;  // place in the source: "3.1, Table 2"
    QString title;  // full title of the source

    /// Returns the source and the place in it: "DNNFusion, 3.1, Table 2".
    QString citation() const;
    /// Returns the term, its meaning and its source as rich text.
    QString tip() const;
};

/// Returns all entries, sorted by term.
const std::vector<GlossaryEntry> &glossary();
/// Returns the entry with that key, or null when there is none.
const GlossaryEntry *glossaryEntry(const QString &key);
/// Returns `meaning`, which may be empty, followed by the explanation of the term, as rich text.
/// Returns the meaning alone when the glossary has no such key.
QString explained(const QString &meaning, const QString &key);
/// Returns the glossary page of the help: all terms, and the titles of the sources.
QString glossaryPage();

} // namespace graphloom
