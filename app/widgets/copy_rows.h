// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractItemView;
class QMimeData;

namespace graphloom {

/// Tells which rows of a view are copied.
enum class CopiedRows { Selected, All };

/// Returns rows of a view with its visible columns, titles first, as programs take them: as text
/// with tabs, as CSV, and as an HTML table. Rows inside of others, as in trees, follow these.
QMimeData *copiedRows(const QAbstractItemView &view, CopiedRows rows);

/// Copies them to the clipboard; long tables in turns, while the window can be used.
void copyRows(QAbstractItemView &view, CopiedRows rows);

/// Adds a command to a view that copies its selected rows by Ctrl+C.
void makeRowsCopyable(QAbstractItemView &view);

} // namespace graphloom
