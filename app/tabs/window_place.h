// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QSettings;
class QWidget;

namespace graphloom {

/// Gives a window the size and place that are in the settings, or those of a first window.
void restorePlace(QWidget &window, const QSettings &settings);
void savePlace(const QWidget &window, QSettings &settings);
/// Shows a window, with its frame no larger than the screen, so that its buttons can be reached.
void showOnScreen(QWidget &window);

} // namespace graphloom
