// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/help/key_model.h"
#include "app/preferences/preference_page.h"

#include <functional>

class QKeySequenceEdit;
class QLabel;
class QPushButton;

namespace graphloom {

class FilteredTable;
class ShortcutSet;

/// Lists all commands with their shortcuts, and records another shortcut for the current one. A
/// shortcut that another command has is refused until the user takes it away from that one.
class ShortcutPage final : public PreferencePage {
    Q_OBJECT

public:
    /// Creates the page. `rows` returns all keys of the window.
    ShortcutPage(ShortcutSet &shortcuts, std::function<std::vector<KeyRow>()> rows);

    bool filter(const QString &text) override;
    void refresh() override;
    void reset() override;
    /// Makes a command the current one.
    void choose(const QAction &command);

    FilteredTable &list() { return *m_list; }
    QKeySequenceEdit &edit() { return *m_edit; }
    QLabel &note() { return *m_note; }
    QPushButton &reassignButton() { return *m_reassign; }
    QPushButton &removeButton() { return *m_remove; }
    QPushButton &resetButton() { return *m_reset; }

private:
    QWidget *makeEditor();
    void showCurrent();
    void record();
    void tellOfViews(const QKeySequence &keys);
    void assign(const QKeySequence &keys);
    QAction *current() const;

    ShortcutSet &m_shortcuts;
    std::function<std::vector<KeyRow>()> m_rows;
    KeyModel m_model;
    FilteredTable *m_list;
    QLabel *m_name, *m_note;
    QKeySequenceEdit *m_edit;
    QPushButton *m_reassign, *m_remove, *m_reset;
};

} // namespace graphloom
