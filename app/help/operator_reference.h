// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace graphloom {

/// Pages of the help as Markdown, made of the operator table: "operators" is the overview, with
/// what is not supported and why; "operators-contraction", "operators-elementwise"… hold the
/// operators of a class with their formulas. Empty for other names.
QString operatorPage(const QString &name);

} // namespace graphloom
