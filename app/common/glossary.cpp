// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/glossary.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

// See application.cpp; tests of models run without an Application.
static void loadGlossaryResource()
{
    Q_INIT_RESOURCE(graphloom);
}

namespace graphloom {

namespace {

std::vector<GlossaryEntry> readGlossary()
{
    loadGlossaryResource();
    QFile file(QStringLiteral(":/glossary.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the glossary is missing from the resources");
    const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
    const QJsonObject sources = root[QLatin1String("sources")].toObject();
    std::vector<GlossaryEntry> entries;
    for (const QJsonValue &value : root[QLatin1String("terms")].toArray()) {
        const auto text = [&](const char *name) { return value[QLatin1String(name)].toString(); };
        entries.push_back({text("key"), text("term"), text("text"), text("source"), text("place"),
                           sources[text("source")].toString()});
    }
    std::ranges::sort(entries, [](const GlossaryEntry &a, const GlossaryEntry &b) {
        return a.term.compare(b.term, Qt::CaseInsensitive) < 0;
    });
    return entries;
}

struct GlossaryText {
    Q_DECLARE_TR_FUNCTIONS(Glossary)
};

} // namespace

QString GlossaryEntry::citation() const
{
    return QStringLiteral("%1, %2").arg(source, place);
}

QString GlossaryEntry::tip() const
{
    return QStringLiteral("<p><b>%1</b>: %2 <i>(%3)</i></p>")
        .arg(term.toHtmlEscaped(), text.toHtmlEscaped(), citation().toHtmlEscaped());
}

const std::vector<GlossaryEntry> &glossary()
{
    static const std::vector<GlossaryEntry> entries = readGlossary();
    return entries;
}

const GlossaryEntry *glossaryEntry(const QString &key)
{
    const auto found = std::ranges::find(glossary(), key, &GlossaryEntry::key);
    return found == glossary().end() ? nullptr : &*found;
}

QString explained(const QString &meaning, const QString &key)
{
    const GlossaryEntry *entry = glossaryEntry(key);
    if (!entry)
        return meaning;
    return meaning.isEmpty()
               ? entry->tip()
               : QStringLiteral("<p>%1</p>%2").arg(meaning.toHtmlEscaped(), entry->tip());
}

QString glossaryPage()
{
    QString text =
        QStringLiteral("# %1\n\n[%2](index.md)\n\n%3\n\n")
            .arg(GlossaryText::tr("Glossary"), GlossaryText::tr("Contents"),
                 GlossaryText::tr(
                     "Press Shift+F1 and click a title or a label to see its explanation."));
    QStringList sources;
    for (const GlossaryEntry &entry : glossary()) {
        text +=
            QStringLiteral("- **%1**: %2 *(%3)*\n").arg(entry.term, entry.text, entry.citation());
        const QString source = QStringLiteral("- **%1**: %2\n").arg(entry.source, entry.title);
        if (!sources.contains(source))
            sources << source;
    }
    sources.sort();
    return text + QStringLiteral("\n## %1\n\n").arg(GlossaryText::tr("Sources")) +
           sources.join(QString());
}

} // namespace graphloom
