// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace graphloom {

/// Returns a help page as Markdown, generated from the operator table: "operators" is the overview,
/// with the operators that are not supported and why; "operators-contraction",
/// "operators-elementwise"… hold the operators of a class with their formulas. Returns an empty
/// string for other names.
QString operatorPage(const QString &name);
/// Returns the names of all of these pages.
QStringList operatorPages();

} // namespace graphloom
