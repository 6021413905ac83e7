// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace graphloom {

/// Gives the links in the labels of a window the present colour: rich text keeps the colour that
/// links had when the text was set.
void refreshLinks(QWidget &window);

} // namespace graphloom
