// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace graphloom {

/// Adds the glossary's explanation of a term to the tooltip and the What's This of a widget. The
/// key is stored in the widget's property "term".
void explainTerm(QWidget &widget, const char *key);

} // namespace graphloom
