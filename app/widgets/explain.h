// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace graphloom {

/// Adds what the glossary says of a term to the tooltip and the What's This of a widget. The
/// widget's property "term" has the key.
void explainTerm(QWidget &widget, const char *key);

} // namespace graphloom
