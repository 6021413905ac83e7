// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/help/key_model.h"
#include "engine/base/result.h"

#include <QDialog>

#include <filesystem>

namespace graphloom {

class FilteredTable;

/// Lists all commands and their keys, to search, to copy and to print. The dialog is not modal.
class KeyList final : public QDialog {
    Q_OBJECT

public:
    explicit KeyList(QWidget *parent = nullptr);

    void setRows(std::vector<KeyRow> rows) { m_model.setRows(std::move(rows)); }
    const KeyModel &model() const { return m_model; }
    FilteredTable &table() { return *m_table; }
    /// Shows the dialog with the focus in the search field.
    void open() override;

Q_SIGNALS:
    /// Emitted when the user asks for the list as a document to print.
    void documentWanted();

private:
    KeyModel m_model;
    FilteredTable *m_table;
};

/// Returns a new table of commands and their keys, with a field that filters it.
FilteredTable *makeKeyTable(KeyModel &model, const QString &objectName);

/// Writes the list as PDF for A4. Fails (Missing) if the file cannot be written.
Result<void> printKeys(const std::vector<KeyRow> &rows, const std::filesystem::path &file);

} // namespace graphloom
