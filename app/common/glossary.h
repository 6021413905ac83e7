// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace graphloom {

/// A term that the window uses: what it means, and where that is said at length. All are in
/// resources/glossary.json, from which tooltips, What's This and the help's glossary are made.
struct GlossaryEntry {
    QString key;    // "fusion-block"
    QString term;   // "Fusion block"
    QString text;   // a few sentences
    QString source; // of a paper or standard: "DNNFusion"
    QString place;  // in it: "3.1, Table 2"
    QString title;  // of the source, in full

    /// "DNNFusion, 3.1, Table 2".
    QString citation() const;
    /// Rich text: the term, what it means, and where that is from.
    QString tip() const;
};

/// In the order of their terms.
const std::vector<GlossaryEntry> &glossary();
/// Null when there is none with that key.
const GlossaryEntry *glossaryEntry(const QString &key);
/// Rich text of `meaning`, which may be empty, and of the term; the meaning alone where the
/// glossary has no such key.
QString explained(const QString &meaning, const QString &key);
/// The page of the help: all terms, and the titles of the sources.
QString glossaryPage();

} // namespace graphloom
