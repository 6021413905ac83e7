// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeyEvent>
#include <QKeySequence>
#include <QString>

#include <functional>
#include <vector>

namespace graphloom {

/// Holds the keys that a view handles itself, in addition to the shortcuts of the window. Both the
/// view and the list of all keys use this table, so that each key is described where it is handled.
class ViewKeys {
public:
    struct Entry {
        QList<QKeyCombination> keys; // empty: a mouse gesture
        QString gesture;
        QString meaning;
        std::function<void(Qt::Key)> act;

        /// Returns the keys or the gesture as text: "Left, Right", "Ctrl+click".
        QString text() const;
    };

    /// Makes a table for a view with a title: "Graph".
    explicit ViewKeys(QString title) : m_title(std::move(title)) {}

    void add(QList<QKeyCombination> keys, const QString &meaning, std::function<void(Qt::Key)> act);
    void addGesture(const QString &gesture, const QString &meaning);

    const QString &title() const { return m_title; }
    const std::vector<Entry> &entries() const { return m_entries; }

    /// Tells whether the event is one of the keys. A sign key matches with or without Shift, since
    /// some keyboards have signs on the upper half of a key.
    bool has(const QKeyEvent &event) const { return find(event) != nullptr; }
    /// Performs the action of the key. Returns false when the key has none.
    bool handle(const QKeyEvent &event) const;

private:
    const Entry *find(const QKeyEvent &event) const;

    QString m_title;
    std::vector<Entry> m_entries;
};

/// A widget with keys of its own. While it has the focus, it takes them before the window does, by
/// accepting the ShortcutOverride event for them.
class KeyedView {
public:
    virtual ~KeyedView() = default;
    virtual const ViewKeys &keys() const = 0;
};

} // namespace graphloom
