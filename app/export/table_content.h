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

/// A row of a table: numbers, truth values and texts; not valid where there is nothing.
using TableRow = std::vector<QVariant>;

/// A table that leaves the program: values, not how a view writes them. Its keys are made for
/// programs: they are never translated, and have the units in them ("latency_ms").
struct TableContent {
    QStringList keys;
    std::vector<TableRow> rows; // as long as keys
};

/// What a view shows as a table, to be taken row by row: long ones are taken in pieces. It lives no
/// longer than the view.
struct TableSource {
    QStringList keys;
    std::function<int()> rowCount;
    std::function<TableRow(int)> row;
    const QAbstractItemModel *model = nullptr; // when it changes, what was taken holds no longer

    /// All of it at once.
    TableContent content() const;
};

/// The rows that pass the filter, as they are sorted, with all columns that have a key, hidden or
/// not; and how figures were obtained, where the model knows.
TableSource sourceOf(const TableFilter &filter);
TableSource sourceOf(const MessageModel &messages);
TableSource sourceOf(const HierarchyModel &hierarchy);
TableSource sourceOf(const PropertyModel &properties);
TableSource sourceOf(TableContent table);

/// How far it is, 0 to 1.
using TableProgress = std::function<void(double)>;

/// As in RFC 4180, in UTF-8: keys first, lines end with CR LF, quotes where they are needed. None
/// when stopped.
std::optional<QByteArray> csvOf(const TableContent &table, std::stop_token stop = {},
                                const TableProgress &progress = {});
/// An array of objects with all keys each, null where there is nothing. None when stopped.
std::optional<QByteArray> jsonOf(const TableContent &table, std::stop_token stop = {},
                                 const TableProgress &progress = {});

} // namespace graphloom
