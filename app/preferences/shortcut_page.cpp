// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/shortcut_page.h"

#include "app/help/key_list.h"
#include "app/help/key_rows.h"
#include "app/shortcuts/shortcut_set.h"
#include "app/style/icons.h"
#include "app/widgets/filtered_table.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

ShortcutPage::ShortcutPage(ShortcutSet &shortcuts, std::function<std::vector<KeyRow>()> rows)
    : PreferencePage(tr("Shortcuts"), themedIcon(QStringLiteral("list"))), m_shortcuts(shortcuts),
      m_rows(std::move(rows))
{
    m_list = makeKeyTable(m_model, QStringLiteral("shortcutTable"));
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_list, 1);
    column->addWidget(makeEditor());
    addPart(content);
    connect(m_list->table().selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ShortcutPage::showCurrent);
    connect(m_list, &FilteredTable::activated, this, [this] { m_edit->setFocus(); });
    connect(&m_shortcuts, &ShortcutSet::changed, this, &ShortcutPage::refresh);
    refresh();
}

QWidget *ShortcutPage::makeEditor()
{
    m_name = new QLabel;
    m_name->setObjectName(QStringLiteral("shortcutCommand"));
    m_edit = new QKeySequenceEdit;
    m_edit->setObjectName(QStringLiteral("shortcutEdit"));
    m_edit->setAccessibleName(tr("Shortcut"));
    m_edit->setToolTip(tr("Press the keys of the new shortcut"));
    const auto button = [](const char *name, const QString &text, const QString &meaning) {
        auto *made = new QPushButton(text);
        made->setObjectName(QLatin1String(name));
        made->setToolTip(meaning);
        made->setAutoDefault(false);
        return made;
    };
    m_remove = button("removeShortcut", tr("Re&move"), tr("Leave the command without a shortcut"));
    m_reset = button("resetShortcut", tr("Rese&t"), tr("Restore the shortcut of this command"));
    m_reassign = button("reassignShortcut", tr("Re&assign"),
                        tr("Assign the shortcut to this command and remove it from the other one"));
    m_note = new QLabel;
    m_note->setObjectName(QStringLiteral("shortcutNote"));
    m_note->setWordWrap(true);
    auto *editor = new QWidget;
    auto *lines = new QVBoxLayout(editor);
    lines->setContentsMargins(6, 4, 6, 0);
    auto *line = new QHBoxLayout;
    line->addWidget(m_name, 1);
    line->addWidget(m_edit);
    line->addWidget(m_remove);
    line->addWidget(m_reset);
    auto *noteLine = new QHBoxLayout;
    noteLine->addWidget(m_note, 1);
    noteLine->addWidget(m_reassign);
    lines->addLayout(line);
    lines->addLayout(noteLine);
    connect(m_edit, &QKeySequenceEdit::editingFinished, this, [this] {
        if (isVisible()) // a window that is destroyed takes the focus, and its commands are gone
            record();
    });
    connect(m_reassign, &QPushButton::clicked, this, [this] { assign(m_edit->keySequence()); });
    connect(m_remove, &QPushButton::clicked, this, [this] { assign({}); });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (QAction *command = current())
            m_shortcuts.reset(*command);
    });
    return editor;
}

void ShortcutPage::refresh()
{
    std::vector<KeyRow> rows = m_rows();
    std::erase_if(rows, [this](const KeyRow &row) {
        return std::ranges::find(m_shortcuts.commands(), row.action) ==
               m_shortcuts.commands().end();
    });
    const QAction *before = current();
    m_model.setRows(std::move(rows));
    if (before)
        choose(*before);
    else
        m_list->table().selectRow(0);
    showCurrent();
}

void ShortcutPage::choose(const QAction &command)
{
    const auto row = std::ranges::find(m_model.rows(), &command, &KeyRow::action);
    if (row != m_model.rows().end())
        m_list->choose(int(row - m_model.rows().begin()));
}

bool ShortcutPage::filter(const QString &text)
{
    const bool all = has(text, title());
    m_list->edit().setText(all ? QString() : text);
    return all || m_list->filter().rowCount() > 0;
}

void ShortcutPage::reset()
{
    m_shortcuts.resetAll();
}

QAction *ShortcutPage::current() const
{
    const int row = m_list->currentRow();
    if (row < 0 || row >= int(m_model.rows().size()))
        return nullptr;
    const auto &commands = m_shortcuts.commands();
    const auto found = std::ranges::find(commands, m_model.rows()[std::size_t(row)].action);
    return found == commands.end() ? nullptr : *found;
}

void ShortcutPage::showCurrent()
{
    const QAction *command = current();
    for (QWidget *widget : {static_cast<QWidget *>(m_edit), static_cast<QWidget *>(m_remove)})
        widget->setEnabled(command);
    m_reset->setEnabled(command && m_shortcuts.isChanged(*command));
    m_reassign->hide();
    if (!command) {
        m_name->clear();
        m_note->clear();
        return;
    }
    m_name->setText(tr("Shortcut of “%1”:").arg(plainTextOf(*command)));
    m_edit->setKeySequence(command->shortcut());
    m_remove->setEnabled(!command->shortcuts().isEmpty());
    const QString usual = textOf(m_shortcuts.usualOf(*command));
    m_note->setText(usual.isEmpty() ? tr("By default, this command has no shortcut.")
                                    : tr("Default: %1").arg(usual));
}

/// Assigns the recorded keys, unless another command has them.
void ShortcutPage::record()
{
    QAction *command = current();
    const QKeySequence keys = m_edit->keySequence();
    if (!command || keys.isEmpty() || keys == command->shortcut())
        return;
    const QAction *holder = m_shortcuts.holderOf(keys, *command);
    if (!holder) {
        assign(keys);
        tellOfViews(keys);
        return;
    }
    m_note->setText(tr("%1 is the shortcut of “%2”: choose other keys, or reassign them")
                        .arg(textOf(collidingKeysOf(*holder, keys)), plainTextOf(*holder)));
    m_reassign->show();
}

/// Names the view that takes the keys itself while it has the focus.
void ShortcutPage::tellOfViews(const QKeySequence &keys)
{
    const QString text = textOf({keys});
    for (const KeyRow &row : m_rows())
        if (!row.action && row.keys.split(QStringLiteral(", ")).contains(text)) {
            m_note->setText(
                tr("In “%1”, %2 does something else: %3").arg(row.place, text, row.command));
            return;
        }
}

void ShortcutPage::assign(const QKeySequence &keys)
{
    if (QAction *command = current())
        m_shortcuts.assign(*command, keys);
}

} // namespace graphloom
