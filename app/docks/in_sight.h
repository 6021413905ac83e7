// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace graphloom {

/// Tells whether a visible widget has a place within its window, unlike a dock behind another tab,
/// which is visible for Qt. QWidget::visibleRegion() does not tell: it is without what opaque
/// children paint, and so is empty for a widget that they fill.
bool isInSight(const QWidget &widget);

} // namespace graphloom
