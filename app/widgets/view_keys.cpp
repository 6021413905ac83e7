// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/view_keys.h"

#include <QStringList>

#include <algorithm>

namespace graphloom {

QString ViewKeys::Entry::text() const
{
    QStringList texts;
    for (const QKeyCombination key : keys)
        if (const QString text = QKeySequence(key).toString(QKeySequence::NativeText);
            !texts.contains(text))
            texts << text;
    return keys.isEmpty() ? gesture : texts.join(QStringLiteral(", "));
}

void ViewKeys::add(QList<QKeyCombination> keys, const QString &meaning,
                   std::function<void(Qt::Key)> act)
{
    m_entries.push_back({std::move(keys), {}, meaning, std::move(act)});
}

void ViewKeys::addGesture(const QString &gesture, const QString &meaning)
{
    m_entries.push_back({{}, gesture, meaning, {}});
}

const ViewKeys::Entry *ViewKeys::find(const QKeyEvent &event) const
{
    const auto modifiers = event.modifiers() & (Qt::ShiftModifier | Qt::ControlModifier |
                                                Qt::AltModifier | Qt::MetaModifier);
    const auto with = [&](Qt::KeyboardModifiers held) -> const Entry * {
        const QKeyCombination pressed(held, Qt::Key(event.key()));
        const auto found = std::ranges::find_if(
            m_entries, [&](const Entry &entry) { return entry.keys.contains(pressed); });
        return found == m_entries.end() ? nullptr : &*found;
    };
    if (const Entry *entry = with(modifiers))
        return entry;
    const bool isSign = event.key() > Qt::Key_Space && event.key() < Qt::Key_A;
    return isSign && modifiers == Qt::ShiftModifier ? with({}) : nullptr;
}

bool ViewKeys::handle(const QKeyEvent &event) const
{
    const Entry *entry = find(event);
    if (entry)
        entry->act(Qt::Key(event.key()));
    return entry;
}

} // namespace graphloom
