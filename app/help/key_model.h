// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"

namespace graphloom {

/// A command and the keys that run it, or what a key does in a view.
struct KeyRow {
    QString place;   // the menu, "View ▸ Panels", or the view
    QString command; // "Export ONNX…"
    QString keys;    // as the platform writes them; empty: none
    QString meaning; // in a sentence
};

/// All commands with their keys, in the order in which they are given.
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

/// The rows with keys as Markdown: a table for each place.
QString markdownOf(const std::vector<KeyRow> &rows);

} // namespace graphloom
