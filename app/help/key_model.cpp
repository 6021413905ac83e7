// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/key_model.h"

namespace graphloom {

namespace {

/// What a cell of a table may hold.
QString markdownCell(QString text)
{
    return text.replace('\\', QStringLiteral("\\\\")).replace('|', QStringLiteral("\\|"));
}

} // namespace

KeyModel::KeyModel(QObject *parent)
    : TableModel({{tr("Where"), false, tr("The menu, or the view that must have the focus")},
                  {tr("Command")},
                  {tr("Keys")},
                  {tr("What it does")}},
                 parent)
{
}

void KeyModel::setRows(std::vector<KeyRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int KeyModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

/// Places are in the order of the menus.
bool KeyModel::isLess(int row, int other, int column) const
{
    return column == Place ? row < other : TableModel::isLess(row, other, column);
}

QString KeyModel::text(int row, int column) const
{
    const KeyRow &of = m_rows[std::size_t(row)];
    switch (column) {
    case Place:
        return of.place;
    case Command:
        return of.command;
    case Keys:
        return of.keys;
    default:
        return of.meaning;
    }
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
                        .arg(place, KeyModel::tr("Keys"), KeyModel::tr("Command"),
                             KeyModel::tr("What it does"));
        }
        text +=
            QStringLiteral("| %1 | %2 | %3 |\n")
                .arg(markdownCell(row.keys), markdownCell(row.command), markdownCell(row.meaning));
    }
    return text;
}

} // namespace graphloom
