// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QStringList>
#include <QVariant>

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

class QAbstractItemModel;

namespace graphloom {

class HierarchyModel;
class MessageModel;
class PropertyModel;
class TableFilter;

/// A row of a table: numbers, truth values and texts, and invalid variants for empty cells.
using TableRow = std::vector<QVariant>;

/// A table for export, with values, not the texts that a view shows. Its keys are made for
/// programs: they are never translated, and include units ("latency_ms").
struct TableContent {
    QStringList keys;
    std::vector<TableRow> rows; // each as long as keys
};

/// Gives the table of a view row by row, so that long tables can be read in pieces. It must not
/// outlive the view.
struct TableSource {
    QStringList keys;
    std::function<int()> rowCount;
    std::function<TableRow(int)> row;
    const QAbstractItemModel *model = nullptr; // when it changes, rows read so far are out of date

    /// Returns the whole table at once.
    TableContent content() const;
};

/// Returns the source of a view's table. For a TableFilter these are the rows that pass the filter,
/// in their sorted order, with all columns that have a key, hidden or not, and how figures were
/// obtained, if the model knows.
TableSource sourceOf(const TableFilter &filter);
TableSource sourceOf(const MessageModel &messages);
TableSource sourceOf(const HierarchyModel &hierarchy);
TableSource sourceOf(const PropertyModel &properties);
TableSource sourceOf(TableContent table);

/// Receives the progress, 0 to 1.
using TableProgress = std::function<void(double)>;

/// Returns the table as CSV according to RFC 4180, in UTF-8: keys first, lines that end with CR LF,
/// quotes where they are needed. Returns nothing when stopped.
std::optional<QByteArray> csvOf(const TableContent &table, std::stop_token stop = {},
                                const TableProgress &progress = {});
/// Returns the table as a JSON array of objects with all keys each, null for empty cells. Returns
/// nothing when stopped.
std::optional<QByteArray> jsonOf(const TableContent &table, std::stop_token stop = {},
                                 const TableProgress &progress = {});

} // namespace graphloom
