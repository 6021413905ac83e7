// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"

class QAction;

namespace graphloom {

/// Holds a command and the keys that run it, or the meaning of a key in a view.
struct KeyRow {
    QString place;                   // the menu, "View ▸ Panels", or the view
    QString command;                 // "Export ONNX…"
    QString keys;                    // in the platform's notation; empty: none
    QString meaning;                 // in a sentence
    const QAction *action = nullptr; // null: the key of a view
};

/// Lists all commands with their keys, in the order in which they are given.
class KeyModel final : public RowsModel<KeyRow> {
    Q_OBJECT

public:
    enum Columns { Place, Command, Keys, Meaning };

    explicit KeyModel(QObject *parent = nullptr);

    void setRows(std::vector<KeyRow> rows) { replace(m_rows, std::move(rows)); }
    const std::vector<KeyRow> &rows() const { return m_rows; }

protected:
    std::span<const KeyRow> allRows() const override { return m_rows; }

private:
    std::vector<KeyRow> m_rows;
};

/// Returns the rows with keys as Markdown: a table for each place.
QString markdownOf(const std::vector<KeyRow> &rows);

} // namespace graphloom
