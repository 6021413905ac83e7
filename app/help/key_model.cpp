// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/key_model.h"

namespace graphloom {

namespace {

/// Escapes a text for a cell of a table.
QString markdownCell(QString text)
{
    return text.replace('\\', QStringLiteral("\\\\")).replace('|', QStringLiteral("\\|"));
}

} // namespace

KeyModel::KeyModel(QObject *parent) : RowsModel(parent)
{
    setColumns({{tr("Context"),
                 {}, // in the order of the menus
                 of(&KeyRow::place).sortedBy([](int row) { return row; }),
                 tr("The menu, or the view that must have the focus")},
                {tr("Command"), {}, of(&KeyRow::command)},
                {tr("Shortcut"), {}, of(&KeyRow::keys)},
                {tr("Description"), {}, of(&KeyRow::meaning)}});
}

QString markdownOf(const std::vector<KeyRow> &rows)
{
    QString text, place;
    for (const KeyRow &row : rows) {
        if (row.keys.isEmpty())
            continue;
        if (row.place != place) {
            place = row.place;
            text += QStringLiteral("\n## %1\n\n| %2 | %3 | %4 |\n| --- | --- | --- |\n")
                        .arg(place, KeyModel::tr("Shortcut"), KeyModel::tr("Command"),
                             KeyModel::tr("Description"));
        }
        text +=
            QStringLiteral("| %1 | %2 | %3 |\n")
                .arg(markdownCell(row.keys), markdownCell(row.command), markdownCell(row.meaning));
    }
    return text;
}

} // namespace graphloom
