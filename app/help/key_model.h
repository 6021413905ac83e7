// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"

namespace graphloom {

/// Holds a command and the keys that run it, or the meaning of a key in a view.
struct KeyRow {
    QString place;   // the menu, "View ▸ Panels", or the view
    QString command; // "Export ONNX…"
    QString keys;    // in the platform's notation; empty: none
    QString meaning; // in a sentence
};

/// Lists all commands with their keys, in the order in which they are given.
class KeyModel final : public TableModel {
    Q_OBJECT

public:
    enum Columns { Place, Command, Keys, Meaning, ColumnCount };

    explicit KeyModel(QObject *parent = nullptr);

    void setRows(std::vector<KeyRow> rows);
    const std::vector<KeyRow> &rows() const { return m_rows; }

    int rowCount(const QModelIndex &parent = {}) const override;
    bool isLess(int row, int other, int column) const override;

protected:
    QString text(int row, int column) const override;

private:
    std::vector<KeyRow> m_rows;
};

/// Returns the rows with keys as Markdown: a table for each place.
QString markdownOf(const std::vector<KeyRow> &rows);

} // namespace graphloom
