// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/preference_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int labelWidth = 190, pageMargin = 14;

} // namespace

PreferencePage::PreferencePage(const QString &title, const QIcon &icon, QWidget *parent)
    : QWidget(parent), m_title(title), m_icon(icon), m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(pageMargin, pageMargin, pageMargin, pageMargin);
    m_layout->setSpacing(8);
    setAccessibleName(title);
}

void PreferencePage::addHeading(const QString &text)
{
    auto *heading = new QLabel(text);
    QFont bold = heading->font();
    bold.setBold(true);
    heading->setFont(bold);
    heading->setContentsMargins(0, m_rows.empty() ? 0 : 10, 0, 0);
    m_layout->addWidget(heading);
    m_rows.push_back({heading, text, true});
}

void PreferencePage::addRow(const QString &label, QWidget *field, const QString &meaning)
{
    auto *row = new QWidget;
    auto *line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    auto *name = new QLabel(label);
    name->setMinimumWidth(labelWidth);
    name->setBuddy(field);
    line->addWidget(name);
    line->addWidget(field);
    line->addStretch(1);
    const QString plain = QString(label).remove(u'&').remove(u':');
    if (field->accessibleName().isEmpty())
        field->setAccessibleName(plain);
    if (!meaning.isEmpty()) {
        field->setToolTip(meaning);
        field->setWhatsThis(meaning);
        name->setToolTip(meaning);
    }
    m_layout->addWidget(row);
    m_rows.push_back({row, plain + u' ' + meaning, false});
}

void PreferencePage::addPart(QWidget *part)
{
    m_layout->addWidget(part, 1);
}

void PreferencePage::endRows()
{
    m_layout->addStretch(1);
}

bool PreferencePage::has(const QString &filter, const QString &texts)
{
    const QStringList words = filter.split(u' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(
        words, [&](const QString &word) { return texts.contains(word, Qt::CaseInsensitive); });
}

/// A heading is shown with any row below it, and shows them all if it matches itself.
bool PreferencePage::filter(const QString &text)
{
    const bool all = has(text, m_title);
    bool any = all;
    for (std::size_t i = 0; i < m_rows.size();) {
        std::size_t end = i + 1;
        const bool headed = m_rows[i].isHeading;
        while (end < m_rows.size() && !m_rows[end].isHeading)
            ++end;
        const bool whole = all || (headed && has(text, m_rows[i].texts));
        bool shown = false;
        for (std::size_t row = headed ? i + 1 : i; row < end; ++row) {
            const bool matches = whole || has(text, m_rows[row].texts);
            m_rows[row].widget->setVisible(matches);
            shown = shown || matches;
        }
        if (headed)
            m_rows[i].widget->setVisible(shown);
        any = any || shown;
        i = end;
    }
    return any;
}

} // namespace graphloom
