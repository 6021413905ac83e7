// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeyEvent>
#include <QKeySequence>
#include <QString>

#include <functional>
#include <vector>

namespace graphloom {

/// The keys that a view handles itself, beside the shortcuts of the window. A view acts by this
/// table, and the list of all keys shows it: what is said of a key is said where it is handled.
class ViewKeys {
public:
    struct Entry {
        QList<QKeyCombination> keys; // empty: a gesture of the mouse
        QString gesture;
        QString meaning;
        std::function<void(Qt::Key)> act;

        /// "Left, Right", "Ctrl+click": as a reader sees it.
        QString text() const;
    };

    /// Of the view: "Graph".
    explicit ViewKeys(QString title) : m_title(std::move(title)) {}

    void add(QList<QKeyCombination> keys, const QString &meaning, std::function<void(Qt::Key)> act);
    void addGesture(const QString &gesture, const QString &meaning);

    const QString &title() const { return m_title; }
    const std::vector<Entry> &entries() const { return m_entries; }

    /// Is it one of the keys? Signs that some keyboards have on the upper half of a key are, with
    /// or without Shift.
    bool has(const QKeyEvent &event) const { return find(event) != nullptr; }
    /// Does what the key is for; false when it is none of them.
    bool handle(const QKeyEvent &event) const;

private:
    const Entry *find(const QKeyEvent &event) const;

    QString m_title;
    std::vector<Entry> m_entries;
};

/// A widget with keys of its own. It takes them before the window does while it has the focus, by
/// accepting the event ShortcutOverride for them.
class KeyedView {
public:
    virtual ~KeyedView() = default;
    virtual const ViewKeys &keys() const = 0;
};

} // namespace graphloom
