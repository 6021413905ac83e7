// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariant>

namespace graphloom {

bool isInteger(const QVariant &value);

/// Returns a text with an apostrophe in front if a spreadsheet would take it for a formula.
/// Numbers, also with a unit or a sign of percent, are none.
QString guardedCell(const QString &text);

/// Returns a cell of a CSV file according to RFC 4180, in quotes if it needs them: a number reads
/// back as the same number, an invalid variant is empty, and a text that a spreadsheet would take
/// for a formula begins with an apostrophe.
QString csvCell(const QVariant &value);

} // namespace graphloom
